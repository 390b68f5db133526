// What does the posts of a bulk run, for tests that kill it meanwhile.
import { recordAct } from '../../src/people/audit/audit-store.ts'
import { workOne } from '../../src/content/bulk/work-runs.ts'
import { providers } from '../../src/networks/providers/registry.ts'
import { runLanes } from './killed-lanes.ts'

export type GivenRun = { readonly workspaceId: string; readonly runId: string; readonly memberId: string }

runLanes({
  async bulk(db, run: GivenRun) {
    const onFault = () => undefined
    const parts = { db, providers, baseUrl: 'https://postrider.test', recordAct, onFault }
    while (await workOne(parts, run)) continue
  },
})
