import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CliError, exits, usageError } from './exits.ts'
import { OPERATOR_URL } from './operator/environment.ts'
import type { Login, Use } from './login.ts'

/** The file: every login, and the server that is meant where none is named. */
export type Credentials = {
  readonly server: string | null
  readonly logins: Readonly<Record<string, Login>>
}

type Env = Readonly<Record<string, string | undefined>>

/** Where the logins are kept. */
export function credentialsPath(env: Env): string {
  const folder =
    env['POSTRIDER_CONFIG_DIR'] ?? join(env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'postrider')
  return join(folder, 'credentials.json')
}

/** Reads the file; refuses one that others on this machine can read. */
export function readCredentials(path: string): Credentials {
  let text: string
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
      throw new CliError(
        exits.credential,
        `${path} can be read by others on this machine, so its logins are not used. Run \`chmod 600 ${path}\`, or log in again.`,
      )
    }
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { server: null, logins: {} }
    throw error
  }
  try {
    return JSON.parse(text) as Credentials
  } catch {
    throw new CliError(exits.credential, `${path} is not valid JSON. Delete it, and log in again.`)
  }
}

/** Replaces the file as a whole, readable by its owner alone. */
export function writeCredentials(path: string, credentials: Credentials): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const fresh = `${path}.${process.pid}`
  writeFileSync(fresh, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
  chmodSync(fresh, 0o600)
  renameSync(fresh, path)
}

/** Longer than any refresh takes: a lock of this age was left by a process that died. */
const STALE_LOCK_MS = 30_000
const LOCK_WAIT_MS = 50

/** Does something while no other process changes the file. */
export async function whileLocked<Result>(
  path: string,
  act: () => Promise<Result> | Result,
): Promise<Result> {
  const lock = `${path}.lock`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      if (ageOf(lock) > STALE_LOCK_MS) rmSync(lock, { force: true })
      else await new Promise((resume) => setTimeout(resume, LOCK_WAIT_MS))
    }
  }
  try {
    return await act()
  } finally {
    rmSync(lock, { force: true })
  }
}

function ageOf(path: string): number {
  try {
    return Date.now() - statSync(path).mtimeMs
  } catch {
    return 0
  }
}

export const DEFAULT_SERVER = 'http://localhost:4000'

/** The address of a server as it is stored: without a slash at its end. */
export function serverAddress(text: string): string {
  const written = /^https?:\/\//i.test(text) ? text : `https://${text}`
  if (!URL.canParse(written))
    throw usageError(`${text} is no address of a server, such as https://posts.example.com.`)
  const { origin, pathname, search, hash } = new URL(written)
  if (search !== '' || hash !== '')
    throw usageError(`${text} is more than the address of a server. Remove everything after the path.`)
  return (origin + pathname).replace(/\/+$/, '')
}

/** Whether a login is meant: one is given or kept, or a server is named. */
export function hasLogin(env: Env, named: string | undefined): boolean {
  const given = [named, env['POSTRIDER_KEY'], env['POSTRIDER_URL']].some((each) => (each ?? '') !== '')
  return given || readCredentials(credentialsPath(env)).server !== null
}

/** Which server is meant, and what to show it: asked for before each attempt, so that a token is never an old one. */
export function openLogin(
  env: Env,
  named: string | undefined,
  use: Use = 'api',
): { server: string; kind: Login['kind']; key: () => string | Promise<string> } {
  const key = env['POSTRIDER_KEY']
  const wanted = named ?? (env['POSTRIDER_URL'] || undefined)
  if (key !== undefined && key !== '') {
    if (!/^[!-~]+$/.test(key))
      throw new CliError(
        exits.credential,
        'POSTRIDER_KEY is not an agent key: it contains invalid characters.',
        {
          code: 'invalid_credential',
        },
      )
    const server = wanted ?? env[OPERATOR_URL] ?? DEFAULT_SERVER
    return { server: serverAddress(server), kind: 'key', key: () => key }
  }
  const path = credentialsPath(env)
  const credentials = readCredentials(path)
  const server = wanted === undefined ? credentials.server : serverAddress(wanted)
  const login = server === null ? undefined : credentials.logins[server]
  if (server === null || login === undefined) {
    const where = server === null ? '' : ` to ${server}`
    throw new CliError(
      exits.credential,
      `You are not logged in${where}. Run \`postrider login ${server ?? '<address>'}\`, or set POSTRIDER_KEY and POSTRIDER_URL.`,
      { code: 'not_logged_in' },
    )
  }
  const { kind } = login
  return { server, kind, key: () => (login.kind === 'key' ? login.key : freshToken(path, server, use)) }
}

/** A token is renewed when it has less than this to live. */
const RENEW_BEFORE_MS = 60_000

/**
 * The access token, renewed when it is about to end. One process renews it at a time; the others take what it got. A refresh
 * token is good for one use and a minute, and a later use of it would end the whole login.
 */
async function freshToken(path: string, server: string, use: Use): Promise<string> {
  const known = tokenIn(readCredentials(path).logins[server], use)
  if (known !== null) return known
  return whileLocked(path, async () => {
    const credentials = readCredentials(path)
    const login = credentials.logins[server]
    if (login === undefined)
      throw new CliError(exits.credential, `You were logged out of ${server} in the meantime.`)
    const got = tokenIn(login, use)
    if (got !== null || login.kind === 'key') return got ?? ''
    const { refreshLogin } = await import('./oauth.ts')
    const renewed = await refreshLogin(login, use)
    writeCredentials(path, { ...credentials, logins: { ...credentials.logins, [server]: renewed } })
    return tokenIn(renewed, use) ?? ''
  })
}

/** What a login shows a server; null where it has nothing that lives long enough. */
function tokenIn(login: Login | undefined, use: Use): string | null {
  if (login === undefined) return null
  if (login.kind === 'key') return login.key
  const token = use === 'api' ? login : login.tools
  return token !== undefined && token.expiresAt - Date.now() > RENEW_BEFORE_MS ? token.accessToken : null
}
