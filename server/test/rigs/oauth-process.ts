// An authorization server and whoever asks it, for tests that kill it meanwhile.
import type { Db } from '../../src/platform/postgres/db.ts'
import { runLanes } from './killed-lanes.ts'
import { openOAuthServer } from './oauth-server.ts'

/** `baseUrl` is what the server takes for its address: each lane has a port of its own. */
export type Asked = { readonly baseUrl: string } & (
  | { readonly cookie: string; readonly path: string; readonly form: [string, string][] }
  | { readonly token: Record<string, string> }
)

runLanes({
  /** The browser sends the form of the consent page, and goes on until it is sent back to the client. */
  async consent(db, asked: Asked) {
    const send = await serve(db, asked)
    if (!('form' in asked)) throw new Error('There is no form to send.')
    const { cookie, path, form } = asked
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const decided = await send(path, { method: 'POST', body: new URLSearchParams(form), headers })
    const resume = new URL(decided.headers.get('location')!)
    const resumed = await send(resume.pathname, { headers })
    if (!resumed.headers.get('location')!.includes('code=')) throw new Error('The client was not let in.')
  },

  /** The browser sends the form with which a person lets a device in. */
  async device(db, asked: Asked) {
    const send = await serve(db, asked)
    if (!('form' in asked)) throw new Error('There is no form to send.')
    const { cookie, path, form } = asked
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const decided = await send(path, { method: 'POST', body: new URLSearchParams(form), headers })
    if (!(await decided.text()).includes('Access allowed')) throw new Error('The device was not let in.')
  },

  /** The client asks for tokens. */
  async token(db, asked: Asked) {
    const send = await serve(db, asked)
    if (!('token' in asked)) throw new Error('There is nothing to ask for.')
    const answer = await send('/oauth/token', { method: 'POST', body: new URLSearchParams(asked.token) })
    if (answer.status !== 200) throw new Error(await answer.text())
  },
})

async function serve(
  db: Db,
  { baseUrl }: Asked,
): Promise<(path: string, init: RequestInit) => Promise<Response>> {
  const { url } = await openOAuthServer(db, { baseUrl, port: 0 })
  return (path, init) => fetch(url + path, { ...init, redirect: 'manual' })
}
