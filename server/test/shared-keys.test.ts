import { type CredentialLimits, noLimits, type Operation, operations } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, describe, expect, test } from 'vitest'
import { openFileWorld } from './rigs/file-world.ts'
import { aChannel, type AWorkspace, aWorkspace } from './rigs/fixtures.ts'
import { byAgents, methodOf, onMedia, onPosts, openScene } from './rigs/people-requests.ts'
import { openSite } from './rigs/people-world.ts'

/*
 * All credentials of a workspace share its idempotency keys. Walks every operation that takes one: a credential that repeats what another
 * one has done is shown no more of it than it may see, and does nothing. The operations come from the contract: one that is
 * added there has to be walked here.
 */

const { world, api, changingNothing } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())

/** They need a file or a model: generate-drafts.test.ts has the one that limits are about. */
const ELSEWHERE = ['uploadMedia', 'generatePostDrafts', 'generatePostImage']

const takesKey = ({ id, idempotency }: Operation) =>
  idempotency !== undefined && (idempotency !== 'none' || id === 'createPosts')
const keyed = operations.filter(takesKey).filter(({ id }) => !ELSEWHERE.includes(id))

const aTemplate = (channelId: string) => ({
  confirmed: true,
  name: uuidv7(),
  text: '{{product}} is out.',
  channelIds: [channelId],
  labels: ['Of its own'],
})

/** In place of what limits hide from nobody: a list under one key, and templates for a channel and a label. */
const hidden: typeof onPosts = {
  createPosts: async ({ channelId }) => [
    '/posts/batch',
    {
      confirmed: true,
      idempotencyKey: uuidv7(),
      posts: ['One', 'Two'].map((text) => ({ state: 'draft', channelIds: [channelId], text })),
    },
  ],
  createTemplate: async ({ channelId }) => ['/templates', aTemplate(channelId)],
  changeTemplate: async ({ channelId, ask }) => {
    const { templateId, editToken } = (await ask('/templates', aTemplate(channelId))).body
    return [`/templates/${templateId}`, { ...aTemplate(channelId), editToken }]
  },
}
const requests: Record<string, (typeof onPosts)[string]> = { ...onPosts, ...onMedia, ...byAgents, ...hidden }

/** The same workspace, by another credential with these limits. */
function by({ caller, ...workspace }: AWorkspace, limits: Partial<CredentialLimits>): AWorkspace {
  const credential = { ...caller.credential, id: uuidv7(), limits: { ...noLimits, ...limits } }
  return { ...workspace, caller: { ...caller, credential } }
}

const LIMITS: Record<string, (workspaceId: string) => Promise<Partial<CredentialLimits>>> = {
  'another channel': async (workspaceId) => ({ channelIds: [await aChannel(db, workspaceId)] }),
  'another label': async () => ({ label: 'Of others' }),
}

/** What is refused of an answer, by row where it has rows. */
const refusedIn = ({ status, body }: { status: number; body: any }): (string | null)[] =>
  status < 300
    ? (body.results ?? [{}]).map(({ problem }: any) => problem?.code ?? null)
    : [body.code as string]

describe.each(Object.keys(LIMITS))('a credential that is limited to %s', (limit) => {
  test.each(keyed.map(({ id }) => [id]))(
    'repeats %s of another one, and is answered as by a key of its own, or shown what it may read',
    async (id) => {
      const scene = await openScene(db, site.app)
      const { workspace, workspaceId } = scene
      const [path, sent] = await requests[id]!(scene)
      const send = (as: AWorkspace, key: string) => {
        // Of a list, the key stands in its body.
        const body = id === 'createPosts' ? { ...(sent as object), idempotencyKey: key } : sent
        return api.call(as, methodOf(id), path, body, id === 'createPosts' ? null : key)
      }
      const first = await send(workspace, 'shared')
      expect([200, 201]).toContain(first.status)
      expect(refusedIn(first)).toEqual(refusedIn(first).map(() => null))

      const limited = by(workspace, await LIMITS[limit]!(workspaceId))
      const repeated = await changingNothing(workspace, () => send(limited, 'shared'))
      const own = await send(limited, 'own')
      if (refusedIn(repeated).includes(null)) {
        // It is shown what it may read, and nothing besides.
        const shown = [...idsIn(repeated.body), ...path.matchAll(/^\/(\w+)\/([\da-f-]{36})/g)].map(
          ([, name, value]) => `/${name}/${value}`,
        )
        expect(shown).not.toEqual([])
        for (const at of shown) expect([at, (await api.call(limited, 'GET', at)).status]).toEqual([at, 200])
      } else {
        expect(refusedIn(repeated)).toEqual(refusedIn(own))
        const asked = `${path} ${JSON.stringify(sent)}`
        for (const secret of secretsIn(first.body))
          if (!asked.includes(secret)) expect(repeated.text).not.toContain(secret)
      }

      // To the one that has done it, and to others without such limits, it is answered as before.
      for (const as of [workspace, by(workspace, {})]) {
        const again = await changingNothing(workspace, () => send(as, 'shared'))
        expect([again.status, refusedIn(again)]).toEqual([first.status, refusedIn(first)])
        expect(secretsIn(again.body)).toEqual(secretsIn(first.body))
      }
    },
  )
})

/** The collections of what an answer names by its id. */
const COLLECTIONS: Record<string, string> = {
  postId: 'posts',
  seriesId: 'series',
  templateId: 'templates',
  mediaId: 'media',
}

function idsIn(answer: unknown): [name: string, collection: string, id: string][] {
  if (typeof answer !== 'object' || answer === null) return []
  return Object.entries(answer).flatMap(([name, value]): [string, string, string][] => {
    const collection = COLLECTIONS[name]
    return collection !== undefined && typeof value === 'string' ? [[name, collection, value]] : idsIn(value)
  })
}

/** What a stranger to it could not know: tokens, and ids that were made. */
function secretsIn(answer: unknown): string[] {
  if (typeof answer !== 'object' || answer === null) return []
  return Object.entries(answer)
    .flatMap(([name, value]) =>
      ['editToken', 'controlToken', 'postId', 'seriesId', 'templateId'].includes(name) &&
      typeof value === 'string'
        ? [value]
        : secretsIn(value),
    )
    .toSorted()
}

test('what a credential may read is shown to it, whole as by a read, also where it could not have done it', async () => {
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  const [mine, other] = [await aChannel(db, workspaceId), await aChannel(db, workspaceId)]
  const body = { confirmed: true, state: 'draft', channelIds: [mine, other], text: 'On both' }
  const first = await api.call(workspace, 'POST', '/posts', body, 'both')
  const limited = by(workspace, { channelIds: [mine] })
  const again = await api.call(limited, 'POST', '/posts', body, 'both')
  expect([again.status, again.body]).toEqual([201, first.body])
})

test('limits of now count, also for what a credential has made itself before it had them', async () => {
  const workspace = await aWorkspace(db)
  const channelId = await aChannel(db, workspace.workspaceId)
  const body = { confirmed: true, state: 'draft', channelIds: [channelId], text: 'Mine' }
  const { body: post } = await api.call(workspace, 'POST', '/posts', body, 'mine')
  const { credential } = workspace.caller
  const narrowed: AWorkspace = {
    ...workspace,
    caller: {
      ...workspace.caller,
      credential: {
        ...credential,
        limits: { ...noLimits, channelIds: [await aChannel(db, workspace.workspaceId)] },
      },
    },
  }
  const refused = await api.call(narrowed, 'POST', '/posts', body, 'mine')
  expect(refused.body).toMatchObject({ code: 'credential_limit', limit: 'channelIds' })
  expect(refused.text).not.toContain(post.postId)
  // What limits how much is written forbids no repeat.
  const spent = { ...narrowed.caller.credential, limits: { ...noLimits, postsPerDay: 0, draftsOnly: true } }
  const again = await api.call(
    { ...workspace, caller: { ...workspace.caller, credential: spent } },
    'POST',
    '/posts',
    body,
    'mine',
  )
  expect([again.status, again.body]).toEqual([201, post])
})
