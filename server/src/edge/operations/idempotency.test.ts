import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../../../test/rigs/world.ts'
import { fingerprintOf, pruneIdempotency, withIdempotency, withIdempotencyPipelined } from './idempotency.ts'
import { refuse } from './refusal.ts'

const WORKSPACE = '01900000-0000-7000-8000-00000000000a'

function aRequest(change: { key?: string; body?: unknown } = {}) {
  const fingerprint = fingerprintOf('knock', '/knock', change.body ?? { a: 1 })
  return { workspaceId: WORKSPACE, operation: 'knock', key: change.key ?? 'k', fingerprint }
}

describe('fingerprints', () => {
  test('ignore the order of fields and the spelling of numbers, and nothing else', () => {
    const of = (json: string, path = '/p') =>
      fingerprintOf('op', path, JSON.parse(json) as unknown).toString('hex')
    expect(of('{"a":1,"b":[2.0]}')).toBe(of('{ "b": [2], "a": 1e0 }'))
    expect(of('{"a":1}')).not.toBe(of('{"a":"1"}'))
    expect(of('{"a":[1,2]}')).not.toBe(of('{"a":[2,1]}'))
    expect(of('{}', '/p')).not.toBe(of('{}', '/q'))
  })
})

describe.each([
  { how: 'claimed first', withIdempotency },
  { how: 'claimed with the first statements', withIdempotency: withIdempotencyPipelined },
])('writes under a key $how', ({ withIdempotency }) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
    await world.db`insert into workspace (id, name) values (${WORKSPACE}, 'Test')`
  })
  afterAll(() => world[Symbol.asyncDispose]())
  beforeEach(async () => {
    await world.db`delete from idempotency_record`
    await world.db`delete from worker`
  })

  const workers = async () =>
    Number((await world.db<{ n: string }[]>`select count(*) as n from worker`)[0]?.n)
  const records = async () =>
    Number((await world.db<{ n: string }[]>`select count(*) as n from idempotency_record`)[0]?.n)

  /** A write with an effect that can be counted. */
  const write = (request = aRequest()) =>
    withIdempotency(world.db, request, async (tx) => {
      await tx`insert into worker (id, roles, host, pid) values (gen_random_uuid(), '{api}', 'here', 1)`
      return { status: 201, body: '{"made":"ü"}' }
    })

  test('happen once, and are answered alike ever after', async () => {
    expect(await write()).toEqual({ status: 201, body: '{"made":"ü"}', replayed: false })
    expect(await write()).toEqual({ status: 201, body: '{"made":"ü"}', replayed: true })
    expect(await workers()).toBe(1)
  })

  test('are undone and answered from the record, where the claim has missed what the former holder committed', async () => {
    const missing = withIdempotency(world.db, aRequest(), async (tx) => {
      await tx`insert into worker (id, roles, host, pid) values (gen_random_uuid(), '{api}', 'here', 1)`
      // As if it had ended between the claim's snapshot and its lock.
      const { workspaceId, operation, key, fingerprint } = aRequest()
      await world.db`
        insert into idempotency_record (workspace_id, operation, key, fingerprint, http_status, body)
        values (${workspaceId}, ${operation}, ${key}, ${fingerprint}, 201, '{"made":"first"}')`
      return { status: 201, body: '{"made":"second"}' }
    })
    expect(await missing).toEqual({ status: 201, body: '{"made":"first"}', replayed: true })
    expect([await workers(), await records()]).toEqual([0, 1])
  })

  test('refuse the key for another request', async () => {
    await write()
    expect(await write(aRequest({ body: { a: 2 } }))).toMatchObject({ refused: 'idempotency_key_reused' })
    expect(await workers()).toBe(1)
  })

  test('leave neither effect nor record when refused, or when they throw', async () => {
    const refused = await withIdempotency(world.db, aRequest(), async (tx) => {
      await tx`insert into worker (id, roles, host, pid) values (gen_random_uuid(), '{api}', 'here', 1)`
      return refuse('invalid_state', 'no')
    })
    expect(refused).toEqual(refuse('invalid_state', 'no'))
    const thrown = withIdempotency(world.db, aRequest(), async (tx) => {
      await tx`insert into worker (id, roles, host, pid) values (gen_random_uuid(), '{api}', 'here', 1)`
      throw new Error('broken')
    })
    await expect(thrown).rejects.toThrow('broken')
    expect(await workers()).toBe(0)
    expect(await records()).toBe(0)
  })

  test('do not wait for one another: while one runs, a second is told so', async () => {
    const inside = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<void>()
    const first = withIdempotency(world.db, aRequest(), async (tx) => {
      await tx`select`
      inside.resolve()
      await finish.promise
      return { status: 201, body: '{}' }
    })
    await inside.promise
    expect(await write()).toMatchObject({
      refused: 'idempotency_in_progress',
      facts: { retryAfterSeconds: 1 },
    })
    expect(await write(aRequest({ key: 'another' }))).toMatchObject({ replayed: false })
    finish.resolve()
    expect(await first).toMatchObject({ replayed: false })
    expect(await write()).toMatchObject({ body: '{}', replayed: true })
  })

  test('have one effect however many come at once, again and again', async () => {
    for (let round = 0; round < 20; round++) {
      const request = aRequest({ key: `round-${round}` })
      const outcomes = await Promise.all(Array.from({ length: 100 }, () => write(request)))
      const done = outcomes.filter((outcome) => 'replayed' in outcome && !outcome.replayed)
      const unexpected = outcomes.filter(
        (outcome) => 'refused' in outcome && outcome.refused !== 'idempotency_in_progress',
      )
      expect({ done: done.length, unexpected }).toEqual({ done: 1, unexpected: [] })
    }
    expect(await workers()).toBe(20)
  })

  test('begin again when two transactions get in each other’s way', async () => {
    let tries = 0
    const outcome = await withIdempotency(world.db, aRequest(), async (tx) => {
      if (++tries === 1) await tx`do $$ begin raise exception 'deadlock' using errcode = '40P01'; end $$`
      return { status: 200, body: '{}' }
    })
    expect(outcome).toMatchObject({ replayed: false })
    expect(tries).toBe(2)
  })

  test('are forgotten after their days, in batches', async () => {
    for (const key of ['a', 'b', 'c', 'young']) await write(aRequest({ key }))
    await world.db`update idempotency_record set created_at = now() - interval '8 days' where key <> 'young'`
    expect(await pruneIdempotency(world.db, 7, 2)).toBe(2)
    expect(await pruneIdempotency(world.db, 7, 2)).toBe(1)
    expect(await pruneIdempotency(world.db, 7, 2)).toBe(0)
    expect(await records()).toBe(1)
  })
})
