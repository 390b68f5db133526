import type { KindLimits } from '@postrider/contract'

/** How a recording is coded: null where there is no such track, or it is not known. */
export type Coding = {
  readonly videoCodec: string | null
  readonly audioCodec: string | null
  /** Frames per second. */
  readonly frameRate: number | null
  readonly audioChannels: number | null
  /** In hertz. */
  readonly audioSampleRate: number | null
}
export type CodingLimits = Pick<
  KindLimits,
  'videoCodecs' | 'audioCodecs' | 'minFrameRate' | 'maxFrameRate' | 'maxAudioChannels' | 'maxAudioSampleRate'
>
export type CodecFault = { readonly message: string; readonly fix: string }

/** What is wrong with how a recording is coded. What is not known is never at fault. */
export function codecFaults(
  { videoCodec, audioCodec, frameRate, audioChannels, audioSampleRate }: Coding,
  limits: CodingLimits,
  displayName: string,
): CodecFault[] {
  const { videoCodecs, audioCodecs, minFrameRate, maxFrameRate } = limits
  const { maxAudioChannels = Infinity, maxAudioSampleRate = Infinity } = limits
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
  if (frameRate !== null && isRateOut(frameRate, limits)) {
    faults.push({
      message:
        minFrameRate === undefined
          ? `The video has ${frameRate} frames per second; ${displayName} allows up to ${maxFrameRate}.`
          : `The video has ${frameRate} frames per second; ${displayName} allows ${minFrameRate} to ${maxFrameRate}.`,
      fix: 'Export it with another frame rate, and upload the result.',
    })
  }
  if (audioChannels !== null && audioChannels > maxAudioChannels) {
    faults.push({
      message: `The sound has ${audioChannels} channels; ${displayName} allows ${maxAudioChannels}.`,
      fix: 'Export it with stereo sound, and upload the result.',
    })
  }
  if (audioSampleRate !== null && audioSampleRate > maxAudioSampleRate) {
    faults.push({
      message: `The sound has a sample rate of ${audioSampleRate} Hz; ${displayName} allows ${maxAudioSampleRate} Hz.`,
      fix: 'Export it with a lower sample rate, and upload the result.',
    })
  }
  return faults
}

/** Rates of films and of television are a thousandth lower than their names (24: 23.976), and averages of phones vary. */
const TOLERANCE = 0.005

function isRateOut(rate: number, { minFrameRate = 0, maxFrameRate = Infinity }: CodingLimits): boolean {
  return rate < minFrameRate * (1 - TOLERANCE) || rate > maxFrameRate * (1 + TOLERANCE)
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
