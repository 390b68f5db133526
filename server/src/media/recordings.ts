import { open } from 'node:fs/promises'
import {
  FilePathSource,
  Input,
  type InputFormat,
  type InputVideoTrack,
  MP3,
  MP4,
  OGG,
  QTFF,
  WAVE,
  WEBM,
} from 'mediabunny'
import { FileRejected } from './file-rejected.ts'
import type { Recording } from './media-job.ts'
import { codecOf } from './codecs.ts'

/* Runs in a media worker only. */

const containers: readonly { format: InputFormat; video: string | null; audio: string | null }[] = [
  { format: QTFF, video: 'video/quicktime', audio: null },
  { format: MP4, video: 'video/mp4', audio: 'audio/mp4' },
  { format: WEBM, video: 'video/webm', audio: null },
  { format: MP3, video: null, audio: 'audio/mpeg' },
  { format: WAVE, video: null, audio: 'audio/wav' },
  { format: OGG, video: null, audio: 'audio/ogg' },
]

/** Reads the container of a recording: what it is, how large and how long. Throws FileRejected for one that is not whole. */
export async function probeRecording(path: string): Promise<Recording> {
  using input = new Input({
    source: new FilePathSource(path),
    formats: containers.map(({ format }) => format),
  })
  const format = await input.getFormat()
  const container = containers.find((one) => one.format === format)
  if (container === undefined) throw new FileRejected('Its file format is not supported.')
  if (format === MP4 || format === QTFF) await rejectTruncated(path)

  const video = await input.getPrimaryVideoTrack()
  const audio = await input.getPrimaryAudioTrack()
  if (video === null && audio === null) throw new FileRejected('It has neither picture nor sound.')
  const contentType = video === null ? container.audio : container.video
  if (contentType === null) {
    throw new FileRejected(
      video === null
        ? 'It has no picture, and its container is one for video.'
        : 'It has a picture, and its container is one for sound.',
    )
  }
  const tracks = [video, audio].filter((track) => track !== null)
  const seconds = (await input.getDurationFromMetadata(tracks)) ?? (await input.computeDuration(tracks))
  if (!Number.isFinite(seconds) || seconds <= 0 || seconds > MAX_SECONDS) {
    throw new FileRejected("Its length can't be read.")
  }
  const [width, height] =
    video === null ? [null, null] : [await video.getDisplayWidth(), await video.getDisplayHeight()]
  if (width !== null && (width < 1 || width > MAX_SIDE || height < 1 || height > MAX_SIDE)) {
    throw new FileRejected("The size of its picture can't be right.")
  }
  return {
    contentType,
    width,
    height,
    durationMs: Math.max(1, Math.round(seconds * 1_000)),
    videoCodec: video === null ? null : codecOf(await video.getCodec(), await video.getInternalCodecId()),
    audioCodec: audio === null ? null : codecOf(await audio.getCodec(), await audio.getInternalCodecId()),
    frameRate: video === null ? null : await frameRateOf(video),
    audioChannels: audio === null ? null : whole(await audio.getNumberOfChannels(), MAX_CHANNELS),
    audioSampleRate: audio === null ? null : whole(await audio.getSampleRate(), MAX_HERTZ),
  }
}

const MAX_SECONDS = 24 * 3_600
/** So many frames are looked at: their average is that of the whole file, unless its rate changes. */
const FRAMES = 300
const MAX_FRAME_RATE = 1_000
const MAX_CHANNELS = 255
const MAX_HERTZ = 1_000_000
const MAX_SIDE = 16_384
const MAX_BOXES = 10_000

/** How many frames there are in a second, to a thousandth; null where that can't be read, and where there is one frame. */
async function frameRateOf(video: InputVideoTrack): Promise<number | null> {
  const { packetCount, averagePacketRate } = await video.computePacketStats(FRAMES).catch(() => NO_FRAMES)
  const rate = Math.round(averagePacketRate * 1_000) / 1_000
  return packetCount > 1 && rate > 0 && rate <= MAX_FRAME_RATE ? rate : null
}

const NO_FRAMES = { packetCount: 0, averagePacketRate: 0 }

function whole(value: number, most: number): number | null {
  return Number.isSafeInteger(value) && value > 0 && value <= most ? value : null
}

/** The boxes of an ISO file (ISO/IEC 14496-12, 4.2) follow each other to its very end, unless it was cut. */
async function rejectTruncated(path: string): Promise<void> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const head = Buffer.alloc(16)
    let at = 0
    for (let boxes = 0; at < size && boxes < MAX_BOXES; boxes++) {
      const { bytesRead } = await file.read(head, 0, 16, at)
      const short = bytesRead < 8 ? 0 : head.readUInt32BE(0)
      const length =
        short === 0 ? size - at : short === 1 && bytesRead === 16 ? Number(head.readBigUInt64BE(8)) : short
      if (bytesRead < 8 || length < 8) break
      at += length
    }
    if (at !== size) throw new FileRejected('It is cut short: its boxes do not end where the file ends.')
  } finally {
    await file.close()
  }
}
