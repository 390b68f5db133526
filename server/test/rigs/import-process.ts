// The API and a request that imports a file, for tests that kill it meanwhile.
import { anApi, type AWorkspace } from './fixtures.ts'
import { runLanes } from './killed-lanes.ts'

export type GivenImport = { readonly workspace: AWorkspace; readonly body: object }

// Each lane has an API, which listens for the end of the process.
process.setMaxListeners(50)

runLanes({
  async import(db, { workspace, body }: GivenImport) {
    const api = await anApi(db)
    const { status, text } = await api.call(workspace, 'POST', '/posts/import', body, null)
    if (status !== 200) throw new Error(text)
  },
})
