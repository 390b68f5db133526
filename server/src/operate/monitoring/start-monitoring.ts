import type { Registry } from 'prom-client'
import type { Db, PoolCounts } from '../../platform/postgres/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { judgeRoom, type SeenRoom } from '../../platform/postgres/room.ts'
import { readCommit, version } from '../../platform/process/version.ts'
import { type Installation, judgeClock, judgeSituation } from './judge-situation.ts'
import { processMetrics } from './process-metrics.ts'
import { situationMetrics } from './situation-metrics.ts'
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
  const look = watchSituation(db, (err) => log.warn({ err }, 'waiting work could not be counted'))
  const build = { version, commit: readCommit(), schema: String(schema) }
  processMetrics({ registry, build, isReady, room, pools: () => parts.pools().map(named) })
  situationMetrics(registry, look, installation)
  return {
    async warnings() {
      const seen = room?.()
      const little = seen === undefined ? null : judgeRoom(seen)
      const own =
        little === null ? [] : [`media: ${little.detail} (seen ${Math.round(seen?.ageSeconds ?? 0)} s ago)`]
      const situation = await look()
      if (situation === null) return [...own, 'what is late: unknown, the database did not tell it in time']
      const verdicts = judgeSituation(situation, installation)
      const clock = judgeClock(situation)
      return [
        ...own,
        ...(clock === null ? [] : [`clock: ${clock}`]),
        ...verdicts.flatMap(({ name, detail, wrong }) => (wrong === null ? [] : [`${name}: ${detail}`])),
      ]
    },
  }
}

/** The connections named “postrider api” are of the pool `api`; what has no name of its own is for work in the background. */
function named<Counts extends { readonly pool: string }>(counts: Counts): Counts {
  return { ...counts, pool: counts.pool.replace(/^postrider ?/, '') || 'background' }
}
