import type { Rejection } from '../platform/process/worker-pool.ts'

/*
 * What a media worker is asked for, and what it answers. A worker is a process of its own, because it decodes files of
 * untrusted senders: whatever such a file does to its decoder, it does not do to the server.
 */

/** Bounds of an image; null where there is none. */
export type ImageBounds = {
  readonly contentTypes: readonly string[]
  readonly maxBytes: number
  readonly maxWidth: number | null
  readonly maxHeight: number | null
}

type ImageJob = { readonly from: string; readonly to: string; readonly contentType: string }

export type MediaJob =
  /** Decodes an image and re-encodes it: upright, in sRGB, without metadata. */
  | (ImageJob & { readonly type: 'clean'; readonly maxPixels: number })
  /** Cuts a still image to exactly these proportions, around its middle. */
  | (ImageJob & {
      readonly type: 'crop'
      readonly maxPixels: number
      readonly ratio: readonly [width: number, height: number]
    })
  /** Makes a smaller copy of a clean image. */
  | (ImageJob & { readonly type: 'resize'; readonly width: number })
  /** Makes a copy of a clean image that keeps within bounds: scaled and converted, never cropped. */
  | (ImageJob & { readonly type: 'fit'; readonly bounds: ImageBounds })
  /** Reads what a recording is. */
  | { readonly type: 'probe'; readonly from: string }
  /** Reads whether a document is whole. */
  | { readonly type: 'check_document'; readonly from: string }
  /** Reads the card of a web page, of which these are the first bytes. */
  | {
      readonly type: 'read_page'
      readonly bytes: Uint8Array
      /** As its header has it. */
      readonly contentType: string
      /** Where it is, after all redirects. */
      readonly address: string
    }

export type JobOf<Type extends MediaJob['type']> = Extract<MediaJob, { type: Type }>

export type Image = {
  readonly contentType: string
  readonly size: number
  readonly width: number
  readonly height: number
  readonly animated: boolean
}

export type Recording = {
  /** As the container has it: sound alone in an MP4 is `audio/mp4`. */
  readonly contentType: string
  readonly width: number | null
  readonly height: number | null
  readonly durationMs: number
  /** As `codecs.ts` names them; null where there is no such track, or its codec is not known. */
  readonly videoCodec: string | null
  readonly audioCodec: string | null
  /** Frames per second, on the average of the first ones. */
  readonly frameRate: number | null
  readonly audioChannels: number | null
  /** In hertz. */
  readonly audioSampleRate: number | null
}

/** What a page says of itself to those who link to it. */
export type PageCard = {
  readonly title: string
  readonly description: string
  /** Where its picture is; `invalid` where it names one by no address of the web. */
  readonly picture: { readonly url: string } | 'none' | 'invalid'
}

export type PageRead = {
  /** Whether the bytes reach to the end of its head: what follows changes nothing. */
  readonly headEnded: boolean
  /** Null where it names no title. */
  readonly card: PageCard | null
}

type Results = {
  clean: Image
  crop: Image
  resize: Image
  fit: Image
  probe: Recording
  check_document: null
  read_page: PageRead
}

export type ResultOf<Job extends MediaJob> = Results[Job['type']]

export type MediaJobEnd =
  | { readonly result: ResultOf<MediaJob> }
  | Rejection
  /** The disk failed, and the file is not to blame. */
  | { readonly fault: string }
