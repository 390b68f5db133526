import { type FaultCode, faults, subjects, type Subject } from './finding-table.ts'
import { type MonitoredRole, type RoleState, rolesOf } from './roles.ts'
import { COUNTED_TO, type Situation } from './situation-store.ts'

/** One thing that was looked at, in words and numbers of ours alone. What is wrong, if anything is, has a code, and says what to do. */
export type Verdict = {
  readonly subject: Subject
  readonly name: string
  readonly detail: string
  readonly wrong: { readonly code: FaultCode; readonly fix: string } | null
}

function fine(subject: Subject, detail: string): Verdict {
  return { subject, name: subjects[subject], detail, wrong: null }
}

function wrong(code: FaultCode, detail: string, fix: string): Verdict {
  const { of: subject } = faults[code]
  return { subject, name: subjects[subject], detail, wrong: { code, fix } }
}

/** Past these, in seconds, something is wrong. */
export const LATE = {
  publishing: 60,
  series: 300,
  checking: 3_600,
  delivery: 60,
  mail: 900,
  backup: 2 * 86_400,
} as const

/** For so long, in seconds, deliveries that were given up are warned of, as mail is. */
const GIVEN_UP_LATELY = 86_400

/** So old, in seconds, an installation may be before it has a backup. */
const NEW = 86_400

export type Installation = {
  readonly sendsMail: boolean
  /** With a PostgreSQL of one's own, backups may be made in other ways. */
  readonly embedded: boolean
}

/** So far, in seconds, the clock of a process may be from the database's. */
const CLOCKS_APART = 2

/** What of the clock of this process is to be said: networks and addresses of files go by it. Null where it is right. */
export function judgeClock({ clockAhead }: Situation): string | null {
  if (Math.abs(clockAhead) < CLOCKS_APART) return null
  return `${duration(Math.abs(clockAhead))} ${clockAhead > 0 ? 'ahead of' : 'behind'} the database's`
}

/** What is late, failed or missing in the whole installation. */
export function judgeSituation(situation: Situation, installation: Installation): Verdict[] {
  return [
    ...rolesOf(situation, installation).map(judgeRole),
    judgePublishing(situation),
    judgeChecking(situation),
    judgeSecondPosts(situation),
    judgeDisconnected(situation),
    judgeSeries(situation),
    judgeDeliveries(situation),
    judgeEndpoints(situation),
    judgeMail(situation),
    judgeBackup(situation, installation),
    ...judgeMediaStorage(situation),
  ]
}

function judgeRole({ role, age, alive }: RoleState): Verdict {
  const subject = ROLE_SUBJECT[role]
  if (age === null) return wrong(`${subject}_missing`, 'none is running', ROLE_FIX[role])
  const detail = `last sign of life ${duration(age)} ago`
  return alive ? fine(subject, detail) : wrong(`${subject}_silent`, detail, ROLE_FIX[role])
}

const ROLE_SUBJECT = {
  publisher: 'publisher',
  webhooks: 'webhook_dispatcher',
  mail: 'mail_sender',
  housekeeping: 'housekeeping',
} as const satisfies Record<MonitoredRole, Subject>

const ROLE_FIX: Readonly<Record<MonitoredRole, string>> = {
  publisher: 'Start the server, or a process with `postrider serve --roles publisher`.',
  webhooks: 'Start the server, or a process with `postrider serve --roles webhooks`.',
  mail: 'Start the server, or a process with `postrider serve --roles api`; it sends the mail.',
  housekeeping: 'Look for `housekeeping failed` in the log of any process.',
}

function judgePublishing({ destinations: { due, dueAge } }: Situation): Verdict {
  const detail =
    due === 0
      ? 'nothing is due'
      : `${counted(due, 'post is due', 'posts are due')}, those on hold included${dueAge === null ? '' : `; one could have been claimed ${duration(dueAge)} ago`}`
  if ((dueAge ?? 0) <= LATE.publishing) return fine('posts_due', detail)
  return wrong('posts_due_late', detail, 'Start a publisher; if one is running, it is too slow: see its log.')
}

function judgeChecking({ destinations: { counts, checkingAge } }: Situation): Verdict {
  const { checking = 0 } = counts
  const detail = `${counted(checking, 'post is', 'posts are')} being checked${age(checkingAge, ', the oldest for ')}`
  if ((checkingAge ?? 0) <= LATE.checking) return fine('posts_in_doubt', detail)
  return wrong(
    'posts_in_doubt_long',
    detail,
    'Look at the network, then settle them with `postrider resolve`.',
  )
}

function judgeSecondPosts({ destinations: { liveTwice } }: Situation): Verdict {
  if (liveTwice === 0) return fine('second_posts', 'no post is known to be live twice')
  return wrong(
    'second_posts_live',
    `${counted(liveTwice, 'post was', 'posts were')} found to be live twice in the last 14 days`,
    '“Needs attention” in the dashboard has the address of each second post. Delete on the network the one that is not wanted.',
  )
}

function judgeDisconnected({ destinations: { counts } }: Situation): Verdict {
  const { reconnect_required: waiting = 0 } = counts
  if (waiting === 0) return fine('posts_without_access', 'none waits for a channel to be reconnected')
  return wrong(
    'posts_without_access_waiting',
    `${counted(waiting, 'post waits', 'posts wait')} for a channel to be reconnected`,
    '`postrider channel list` shows which, `postrider channel reconnect` renews its access.',
  )
}

function judgeSeries({ series: { dueAge, waiting } }: Situation): Verdict {
  const isLate = (dueAge ?? 0) > LATE.series
  const detail = `${waiting === 0 ? 'no occurrence waits' : counted(waiting, 'occurrence waits', 'occurrences wait')} for its post to be accepted${age(isLate ? dueAge : null, '; one could have been made ', ' ago')}`
  if (isLate)
    return wrong(
      'series_late',
      detail,
      'Start the server, or a process with `postrider serve --roles api`, which makes the posts of series; if one is running, look for `series` in its log.',
    )
  if (waiting === 0) return fine('series', detail)
  return wrong(
    'series_refused',
    detail,
    '`postrider series list` shows which, `postrider series show <seriesId>` says why.',
  )
}

function judgeDeliveries({ deliveries: { counts, dueAge, failedAge, givenUpAge } }: Situation): Verdict {
  const { pending = 0, failed = 0 } = counts
  const detail = `${atLeast(pending)} pending${age(dueAge, ', the oldest due for ')}; ${atLeast(failed)} failed${age(failedAge, ', the oldest ', ' ago')}`
  if ((dueAge ?? 0) > LATE.delivery)
    return wrong(
      'webhook_deliveries_late',
      detail,
      'Start a process with `postrider serve --roles webhooks`; if one is running, see its log.',
    )
  if (givenUpAge === null || givenUpAge >= GIVEN_UP_LATELY) return fine('webhook_deliveries', detail)
  return wrong(
    'webhook_deliveries_given_up',
    detail,
    '`postrider webhook list` names the endpoints. Once the receiver works, `postrider webhook replay <endpointId> --since 1d --only-failed` sends them again.',
  )
}

function judgeEndpoints({ endpoints: { failing, disabled, failingAge } }: Situation): Verdict {
  if (failing + disabled === 0) return fine('webhook_endpoints', 'none is failing')
  return wrong(
    'webhook_endpoints_failing',
    `${atLeast(failing)} failing${age(failingAge, ', the first for ')}; ${atLeast(disabled)} disabled after failing`,
    '`postrider webhook list` names them, `postrider webhook deliveries <endpointId>` shows the errors. Mend the receiver, then `postrider webhook replay <endpointId> --since 1d --only-failed`.',
  )
}

function judgeMail({ mail: { pending, failed, age: oldest } }: Situation): Verdict {
  const detail = `${atLeast(pending)} pending${age(oldest, ', the oldest for ')}; ${atLeast(failed)} given up within a day`
  const fix = 'The log says why (`mail is tried again`, `mail was given up`). Check SMTP_URL.'
  if ((oldest ?? 0) > LATE.mail) return wrong('mail_queue_late', detail, fix)
  return failed > 0 ? wrong('mail_queue_given_up', detail, fix) : fine('mail_queue', detail)
}

function judgeBackup({ activity, age: installed }: Situation, { embedded }: Installation): Verdict {
  const last = activity.find(({ part }) => part === 'backup')
  const fix = 'Make one every night: `postrider backup`.'
  if (last === undefined) {
    const detail = 'none was made with `postrider backup`'
    return embedded && installed > NEW ? wrong('backup_missing', detail, fix) : fine('backup', detail)
  }
  const detail = `the last one ${duration(last.ageSeconds)} ago`
  return last.ageSeconds > LATE.backup ? wrong('backup_old', detail, fix) : fine('backup', detail)
}

/** Nothing is said where the storage is used as it should be. */
function judgeMediaStorage({ isMediaContested }: Situation): Verdict[] {
  if (!isMediaContested) return []
  return [
    wrong(
      'media_storage_contested',
      'another database uses it under the id of this one, as a copy does; neither removes a file there until a week after that is over',
      'On the copy, run `postrider restore --hold`: it publishes again what this one publishes, too. Of two that each have workspaces of their own, give one another id with `postrider media adopt`.',
    ),
  ]
}

function age(seconds: number | null, before: string, after = ''): string {
  return seconds === null ? '' : `${before}${duration(seconds)}${after}`
}

function atLeast(count: number): string {
  return count < COUNTED_TO ? String(count) : `${COUNTED_TO} or more`
}

function counted(count: number, one: string, many: string): string {
  return `${atLeast(count)} ${count === 1 ? one : many}`
}

/** As people say it, rounded down. */
export function duration(seconds: number): string {
  if (seconds < 120) return `${Math.floor(seconds)} s`
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} days`
}
