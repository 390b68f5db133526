import { join } from 'node:path'
import type { KindBytes } from './receive-file.ts'
import { type Depot } from './depot.ts'
import { openFolderDepot } from './folder-depot.ts'
import { type Inspector, openInspector } from './inspector.ts'
import { openS3Depot, type S3Options } from './s3-depot.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

export type MediaSettings = {
  readonly maxBytes: KindBytes
  readonly maxPixels: number
  readonly inspectors: number
  /** Null: a folder in the data folder. */
  readonly s3: S3Options | null
}

export type Media = {
  readonly depot: Depot
  readonly workbench: Workbench
  readonly inspector: Inspector
  readonly close: () => Promise<void>
}

/** Opens what media needs: where it is kept, where it is worked on, and who looks at it. */
export async function openMedia(dataDir: string, { s3, inspectors }: MediaSettings): Promise<Media> {
  const folder = join(dataDir, 'media')
  // Side by side, on one file system: what is kept is moved there, and never copied.
  const workbench = await openWorkbench(join(folder, 'incoming'))
  const depot = s3 === null ? await openFolderDepot(join(folder, 'kept')) : await openS3Depot(s3)
  const inspector = openInspector({ processes: inspectors })
  return {
    depot,
    workbench,
    inspector,
    async close() {
      await inspector.stop()
      await depot.close()
    },
  }
}
