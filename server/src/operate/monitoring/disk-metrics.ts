import { stat, statfs } from 'node:fs/promises'
import { Gauge, type Registry } from 'prom-client'

/** A folder whose disk is to be watched, and what lies there. */
export type Disk = { readonly holds: string; readonly folder: string }

/** A disk that hangs is left out, and asked again once it has answered. */
const LIMIT_MS = 1_000

/** How much is free, and how large it is; null where that cannot be told now. */
type Space = { readonly freeBytes: number; readonly sizeBytes: number } | null

/** What is free on the disks of this machine that have to take something. Folders on the same disk are one. */
export async function diskMetrics(registry: Registry, folders: readonly Disk[]): Promise<void> {
  const disks = (await joined(folders)).map((disk) => ({ ...disk, look: lookAt(disk.folder) }))
  if (disks.length === 0) return
  gaugeOf(
    'postrider_disk_free_bytes',
    'What is free on the disk, by what it holds.',
    (space) => space.freeBytes,
  )
  gaugeOf('postrider_disk_size_bytes', 'How large the disk is, by what it holds.', (space) => space.sizeBytes)

  function gaugeOf(name: string, help: string, of: (space: NonNullable<Space>) => number): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: ['holds'],
      registers: [registry],
      async collect() {
        for (const { holds, look } of disks) {
          const space = await look()
          if (space === null) gauge.remove({ holds })
          else gauge.set({ holds }, of(space))
        }
      },
    })
  }
}

async function joined(folders: readonly Disk[]): Promise<Disk[]> {
  const disks = new Map<number, Disk>()
  for (const { holds, folder } of folders) {
    const { dev } = await stat(folder)
    const same = disks.get(dev)
    disks.set(dev, { folder, holds: same === undefined ? holds : `${same.holds} and ${holds}` })
  }
  return [...disks.values()]
}

function lookAt(folder: string): () => Promise<Space> {
  let asked: Promise<Space> | null = null
  return async () => {
    asked ??= spaceOf(folder).finally(() => (asked = null))
    const limit = Promise.withResolvers<null>()
    const timer = setTimeout(() => limit.resolve(null), LIMIT_MS)
    return Promise.race([asked, limit.promise]).finally(() => clearTimeout(timer))
  }
}

function spaceOf(folder: string): Promise<Space> {
  return statfs(folder).then(
    ({ bavail, blocks, bsize }) => ({ freeBytes: bavail * bsize, sizeBytes: blocks * bsize }),
    () => null,
  )
}
