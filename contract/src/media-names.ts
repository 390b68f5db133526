import type { mediaTypes } from './media.ts'

type MediaType = {
  [Kind in keyof typeof mediaTypes]: (typeof mediaTypes)[Kind][number]
}[keyof typeof mediaTypes]

/** What people call a file of each type. */
const names: Readonly<Record<MediaType, string>> = {
  'image/jpeg': 'JPEG',
  'image/png': 'PNG',
  'image/webp': 'WebP',
  'image/gif': 'GIF',
  'image/avif': 'AVIF',
  'video/mp4': 'MP4',
  'video/quicktime': 'MOV',
  'video/webm': 'WebM',
  'audio/mpeg': 'MP3',
  'audio/mp4': 'M4A',
  'audio/wav': 'WAV',
  'audio/ogg': 'OGG',
  'application/pdf': 'PDF',
}

/** A type of media as people call it; one of an older or newer server stays as it is. */
export function mediaTypeName(contentType: string): string {
  return new Map<string, string>(Object.entries(names)).get(contentType) ?? contentType
}
