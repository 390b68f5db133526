import { call } from '../../api/client.ts'
import { explainProblem } from '../../api/problem.ts'
import { readAnew } from '../../api/queries.ts'
import { sendLater, UNDO_MS } from '../../api/send-later.ts'
import { untilOf } from '../../api/write-limit.ts'
import { announce } from '../../ui/toast.tsx'
import { words } from './words.ts'

/** What is cancelled of a post; `from` is when it is to be published, empty for a draft. */
export type Cancelled = {
  readonly postId: string
  readonly channelId: string
  readonly controlToken: string
  readonly displayName: string
  readonly from: string
}

/** How long before its time a post is cancelled at once: while its writer could still undo that, it would be published. */
const SOON_MS = 60_000

/** Whether it can wait for an undo: it is not published before that is over. */
export function canUndo({ from }: Pick<Cancelled, 'from'>, now = Date.now()): boolean {
  return from === '' || Date.parse(from) > now + UNDO_MS + SOON_MS
}

type Said = { readonly soon: string; readonly done: string }

/** Cancels after ten seconds, and offers to leave it until then. What is refused in the end is said. */
export function cancelLater(workspaceId: string, cancelled: Cancelled, { soon, done }: Said): void {
  const until = untilOf(UNDO_MS)
  const takeBack = sendLater(
    ({ keepalive }) => void carryOut(workspaceId, cancelled, done, { keepalive, until }),
  )
  const undo = () => announce(takeBack() ? words.leftAsIs : words.tooLate)
  announce(soon, { label: words.undo, run: undo })
}

async function carryOut(
  workspaceId: string,
  { postId, channelId, controlToken, displayName }: Cancelled,
  done: string,
  how: { readonly keepalive: boolean; readonly until: number },
): Promise<void> {
  let said = done
  try {
    await call(
      'appCancelDestination',
      { params: { workspaceId, postId }, body: { confirmed: true, channelId, controlToken } },
      { idempotencyKey: crypto.randomUUID(), ...how },
    )
  } catch (error) {
    said = words.notCancelled(`${displayName}: ${explainProblem(error).detail}`)
  }
  await readAnew()
  announce(said)
}
