import type { ChildProcess } from 'node:child_process'

/**
 * Gives the errors of a child process, its pipes and its channel an owner, since an `error` event without a listener
 * ends this process. What they mean is learnt from `exit` and `close`, and by whoever listens besides.
 */
export function ownChild(child: ChildProcess): void {
  child.on('error', () => undefined)
  for (const stream of child.stdio) stream?.on('error', () => undefined)
}
