import type { ChildProcess } from 'node:child_process'

/**
 * Listens to the errors of a child process, its pipes and its channel: an `error` event without a listener ends this
 * process. Callers learn of the end from `exit` and `close`, or listen to `error` themselves.
 */
export function ownChild(child: ChildProcess): void {
  child.on('error', () => undefined)
  for (const stream of child.stdio) stream?.on('error', () => undefined)
}
