/*
 * What is asked of an inspector, and what it answers. An inspector is a process of its own, because it opens files
 * that strangers made: whatever such a file does to its decoder, it does not do to the server.
 */

/** Bounds of a picture; null where there is none. */
export type PictureBounds = {
  readonly contentTypes: readonly string[]
  readonly maxBytes: number
  readonly maxWidth: number | null
  readonly maxHeight: number | null
}

export type Inspection =
  /** Decodes an image, and writes it anew: upright, in sRGB, without metadata. */
  | {
      readonly do: 'clean'
      readonly from: string
      readonly to: string
      readonly contentType: string
      readonly maxPixels: number
    }
  /** Cuts a still to exactly these proportions, around its middle. */
  | {
      readonly do: 'crop'
      readonly from: string
      readonly to: string
      readonly contentType: string
      readonly maxPixels: number
      readonly ratio: readonly [width: number, height: number]
    }
  /** Makes a smaller copy of a clean image. */
  | {
      readonly do: 'shrink'
      readonly from: string
      readonly to: string
      readonly contentType: string
      readonly width: number
    }
  /** Makes a copy of a clean image that keeps within bounds: scaled and converted, never cropped. */
  | {
      readonly do: 'fit'
      readonly from: string
      readonly to: string
      readonly contentType: string
      readonly bounds: PictureBounds
    }
  /** Reads what a recording is. */
  | { readonly do: 'measure'; readonly from: string }
  /** Reads whether a document is whole. */
  | { readonly do: 'leaf'; readonly from: string }

export type Picture = {
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
}

type Findings = {
  clean: Picture
  crop: Picture
  shrink: Picture
  fit: Picture
  measure: Recording
  leaf: null
}

export type FindingOf<I extends Inspection> = Findings[I['do']]

/** What is wrong with a file, in words for whoever sent it. */
export type Objection = { readonly objection: string }

/** What a process says: that it can begin, or what came of one inspection. */
export type Report =
  | { readonly ready: true }
  | { readonly id: number; readonly finding: unknown }
  | ({ readonly id: number } & Objection)
  /** The disk failed, and the file is not to blame. */
  | { readonly id: number; readonly fault: string }

export type Order = { readonly id: number; readonly inspection: Inspection }
