import type { ChildProcess } from 'node:child_process'

/**
 * Listens to the errors of a child process, its pipes and its channel: an `error` event without a listener ends this
 * process. Callers learn of the end from `exit` and `close`, or listen to `error` themselves.
 */
export function ownChild(child: ChildProcess): void {
  child.on('error', () => undefined)
  // Without file descriptors there is neither a process nor a pipe, whatever the type says.
  const streams: ChildProcess['stdio'] | undefined = child.stdio
  for (const stream of streams ?? []) stream?.on('error', () => undefined)
}
