// What does the posts of a bulk run, for tests that kill it meanwhile.
import { workOne } from '../../src/content/bulk/work-runs.ts'
import { bulkPartsOf } from './bulk-parts.ts'
import { runLanes } from './killed-lanes.ts'

export type GivenRun = { readonly workspaceId: string; readonly runId: string; readonly memberId: string }

runLanes({
  async bulk(db, run: GivenRun) {
    const parts = bulkPartsOf(db, () => undefined)
    while (await workOne(parts, run)) continue
  },
})
