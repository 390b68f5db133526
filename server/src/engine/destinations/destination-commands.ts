import type { AllowedActions, ReviewStatus } from '@postrider/contract'
import { commandNames, type CommandName, type DestinationStatus } from '@postrider/contract/names'
import type { Obstacle } from '../../networks/channels/channel.ts'
import { moves, type MoveName } from './destination-states.ts'

/** What a command is judged by. */
export type CommandFacts = {
  readonly status: DestinationStatus
  /** Some part is out. */
  readonly partOut: boolean
  /** Some part is out, and the next one was refused for good. */
  readonly refusedHalfway: boolean
  /** Some part is out, and the refused rest waits for the time of a retry. */
  readonly restWaits: boolean
  /** The end of some publish call is not known. */
  readonly doubt: boolean
  /** A person's decision about the post. */
  readonly review: ReviewStatus
  /** The statuses of all destinations of the post. */
  readonly siblings: readonly DestinationStatus[]
  /** Some part of some destination of the post is out. */
  readonly anyPartOut: boolean
}

/** Only a retry can be unsafe. */
type RulingCode<C extends CommandName> = 'invalid_state' | (C extends 'retry' ? 'unsafe_retry' : never)

export type CommandDecision<C extends CommandName = CommandName> =
  | { readonly allowed: true }
  | {
      readonly allowed: false
      readonly code: RulingCode<C>
      readonly reason: string
      /** The statuses in which the command is allowed. */
      readonly from: readonly DestinationStatus[]
    }

/**
 * The commands of the API, each with the moves that it makes. An edit changes the content and moves nothing. The second move of a command
 * is for the rest of a thread that was refused halfway.
 */
export const commands = {
  edit: [],
  schedule: ['schedule'],
  reschedule: ['reschedule', 'postpone'],
  cancel: ['cancel', 'leave'],
  retry: ['retry', 'resume'],
} as const satisfies Record<CommandName, readonly MoveName[]>

/** Destinations in these statuses are over, and do not keep a post from being edited. */
const inactive: readonly DestinationStatus[] = ['cancelled', 'expired']
const editable: readonly DestinationStatus[] = ['draft', 'scheduled']

export function isActive(status: DestinationStatus): boolean {
  return !inactive.includes(status)
}

/** The statuses in which a command can be allowed, as a refusal of it names them. */
export function statusesFor(command: CommandName): readonly DestinationStatus[] {
  return command === 'edit' ? editable : commands[command].flatMap((move) => moves[move].from)
}

/**
 * Whether the state allows the command, and if not, why: the one place that says so, for the command itself and for
 * the `allowedActions` that a reader is shown.
 */
export function rule<C extends CommandName>(command: C, facts: CommandFacts): CommandDecision<C> {
  return decide(command, facts) as CommandDecision<C>
}

function decide(command: CommandName, facts: CommandFacts): CommandDecision {
  if (command === 'edit') return ruleEdit(facts)

  const from = statusesFor(command)
  const no = (reason: string, code: 'invalid_state' | 'unsafe_retry' = 'invalid_state') =>
    ({ allowed: false, code, reason, from }) as const

  const ofRest = moveOfRest(command, facts)
  const move = ofRest ?? commands[command][0]
  const now: readonly DestinationStatus[] = moves[move].from
  if (!now.includes(facts.status)) return no(whyNot(command, facts.status))
  if (command === 'cancel' && ((facts.partOut && ofRest === null) || facts.doubt)) {
    return no('Publishing has started. Some of it may be live.')
  }
  if (command === 'retry' && ((facts.partOut && ofRest === null) || facts.doubt)) {
    return no('Some of it may be live. Retrying could publish it twice.', 'unsafe_retry')
  }
  if (command === 'schedule' && facts.review === 'pending') {
    return no('The post is waiting for approval and is published once approved.')
  }
  if (command === 'schedule' && facts.review === 'rejected') {
    return no('The post was not approved. Edit it to request approval again.')
  }
  return { allowed: true }
}

/** The move that the command makes of the rest of a thread; null where it is about all of it. */
function moveOfRest(command: CommandName, { refusedHalfway, restWaits }: CommandFacts): MoveName | null {
  const isMeant = command === 'retry' ? refusedHalfway : restWaits
  const made: readonly MoveName[] = commands[command]
  return isMeant ? (made[1] ?? null) : null
}

/**
 * What keeps the channel from taking what the command would send there; null for nothing. A channel that must be
 * reconnected is no reason to refuse: what is due waits for it.
 */
export function obstacleTo(command: CommandName, obstacle: Obstacle | null): string | null {
  if (command === 'cancel' || obstacle === null || obstacle.is === 'reconnect_required') return null
  return `${obstacle.reason} Enable it again, or cancel the post on this channel.`
}

/**
 * What every command would answer now, for a caller who may give commands. Whether an edit is refused for its channel
 * depends on the channels that the edit names: shown is whether this one could be named. `beyond` says what the limits of
 * the credential have against it.
 */
export function allowedActions(
  facts: CommandFacts,
  obstacle: Obstacle | null = null,
  beyond: (act: { publishes: boolean }) => string | null = () => null,
): AllowedActions {
  return everyAction((name) => {
    const limit = beyond({ publishes: givesTime(name) || facts.status !== 'draft' })
    if (limit !== null) return limit
    const decision = rule(name, facts)
    if (!decision.allowed) return decision.reason
    return name === 'edit' && !isActive(facts.status) ? null : obstacleTo(name, obstacle)
  })
}

/** Whether the command gives a destination a time to be published at. */
function givesTime(command: CommandName): boolean {
  return command !== 'edit' && command !== 'cancel'
}

/** What every command answers to a caller who may not give any. */
export function noActions(reason: string): AllowedActions {
  return everyAction(() => reason)
}

function everyAction(reasonAgainst: (name: CommandName) => string | null): AllowedActions {
  const actions = commandNames.map((name) => {
    const reason = reasonAgainst(name)
    return [name, { allowed: reason === null, reason }] as const
  })
  return Object.fromEntries(actions) as AllowedActions
}

function ruleEdit({ siblings, anyPartOut }: CommandFacts): CommandDecision {
  const no = (reason: string) =>
    ({ allowed: false, code: 'invalid_state', reason, from: statusesFor('edit') }) as const
  const blocking = siblings.find((status) => isActive(status) && !editable.includes(status))
  if (blocking !== undefined) {
    return no(`The post is \`${blocking}\` on a channel, so its content can no longer change.`)
  }
  // Its content is what was published, and nothing is left that could publish another.
  if (anyPartOut && !siblings.some(isActive)) {
    const [over] = siblings
    return no(
      `Some of the post is published, and nothing more will be sent (\`${over}\`), so its content can no longer change.`,
    )
  }
  return { allowed: true }
}

const verbs: Record<Exclude<CommandName, 'edit'>, string> = {
  schedule: 'Only drafts can be scheduled.',
  reschedule: 'Only what waits for its time can be moved.',
  cancel: 'Only what has not started publishing can be cancelled.',
  retry: 'Only failed posts, or threads refused for good, can be retried.',
}

function whyNot(command: Exclude<CommandName, 'edit'>, status: DestinationStatus): string {
  const more = status === 'checking' ? ' It may be live, and publishing it again could publish twice.' : ''
  return `${verbs[command]} This one is \`${status}\`.${more}`
}
