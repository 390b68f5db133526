import { Gauge, type Registry } from 'prom-client'
import { rolesOf } from './roles.ts'
import type { Situation } from './situation-store.ts'
import type { WatchSituation } from './watch-situation.ts'

type Labels = Readonly<Record<string, string>>
type Sample = readonly [Labels, number | null]
type Definition = {
  readonly name: string
  readonly help: string
  readonly labels?: readonly string[]
  readonly of: (situation: Situation) => readonly Sample[]
}

/** The same in every process: how much waits in the whole installation. Without an answer of the database they are left out. */
export function situationMetrics(
  registry: Registry,
  look: WatchSituation,
  installation: { sendsMail: boolean },
): void {
  for (const { name, help, labels = [], of } of definitions(installation)) {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [registry],
      async collect() {
        const situation = await look()
        gauge.reset()
        // A reset leaves a 0 behind, which may not be true.
        if (labels.length === 0) gauge.remove({})
        for (const [labelled, value] of situation === null ? [] : of(situation))
          if (value !== null) gauge.set(labelled, value)
      },
    })
  }
}

function definitions(installation: { sendsMail: boolean }): Definition[] {
  return [
    ...destinations,
    ...series,
    ...webhooks,
    ...mail,
    ...roles(installation),
    backups,
    mediaStorage,
    clock,
  ]
}

const destinations: readonly Definition[] = [
  {
    name: 'postrider_destinations',
    help: 'Destinations that are not over, by status, counted to 1,000.',
    labels: ['status'],
    of: ({ destinations: { counts } }) => byLabel('status', counts),
  },
  {
    name: 'postrider_destinations_due',
    help: 'Destinations whose time has come and that no publisher has claimed, those on hold included, counted to 1,000.',
    of: ({ destinations: { due } }) => [[{}, due]],
  },
  {
    name: 'postrider_destination_due_age_seconds',
    help: 'For how long a publisher could have claimed the destination that has waited longest.',
    of: ({ destinations: { dueAge } }) => [[{}, dueAge ?? 0]],
  },
  {
    name: 'postrider_destination_checking_age_seconds',
    help: 'For how long the oldest result has been in doubt.',
    of: ({ destinations: { checkingAge } }) => [[{}, checkingAge ?? 0]],
  },
  {
    name: 'postrider_second_posts',
    help: 'Parts that were found to be live twice in the last 14 days, counted to 1,000.',
    of: ({ destinations: { liveTwice } }) => [[{}, liveTwice]],
  },
]

const series: readonly Definition[] = [
  {
    name: 'postrider_series_due_age_seconds',
    help: 'For how long posts of the series could have been made that has waited longest.',
    of: ({ series: { dueAge } }) => [[{}, dueAge ?? 0]],
  },
  {
    name: 'postrider_series_occurrences_waiting',
    help: 'Occurrences of series whose posts were refused and are tried again, counted to 1,000.',
    of: ({ series: { waiting } }) => [[{}, waiting]],
  },
]

const webhooks: readonly Definition[] = [
  {
    name: 'postrider_webhook_deliveries',
    help: 'Deliveries that are pending, being sent, or failed, counted to 1,000.',
    labels: ['status'],
    of: ({ deliveries: { counts } }) => byLabel('status', counts),
  },
  {
    name: 'postrider_webhook_due_age_seconds',
    help: 'For how long the oldest delivery has been due, to endpoints that answer and to those that fail.',
    labels: ['endpoints'],
    of: ({ deliveries: { dueAge, failingDueAge } }) => [
      [{ endpoints: 'answering' }, dueAge ?? 0],
      [{ endpoints: 'failing' }, failingDueAge ?? 0],
    ],
  },
  {
    name: 'postrider_webhook_failed_age_seconds',
    help: 'How long ago the oldest delivery failed that is kept.',
    of: ({ deliveries: { failedAge } }) => [[{}, failedAge ?? 0]],
  },
  {
    name: 'postrider_webhook_endpoints',
    help: 'Endpoints that fail, and those that were disabled after failing, counted to 1,000.',
    labels: ['state'],
    of: ({ endpoints: { failing, disabled } }) => byLabel('state', { failing, disabled }),
  },
]

const mail: readonly Definition[] = [
  {
    name: 'postrider_mail',
    help: 'Mail that waits to be sent, and mail that was given up within a day, counted to 1,000.',
    labels: ['status'],
    of: ({ mail: { pending, failed } }) => byLabel('status', { pending, failed }),
  },
  {
    name: 'postrider_mail_age_seconds',
    help: 'For how long the oldest mail has waited to be sent.',
    of: ({ mail: { age } }) => [[{}, age ?? 0]],
  },
]

function roles(installation: { sendsMail: boolean }): Definition[] {
  return [
    {
      name: 'postrider_role_alive',
      help: 'Whether any process does the work of a role.',
      labels: ['role'],
      of: (situation) => rolesOf(situation, installation).map(({ role, alive }) => [{ role }, alive ? 1 : 0]),
    },
    {
      name: 'postrider_role_heartbeat_age_seconds',
      help: 'Time since a process last did the work of a role; missing where none ever has.',
      labels: ['role'],
      of: (situation) => rolesOf(situation, installation).map(({ role, age }) => [{ role }, age]),
    },
  ]
}

const clock: Definition = {
  name: 'postrider_clock_ahead_seconds',
  help: "By how much the clock of this process is ahead of the database's; negative where it is behind.",
  of: ({ clockAhead }) => [[{}, clockAhead]],
}

const backups: Definition = {
  name: 'postrider_last_backup_age_seconds',
  help: 'Time since the last backup was complete; missing where none was made.',
  of: ({ activity }) => [[{}, activity.find(({ part }) => part === 'backup')?.ageSeconds ?? null]],
}

const mediaStorage: Definition = {
  name: 'postrider_media_storage_contested',
  help: 'Whether another database was found within a week to use the media storage under the id of this one.',
  of: ({ isMediaContested }) => [[{}, isMediaContested ? 1 : 0]],
}

function byLabel(label: string, counts: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(counts).map(([value, count]) => [{ [label]: value }, count])
}
