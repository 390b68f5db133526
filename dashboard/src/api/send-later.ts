/** How long a command can be taken back before it is sent. */
export const UNDO_MS = 10_000

type Send = (how: { readonly keepalive: boolean }) => void

const waiting = new Set<Send>()

/**
 * Sends a command that cannot be reversed once ten seconds are over, so that it can be taken back until then. A page that is hidden or
 * closed before sends it at once, in requests that outlive the page: what a person was told happens, whatever becomes of the page.
 * The answer takes it back: false where it was sent already.
 */
export function sendLater(send: Send): () => boolean {
  waiting.add(send)
  const timer = setTimeout(() => take(send) && send({ keepalive: false }), UNDO_MS)
  return () => {
    clearTimeout(timer)
    return take(send)
  }
}

function take(send: Send): boolean {
  return waiting.delete(send)
}

function sendAll(): void {
  for (const send of waiting) if (take(send)) send({ keepalive: true })
}

addEventListener('pagehide', sendAll)
// A page that is hidden may be ended without another word, as phones do it.
document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && sendAll())
