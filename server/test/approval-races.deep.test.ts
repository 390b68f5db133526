import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Post } from '@postrider/contract'
import { expect, onTestFailed, test } from 'vitest'
import { openSession } from '../src/people/sign-in/session/session-store.ts'
import { commandLineWith } from './rigs/command-line.ts'
import { type Random, randomFrom } from './rigs/crash-clients.ts'
import { freePort } from './rigs/free-port.ts'
import { aPerson, client, join as joinAs } from './rigs/people-world.ts'
import { type Access, agentAsks, type Answer, askUntilAnswered, browserAsks } from './rigs/process-clients.ts'
import { openServerRig, type ServerRig } from './rigs/server-rig.ts'

/*
 * Posts that wait for approval while their time comes: within 50 ms of it, three people and the command line decide, and the
 * agent edits and cancels, while a publisher is killed. What was answered with success is what happens. APPROVAL_ROUNDS says
 * how often, and APPROVAL_SEED repeats the choices of a run that failed.
 */

const { APPROVAL_ROUNDS = '2', APPROVAL_SEED: chosen } = process.env
const rounds = Number(APPROVAL_ROUNDS)
const seed = Number(chosen ?? Date.now() % 1_000_000)
const POSTS = 48
const CHANNELS = 24
const NEAR_MS = 50
const ORIGIN = 'http://127.0.0.1:4000'
const SLOW = '#sandbox:slow=30'

type Verdict = 'approve' | 'reject'

/** A post with what has been accepted of it. Each edit makes a further version, which is decided about anew. */
type Subject = {
  readonly post: Post
  /** Of what people are shown. */
  readonly digest: string
  readonly texts: string[]
  /** What was decided about each version. */
  readonly decisions: Map<number, Verdict[]>
  cancelled: boolean
}

type Scene = {
  readonly rig: ServerRig
  readonly people: readonly Access[]
  readonly random: Random
  readonly commandLine: ReturnType<typeof commandLineWith>
}

test(
  'decided, edited and cancelled in the moment when it is due: what was answered is what happens, once',
  { timeout: 120_000 + rounds * 60_000 },
  async () => {
    onTestFailed(() => void process.stderr.write(`APPROVAL_SEED=${seed}\n`))
    await using rig = await openServerRig({
      channels: CHANNELS,
      database: 'shared',
      env: { BASE_URL: ORIGIN },
    })
    await rig.db`update workspace set approval_policy = '{"all": true}'`
    await rig.serve('api')
    const [one, other] = [await freePort(), await freePort()] as const
    let publisher = await rig.serve('publisher', { at: one })
    const commandLine = commandLineWith({ ...rig.settings, PORT: new URL(rig.baseUrl).port })
    const scene = { rig, commandLine, people: await openPeople(rig), random: randomFrom(seed) }
    const subjects: Subject[] = []

    for (let round = 0; round < rounds; round++) {
      const next = rig.serve('publisher', { at: round % 2 === 0 ? other : one })
      const fresh = await Promise.all(Array.from({ length: POSTS }, (_, n) => create(scene, round, n)))
      const replacement = await next
      const dueAt = await becomeDue(rig)
      const killed = delay(Math.max(0, dueAt - Date.now() + scene.random.below(200))).then(() =>
        publisher.end('SIGKILL'),
      )
      await Promise.all(fresh.map((subject) => race(scene, subject, dueAt)))
      await killed
      publisher = replacement
      subjects.push(...fresh)
    }

    await expect.poll(() => differences(rig, subjects), { timeout: 60_000, interval: 200 }).toEqual([])
    await expectAtNetwork(rig, subjects)
    console.log(`${subjects.length} posts: ${JSON.stringify(countEnds(subjects))}`)
  },
)

async function openPeople(rig: ServerRig): Promise<Access[]> {
  return Promise.all(
    ['Ada', 'Eve', 'Joan'].map(async (name) => {
      const person = await aPerson(rig.db, { name, password: false })
      await joinAs(rig.db, rig.workspace.workspaceId, person, 'admin')
      const cookie = `postrider=${await openSession(rig.db, person.personId, client)}`
      return { apis: [rig.baseUrl], workspace: rig.workspace, key: rig.key, cookie, origin: ORIGIN }
    }),
  )
}

async function create({ rig, people }: Scene, round: number, n: number): Promise<Subject> {
  const text = `Round ${round}, post ${n} ${SLOW}`
  const made = await agentAsks(
    rig,
    `${rig.baseUrl}/agent/v1/posts`,
    {
      confirmed: true,
      state: 'scheduled',
      text,
      channelIds: [rig.channelIds[n % CHANNELS]],
      publishAt: new Date(Date.now() + 3_600_000),
    },
    `${round}-${n}`,
  )
  expect(made).toMatchObject({ status: 201, body: { reviewStatus: 'pending' } })
  const post = made!.body as Post
  const digest = await digestOf(people[0]!, approvalIdOf(post))
  return { post, digest, texts: [text], decisions: new Map(), cancelled: false }
}

/** Has what waits come due in a second. */
async function becomeDue({ db }: ServerRig): Promise<number> {
  const dueAt = Date.now() + 1_000
  await db`update destination set publish_at = ${new Date(dueAt)} where status = 'draft'`
  return dueAt
}

/** Two to four of those who may want something of the post, each at their own moment around its time. */
async function race(scene: Scene, subject: Subject, dueAt: number): Promise<void> {
  const { random, people } = scene
  const { digest, post } = subject
  const approvalId = approvalIdOf(post)
  const person = (verdict: Verdict) => () =>
    decide(random.pick(people), subject, { approvalId, digest, verdict })
  const contenders = [
    person('approve'),
    person('approve'),
    person('reject'),
    () => decideByCommand(scene, subject, approvalId, random.pick(['approve', 'reject'])),
    () => edit(scene, subject),
    () => cancel(scene, subject),
  ]
  const chosenOnes = Array.from({ length: 2 + random.below(3) }, () => random.pick(contenders))
  const moments = chosenOnes.map(() => dueAt - NEAR_MS + random.below(2 * NEAR_MS))
  await Promise.all(
    chosenOnes.map(async (act, n) => {
      await delay(Math.max(0, moments[n]! - Date.now()))
      await act()
    }),
  )
}

function approvalIdOf(post: Post): string {
  return post.approval!.reviewUrl.split('/').at(-1)!
}

async function digestOf(person: Access, approvalId: string): Promise<string> {
  const shown = await askUntilAnswered(person.apis, (api) =>
    browserAsks(person, api, `/approvals/${approvalId}`),
  )
  expect(shown).toMatchObject({ status: 200 })
  return (shown.body as { digest: string }).digest
}

async function decide(
  person: Access,
  subject: Subject,
  { approvalId, digest, verdict }: { approvalId: string; digest: string; verdict: Verdict },
  version = 0,
): Promise<void> {
  const [at, key] = [`/approvals/${approvalId}/decide`, randomUUID()]
  const answer = await askUntilAnswered(person.apis, (api) =>
    browserAsks(person, api, at, { verdict, digest }, key),
  )
  if (isDone(answer)) note(subject, version, verdict)
}

async function decideByCommand(
  { commandLine, rig }: Scene,
  subject: Subject,
  approvalId: string,
  verdict: Verdict,
): Promise<void> {
  const { workspaceId } = rig.workspace
  const { exitCode } = await commandLine('approval', verdict, approvalId, '--workspace', workspaceId)
  if (exitCode === 0) note(subject, 0, verdict)
}

/** An agent that reads the post and edits it; two people decide about what it has become. */
async function edit(scene: Scene, subject: Subject): Promise<void> {
  const { rig, people, random } = scene
  const at = `${rig.baseUrl}/agent/v1/posts/${subject.post.postId}`
  const { body: read } = await askUntilAnswered([at], () => agentAsks(rig, at))
  const version = subject.texts.length
  const text = `${subject.texts[0]} version ${version} ${random.below(1e9)}`
  const [body, key] = [
    { confirmed: true, editToken: (read as Post).editToken, content: { text } },
    randomUUID(),
  ]
  const answer = await askUntilAnswered([at], () => agentAsks(rig, `${at}/edit`, body, key))
  if (!isDone(answer)) return
  subject.texts.push(text)
  const mine = subject.texts.length - 1
  const approvalId = approvalIdOf(answer.body as Post)
  const digest = await digestOf(people[0]!, approvalId)
  const verdicts: readonly Verdict[] = [
    random.pick(['approve', 'reject']),
    random.pick(['approve', 'reject']),
  ]
  await Promise.all(
    verdicts.map((verdict, n) => decide(people[n]!, subject, { approvalId, digest, verdict }, mine)),
  )
}

async function cancel({ rig }: Scene, subject: Subject): Promise<void> {
  const at = `${rig.baseUrl}/agent/v1/posts/${subject.post.postId}`
  const { body: read } = await askUntilAnswered([at], () => agentAsks(rig, at))
  const [{ channelId, controlToken }] = (read as Post).destinations as [Post['destinations'][0]]
  const [body, key] = [{ confirmed: true, channelId, controlToken }, randomUUID()]
  const answer = await askUntilAnswered([at], () => agentAsks(rig, `${at}/cancel`, body, key))
  if (isDone(answer)) subject.cancelled = true
}

/** Refused in words where another one was faster; nothing else is an answer. */
function isDone({ status, text }: Answer): boolean {
  if (status !== 200) expect({ status, text }).toMatchObject({ status: 409 })
  return status === 200
}

function note({ decisions }: Subject, version: number, verdict: Verdict): void {
  decisions.set(version, [...(decisions.get(version) ?? []), verdict])
}

/** What has to become of it. What is cancelled keeps its text, whatever an edit of the post says afterwards. */
function endOf({ texts, decisions, cancelled }: Subject): { status: string; text: string | null } {
  if (cancelled) return { status: 'cancelled', text: null }
  const last = texts.length - 1
  return { status: decisions.get(last)?.[0] === 'approve' ? 'published' : 'draft', text: texts[last]! }
}

async function differences({ db }: ServerRig, subjects: readonly Subject[]): Promise<object[]> {
  const rows = await db<{ postId: string; status: string; text: string }[]>`
    select d.post_id as "postId", d.status, p.text
    from   destination d
    join   part p on p.workspace_id = d.workspace_id and p.destination_id = d.id`
  const found = new Map(rows.map(({ postId, ...end }) => [postId, end]))
  return subjects.flatMap((subject) => {
    const [is, should] = [found.get(subject.post.postId), endOf(subject)]
    const isOne = [...subject.decisions.values()].every((decisions) => decisions.length === 1)
    const isText = should.text === null || should.text === is?.text
    if (is?.status === should.status && isText && isOne) return []
    const { texts, decisions, cancelled } = subject
    return [{ is, should, texts, decisions: [...decisions], cancelled }]
  })
}

async function expectAtNetwork({ networkUrl }: ServerRig, subjects: readonly Subject[]): Promise<void> {
  const answer = await fetch(`${networkUrl}/control/creates`)
  const { byText } = (await answer.json()) as { byText: { text: string; count: number }[] }
  expect(byText.filter(({ count }) => count !== 1)).toEqual([])
  const published = subjects.map(endOf).filter(({ status }) => status === 'published')
  const texts = new Set(published.map(({ text }) => text))
  expect(new Set(byText.map(({ text }) => text))).toEqual(texts)
}

function countEnds(subjects: readonly Subject[]): Record<string, number> {
  const ends: Record<string, number> = {}
  for (const subject of subjects) {
    const { status } = endOf(subject)
    ends[status] = (ends[status] ?? 0) + 1
  }
  return ends
}
