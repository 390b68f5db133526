import { type MonitoredRole, rolesOf } from './roles.ts'
import { COUNTED_TO, type Situation } from './situation-store.ts'

/** One thing that was looked at. `fix` says what to do; null where nothing is wrong. */
export type Verdict = { readonly name: string; readonly detail: string; readonly fix: string | null }

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
    ...rolesOf(situation, installation).map(({ role, age, alive }) => ({
      name: ROLE_NAME[role],
      detail: age === null ? 'none is running' : `last sign of life ${duration(age)} ago`,
      fix: alive ? null : ROLE_FIX[role],
    })),
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

const ROLE_NAME: Readonly<Record<MonitoredRole, string>> = {
  publisher: 'publisher',
  webhooks: 'webhook dispatcher',
  mail: 'mail sender',
  housekeeping: 'housekeeping',
}

const ROLE_FIX: Readonly<Record<MonitoredRole, string>> = {
  publisher: 'Start the server, or a process with `postrider serve --roles publisher`.',
  webhooks: 'Start the server, or a process with `postrider serve --roles webhooks`.',
  mail: 'Start the server, or a process with `postrider serve --roles api`; it sends the mail.',
  housekeeping: 'Look for `housekeeping failed` in the log of any process.',
}

function judgePublishing({ destinations: { due, dueAge } }: Situation): Verdict {
  const isLate = (dueAge ?? 0) > LATE.publishing
  const detail =
    due === 0
      ? 'nothing is due'
      : `${counted(due, 'post is due', 'posts are due')}, those on hold included${dueAge === null ? '' : `; one could have been claimed ${duration(dueAge)} ago`}`
  return {
    name: 'posts due',
    detail,
    fix: isLate ? 'Start a publisher; if one is running, it is too slow: see its log.' : null,
  }
}

function judgeChecking({ destinations: { counts, checkingAge } }: Situation): Verdict {
  const { checking = 0 } = counts
  const isLate = (checkingAge ?? 0) > LATE.checking
  return {
    name: 'posts in doubt',
    detail: `${counted(checking, 'post is', 'posts are')} being checked${age(checkingAge, ', the oldest for ')}`,
    fix: isLate ? 'Look at the network, then settle them with `postrider resolve`.' : null,
  }
}

function judgeSecondPosts({ destinations: { liveTwice } }: Situation): Verdict {
  return {
    name: 'second posts',
    detail:
      liveTwice === 0
        ? 'no post is known to be live twice'
        : `${counted(liveTwice, 'post was', 'posts were')} found to be live twice in the last 14 days`,
    fix:
      liveTwice === 0
        ? null
        : '“Needs attention” in the dashboard has the address of each second post. Delete on the network the one that is not wanted.',
  }
}

function judgeDisconnected({ destinations: { counts } }: Situation): Verdict {
  const { reconnect_required: waiting = 0 } = counts
  return {
    name: 'posts without access',
    detail:
      waiting === 0
        ? 'none waits for a channel to be reconnected'
        : `${counted(waiting, 'post waits', 'posts wait')} for a channel to be reconnected`,
    fix:
      waiting === 0
        ? null
        : '`postrider channel list` shows which, `postrider channel reconnect` renews its access.',
  }
}

function judgeSeries({ series: { dueAge, waiting } }: Situation): Verdict {
  const isLate = (dueAge ?? 0) > LATE.series
  const detail = `${waiting === 0 ? 'no occurrence waits' : counted(waiting, 'occurrence waits', 'occurrences wait')} for its post to be accepted${age(isLate ? dueAge : null, '; one could have been made ', ' ago')}`
  return {
    name: 'series',
    detail,
    fix: isLate
      ? 'Start the server, or a process with `postrider serve --roles api`, which makes the posts of series; if one is running, look for `series` in its log.'
      : waiting === 0
        ? null
        : '`postrider series list` shows which, `postrider series show <seriesId>` says why.',
  }
}

function judgeDeliveries({ deliveries: { counts, dueAge, failedAge, givenUpAge } }: Situation): Verdict {
  const { pending = 0, failed = 0 } = counts
  const detail = `${atLeast(pending)} pending${age(dueAge, ', the oldest due for ')}; ${atLeast(failed)} failed${age(failedAge, ', the oldest ', ' ago')}`
  return {
    name: 'webhook deliveries',
    detail,
    fix:
      (dueAge ?? 0) > LATE.delivery
        ? 'Start a process with `postrider serve --roles webhooks`; if one is running, see its log.'
        : givenUpAge !== null && givenUpAge < GIVEN_UP_LATELY
          ? '`postrider webhook list` names the endpoints. Once the receiver works, `postrider webhook replay <endpointId> --since 1d --only-failed` sends them again.'
          : null,
  }
}

function judgeEndpoints({ endpoints: { failing, disabled, failingAge } }: Situation): Verdict {
  const bad = failing + disabled > 0
  return {
    name: 'webhook endpoints',
    detail: bad
      ? `${atLeast(failing)} failing${age(failingAge, ', the first for ')}; ${atLeast(disabled)} disabled after failing`
      : 'none is failing',
    fix: bad
      ? '`postrider webhook list` names them, `postrider webhook deliveries <endpointId>` shows the errors. Mend the receiver, then `postrider webhook replay <endpointId> --since 1d --only-failed`.'
      : null,
  }
}

function judgeMail({ mail: { pending, failed, age: oldest } }: Situation): Verdict {
  const bad = failed > 0 || (oldest ?? 0) > LATE.mail
  return {
    name: 'mail queue',
    detail: `${atLeast(pending)} pending${age(oldest, ', the oldest for ')}; ${atLeast(failed)} given up within a day`,
    fix: bad ? 'The log says why (`mail is tried again`, `mail was given up`). Check SMTP_URL.' : null,
  }
}

function judgeBackup({ activity, age: installed }: Situation, { embedded }: Installation): Verdict {
  const last = activity.find(({ part }) => part === 'backup')
  const fix = 'Make one every night: `postrider backup`.'
  if (last === undefined) {
    const isMissed = embedded && installed > NEW
    return { name: 'backup', detail: 'none was made with `postrider backup`', fix: isMissed ? fix : null }
  }
  return {
    name: 'backup',
    detail: `the last one ${duration(last.ageSeconds)} ago`,
    fix: last.ageSeconds > LATE.backup ? fix : null,
  }
}

/** Nothing is said where the storage is used as it should be. */
function judgeMediaStorage({ isMediaContested }: Situation): Verdict[] {
  if (!isMediaContested) return []
  return [
    {
      name: 'media storage',
      detail:
        'another database uses it under the id of this one, as a copy does; neither removes a file there until a week after that is over',
      fix: 'On the copy, run `postrider restore --hold`: it publishes again what this one publishes, too. Of two that each have workspaces of their own, give one another id with `postrider media adopt`.',
    },
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
