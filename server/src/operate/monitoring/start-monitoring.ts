import type { Registry } from 'prom-client'
import type { Db, PoolCounts } from '../../platform/postgres/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { judgeRoom, type SeenRoom } from '../../platform/postgres/room.ts'
import { commit, version } from '../../platform/process/version.ts'
import { type Installation, judgeClock, judgeSituation } from './judge-situation.ts'
import { processMetrics } from './process-metrics.ts'
import { subjects, type FaultCode } from './finding-table.ts'
import { situationMetrics } from './situation-metrics.ts'
import type { Situation } from './situation-store.ts'
import { watchSituation } from './watch-situation.ts'

export type MonitoringParts = {
  readonly db: Db
  readonly log: Log
  readonly registry: Registry
  readonly installation: Installation
  readonly schema: number
  readonly isReady: () => Promise<boolean>
  readonly pools: () => readonly (PoolCounts & { readonly pool: string })[]
  /** Null in a process that touches no media. */
  readonly room: (() => SeenRoom) | null
}

export type Monitoring = {
  /**
   * What is late, failed or missing in the whole installation, also that this is not known, whether this process can store
   * files, and whether its clock is wrong.
   */
  readonly warnings: () => Promise<readonly string[]>
}

/** Measures when it is asked, and never by itself. */
export function startMonitoring(parts: MonitoringParts): Monitoring {
  const { db, log, registry, installation, schema, isReady, room } = parts
  const watched = watchSituation(db, (err) => log.warn({ err }, 'waiting work could not be counted'))
  const tell = warningsLog(log)
  const look = async () => {
    const situation = await watched()
    if (situation !== null) tell([...roomWarnings(room?.()), ...warningsOf(situation, installation)])
    return situation
  }
  const build = { version, commit, schema: String(schema) }
  processMetrics({ registry, build, isReady, room, pools: () => parts.pools().map(named) })
  situationMetrics(registry, look, installation)
  return {
    async warnings() {
      const seen = room?.()
      const own = roomWarnings(seen).map(
        ({ detail }) => `media: ${detail} (seen ${Math.round(seen?.ageSeconds ?? 0)} s ago)`,
      )
      const situation = await look()
      if (situation === null) return [...own, 'what is late: unknown, the database did not tell it in time']
      return [...own, ...warningsOf(situation, installation).map(({ name, detail }) => `${name}: ${detail}`)]
    },
  }
}

type Warning = { readonly code: FaultCode; readonly name: string; readonly detail: string }

function roomWarnings(seen: SeenRoom | undefined): Warning[] {
  const wrong = seen === undefined ? null : judgeRoom(seen)
  if (wrong === null) return []
  const code = seen?.fault === null ? 'media_room_low' : 'media_room_no_files'
  return [{ code, name: subjects.media_room, detail: wrong.detail }]
}

function warningsOf(situation: Situation, installation: Installation): Warning[] {
  const clock = judgeClock(situation)
  const verdicts = judgeSituation(situation, installation)
  return [
    ...(clock === null ? [] : [{ code: 'clock_apart' as const, name: subjects.clock, detail: clock }]),
    ...verdicts.flatMap(({ name, detail, wrong }) =>
      wrong === null ? [] : [{ code: wrong.code, name, detail }],
    ),
  ]
}

/** What lasts for less than this is not logged, such as what is missing while a server starts. */
const LASTS_MS = 30_000

/** Logs once that something is late, failed or missing, and that it no longer is. It learns of it whenever somebody asks. */
export function warningsLog(
  log: Pick<Log, 'warn' | 'info'>,
  clock: () => number = () => performance.now(),
): (warnings: readonly Warning[]) => void {
  const known = new Map<FaultCode, { readonly sinceMs: number; isLogged: boolean }>()
  return (warnings) => {
    const nowMs = clock()
    for (const { code, detail } of warnings) {
      const one = known.get(code) ?? { sinceMs: nowMs, isLogged: false }
      known.set(code, one)
      if (one.isLogged || nowMs - one.sinceMs < LASTS_MS) continue
      one.isLogged = true
      log.warn({ code, detail }, 'a warning began')
    }
    for (const [code, { isLogged }] of known) {
      if (warnings.some((one) => one.code === code)) continue
      known.delete(code)
      if (isLogged) log.info({ code }, 'a warning is over')
    }
  }
}

/** The connections named “postrider api” are of the pool `api`; what has no name of its own is for work in the background. */
function named<Counts extends { readonly pool: string }>(counts: Counts): Counts {
  return { ...counts, pool: counts.pool.replace(/^postrider ?/, '') || 'background' }
}
