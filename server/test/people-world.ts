import { randomBytes } from 'node:crypto'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { v7 as uuidv7 } from 'uuid'
import { recordAct } from '../src/audit/audit-store.ts'
import { hashPassword } from '../src/people/password.ts'
import { peoplePages } from '../src/people/people-pages.ts'
import type { ClientInfo } from '../src/people/session-store.ts'
import type { PeopleParts } from '../src/people/sign-in.ts'
import type { Db } from '../src/platform/db.ts'
import { makeKeyring } from '../src/platform/sealing.ts'
import { openEdge } from './edge.ts'

export const client: ClientInfo = { address: '192.0.2.7', userAgent: 'Test' }
export const PASSWORD = 'correct horse battery'

/** One hash for all people of a test file: making it is what takes long. */
let hash: Promise<string> | null = null

/** A person who can sign in with PASSWORD, and has an address of their own unless one is given. */
export async function aPerson(
  db: Db,
  { name = 'Eve', email = `${randomBytes(6).toString('hex')}@example.com`, password = true } = {},
): Promise<{ personId: string; name: string; email: string }> {
  hash ??= hashPassword(PASSWORD)
  const personId = uuidv7()
  await db`
    insert into person (id, name, email, password_hash)
    values (${personId}, ${name}, ${email}, ${password ? await hash : null})`
  return { personId, name, email }
}

export function peopleParts(db: Db): PeopleParts {
  return { db, recordAct, keyring: makeKeyring([randomBytes(32)]) }
}

/** Where the pages are under test: on https, as in earnest. */
export const SITE = 'https://postrider.test'

export type PageAnswer = {
  status: number
  text: string
  headers: Record<string, unknown>
  location: string | null
}

/** A browser: it keeps cookies, and says where its requests come from. */
export type ABrowser = {
  readonly cookies: Map<string, string>
  readonly get: (path: string, headers?: Record<string, string>) => Promise<PageAnswer>
  /** A form that is sent from a page of ours, unless `headers` say otherwise. */
  readonly post: (
    path: string,
    fields?: Record<string, string>,
    headers?: Record<string, string>,
  ) => Promise<PageAnswer>
}

export function aBrowser(app: FastifyInstance, cookies = new Map<string, string>()): ABrowser {
  async function send(options: InjectOptions): Promise<PageAnswer> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await app.inject({
      ...options,
      headers: { host: 'postrider.test', ...(cookie === '' ? {} : { cookie }), ...options.headers },
    })
    for (const { name, value, maxAge } of answer.cookies) {
      if (maxAge === 0) cookies.delete(name)
      else cookies.set(name, value)
    }
    const { location } = answer.headers
    return {
      status: answer.statusCode,
      text: answer.body,
      headers: answer.headers,
      location: typeof location === 'string' ? location : null,
    }
  }
  return {
    cookies,
    get: (url, headers = {}) => send({ method: 'GET', url, headers }),
    post: (url, fields = {}, headers = { origin: SITE, 'sec-fetch-site': 'same-origin' }) =>
      send({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        payload: new URLSearchParams(fields).toString(),
      }),
  }
}

/** The pages over a database, in this process. */
export async function openSite(db: Db): Promise<{ app: FastifyInstance } & AsyncDisposable> {
  const edge = await openEdge({
    db,
    config: { baseUrl: SITE },
    mounts: [peoplePages({ ...peopleParts(db), baseUrl: SITE })],
  })
  return { app: edge.app, [Symbol.asyncDispose]: () => edge[Symbol.asyncDispose]() }
}
