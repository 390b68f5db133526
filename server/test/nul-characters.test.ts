import { app, type Operation, operations } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, describe, expect, test } from 'vitest'
import { openSession } from '../src/people/sign-in/session/session-store.ts'
import { splitAddress } from '../src/edge/api/operation/operation-route.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { aWorkspace } from './rigs/fixtures.ts'
import { byPeople, onPosts, openScene } from './rigs/people-requests.ts'
import { aBrowser, aPerson, client, openSite, OWN_PAGE } from './rigs/people-world.ts'

/*
 * U+0000 in every place of every request where a text can stand: PostgreSQL stores none, and that must be an answer of ours
 * and not a fault. Operations come from the contract, forms from the routes of the pages.
 */

const { world, api } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())
const scene = await openScene(db, site.app)
const workspace = await aWorkspace(db)

const titled = (of: readonly Operation[]) => of.map((operation) => [operation.id, operation] as const)
const NUL = '%00'

type Shape = { properties?: Record<string, unknown> } | undefined
const namesIn = (shape: unknown) => Object.keys((shape as Shape)?.properties ?? {})

/** The same with every text in turn ended by a NUL. */
function* tainted(value: unknown): Generator {
  if (typeof value === 'string') yield `${value}\0`
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    for (const other of tainted(inner)) {
      yield Array.isArray(value) ? value.with(Number(name), other) : { ...value, [name]: other }
    }
  }
}

/** Requests of an operation with a NUL in one place each: its path, its query, its body. */
async function* requestsOf(
  { at, params, query, body, example }: Operation,
  workspaceId: string,
  right?: readonly [path: string, body?: unknown],
): AsyncGenerator<readonly [path: string, body: unknown]> {
  const [, pattern = ''] = at.split(' ')
  const filled = (tainted: string | null) =>
    pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      name === tainted ? NUL : name === 'workspaceId' ? workspaceId : uuidv7(),
    )
  const path =
    right === undefined ? filled(null) : `${pattern.split('{workspaceId}')[0]}${workspaceId}${right[0]}`
  for (const name of namesIn(params)) yield [filled(name), example]
  for (const name of [...namesIn(query), 'unknown']) yield [`${path}?${name}=${NUL}`, example]
  const sent = right?.[1] ?? example
  if (body !== undefined) for (const other of tainted(sent)) yield [path, other]
}

describe('a NUL is no fault of ours', () => {
  test.each(titled(app.appOperations))('in %s', async (id, operation) => {
    const [method] = splitAddress(operation.at)
    const right = await byPeople[id]?.(scene)
    for await (const [url, body] of requestsOf(operation, scene.workspaceId, right)) {
      const answer = await site.app.inject({
        method,
        url,
        headers: {
          host: 'postrider.test',
          cookie: scene.owner.cookie,
          ...OWN_PAGE,
          'idempotency-key': uuidv7(),
          ...(method !== 'POST' || body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(method !== 'POST' || body === undefined ? {} : { payload: JSON.stringify(body) }),
      })
      expect([url, body, answer.statusCode]).toEqual([
        url,
        body,
        expect.toSatisfy((code: number) => code < 500),
      ])
    }
  })

  test.each(titled(operations))('in %s by an agent', async (id, operation) => {
    const right = await onPosts[id]?.(scene)
    for await (const [url, body] of requestsOf(
      { ...operation, at: operation.at.replace('/agent/v1', '') as never },
      '',
    )) {
      const [method] = splitAddress(operation.at)
      const answer = await api.call(
        workspace,
        method,
        url,
        method !== 'POST' ? undefined : (body ?? right?.[1]),
      )
      expect([url, body, answer.status]).toEqual([url, body, expect.toSatisfy((code: number) => code < 500)])
    }
  })

  const fields = [
    'email',
    'password',
    'name',
    'code',
    'next',
    'sessionId',
    'passkeyId',
    'digest',
    'note',
    'verdict',
  ]

  test.each(site.pages.map((page) => [page.id, page] as const))('on the page %s', async (_, { at }) => {
    for (const isSignedIn of [true, false]) {
      const person = await aPerson(db)
      const secret = await openSession(db, person.personId, client)
      const browser = aBrowser(site.app, new Map(isSignedIn ? [['__Host-postrider', secret]] : []))
      const [method, pattern = ''] = at.split(' ')
      const path = pattern.replace(/:\w+/, 'x'.repeat(43))
      const send = (to: string, sent: Record<string, string> = {}) =>
        method === 'GET' ? browser.get(to) : browser.post(to, sent)
      expect((await send(`${path}?next=${NUL}`)).status).toBe(400)
      if (pattern.includes(':')) expect((await send(pattern.replace(/:\w+/, NUL))).status).toBe(400)
      if (method === 'GET') continue
      for (const name of fields) expect((await send(path, { [name]: 'a\0' })).status).toBe(400)
    }
  })
})
