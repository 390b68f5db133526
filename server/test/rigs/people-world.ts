import { randomBytes } from 'node:crypto'
import { app, type Role } from '@postrider/contract'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { v7 as uuidv7 } from 'uuid'
import { sharedRateLimit } from '../../src/edge/api/http/rate-limits.ts'
import { sharedCounts } from '../../src/edge/api/http/rate-count-store.ts'
import { appRoutes, type AppRouteParts } from '../../src/app/app-routes.ts'
import { reviewPages } from '../../src/attention/reviews/review-pages.ts'
import { recordAct } from '../../src/people/audit/audit-store.ts'
import { openConnect } from '../../src/accounts/connect/open-connect.ts'
import { insertMember } from '../../src/people/members/member-store.ts'
import type { MailQueue } from '../../src/people/mail/mail-store.ts'
import type { OidcClient } from '../../src/people/sign-in/issuer/issuer-client.ts'
import { hashPassword } from '../../src/people/sign-in/password/password.ts'
import { credentialStopper } from '../../src/app/stop-credential.ts'
import { peopleApi } from '../../src/people/sign-in/session/people-api.ts'
import type { PageRoute } from '../../src/people/pages/page-kit.ts'
import { sendNotFoundPage } from '../../src/people/pages/mount-pages.ts'
import { pageRoutes, peoplePages } from '../../src/people/pages/people-pages.ts'
import { type ClientInfo, openSession } from '../../src/people/sign-in/session/session-store.ts'
import type { PeopleParts } from '../../src/people/sign-in/sign-in.ts'
import { cursors } from '../../src/edge/operations/cursor.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import { createLog } from '../../src/platform/process/log.ts'
import { makeKeyring } from '../../src/platform/sealing/sealing.ts'
import { providers } from '../../src/networks/providers/registry.ts'
import { callTimes } from '../../src/engine/publication/call-times.ts'
import { type Edge, openEdge } from './edge.ts'
import { wiredRoutes } from './fixtures.ts'
import { openApiJudge } from './openapi-judge.ts'
import { type EmailAddress, emailOf } from '../../src/platform/text/email-address.ts'

export const client: ClientInfo = { address: '192.0.2.7', userAgent: 'Test' }
export const PASSWORD = 'correct horse battery'

/** One hash for all people of a test file: making it is what takes long. */
let hash: Promise<string> | null = null

/** A person who can sign in with PASSWORD, and has an address of their own unless one is given. */
export async function aPerson(
  db: Db,
  { name = 'Eve', email = `${randomBytes(6).toString('hex')}@example.com`, password = true } = {},
): Promise<{ personId: string; name: string; email: EmailAddress }> {
  hash ??= hashPassword(PASSWORD)
  const [personId, address] = [uuidv7(), emailOf(email)]
  await db`
    insert into person (id, name, email, password_hash)
    values (${personId}, ${name}, ${address}, ${password ? await hash : null})`
  return { personId, name, email: address }
}

export function peopleParts(db: Db): PeopleParts {
  return {
    db,
    recordAct,
    mail: null,
    keyring: makeKeyring([randomBytes(32)]),
    stopCredentials: credentialStopper(recordAct),
  }
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

export function aBrowser(
  server: FastifyInstance,
  cookies = new Map<string, string>(),
  language = 'en-GB',
): ABrowser {
  async function send(options: InjectOptions): Promise<PageAnswer> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await server.inject({
      ...options,
      headers: {
        host: 'postrider.test',
        'accept-language': language,
        ...(cookie === '' ? {} : { cookie }),
        ...options.headers,
      },
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

/** The pages and the people's API over a database, in this process. */
export async function openSite(
  db: Db,
  {
    mail = null,
    oidc = null,
    sandboxUrl = null,
    connect = null,
  }: {
    mail?: MailQueue | null
    oidc?: OidcClient | null
    sandboxUrl?: string | null
    /** What connects accounts, instead of the networks that there are. */
    connect?: AppRouteParts['connect'] | null
  } = {},
): Promise<{ app: FastifyInstance; pages: readonly PageRoute[]; logged: Edge['logged'] } & AsyncDisposable> {
  const parts = { ...peopleParts(db), mail, baseUrl: SITE }
  const rules = { httpsOnly: true, trustedOrigins: [], trustedNetworks: [] }
  const log = createLog({ level: 'fatal' })
  const networks = openConnect({ ...parts, providers, log, rules, configuredClients: new Map() })
  const routes = appRoutes({
    ...parts,
    connect: connect ?? networks,
    checks: sharedRateLimit('connection checks', 1_000, sharedCounts(db)),
    providers,
    cursors: cursors(randomBytes(32)),
    agentRoutes: wiredRoutes(db, SITE).routes,
    media: {} as AppRouteParts['media'],
    sandboxUrl,
    rules,
    times: callTimes({ leaseMs: 60_000, callTimeoutMs: 30_000 }),
  })
  const edge = await openEdge({
    db,
    config: { baseUrl: SITE },
    families: [
      peopleApi({
        db,
        routes,
        baseUrl: SITE,
        operator: { keyring: parts.keyring, workspaceOf: async () => null },
        now: () => new Date(),
        counts: sharedCounts(db),
      }),
    ],
    mounts: [peoplePages({ ...parts, oidc }, reviewPages(parts))],
    sendNotFoundPage,
  })
  return {
    app: edge.app,
    logged: edge.logged,
    pages: pageRoutes({ ...parts, oidc }, reviewPages(parts)),
    [Symbol.asyncDispose]: async () => {
      await edge[Symbol.asyncDispose]()
      await networks.close()
    },
  }
}

export type Asked = { status: number; body: any; headers: Record<string, unknown> }

/** Somebody who is signed in, and what the people's API answers them. */
export type AUser = {
  readonly personId: string
  readonly email: EmailAddress
  readonly cookie: string
  readonly ask: (at: string, body?: unknown, headers?: Record<string, string | undefined>) => Promise<Asked>
}

/** An answer without what differs from request to request: times, and ids that it repeats. */
export function comparable({ status, body }: Pick<Asked, 'status' | 'body'>): {
  status: number
  text: string
} {
  const text = JSON.stringify(body).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '{id}')
  return {
    status,
    text: text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '{time}').replace(/"requestId":"[^"]+"/, ''),
  }
}

export const OWN_PAGE = { origin: SITE, 'sec-fetch-site': 'same-origin', 'x-postrider-app': '1' }

/** A person with a session; `at` is such as `GET /workspaces/{id}`, below `/app/api`. */
export async function aUser(db: Db, server: FastifyInstance, name = 'Eve'): Promise<AUser> {
  const { personId, email } = await aPerson(db, { name, password: false })
  const cookie = `__Host-postrider=${await openSession(db, personId, client)}`
  return {
    personId,
    email,
    cookie,
    ask: (at, body, headers) => ask(server, at, body, { cookie, ...OWN_PAGE, ...headers }),
  }
}

/** A request of the people's API. */
export async function ask(
  server: FastifyInstance,
  at: string,
  body?: unknown,
  headers: Record<string, string | undefined> = {},
): Promise<Asked> {
  const [method, path = ''] = at.split(' ')
  const sent = Object.entries({
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  }).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const answer = await server.inject({
    method: method === 'GET' || method === 'DELETE' ? method : 'POST',
    url: `/app/api${path}`,
    headers: { host: 'postrider.test', ...Object.fromEntries(sent) },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  })
  const isJson = /json/.test(String(answer.headers['content-type']))
  if (isJson) judgeAnswer(at, answer)
  return {
    status: answer.statusCode,
    body: isJson ? (answer.json() as unknown) : null,
    headers: answer.headers,
  }
}

/** Makes somebody a member. */
export async function join(
  db: Db,
  workspaceId: string,
  { personId }: { personId: string },
  role: Role,
): Promise<string> {
  const memberId = await db.begin((tx) => insertMember(tx, { workspaceId, personId, role }))
  if (memberId === null) throw new Error('they are a member already')
  return memberId
}

const judge = openApiJudge(app.appOperations)
const patterns = app.appOperations.map(({ id, at }) => ({
  id,
  pattern: new RegExp(`^${at.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))

/** Throws when an answer is not as the document of the people's API describes it. */
function judgeAnswer(at: string, answer: { statusCode: number; json: () => unknown }): void {
  const asked = at.replace(' ', ' /app/api').replace(/\?.*$/, '')
  const found = patterns.find(({ pattern }) => pattern.test(asked))
  if (found === undefined) throw new Error(`No operation is at ${asked}.`)
  judge.judge(found.id, answer.statusCode, answer.json())
}
