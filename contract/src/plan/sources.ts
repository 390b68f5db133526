import type { Fault, Place } from './faults.ts'

/** A value of a file, and where each piece of it stands. */
export type Source = {
  readonly value: unknown
  readonly folder: string
  /** The place of what a path leads to, or of the nearest that is there. */
  readonly placeOf: (path: readonly (string | number)[]) => Place
}

/** A plan as it was read: its head, and posts that stand in files of their own. */
export type Sources = {
  readonly plan: Source
  readonly posts: readonly Source[]
  readonly faults: readonly Fault[]
}
