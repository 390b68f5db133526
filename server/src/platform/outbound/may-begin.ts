/** Whether a call may still begin. Asked at the last moment before its first byte is handed to the system. */
export type MayBegin = () => boolean

/** The reason of a call that was not to begin any more. */
export const TOO_LATE = 'TOO_LATE'

/** The call was not to begin any more, so not one byte of it has left. */
export class TooLate extends Error {
  override name = 'TooLate'
  readonly code = TOO_LATE

  constructor() {
    super('The time in which the call could begin is over.')
  }
}
