import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openRunningApp } from '../../../test/rigs/running-app.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'
import { recordAct } from './audit-store.ts'
import { auditStream, startAuditStream, toFile } from './stream-audit.ts'

type Line = { seq: number; auditId: string; action: string }

const act = (action: string) => ({
  workspaceId: null,
  actor: { type: 'operator', id: null, name: 'operator', personId: null } as const,
  action,
  address: null,
  requestId: null,
})

async function record(db: Db, ...actions: readonly string[]): Promise<void> {
  for (const action of actions) await db.begin((tx) => recordAct(tx, act(action)))
}

/** Where a stream writes to, and what it wrote. */
function paper() {
  const lines: Line[] = []
  return {
    lines,
    actions: () => lines.map(({ action }) => action),
    write: async (text: string) =>
      void lines.push(
        ...text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as Line),
      ),
  }
}

test('each act is written once and in order, whichever process has its turn, and none again after a restart', async () => {
  await using world = await openWorld()
  const { lines, actions, write } = paper()
  const names = Array.from({ length: 1_203 }, (_, n) => `act ${n}`)
  await world.db`
    insert into audit_entry (id, actor_type, actor_name, action)
    select gen_random_uuid(), 'operator', 'operator', name from unnest(${names}::text[]) with ordinality as n (name, place) order by place`
  const one = auditStream(world.db, uuidv7(), write)
  const other = auditStream(world.db, uuidv7(), write)
  await Promise.all([one(), other()])
  expect(actions()).toEqual(names)

  await record(world.db, 'later', 'last')
  await Promise.all([one(), other()])
  expect(actions().slice(names.length)).toEqual(['later', 'last'])
  expect(new Set(lines.map(({ auditId }) => auditId)).size).toBe(lines.length)
  await world.db`update audit_stream set held_until = now() - interval '1 second'`
  await auditStream(world.db, uuidv7(), write)()
  expect(lines).toHaveLength(names.length + 2)
})

test('an act that is committed after later ones is not passed over', async () => {
  await using world = await openWorld()
  const { actions, write } = paper()
  const stream = auditStream(world.db, uuidv7(), write)
  await record(world.db, 'first')
  const begun = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const late = world.db.begin(async (tx) => {
    await tx`insert into audit_entry (id, actor_type, actor_name, action) values (${uuidv7()}, 'operator', 'o', 'late')`
    begun.resolve()
    await commit.promise
  })
  await begun.promise
  await record(world.db, 'overtaking')
  await stream()
  await stream()
  expect(actions()).not.toContain('overtaking')
  commit.resolve()
  await late
  await stream()
  await stream()
  expect(actions()).toEqual(['first', 'late', 'overtaking'])
})

test('what was written and not noted is written again, and what could not be written is not lost', async () => {
  await using world = await openWorld()
  const { actions, write } = paper()
  await record(world.db, 'one', 'two')
  const torn = auditStream(world.db, uuidv7(), async (text) => {
    await write(text)
    throw new Error('killed')
  })
  await expect(torn()).rejects.toThrow('killed')
  // Another process waits for the turn of the one that died.
  const next = auditStream(world.db, uuidv7(), write)
  await next()
  expect(actions()).toEqual(['one', 'two'])
  await world.db`update audit_stream set held_until = now() - interval '1 second'`
  await next()
  expect(actions()).toEqual(['one', 'two', 'one', 'two'])
})

test('what could not be written whole has a line of its own, and so has what comes next', async () => {
  await using world = await openWorld()
  const folder = await mkdtemp(join(tmpdir(), 'postrider-audit-'))
  const file = join(folder, 'audit.jsonl')
  await writeFile(file, '{"seq":13,"work')
  const stream = auditStream(world.db, uuidv7(), toFile(file))
  for (const action of ['one', 'two']) {
    await record(world.db, action)
    await stream()
  }
  expect((await readFile(file, 'utf8')).split('\n')).toEqual([
    '{"seq":13,"work',
    expect.stringMatching(/^\{.*"one".*\}$/),
    expect.stringMatching(/^\{.*"two".*\}$/),
    '',
  ])
  await rm(folder, { recursive: true })
})

test('a stream that is stopped gives its turn to the next one at once', async () => {
  await using world = await openWorld()
  const { actions, write } = paper()
  const faults: unknown[] = []
  await record(world.db, 'one')
  const first = startAuditStream(world.db, write, (fault) => void faults.push(fault))
  await expect.poll(actions, { timeout: 10_000 }).toEqual(['one'])
  await first.stop()
  await record(world.db, 'two')
  await auditStream(world.db, uuidv7(), write)()
  expect(actions()).toEqual(['one', 'two'])
  expect(faults).toEqual([])
})

test('a server writes what is done to the file that AUDIT_STREAM names', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-audit-'))
  const file = join(folder, 'audit.jsonl')
  await using app = await openRunningApp({ env: { AUDIT_STREAM: file } })
  const told = async () =>
    (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
  await record(app.db, 'by hand')
  await expect.poll(told, { timeout: 15_000 }).toContainEqual(expect.stringContaining('"action":"by hand"'))
  const lines = (await told()).map((line) => JSON.parse(line) as object)
  const stored = await app.db`select seq::int, id as "auditId" from audit_entry order by seq`
  expect(lines).toMatchObject(stored)
  expect(lines.at(-1)).toEqual({
    ...stored.at(-1),
    at: expect.stringMatching(/Z$/) as string,
    workspaceId: null,
    actor: { type: 'operator', id: null, name: 'operator', personId: null },
    action: 'by hand',
    subject: {},
    before: null,
    after: null,
    address: null,
    requestId: null,
  })
  await rm(folder, { recursive: true })
})
