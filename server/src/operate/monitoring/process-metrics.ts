import { Counter, Gauge, type Registry } from 'prom-client'
import { databaseWaits, waitCauses } from '../../platform/postgres/database-waits.ts'
import type { PoolCounts } from '../../platform/postgres/db.ts'
import type { SeenRoom } from '../../platform/postgres/room.ts'

type Parts = {
  readonly registry: Registry
  readonly build: { readonly version: string; readonly commit: string; readonly schema: string }
  readonly isReady: () => Promise<boolean>
  readonly pools: () => readonly (PoolCounts & { readonly pool: string })[]
  /** Null in a process that touches no media. */
  readonly room: (() => SeenRoom) | null
}

/** What this process is, whether it can work, and what its pools of connections hold. */
export function processMetrics({ registry, build, isReady, pools, room }: Parts): void {
  const registers = [registry]
  new Gauge({
    name: 'postrider_build_info',
    help: 'Always 1; the release, its commit where it is known, and the schema that it has.',
    labelNames: ['version', 'commit', 'schema'],
    registers,
  }).set(build, 1)
  const ready: Gauge = new Gauge({
    name: 'postrider_ready',
    help: 'Whether this process can work, as /readyz says.',
    registers,
    async collect() {
      ready.set((await isReady()) ? 1 : 0)
    },
  })
  const connections: Gauge = new Gauge({
    name: 'postrider_database_pool_connections',
    help: 'Connections of a pool: in use, open, and how many it may open.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const { pool, used, open, max } of pools()) {
        connections.set({ pool, state: 'used' }, used)
        connections.set({ pool, state: 'open' }, open)
        connections.set({ pool, state: 'max' }, max)
      }
    },
  })
  const waiting: Gauge = new Gauge({
    name: 'postrider_database_pool_waiting',
    help: 'Callers that wait for a connection of a pool.',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const each of pools()) waiting.set({ pool: each.pool }, each.waiting)
    },
  })
  const waits: Counter = new Counter({
    name: 'postrider_database_waits_total',
    help: 'Statements given up because they had to wait too long, by what they waited for.',
    labelNames: ['cause'],
    registers,
    collect() {
      waits.reset()
      for (const cause of waitCauses) waits.inc({ cause }, databaseWaits[cause])
    },
  })
  if (room !== null) roomMetrics(registers, room)
}

function roomMetrics(registers: Registry[], room: () => SeenRoom): void {
  const takesFiles: Gauge = new Gauge({
    name: 'postrider_media_takes_files',
    help: 'Whether this process can store a file: 0 on a disk that is full or read-only, or without its store.',
    registers,
    collect() {
      takesFiles.set(room().fault === null ? 1 : 0)
    },
  })
  const age: Gauge = new Gauge({
    name: 'postrider_media_look_age_seconds',
    help: 'How long ago this process saw what the other metrics of media tell.',
    registers,
    collect() {
      age.set(room().ageSeconds)
    },
  })
}
