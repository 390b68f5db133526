// The API and a request that makes several posts, for tests that kill it meanwhile.
import { anApi, type AWorkspace } from './fixtures.ts'
import { runLanes } from './killed-lanes.ts'

export type GivenPosts = { readonly workspace: AWorkspace; readonly body: object }

// Each lane has an API, which listens for the end of the process.
process.setMaxListeners(50)

const ask =
  (path: string) =>
  async (db: Parameters<typeof anApi>[0], { workspace, body }: GivenPosts) => {
    const api = await anApi(db)
    const { status, text } = await api.call(workspace, 'POST', path, body, null)
    if (status !== 200) throw new Error(text)
  }

runLanes({ import: ask('/posts/import'), create: ask('/posts/batch') })
