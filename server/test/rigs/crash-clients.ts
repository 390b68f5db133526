import type { Destination, Post } from '@postrider/contract'
import { expect } from 'vitest'
import { listApprovals } from '../../src/content/approvals/approval-store.ts'
import { findOwner } from '../../src/people/members/member-store.ts'
import { isRefusal } from '../../src/edge/operations/refusal.ts'
import { decideApproval } from '../../src/attention/reviews/decide-approval.ts'
import type { DestinationKey } from '../../src/engine/destinations/destination-store.ts'
import { providers } from '../../src/networks/providers/registry.ts'
import { callTimes } from '../../src/engine/publication/call-times.ts'
import { resolveByPerson } from '../../src/engine/publication/resolve-by-person.ts'
import type { CrashRig, Subject } from './crash-rig.ts'
import { contentOfWords, inAnHour } from './kill-rig.ts'
import { endingNames, endings } from './crash-endings.ts'
import { publicPosts, revokedAccounts } from './crash-judge.ts'
import type { Answered } from './fixtures.ts'

/*
 * Those who give commands while publishers are killed: clients with agent keys, and a person with the command line.
 * Each decides by a random sequence of its own.
 */

export type Random = {
  /** A whole number below the limit. */
  below: (limit: number) => number
  pick: <T>(from: readonly T[]) => T
}

/** Repeats itself for the same seed (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  function below(limit: number): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
  return { below, pick: (from) => from[below(from.length)]! }
}

/** What was accepted and refused, in all: `cancel`, `edit invalid_state` … */
export type Answers = Map<string, number>

export type CrashRun = {
  rig: CrashRig
  answers: Answers
  /** The commands that clients give wherever they are allowed, until each was accepted once. */
  wanted: ReadonlySet<string>
}

/** A run in which nothing has been done. */
export function crashRunOn(rig: CrashRig, wanted: Iterable<string> = []): CrashRun {
  return { rig, answers: new Map(), wanted: new Set(wanted) }
}

function count({ answers }: CrashRun, what: string): void {
  answers.set(what, (answers.get(what) ?? 0) + 1)
}

/** The parts of a post that nobody has ever made, with endings here and there. A thread is as good as broken in the middle. */
export function someWords(random: Random, number: number, version: number, blind: boolean): string[] {
  const length = 1 + random.below(3)
  return Array.from({ length }, (_, part) => {
    const ending = random.below(2) === 0 ? 'plain' : random.pick(endingNames)
    // What cannot be asked about is not waited for.
    const struck = blind && ending.startsWith('processing') ? 'plain' : ending
    return `post ${number} version ${version} part ${part}${endings[struck]}`
  })
}

const commands = [
  'edit',
  'edit',
  'edit',
  'reschedule',
  'reschedule',
  'reschedule',
  'schedule',
  'schedule',
  'retry',
  'retry',
  'cancel',
] as const

/** Reads a post, and gives some command on it; sometimes the very same request twice at once. */
export async function clientActs(run: CrashRun, random: Random): Promise<void> {
  const { rig } = run
  const isMissing = (name: string) => run.wanted.has(name) && !run.answers.has(name)
  const failed = isMissing('retry') || random.below(4) === 0 ? await someFailed(rig) : undefined
  const subject = failed ?? random.pick(rig.subjects.slice(-40))
  const post = await rig.api.read(subject.workspace, subject.postId)
  const retryable = post.destinations.filter(({ allowedActions }) => allowedActions.retry.allowed)
  const destination = random.pick(retryable.length > 0 ? retryable : post.destinations)
  const allowed = commands.filter((name) => destination.allowedActions[name].allowed)
  // Mostly what is said to be allowed; what is not has to be refused.
  const missing = allowed.filter(isMissing)
  const chosen = missing.length > 0 ? missing : allowed
  const command = random.pick(chosen.length > 0 && random.below(4) > 0 ? chosen : commands)
  if (command === 'edit') await edit(run, random, subject, post)
  else await giveOne(run, random, subject, destination, command)
}

/** Few have failed: chance alone would seldom find one. */
async function someFailed(rig: CrashRig): Promise<Subject | undefined> {
  const [row] = await rig.db<{ postId: string }[]>`
    select post_id as "postId" from destination where status = 'failed' order by random() limit 1`
  return rig.subjects.find(({ postId }) => postId === row?.postId)
}

let versions = 0

async function edit(run: CrashRun, random: Random, subject: Subject, post: Post): Promise<void> {
  const version = ++versions
  const words = someWords(
    random,
    subject.number,
    version,
    subject.places.some(({ blind }) => blind),
  )
  const comment = words.length > 1 && random.below(2) === 0
  const content = { firstComment: null, ...contentOfWords(words, comment) }
  // An edit is begun only after the one before it was read, so of the accepted ones the last begun is the last.
  const edits = editsOf.get(subject) ?? editsOf.set(subject, { begun: 0, accepted: 0 }).get(subject)!
  const turn = ++edits.begun
  const answer = await give(run, random, subject, 'edit', { editToken: post.editToken, content })
  if (answer.status !== 200 || turn < edits.accepted) return
  edits.accepted = turn
  Object.assign(subject, { words, comment })
}

const editsOf = new WeakMap<Subject, { begun: number; accepted: number }>()

async function giveOne(
  run: CrashRun,
  random: Random,
  subject: Subject,
  { channelId, controlToken, status }: Destination,
  command: string,
): Promise<void> {
  const soon = () => new Date(Date.now() + 20 + random.below(600)).toISOString()
  const publishAt = random.below(4) === 0 ? inAnHour() : soon()
  const body = { channelId, controlToken, ...(command === 'cancel' ? {} : { publishAt }) }
  const resumes = command === 'retry' && status === 'partially_published'
  await give(run, random, subject, command, body, resumes ? 'resume' : command)
}

const refusals = ['stale_edit_token', 'stale_control_token', 'invalid_state', 'publish_time_in_past']
const IN_PROGRESS = 'idempotency_in_progress'

async function give(
  run: CrashRun,
  random: Random,
  { workspace, postId }: Subject,
  command: string,
  body: Record<string, unknown>,
  /** The move that it makes. */
  made = command,
): Promise<Answered> {
  const key = crypto.randomUUID()
  const ask = () => run.rig.api.command(workspace, postId, command, body, key)
  const isRepeated = random.below(4) === 0
  const answers = await Promise.all(isRepeated ? [ask(), ask()] : [ask()])
  // Of two at once, one may be refused before what it asks for becomes possible, and leave the key to the other.
  const mayBeRefused = [...refusals, ...(isRepeated ? [IN_PROGRESS] : [])]
  for (const { status, body } of answers) {
    if (status !== 200) expect(mayBeRefused).toContain((body as { code: string }).code)
  }
  // One request, one effect: whoever repeats what was done is told the same.
  const done = answers.filter(({ status }) => status === 200)
  if (isRepeated && done.length > 0) done.push(await ask())
  expect(new Set(done.map(({ status, text }) => `${status} ${text}`)).size).toBeLessThanOrEqual(1)
  const [answer] = done.length > 0 ? done : answers
  count(run, answer!.status === 200 ? made : `${made} ${(answer!.body as { code: string }).code}`)
  return answer!
}

/** Does what only a person can do, if there is such: connects, decides, says what became of a doubt. */
export async function personActs(run: CrashRun, random: Random): Promise<void> {
  const { rig } = run
  await reconnectRevoked(run)
  for (const { workspaceId } of new Set(rig.places.map(({ workspace }) => workspace))) {
    const [request] = await listApprovals(rig.db, workspaceId, { all: false })
    const verdict = random.below(3) === 0 ? 'reject' : 'approve'
    if (request !== undefined) await decide(run, workspaceId, request.approvalId, verdict)
  }
  const doubts = await doubtsOf(rig)
  if (doubts.length > 0) await settle(run, random.pick(doubts))
}

/** A person connects the accounts again that the network no longer lets in. */
export async function reconnectRevoked(run: CrashRun): Promise<void> {
  for (const handle of await revokedAccounts(run.rig)) {
    const { workspace, accountId } = run.rig.places.find((place) => place.handle === handle)!
    await run.rig.reconnect(workspace.workspaceId, accountId)
    count(run, 'channel reconnect')
  }
}

/**
 * Leaves nothing to wait for: drafts are given a time or are approved, accounts are connected, doubts that nobody else
 * can settle are settled by a person's word.
 */
export async function bringToAnEnd(run: CrashRun, random: Random): Promise<void> {
  const { rig } = run
  for (const subject of rig.subjects) await giveATime(run, random, subject)
  await rig.comes()
  await rig.publishAll(async () => {
    await personActs(run, random)
    return waiting(rig)
  })
}

async function giveATime(run: CrashRun, random: Random, subject: Subject): Promise<void> {
  const { workspace, postId } = subject
  const read = () => run.rig.api.read(workspace, postId)
  let post = await read()
  if (post.destinations.every(({ status }) => status !== 'draft')) return
  if (post.reviewStatus === 'rejected') await edit(run, random, subject, post)
  post = await read()
  if (post.reviewStatus === 'pending') {
    const approvalId = post.approval!.reviewUrl.split('/').at(-1)!
    await decide(run, workspace.workspaceId, approvalId, 'approve')
    return
  }
  for (const { status, channelId, controlToken } of post.destinations) {
    if (status !== 'draft') continue
    const body = { channelId, controlToken, publishAt: inAnHour() }
    expect((await give(run, random, subject, 'schedule', body)).status).toBe(200)
  }
}

/** As the publishers of the rig keep them. */
const TIMES = callTimes({ leaseMs: 5_000, callTimeoutMs: 1_000 })

type DoubtfulPart = DestinationKey & { controlToken: string; text: string }

/** The parts whose result is not known. */
async function doubtsOf({ db }: CrashRig): Promise<DoubtfulPart[]> {
  return db<DoubtfulPart[]>`
    select d.workspace_id as "workspaceId", d.post_id as "postId", d.channel_id as "channelId",
           d.control_token as "controlToken", p.text
    from   destination d
    join   part p on p.workspace_id = d.workspace_id and p.destination_id = d.id and p.status = 'checking'
    where  d.status = 'checking'`
}

/** A person looks at the page of the network, and says what is there. */
async function settle(run: CrashRun, doubt: DoubtfulPart): Promise<void> {
  const { workspaceId, postId, channelId, controlToken, text } = doubt
  const { handle } = run.rig.places.find((place) => place.channelId === channelId)!
  const seen = (await publicPosts(run.rig, handle)).find((one) => one.text === text)
  const resolved = await resolveByPerson(run.rig.db, TIMES, providers, {
    workspaceId,
    postId,
    channelId,
    controlToken,
    memberName: 'Ada',
    note: null,
    finding: seen === undefined ? { is: 'absent' } : { is: 'published', remoteId: seen.id, url: seen.url },
  })
  count(run, `resolve${isRefusal(resolved) ? ' refused' : ''}`)
}

/** A person decides about what waits for them. */
async function decide(
  run: CrashRun,
  workspaceId: string,
  approvalId: string,
  verdict: 'approve' | 'reject',
): Promise<void> {
  const { db } = run.rig
  const owner = await findOwner(db, workspaceId)
  const { memberId, name: memberName } = owner!
  const decision = { workspaceId, approvalId, verdict, memberId, memberName, note: null }
  const decided = await db.begin((tx) => decideApproval(tx, decision))
  count(run, `approval ${verdict}${isRefusal(decided) ? ' refused' : ''}`)
}

/** The destinations that are not at their end, with what decides when they are claimed. A thread that was refused in the middle is at its end. */
async function waiting({ db }: CrashRig): Promise<string[]> {
  const rows = await db<{ facts: string }[]>`
    select jsonb_build_object(
             'status', d.status, 'due', d.due_at - now(), 'expires', d.expires_at - now(), 'tries', d.tries, 'wait', d.announced_wait,
             'leased', d.lease_until - now(), 'look', q.look_at::text, 'announce', q.announce_at::text, 'now', now(),
             'enabled', c.enabled, 'connection', c.connection_status, 'paused', c.paused_until - now(),
             'locks', (select count(*) from pg_stat_activity where wait_event_type = 'Lock'),
             'publishers', (select count(*) from pg_stat_activity where application_name = 'crash-worker')) #>> '{}' as facts
    from   destination d
    join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
    join   channel_queue q on q.workspace_id = d.workspace_id and q.channel_id = d.channel_id
    where  d.status not in ('published', 'failed', 'cancelled', 'expired')
    and    not (d.status = 'partially_published' and d.expires_at is null)`
  return rows.map(({ facts }) => facts)
}
