import { randomBytes } from 'node:crypto'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandboxNetwork } from '@postrider/sandbox-network'
import { v7 as uuidv7 } from 'uuid'
import { afterEach, expect, test } from 'vitest'
import type { CrashPlan, CrashStep } from '../../test/crash-worker.ts'
import { openWorld, type World } from '../../test/world.ts'
import { sealGrant } from '../channels/grant.ts'
import { destinationStatuses, type DestinationStatus } from '@postrider/contract'
import { isRefusal } from '../platform/refusal.ts'
import { makeKeyring } from '../platform/sealing.ts'
import { cancelDestination, rescheduleDestination } from '../posts/command-destination.ts'
import { providers } from '../providers/registry.ts'

/*
 * A publisher is killed at every step, again and again, while others and their successors go on. The sandbox
 * network counts what it was told to create: that count is the judge.
 */

const rounds = Number(process.env['CRASH_ROUNDS'] ?? 200)
const alone = Math.ceil(rounds * 0.7)
const together = Math.ceil(rounds * 0.3)

const steps: CrashStep[] = ['claim', 'arm', 'call', 'settle', 'claimOrphans', 'claimDoubts']
const moments = ['before', 'during', 'after'] as const

const children = new Set<ChildProcess>()
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
})

test(`killed at every step, ${alone} times: every part is created once and every destination ends`, async () => {
  await using rig = await openRig()
  for (let round = 0; round < alone; round++) {
    await rig.addDue(3)
    await rig.runUntilKilled({
      step: steps[round % steps.length]!,
      when: moments[Math.floor(round / steps.length) % moments.length]!,
      nth: 1 + (round % 3),
    })
  }
  await rig.runToTheEnd()
  await rig.expectNothingTwiceAndNothingLost()
}, 600_000)

test(`two publishers, each killed ${together} times: every part is created once and every destination ends`, async () => {
  await using rig = await openRig()
  for (let round = 0; round < together; round++) {
    await rig.addDue(6)
    await Promise.all(
      [0, 1].map((one) =>
        rig.runUntilKilled({
          step: steps[(round + one) % 4]!,
          when: moments[(round + one) % 3]!,
          nth: 1 + ((round + one) % 4),
        }),
      ),
    )
  }
  await rig.runToTheEnd()
  await rig.expectNothingTwiceAndNothingLost()
}, 600_000)

test('commands from several clients while publishers are killed: cancelled means never published, and nothing goes out twice', async () => {
  await using rig = await openRig()
  for (let round = 0; round < 16; round++) {
    await rig.addDue(8)
    const kill = { step: steps[round % 4]!, when: moments[round % 3]!, nth: 1 + (round % 3) }
    await Promise.all([rig.runUntilKilled(kill), ...[0, 1, 2].map((client) => rig.command(client))])
  }
  await rig.runToTheEnd()
  await rig.expectCancelledNeverOut()
}, 600_000)

/** A database, a network with four accounts in two workspaces, and processes that publish. */
async function openRig() {
  const world = await openWorld()
  const network = await startSandboxNetwork({ memory: true })
  const secret = randomBytes(32)
  const channels = await openChannels(world, network.url, secret)
  let posts = 0

  function start(kill: CrashPlan['kill']): ChildProcess {
    const plan: CrashPlan = { databaseUrl: world.databaseUrl, secretKey: secret.toString('base64'), kill }
    const script = join(import.meta.dirname, '../../test/crash-worker.ts')
    const child = spawn(process.execPath, [script, JSON.stringify(plan)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      // Hundreds of short lives: the code is compiled for the first of them.
      env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'postrider-crash-test') },
    })
    children.add(child)
    child.once('exit', () => children.delete(child))
    return child
  }

  return {
    async addDue(count: number) {
      for (let n = 0; n < count; n++)
        await addDue(world, channels[posts % channels.length]!, `post ${posts++}`)
    },

    /** One client, which cancels and reschedules whatever it finds, as quickly as it can. */
    async command(client: number) {
      const options = { providers, baseUrl: 'http://127.0.0.1' }
      const open = await world.db<Commanded[]>`
        select workspace_id as "workspaceId", post_id as "postId", channel_id as "channelId", control_token as "controlToken"
        from   destination
        where  status in ('scheduled', 'delayed', 'checking', 'publishing')
        order  by md5(id::text || ${String(client)})
        limit  3`
      for (const destination of open) {
        const publishAt = new Date(Date.now() + 50).toISOString()
        const answer = await world.db.begin((tx) =>
          client === 0
            ? cancelDestination(tx, destination, options)
            : rescheduleDestination(tx, { ...destination, publishAt }, options),
        )
        if (isRefusal(answer)) expect(['stale_control_token', 'invalid_state']).toContain(answer.refused)
      }
    },

    async expectCancelledNeverOut() {
      const duplicates = await fetch(`${network.url}/control/creates/duplicates`).then((answer) =>
        answer.json(),
      )
      expect(duplicates).toEqual({ total: 0, items: [] })
      const [ends] = await world.db<{ cancelled: number; published: number; other: number; out: number }[]>`
        select count(*) filter (where d.status = 'cancelled')::int as cancelled,
               count(*) filter (where d.status = 'published')::int as published,
               count(*) filter (where d.status not in ('cancelled', 'published'))::int as other,
               sum((select count(*) from part p where p.destination_id = d.id and p.remote_id is not null))::int as out
        from   destination d`
      expect(ends).toMatchObject({ other: 0, cancelled: expect.any(Number) })
      expect(ends!.cancelled).toBeGreaterThan(0)
      const creates = (await fetch(`${network.url}/control/creates`).then((answer) => answer.json())) as {
        total: number
      }
      expect(creates.total).toBe(ends!.out)
      const [told] = await world.db<{ wrong: number }[]>`
        select count(*)::int as wrong
        from   destination d
        where  d.status = 'cancelled' and (
          exists (select from part p where p.destination_id = d.id and p.remote_id is not null)
          or (select type from outbox_event e where e.destination_id = d.id order by seq desc limit 1) <> 'post.cancelled')`
      expect(told).toEqual({ wrong: 0 })
    },

    /** The point is not always reached: then the process is killed as it idles. */
    async runUntilKilled(kill: NonNullable<CrashPlan['kill']>) {
      const child = start(kill)
      const exited = once(child, 'exit')
      await Promise.race([exited, once(child.stdout!, 'data')])
      await Promise.race([exited, settled(world, 1_000)])
      child.kill('SIGKILL')
      await exited
    },

    async runToTheEnd() {
      const child = start(null)
      const hurrying = setInterval(() => void hurry(world), 500)
      await settled(world, 60_000)
      clearInterval(hurrying)
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      expect(await exited).toEqual([0, null])
    },

    async expectNothingTwiceAndNothingLost() {
      const duplicates = await fetch(`${network.url}/control/creates/duplicates`).then((answer) =>
        answer.json(),
      )
      expect(duplicates).toEqual({ total: 0, items: [] })

      const statuses = await world.db<{ status: string; count: number }[]>`
        select status, count(*)::int as count from destination group by status`
      expect([...statuses]).toEqual([{ status: 'published', count: posts }])

      const creates = (await fetch(`${network.url}/control/creates`).then((answer) => answer.json())) as {
        total: number
      }
      const [parts] = await world.db<{ count: number; remote: number }[]>`
        select count(*)::int as count, count(distinct remote_id)::int as remote from part`
      expect(parts).toEqual({ count: creates.total, remote: creates.total })
      await expectOneEventPerEntry(world)
    },

    async [Symbol.asyncDispose]() {
      await network.close()
      await world[Symbol.asyncDispose]()
    },
  }
}

type Commanded = { workspaceId: string; postId: string; channelId: string; controlToken: string }
type Place = { workspaceId: string; channelId: string; provider: string }

async function openChannels({ db }: World, baseUrl: string, secret: Buffer): Promise<Place[]> {
  const keyring = makeKeyring([secret])
  const places: Place[] = []
  for (const name of ['one', 'two']) {
    const workspaceId = uuidv7()
    await db`insert into workspace (id, name) values (${workspaceId}, ${name})`
    for (const profile of ['short', 'professional'] as const) {
      const answer = await fetch(`${baseUrl}/control/accounts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ handle: `${name}_${profile}`, displayName: name, profile }),
      })
      const account = (await answer.json()) as { id: string; token: string }
      const channelId = uuidv7()
      const provider = `sandbox-${profile}`
      const grant = sealGrant(keyring, channelId, {
        baseUrl,
        accessToken: account.token,
        accountId: account.id,
      })
      await db`
        insert into channel (workspace_id, id, provider, remote_account_id, display_name, handle, grant_sealed)
        values (${workspaceId}, ${channelId}, ${provider}, ${account.id}, ${name}, ${`${name}_${profile}`}, ${grant})`
      places.push({ workspaceId, channelId, provider })
    }
  }
  return places
}

/** Faults that end in doubt or in silence, and threads, among plain posts. */
const texts = [
  '',
  '',
  '',
  ' #sandbox:accept-then-drop',
  ' #sandbox:drop',
  ' #sandbox:accept-then-500',
  ' #sandbox:error-500',
]

async function addDue(
  { db }: World,
  { workspaceId, channelId, provider }: Place,
  text: string,
): Promise<void> {
  const post = uuidv7()
  const destination = uuidv7()
  const number = Number(text.split(' ')[1])
  const parts = Array.from({ length: 1 + (number % 3) }, (_, index) => ({
    index,
    text: `${text} part ${index}${texts[(number + index) % texts.length]}`,
  }))
  await db.begin(async (tx) => {
    await tx`
      insert into post (workspace_id, id, edit_token, created_by_type, created_by_name)
      values (${workspaceId}, ${post}, 'edit', 'agent_key', 'test')`
    await tx`
      insert into destination (workspace_id, id, post_id, channel_id, provider, status, control_token, publish_at, due_at, expires_at)
      values (${workspaceId}, ${destination}, ${post}, ${channelId}, ${provider}, 'scheduled', 'control',
              now(), now(), now() + interval '1 hour')`
    await tx`
      insert into part (workspace_id, destination_id, index, text, folded)
      select ${workspaceId}, ${destination}, index, text, text
      from   jsonb_to_recordset(${tx.json(parts)}) as p (index int, text text)`
  })
}

/** A publisher that dies between claiming a look and looking has put off the next one, in the end by an hour. */
async function hurry({ db }: World): Promise<void> {
  await db`update destination set due_at = now() where status = 'checking' and due_at > now()`
}

/** Resolves when nothing is left to do, or when the time is over. */
async function settled({ db }: World, withinMs: number): Promise<void> {
  const end = Date.now() + withinMs
  for (;;) {
    const [open] = await db<{ count: number }[]>`
      select count(*)::int as count from destination where status not in ('published', 'failed', 'cancelled', 'expired')`
    if (open?.count === 0 || Date.now() > end) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Walks each destination's events in recorded order: they tell one possible life, and end with `post.published`. */
async function expectOneEventPerEntry({ db }: World): Promise<void> {
  const rows = await db<{ types: string[]; parts: number }[]>`
    select array_agg(type order by seq) as types, min(p.parts)::int as parts
    from   outbox_event e
    join   (select destination_id, count(*) as parts from part group by destination_id) p using (destination_id)
    group  by e.destination_id`
  const known = new Set(Object.values(destinationStatuses).map(({ event }) => event))
  for (const { types } of rows) {
    expect(types.at(-1)).toBe(destinationStatuses['published' satisfies DestinationStatus].event)
    expect(types.filter((type) => type === 'post.published')).toHaveLength(1)
    expect(types.every((type) => known.has(type as never))).toBe(true)
  }
}
