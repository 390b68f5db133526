import type { Fault, NamedChannel, Place, PlannedPost } from '@postrider/contract/plan'

/* What the process that reads files is asked for, and what it tells. */

export type FileJob = {
  readonly format: 'csv' | 'plan'
  readonly file: string
  /** The name of the import; a plan has its own. */
  readonly name: string
  /** For posts that name no channels. */
  readonly channelIds: readonly string[]
  /** Those that the caller sees. */
  readonly channels: readonly NamedChannel[]
  readonly timeZone: string
  readonly mostPosts: number
}

/** A post as it is told to the server: as JSON, so that a long file is read there piece by piece. */
export type ToldPost = Omit<PlannedPost, 'placeOf'> & { readonly places: readonly ToldPlace[] }
export type Path = readonly (string | number)[]
export type ToldPlace = { readonly path: Path; readonly place: Place }

export type FileRead = {
  readonly plan: string
  /** Each a `ToldPost`. */
  readonly posts: readonly string[]
  /** The first of them, by where they stand. */
  readonly faults: readonly Fault[]
  readonly faultCount: number
}

/** Why none of a file is told. */
export type FileRefused = { readonly code: 'too_many' | 'too_large'; readonly detail: string }

/** How many faults an answer names. */
export const MOST_FAULTS = 200

/** The place of the nearest thing that holds what a path leads to. */
export function nearestPlace(places: ReadonlyMap<string, Place>, path: Path): Place | null {
  for (let length = path.length; length >= 0; length -= 1) {
    const place = places.get(JSON.stringify(path.slice(0, length)))
    if (place !== undefined) return place
  }
  return null
}
