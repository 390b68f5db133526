/** What a series is at each minute; undefined where nothing was read. */
export type Series = Readonly<Record<string, (minute: number) => number | undefined>>

/** What breaks at BREAKS and is mended so many minutes later, and when an alert of it begins and ends. */
export type AlertCase = {
  readonly series: Series
  /** For how many minutes it is broken; 0 where it happens once. */
  readonly brokenFor: number
  /** After how many minutes it fires. */
  readonly fires: number
  /** After how many minutes without a fault it no longer does. */
  readonly clears: number
  /** How many minutes lie between two looks; 1 where left out. */
  readonly step?: number
}

/** The minute at which something breaks. */
export const BREAKS = 90

/** What a healthy installation measures, where a rule looks at what is missing. */
export const HEALTHY: Series = {
  up: () => 1,
  postrider_ready: () => 1,
  postrider_destinations_due: () => 0,
  postrider_destination_due_age_seconds: () => 0,
  postrider_last_backup_age_seconds: () => 3_600,
}

/** What it is from BREAKS on, for so many minutes, and before and after. */
function broken(minutes: number, bad: number | undefined, good: number | undefined) {
  return (minute: number) => (minute >= BREAKS && minute < BREAKS + minutes ? bad : good)
}

/** What counts so many at once when it breaks. */
export function counted(count: number) {
  return (minute: number) => (minute >= BREAKS ? count : 0)
}

function gauge(
  name: string,
  [bad, good]: readonly [number | undefined, number | undefined],
  fires: number,
  step = 1,
): AlertCase {
  const brokenFor = fires + 15
  return { series: { [name]: broken(brokenFor, bad, good) }, brokenFor, fires, clears: 0, step }
}

function counter(name: string, count: number, clears: number): AlertCase {
  return { series: { [name]: counted(count) }, brokenFor: 0, fires: 0, clears }
}

/** Ten posts in a minute, of which so many are lost as a rule, and many more at once when it breaks. */
export function posts(
  workspace: string,
  { burst = 0, usually = 0, provider = 'x' }: { burst?: number; usually?: number; provider?: string } = {},
): Series {
  const series = (result: string) =>
    `postrider_posts_ended_total{workspace="${workspace}",provider="${provider}",result="${result}"}`
  return {
    [series('published')]: (minute) => (10 - usually) * minute,
    [series('failed')]: (minute) => usually * minute + counted(burst)(minute),
  }
}

const DAY = 1_440

export const alertCases: Readonly<Record<string, AlertCase>> = {
  PostriderDown: gauge('up', [0, 1], 1),
  PostriderNotReady: gauge('postrider_ready', [0, 1], 2),
  PostriderBlind: gauge('postrider_destinations_due', [undefined, 0], 5),
  PostriderMediaTakesNoFiles: gauge('postrider_media_takes_files', [0, 1], 2),
  PostriderDiskFilling: {
    series: {
      'postrider_disk_free_bytes{holds="media"}': (minute) =>
        minute < BREAKS ? undefined : minute < BREAKS + 20 ? 9 : 50,
      'postrider_disk_size_bytes{holds="media"}': () => 100,
    },
    brokenFor: 20,
    fires: 10,
    clears: 0,
  },
  PostriderClockWrong: gauge('postrider_clock_ahead_seconds', [-3, 0], 5),
  PostriderRoleDead: gauge('postrider_role_alive{role="publisher"}', [0, 1], 2),
  PostriderPublishingLate: gauge('postrider_destination_due_age_seconds', [120, 0], 2),
  PostriderSeriesLate: gauge('postrider_series_due_age_seconds', [400, 0], 5),
  PostriderWebhooksLate: gauge('postrider_webhook_due_age_seconds{endpoints="answering"}', [120, 0], 2),
  PostriderMailLate: gauge('postrider_mail_age_seconds', [1_000, 0], 5),
  PostriderMailFailed: gauge('postrider_mail{status="failed"}', [1, 0], 0),
  PostriderResultsInDoubt: gauge('postrider_destination_checking_age_seconds', [4_000, 0], 5),
  PostriderSecondPost: { ...counter('postrider_second_posts', 1, DAY), step: 15 },
  PostriderReconnectRequired: gauge('postrider_destinations{status="reconnect_required"}', [1, 0], 10),
  PostriderEndpointFailing: gauge('postrider_webhook_endpoints{state="failing"}', [1, 0], 10),
  PostriderDeliveriesFailed: counter(
    'postrider_webhook_attempts_total{move="exhaust",error="timeout"}',
    5,
    60,
  ),
  PostriderNetworkFailing: {
    series: { ...posts('one', { burst: 300 }), ...posts('other', { burst: 300 }) },
    brokenFor: 0,
    fires: 5,
    clears: 60,
  },
  PostriderWorkspaceFailing: {
    series: { ...posts('one', { burst: 300 }), ...posts('other') },
    brokenFor: 0,
    fires: 5,
    clears: 60,
  },
  PostriderEngineFault: counter('postrider_engine_faults_total{doing="claim"}', 1, 15),
  PostriderWebhookFault: counter('postrider_webhook_faults_total{doing="claim"}', 1, 15),
  PostriderRequestFault: counter('postrider_http_faults_total', 1, 15),
  PostriderDatabaseSlow: counter('postrider_database_waits_total{cause="lock"}', 3, 5),
  PostriderPoolExhausted: gauge('postrider_database_pool_waiting{pool="api"}', [3, 0], 2),
  PostriderBackupOld: gauge('postrider_last_backup_age_seconds', [200_000, 3_600], 60),
  PostriderNoBackup: gauge('postrider_last_backup_age_seconds', [undefined, 3_600], 2 * DAY, 15),
}
