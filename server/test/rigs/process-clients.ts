import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Post } from '@postrider/contract'
import { expect } from 'vitest'
import { runPeriodically } from '../../src/platform/loops/run-periodically.ts'
import type { AWorkspace } from './fixtures.ts'
import { type LiveStream, openLiveStream } from './live-stream.ts'

/*
 * Clients of several API processes that may be killed at any moment. Each sends every request to all of them at once,
 * under one idempotency key, and repeats it until one answers.
 */

export type Answer = { readonly status: number; readonly text: string; readonly body: any }

export type Access = {
  /** The addresses of the API processes. */
  readonly apis: readonly string[]
  readonly workspace: AWorkspace
  /** An agent key. */
  readonly key: string
  /** The session of a member who may decide, in a browser. */
  readonly cookie: string
  /** What `Origin` says in requests of the dashboard. */
  readonly origin: string
}

/** What has to become of a post, by what its client was told. */
export type Told = { readonly status: 'published' | 'cancelled' | 'draft'; readonly text: string }

/** How many posts clients go on with when they have made those that are waited for. */
const AHEAD = 8

const REPEATED = ['idempotency_in_progress', 'not_ready']

/** One request of an agent; null when the connection was lost. */
export function agentAsks(
  { key }: Pick<Access, 'key'>,
  url: string,
  body?: unknown,
  idempotencyKey?: string,
): Promise<Answer | null> {
  return ask(url, body, {
    authorization: `Bearer ${key}`,
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  })
}

/** One request of the dashboard, below the workspace; null when the connection was lost. */
export function browserAsks(
  { workspace, cookie, origin }: Access,
  api: string,
  path: string,
  body?: unknown,
  idempotencyKey: string = randomUUID(),
): Promise<Answer | null> {
  const headers = { cookie, origin, 'x-postrider-app': '1', 'idempotency-key': idempotencyKey }
  return ask(`${api}/app/api/workspaces/${workspace.workspaceId}${path}`, body, headers)
}

async function ask(url: string, body: unknown, headers: Record<string, string>): Promise<Answer | null> {
  try {
    const answer = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, text, body: JSON.parse(text) as unknown }
  } catch {
    return null
  }
}

/** Asks one of the processes after the other until one answers; the key of a request has to stay the same. */
export async function askUntilAnswered(
  apis: readonly string[],
  act: (api: string) => Promise<Answer | null>,
): Promise<Answer> {
  for (let turn = 0; ; turn++) {
    const answer = await act(apis[turn % apis.length]!)
    if (answer !== null && !REPEATED.includes(answer.body.code)) return answer
    await delay(50)
  }
}

/** Clients that create posts, edit, cancel and have them approved, until they are stopped; `channelIds` take turns. */
export function startClients(
  access: Access,
  { clients, channelIds, slow }: { clients: number; channelIds: readonly string[]; slow: string },
) {
  const { apis } = access
  const told = new Map<string, Told>()
  let [next, goal, stopping] = [0, 0, false]

  /** The final answer to a request: every process that answers with success answers the same. */
  async function tell(path: string, body: object, key: string): Promise<Answer> {
    for (;;) {
      const answers = await Promise.all(
        apis.map((api) => agentAsks(access, `${api}/agent/v1${path}`, { confirmed: true, ...body }, key)),
      )
      const done = answers.filter((answer) => answer !== null && answer.status < 300)
      expect(new Set(done.map((answer) => answer?.text)).size).toBeLessThanOrEqual(1)
      if (done[0] != null) return done[0]
      const [refused] = answers
      // A request whose connection was lost may have been carried out: then the other's refusal proves nothing.
      const open = answers.some((answer) => answer === null || REPEATED.includes(answer.body.code))
      if (refused != null && !open) return refused
      await delay(50)
    }
  }

  const persistently = (act: (api: string) => Promise<Answer | null>) => askUntilAnswered(apis, act)

  async function edit(post: Post, n: number, text: string): Promise<Told> {
    const newText = `Post ${n}, edited ${slow}`
    const { status, body } = await tell(
      `/posts/${post.postId}/edit`,
      { editToken: post.editToken, content: { text: newText } },
      `edit-${n}`,
    )
    expect([200, 409]).toContain(status)
    if (status === 409) expect(['invalid_state', 'stale_edit_token']).toContain(body.code)
    return { status: 'published', text: status === 200 ? newText : text }
  }

  async function cancel(post: Post, n: number, text: string): Promise<Told> {
    const [{ channelId, controlToken }] = post.destinations as [Post['destinations'][0]]
    const { status, body } = await tell(
      `/posts/${post.postId}/cancel`,
      { channelId, controlToken },
      `cancel-${n}`,
    )
    expect([200, 409]).toContain(status)
    if (status === 409) expect(['invalid_state', 'stale_control_token']).toContain(body.code)
    return { status: status === 200 ? 'cancelled' : 'published', text }
  }

  /** A person reads what waits and decides; a repeated decision may find it decided. */
  async function decide(post: Post, verdict: 'approve' | 'reject', text: string): Promise<Told> {
    const at = `/approvals/${post.approval!.reviewUrl.split('/').at(-1)}`
    const request = await persistently((api) => browserAsks(access, api, at))
    const { digest } = request.body as { digest: string }
    const decided = await persistently((api) => browserAsks(access, api, `${at}/decide`, { verdict, digest }))
    expect([200, 409]).toContain(decided.status)
    return { status: verdict === 'approve' ? 'published' : 'draft', text }
  }

  async function act(): Promise<void> {
    const n = next++
    const text = `Post ${n} ${slow}`
    const immediate = n % 4 === 3
    const created = await tell(
      '/posts',
      {
        text,
        channelIds: [channelIds[n % channelIds.length]],
        ...(immediate
          ? { state: 'immediate' }
          : { state: 'scheduled', publishAt: new Date(Date.now() + 3_600_000) }),
      },
      `create-${n}`,
    )
    expect(created).toMatchObject({ status: 201 })
    const post = created.body as Post
    const ends: (() => Told | Promise<Told>)[] = [
      () => ({ status: 'published', text }),
      () => edit(post, n, text),
      () => cancel(post, n, text),
      () => decide(post, n % 8 === 3 ? 'approve' : 'reject', text),
    ]
    told.set(post.postId, await ends[n % 4]!())
  }

  const ended = Promise.all(
    Array.from({ length: clients }, async () => {
      while (!stopping) await (next < goal ? act() : delay(20))
    }),
  )
  ended.catch(() => undefined)
  return {
    /** Waits until so many more posts have come to their end with their clients. */
    async more(count: number): Promise<void> {
      const wanted = told.size + count
      goal = next + count + AHEAD
      const enough = async () => {
        await expect.poll(() => told.size, { timeout: 90_000, interval: 20 }).toBeGreaterThanOrEqual(wanted)
      }
      // Clients end before they are stopped only by failing.
      await Promise.race([enough(), ended])
    },
    /** Returns what became of each post, by its id. */
    async stop(): Promise<ReadonlyMap<string, Told>> {
      stopping = true
      await ended
      return told
    },
  }
}

/** A dashboard at one API process, which comes back whenever its stream ends. */
export async function openDashboard({ workspace, cookie }: Access, api: string) {
  const heard = new Set<string>()
  let [resets, lastEventId, stream] = [0, undefined as string | undefined, null as LiveStream | null]
  const url = `${api}/app/api/workspaces/${workspace.workspaceId}/live`
  async function listen(): Promise<void> {
    stream = await openLiveStream(url, { cookie, lastEventId })
    for (;;) {
      const message = await stream.next('ready', 'changed', 'reset')
      if (message === null) return
      lastEventId = message.id
      if (message.event === 'reset') resets += 1
      if (message.event === 'changed') {
        for (const { id } of JSON.parse(message.data) as { id: string }[]) heard.add(id)
      }
    }
  }
  const listening = runPeriodically(listen, 100, () => undefined)
  await expect.poll(() => lastEventId, { timeout: 20_000 }).toBeDefined()
  return {
    /** The ids of events. */
    heard: heard as ReadonlySet<string>,
    /** How often it was told to refetch everything. */
    resets: () => resets,
    async [Symbol.asyncDispose]() {
      const stopped = listening.stop()
      stream?.close()
      await stopped
    },
  }
}
