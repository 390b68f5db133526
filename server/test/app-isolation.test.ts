import { v7 as uuidv7 } from 'uuid'
import { afterAll, expect, test } from 'vitest'
import { workRuns } from '../src/content/bulk/work-runs.ts'
import { bulkPartsOf } from './rigs/bulk-parts.ts'
import { openSession } from '../src/people/sign-in/session/session-store.ts'
import { siteOf } from '../src/platform/outbound/site.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { aWorkspace, type AWorkspace, snapshotOf } from './rigs/fixtures.ts'
import { aPhoto } from './rigs/media-files.ts'
import { byPeople, methodOf, openScene } from './rigs/people-requests.ts'
import { aPerson, client, comparable, join, openSite, OWN_PAGE } from './rigs/people-world.ts'
import { openRunningApp } from './rigs/running-app.ts'

/*
 * Walks over everything by which people change a workspace, with requests that are right in another one: its ids and its
 * tokens. That they succeed there is what the walk over the audit log shows; reads are walked with the rights.
 */

const { world } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())
const own = await openScene(db, site.app)

const AN_ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

test.each(Object.entries(byPeople))(
  '%s changes nothing in a workspace that is not ours',
  async (id, request) => {
    const foreign = await openScene(db, site.app)
    const right = JSON.stringify(await request(foreign))
    const [before, ownBefore] = [
      await snapshotOf(db, foreign.workspaceId),
      await snapshotOf(db, own.workspaceId),
    ]
    const asks = async (workspaceId: string, sent: string) => {
      const [path, body] = JSON.parse(sent) as [string, unknown]
      const key = { 'idempotency-key': uuidv7() }
      return comparable(await own.owner.ask(`${methodOf(id)} /workspaces/${workspaceId}${path}`, body, key))
    }
    const inForeign = await asks(foreign.workspaceId, right)
    expect(inForeign).toEqual(await asks(uuidv7(), right))
    expect(inForeign.status).toBe(404)

    // In our own workspace, with ids of the other one: answered as ids that nobody has.
    const nobodys = right.replaceAll(AN_ID, () => uuidv7())
    if (nobodys !== right) {
      const mixed = await asks(own.workspaceId, right)
      expect(mixed).toEqual(await asks(own.workspaceId, nobodys))
      if (id === 'startBulkRun') await findsNoPost(ownBefore)
      else {
        expect(mixed.status).toBeGreaterThanOrEqual(400)
        expect(await snapshotOf(db, own.workspaceId)).toEqual(ownBefore)
      }
    }
    expect(await snapshotOf(db, foreign.workspaceId)).toEqual(before)
  },
)

/** A run looks for each of its posts when its turn comes: then it finds none, and nothing but the run itself is left of it. */
async function findsNoPost(before: Record<string, unknown[]>): Promise<void> {
  const { workspaceId, owner } = own
  await db`update bulk_run set look_at = now() where workspace_id = ${workspaceId} and look_at is not null`
  const onFault = (fault: unknown) => expect.fail(String(fault))
  await workRuns(bulkPartsOf(db, onFault))
  const { body } = await owner.ask(`GET /workspaces/${workspaceId}/bulk-runs`)
  const nothing = { status: 'done', done: 0, unchanged: 1, refusals: [{ code: 'not_found', text: '' }] }
  expect(body).toMatchObject([nothing, nothing])
  const OF_RUNS = /^(bulk_run|audit|idempotency)/
  const withoutRuns = (rows: Record<string, unknown[]>) =>
    Object.fromEntries(Object.entries(rows).filter(([table]) => !OF_RUNS.test(table)))
  expect(withoutRuns(await snapshotOf(db, workspaceId))).toEqual(withoutRuns(before))
}

test('files are taken into one’s own workspace only, and their bytes come out of no other', async () => {
  await using app = await openRunningApp()
  const url = siteOf(app.baseUrl).url
  const photo = new Uint8Array(await aPhoto())
  /** Somebody who owns this workspace, and no other. */
  const anOwner = async ({ workspaceId }: AWorkspace) => {
    const person = await aPerson(app.db, { password: false })
    await join(app.db, workspaceId, person, 'owner')
    const session = await openSession(app.db, person.personId, client)
    const headers = () => ({
      ...OWN_PAGE,
      origin: url,
      cookie: `postrider=${session}`,
      'idempotency-key': uuidv7(),
    })
    const at = (id: string, path: string) => `/app/api/workspaces/${id}/media${path}`
    return {
      workspaceId,
      read: (id: string, path: string) =>
        app.ask('GET', at(id, path), { at: url, key: null, headers: headers() }),
      upload: (id: string) => {
        const body = new FormData()
        body.set('confirmed', 'true')
        body.set('file', new Blob([photo]))
        return app.ask('POST', at(id, ''), { at: url, key: null, headers: headers(), body })
      },
    }
  }
  const [us, them] = [await anOwner(app.workspace), await anOwner(await aWorkspace(app.db))]
  const uploaded = await us.upload(us.workspaceId)
  expect(uploaded.status).toBe(201)
  const item = `/${uploaded.body.mediaId}`
  expect((await us.read(us.workspaceId, `${item}/content`)).status).toBe(200)

  const nowhere = comparable(await them.upload(uuidv7()))
  expect(comparable(await them.upload(us.workspaceId))).toEqual(nowhere)
  expect(nowhere.status).toBe(404)
  for (const [path, unknown] of [
    [item, `/${uuidv7()}`],
    [`${item}/content`, `/${uuidv7()}/content`],
  ] as const) {
    const found = comparable(await them.read(them.workspaceId, path))
    expect(found).toEqual(comparable(await them.read(them.workspaceId, unknown)))
    expect(found.status).toBe(404)
    expect((await them.read(us.workspaceId, path)).status).toBe(404)
  }
  const rows = await app.db`select workspace_id as "workspaceId" from media_item`
  expect(rows).toEqual([{ workspaceId: us.workspaceId }])
})
