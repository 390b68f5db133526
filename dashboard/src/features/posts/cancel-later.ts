import { call } from '../../api/client.ts'
import { explainProblem } from '../../api/problem.ts'
import { readAnew } from '../../api/queries.ts'
import { sendLater, UNDO_MS } from '../../api/send-later.ts'
import { untilOf } from '../../api/write-limit.ts'
import { announce } from '../../ui/toast.tsx'
import type { Moved, Step } from './move-channels.ts'
import { words } from './words.ts'

/** What is cancelled of a post; `from` is when it is to be published, empty for a draft. */
export type Cancelled = Pick<Step, 'postId' | 'channelId' | 'controlToken' | 'displayName' | 'from'>

/** How long before its time a post is cancelled at once: while its writer could still undo that, it would be published. */
const SOON_MS = 60_000

/** Whether all of it can wait for an undo: nothing of it is published before that is over. */
export function canUndo(steps: readonly Pick<Cancelled, 'from'>[], now = Date.now()): boolean {
  return steps.every(({ from }) => from === '' || Date.parse(from) > now + UNDO_MS + SOON_MS)
}

type Said = { readonly soon: string; readonly done: (cancelled: readonly Cancelled[]) => string }

/** Cancels after ten seconds, and offers to leave it until then. What is refused in the end is said. */
export function cancelLater(workspaceId: string, steps: readonly Cancelled[], { soon, done }: Said): void {
  const until = untilOf(UNDO_MS)
  const takeBack = sendLater(({ keepalive }) => void carryOut(workspaceId, steps, done, { keepalive, until }))
  const undo = () => announce(takeBack() ? words.leftAsIs : words.tooLate)
  announce(soon, { label: words.undo, run: undo })
}

async function carryOut(
  workspaceId: string,
  steps: readonly Cancelled[],
  done: Said['done'],
  how: { readonly keepalive: boolean; readonly until: number },
): Promise<void> {
  const result = await cancelAll(workspaceId, steps, how)
  await readAnew()
  const refused = result.refused.length === 0 ? '' : ` ${words.notCancelled(result.refused.join('; '))}`
  announce(`${result.done.length === 0 ? '' : done(result.done)}${refused}`.trim())
}

/** One after the other; of a page that is being closed all at once, since only what has begun is sent. */
export async function cancelAll(
  workspaceId: string,
  steps: readonly Cancelled[],
  { keepalive = false, until = untilOf() } = {},
): Promise<{ done: readonly Cancelled[]; refused: Moved['refused'] }> {
  const done: Cancelled[] = []
  const refused: string[] = []
  const cancel = async (step: Cancelled) => {
    const { postId, channelId, controlToken, displayName } = step
    try {
      await call(
        'appCancelDestination',
        { params: { workspaceId, postId }, body: { confirmed: true, channelId, controlToken } },
        { idempotencyKey: crypto.randomUUID(), keepalive, until },
      )
      done.push(step)
    } catch (error) {
      refused.push(`${displayName}: ${explainProblem(error).detail}`)
    }
  }
  if (keepalive) await Promise.all(steps.map(cancel))
  else for (const step of steps) await cancel(step)
  return { done, refused }
}
