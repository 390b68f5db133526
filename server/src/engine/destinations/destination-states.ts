import { destinationStatusNames, type DestinationStatus } from '@postrider/contract/names'

export type Move = {
  readonly from: readonly DestinationStatus[]
  readonly to: DestinationStatus
  readonly cause: string
}

/**
 * The life of a destination: these moves, and that of a restore below. Every verb has one target, so each row is also one guarded UPDATE; the
 * statuses, their meaning and their events stand in the contract. From `publishing` only evidence leads on:
 * whatever cannot be proven goes to `checking`, and nothing publishes again from there without proof of absence.
 */
const usual = {
  schedule: { from: ['draft'], to: 'scheduled', cause: 'given a time, or approved' },
  reschedule: { from: ['scheduled'], to: 'scheduled', cause: 'given another time' },
  withdraw: {
    from: ['scheduled', 'failed'],
    to: 'draft',
    cause: 'an edit or a retry changed its content, which now waits to be approved again',
  },
  claim: {
    from: ['scheduled', 'delayed', 'partially_published'],
    to: 'publishing',
    cause: 'due, and claimed by a publisher',
  },
  confirm: { from: ['publishing', 'checking'], to: 'published', cause: 'every part is confirmed' },
  interrupt: {
    from: ['publishing', 'checking'],
    to: 'partially_published',
    cause: 'a part is live; the next one is delayed, interrupted, or refused for good, which ends it',
  },
  defer: {
    from: ['publishing'],
    to: 'delayed',
    cause: 'the provider said not now, or was certainly not reached; no part is live',
  },
  hold: {
    from: ['scheduled'],
    to: 'delayed',
    cause: 'due, and held for some seconds: its network is away, or its channel pauses',
  },
  deauthorize: {
    from: ['publishing'],
    to: 'reconnect_required',
    cause: 'the provider refused the authorization; no part is live',
  },
  reconnect: { from: ['reconnect_required'], to: 'scheduled', cause: 'the channel was reconnected in time' },
  reject: {
    from: ['publishing', 'checking'],
    to: 'failed',
    cause: 'certainly refused for good; no part is live',
  },
  requeue: {
    from: ['publishing', 'checking'],
    to: 'scheduled',
    cause: 'the worker was lost before any call, or the call is proven to have left nothing; no part is live',
  },
  lose: { from: ['publishing'], to: 'checking', cause: 'the result of a call is not confirmed' },
  retry: { from: ['failed'], to: 'scheduled', cause: 'retry command, with no unsafe evidence' },
  resume: {
    from: ['partially_published'],
    to: 'partially_published',
    cause:
      'retry command, after the rest was refused for good: it continues with the refused part, and sends no live part again',
  },
  postpone: {
    from: ['partially_published'],
    to: 'partially_published',
    cause: 'the rest of a thread, which waits for its time after a retry, was given another time',
  },
  leave: {
    from: ['partially_published'],
    to: 'partially_published',
    cause:
      'cancel command, while the rest of a thread waits for its time after a retry: it is refused as before, and what is live stays',
  },
  cancel: {
    from: ['draft', 'scheduled', 'delayed', 'reconnect_required'],
    to: 'cancelled',
    cause: 'cancel command; nothing was sent without proof of refusal',
  },
  expire: {
    from: ['scheduled', 'delayed', 'reconnect_required', 'partially_published'],
    to: 'expired',
    cause: 'its deadline has passed',
  },
} as const satisfies Record<string, Move>

/** Moves that only a person or an agent makes out of a status where nothing else happens. */
const byCommand: readonly string[] = ['retry', 'resume', 'postpone', 'leave', 'withdraw']

export const moves = {
  ...usual,
  restore: {
    from: leadingTo('publishing'),
    to: 'checking',
    cause:
      'restored from a backup: the old server may have published it since. A draft only if a person was asked to approve it',
  },
} as const satisfies Record<string, Move>

export type MoveName = keyof typeof moves

/** Statuses from which a worker may claim: the partial index `destination_head` lists the same. */
export const claimable = moves.claim.from

/** What destinations in these statuses are filed as: indexes keep the status from before a publication until its end. */
export function filedAs(statuses: readonly DestinationStatus[]): DestinationStatus[] {
  return [...new Set(statuses.flatMap((status) => (status === 'publishing' ? claimable : [status])))]
}

/** Whether what is filed as these may be in another status: it is being published. */
export function mayBePublishing(statuses: readonly DestinationStatus[]): boolean {
  return filedAs(statuses).some((status) => includes(claimable, status))
}

/** The statuses from which a destination can come to another one without a command that begins it again. */
function leadingTo(target: DestinationStatus): readonly DestinationStatus[] {
  const reached = new Set<DestinationStatus>([target])
  for (let before = 0; before < reached.size;) {
    before = reached.size
    for (const [name, { from, to }] of Object.entries<Move>(usual))
      if (!byCommand.includes(name) && reached.has(to)) for (const status of from) reached.add(status)
  }
  return destinationStatusNames.filter((status) => reached.has(status))
}

/** Statuses in which nothing more happens by itself. */
export const settled: readonly DestinationStatus[] = destinationStatusNames.filter(
  (status) =>
    !Object.entries(moves).some(([name, { from }]) => !byCommand.includes(name) && includes(from, status)),
)

function includes(list: readonly DestinationStatus[], status: DestinationStatus): boolean {
  return list.includes(status)
}
