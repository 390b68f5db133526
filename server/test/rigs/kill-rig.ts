import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Post } from '@postrider/contract'
import { expect } from 'vitest'
import type { Db } from '../../src/platform/postgres/db.ts'
import { runPeriodically } from '../../src/platform/loops/run-periodically.ts'
import type { CrashPlan, Kill } from './crash-worker.ts'
import { COMPILE_ONCE } from './compile-once.ts'
import { anApi, type AnApi, type AWorkspace } from './fixtures.ts'
import { openWorld, type World } from './world.ts'

/* Publishers in processes of their own that are killed while they publish, whichever the network. */

export type ChannelPlace = { readonly workspace: AWorkspace; readonly channelId: string }

/** A post of a crash test: all its parts begin with `post <number> `, and no two posts share a word. */
export type Subject<Place = ChannelPlace> = {
  number: number
  workspace: AWorkspace
  postId: string
  places: readonly Place[]
  /** What it says, by the last edit that was accepted. */
  words: readonly string[]
  /** Whether the last of them is the first comment. */
  comment: boolean
}

/** The fields of a content with these words. */
export function contentOfWords(words: readonly string[], comment: boolean) {
  const [text = '', ...rest] = words
  const thread = (comment ? rest.slice(0, -1) : rest).map((text) => ({ text }))
  return { text, thread, ...(comment ? { firstComment: { text: words.at(-1)! } } : {}) }
}

/** One API and one database, with publishers that are killed. Whoever opens it disposes of it. */
export type KillRig<Place extends ChannelPlace = ChannelPlace> = AsyncDisposable & {
  readonly world: World
  readonly db: Db
  readonly api: AnApi
  readonly subjects: readonly Subject<Place>[]
  /** Makes a post by the API. A scheduled one is for in an hour. */
  readonly create: (
    state: 'draft' | 'scheduled' | 'immediate',
    places: readonly Place[],
    textsFor: (number: number) => readonly string[],
    /** The last of its texts is the first comment. */
    options?: { readonly comment: boolean },
  ) => Promise<Subject<Place>>
  /** The time of what is scheduled comes. */
  readonly comes: (subject?: Subject<Place>) => Promise<void>
  /** Whether the publisher came to its point; one that does not within the time is killed as it idles. */
  readonly publishUntilKilled: (kill: Kill, withinMs: number) => Promise<boolean>
  /** Publishes, unkilled, until nothing is left. */
  readonly publishAll: (left: () => Promise<readonly string[]>) => Promise<void>
}

/** Waits of the engine are cut short. `secret` seals the authorizations. */
export async function openKillRig<Place extends ChannelPlace>(
  secret: Buffer,
  options: Pick<CrashPlan, 'callTimeoutMs'> = {},
): Promise<KillRig<Place>> {
  await using opened = new AsyncDisposableStack()
  const world = opened.use(await openWorld())
  const { db } = world
  const api = opened.use(await anApi(db))
  const publishers = opened.use(publisherProcesses({ databaseUrl: world.databaseUrl, secret, ...options }))
  const skipping = runPeriodically(
    () => skipWaits(db),
    100,
    (fault) => Promise.reject(fault),
  )
  opened.defer(() => skipping.stop())

  const subjects: Subject<Place>[] = []
  let numbers = 0
  const rig: Omit<KillRig<Place>, keyof AsyncDisposable> = {
    world,
    db,
    api,
    subjects,

    async create(state, at, textsFor, { comment } = { comment: false }) {
      const number = ++numbers
      const words = textsFor(number)
      const { workspace } = at[0]!
      const request = {
        confirmed: true,
        idempotencyKey: `post-${number}`,
        state,
        ...contentOfWords(words, comment),
        channelIds: at.map(({ channelId }) => channelId),
        ...(state === 'scheduled' ? { publishAt: inAnHour() } : {}),
      }
      const create = () => api.call(workspace, 'POST', '/posts', request)
      let answer = await create()
      // An immediate post is refused where the network has just revoked an account, until a person has connected it again.
      while (answer.status === 422 && answer.text.includes('channel_reconnect_required')) {
        await new Promise((resolve) => setTimeout(resolve, 50))
        answer = await create()
      }
      const { status, body } = answer
      expect({ status, body }).toMatchObject({ status: 201 })
      const subject = { number, workspace, postId: (body as Post).postId, places: at, words, comment }
      subjects.push(subject)
      return subject
    },

    async comes(subject) {
      await db`
        with coming as (
          select workspace_id, id from destination
          where  status = 'scheduled' and due_at > now() ${subject === undefined ? db`` : db`and post_id = ${subject.postId}`}
          order  by id
          for    no key update
        )
        update destination d
        set    publish_at = now(), due_at = now(), expires_at = now() + interval '24 hours'
        from   coming
        where  d.workspace_id = coming.workspace_id and d.id = coming.id`
    },

    async publishUntilKilled(kill, withinMs) {
      const child = await publishers.begin(kill)
      const exited = once(child, 'exit')
      const lateness = setTimeout(() => child.kill('SIGINT'), withinMs)
      const [, signal] = (await exited) as [number | null, NodeJS.Signals | null]
      clearTimeout(lateness)
      return signal === 'SIGKILL'
    },

    async publishAll(left) {
      const child = await publishers.begin(null)
      const exited = once(child, 'exit')
      let [fewest, end] = [Infinity, 0]
      for (let still = await left(); still.length > 0; still = await left()) {
        if (child.exitCode !== null) throw new Error(`the publisher ended with ${child.exitCode}`)
        // However much there is, and however slow the machine: it has to get less.
        if (still.length < fewest) [fewest, end] = [still.length, Date.now() + 60_000]
        if (Date.now() > end) throw new Error(`left in the end: ${still.join(', ')}`)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      child.kill('SIGTERM')
      expect(await exited).toEqual([0, null])
    },
  }
  const running = opened.move()
  return { ...rig, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

export const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

/**
 * Ends waits: for the next try (what was found absent twice is scheduled a minute later), the next lookup, the next poll,
 * and for the end of a provider's pause. Rows that the
 * engine holds are left to the next time: who waits for locks out of the engine's order ends in a deadlock.
 */
async function skipWaits(db: Db): Promise<void> {
  await db`
    with paused as (
      select workspace_id, id from channel where paused_until is not null for no key update skip locked)
    update channel c set paused_until = null
    from   paused
    where  c.workspace_id = paused.workspace_id and c.id = paused.id`
  await db`
    with waiting as (
      select workspace_id, id from destination
      where  due_at > now() and (
               status in ('checking', 'delayed', 'partially_published') or (status = 'scheduled' and publish_at <= now())
               or (status = 'publishing' and lease_until is null))
      for    no key update skip locked
    )
    update destination d set due_at = now()
    from   waiting
    where  d.workspace_id = waiting.workspace_id and d.id = waiting.id`
}

/** Publishers in processes of their own. The next one is ready while the last one runs. */
function publisherProcesses({
  secret,
  ...same
}: Omit<CrashPlan, 'secretKey' | 'kill'> & { readonly secret: Buffer }) {
  const children = new Set<ChildProcess>()
  const spares: Promise<ChildProcess>[] = [ready(), ready()]

  async function ready(): Promise<ChildProcess> {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'crash-worker.ts')], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: COMPILE_ONCE,
    })
    children.add(child)
    child.once('exit', () => children.delete(child))
    await once(child.stdout, 'data')
    return child
  }

  return {
    async begin(kill: Kill | null): Promise<ChildProcess> {
      const next = spares.shift() ?? ready()
      spares.push(ready())
      const child = await next
      const plan: CrashPlan = { ...same, secretKey: secret.toString('base64'), kill }
      child.stdin!.write(`${JSON.stringify(plan)}\n`)
      return child
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(spares)
      await Promise.all(
        [...children].map(async (child) => {
          child.kill('SIGKILL')
          await once(child, 'exit')
        }),
      )
    },
  }
}
