import type { KindLimits } from '@postrider/contract'

type Codecs = { readonly videoCodec: string | null; readonly audioCodec: string | null }
export type CodecFault = { readonly message: string; readonly fix: string }

/** What is wrong with how a recording is coded. A codec that is not known is never at fault. */
export function codecFaults(
  { videoCodec, audioCodec }: Codecs,
  { videoCodecs, audioCodecs }: Pick<KindLimits, 'videoCodecs' | 'audioCodecs'>,
  displayName: string,
): CodecFault[] {
  const faults: CodecFault[] = []
  if (videoCodec !== null && videoCodecs?.includes(videoCodec) === false) {
    faults.push({
      message: `The video codec is ${nameOf(videoCodec)}; ${displayName} allows ${namesOf(videoCodecs)}.`,
      fix: 'Export it with another video codec, and upload the result.',
    })
  }
  if (audioCodec !== null && audioCodecs?.includes(audioCodec) === false) {
    faults.push({
      message: `The audio codec is ${nameOf(audioCodec)}; ${displayName} allows ${namesOf(audioCodecs)}.`,
      fix: 'Export it with another audio codec, and upload the result.',
    })
  }
  return faults
}

/** Codecs that are written otherwise than in capitals. */
const spelled: Readonly<Record<string, string>> = {
  h263: 'H.263',
  h264: 'H.264',
  hevc: 'HEVC',
  mpeg4: 'MPEG-4 Visual',
  prores: 'ProRes',
  mjpeg: 'Motion JPEG',
  dnxhd: 'DNxHD',
  cineform: 'CineForm',
  opus: 'Opus',
  vorbis: 'Vorbis',
  ac3: 'AC-3',
  eac3: 'E-AC-3',
  ulaw: 'µ-law',
  alaw: 'A-law',
}

function nameOf(codec: string): string {
  return spelled[codec] ?? codec.toUpperCase()
}

const namesOf = (codecs: readonly string[]) => codecs.map(nameOf).join(', ')
