import type { MediaCodec } from 'mediabunny'

/* Runs in a media worker only. */

/** Codecs under other names than those that people and their programs use. */
const names: Partial<Record<MediaCodec, string>> = { avc: 'h264' }

/** Codecs that the reader has no name for, by their sample entry in an ISO file or their id in Matroska. */
const others: ReadonlyMap<string, string> = new Map([
  ['avc2', 'h264'],
  ['avc4', 'h264'],
  ['dva1', 'h264'],
  ['dvav', 'h264'],
  ['dvh1', 'hevc'],
  ['dvhe', 'hevc'],
  ['vvc1', 'vvc'],
  ['vvi1', 'vvc'],
  ['mp4v', 'mpeg4'],
  ['V_MPEG4/ISO/ASP', 'mpeg4'],
  ['V_MPEG4/ISO/SP', 'mpeg4'],
  ['s263', 'h263'],
  ['h263', 'h263'],
  ['jpeg', 'mjpeg'],
  ['mjpa', 'mjpeg'],
  ['mjpb', 'mjpeg'],
  ['AVdn', 'dnxhd'],
  ['AVdh', 'dnxhd'],
  ['CFHD', 'cineform'],
  ['alac', 'alac'],
  ['samr', 'amr'],
  ['sawb', 'amr'],
])

/** The name of a track's codec: one of ours, never text of the file; null for one that we do not know. */
export function codecOf(codec: MediaCodec | null, internalId: unknown): string | null {
  if (codec?.startsWith('pcm-') === true) return 'pcm'
  if (codec !== null) return names[codec] ?? codec
  return typeof internalId === 'string' ? (others.get(internalId) ?? null) : null
}
