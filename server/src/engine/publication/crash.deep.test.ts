import { commandNames, destinationStatusNames, type DestinationStatus } from '@postrider/contract'
import { expect, onTestFailed, test } from 'vitest'
import {
  bringToAnEnd,
  clientActs,
  crashRunOn,
  personActs,
  randomFrom,
  reconnectRevoked,
  someWords,
} from '../../../test/rigs/crash-clients.ts'
import { endingNames, endings, type Ending } from '../../../test/rigs/crash-endings.ts'
import {
  expectEveryEventAsTheMovesSay,
  expectNothingTwiceAndNothingLost,
  movesMade,
  statusesEntered,
} from '../../../test/rigs/crash-judge.ts'
import { openCrashRig } from '../../../test/rigs/crash-rig.ts'
import { crashSteps, moments, type CrashStep, type Moment } from '../../../test/rigs/crash-worker.ts'
import { runPeriodically } from '../../platform/loops/run-periodically.ts'

/*
 * Publishers are killed at every step of every way in which a publish call can end, while others, clients and a person
 * go on. The sandbox network counts what it was told to create: that count is the judge.
 */

/** CRASH_SEED repeats the choices of a run that failed: its message names the seed. */
const { CRASH_ROUNDS = '6', CRASH_SEED: chosen } = process.env
const rounds = Number(CRASH_ROUNDS)
const seed = Number(chosen ?? Date.now() % 1_000_000)

type Point = { step: CrashStep; when: Moment; nth?: number }
/** The deaths of successive publishers over one post. */
type Deaths = { ending: Ending; points: readonly Point[] }

const died = (step: CrashStep, when: Moment, nth = 1): Point => ({ step, when, nth })
const throughout = (step: CrashStep, nth = 1) => moments.map((when) => died(step, when, nth))
const each = (endings: readonly Ending[], points: readonly Point[]): Deaths[] =>
  endings.flatMap((ending) => points.map((point) => ({ ending, points: [point] })))

const deaths: Deaths[] = [
  // Nothing was sent yet, or nobody can know: the ending makes no difference.
  ...each(['plain'], [died('claim', 'after'), ...throughout('arm'), died('call', 'before')]),
  { ending: 'plain', points: [died('claim', 'after'), died('claimOrphans', 'after')] },
  { ending: 'plain', points: [died('arm', 'after'), died('claimOrphans', 'after')] },
  ...each(endingNames, [died('call', 'during'), died('call', 'after'), ...throughout('settle')]),
  // The first settlement of a part in doubt says so, and the second one ends it.
  ...each(
    ['taken, and no answer', 'taken after the time', 'not taken, and no answer'],
    [died('claimDoubts', 'after'), died('look', 'during'), died('look', 'after'), ...throughout('settle', 2)],
  ),
  ...each(
    ['processing, then out', 'processing, then not'],
    [
      ...throughout('awaitProcessing'),
      died('claimProcessing', 'after'),
      died('look', 'during'),
      died('look', 'after'),
    ],
  ),
]

/** Each half over a rig of its own: one of them works while publishers of the other wait. */
test.concurrent.each([
  ['posts of one part', false],
  ['the middle of threads', true],
])(
  'killed at every step of every ending of %s: every part is created once and every destination ends',
  async (_, inThread) => {
    await using rig = await openCrashRig()
    const run = crashRunOn(rig)
    const sighted = rig.places.filter(({ blind }) => !blind)
    const faults: unknown[] = []
    const person = runPeriodically(
      () => reconnectRevoked(run),
      50,
      (fault) => void faults.push(fault),
    )

    const missed: unknown[] = []
    for (const [place, { ending, points }] of deaths.entries()) {
      // Each death is met in one of the two, every other one of those in threads over the first comment behind one.
      if ((place % 2 === 1) !== inThread) continue
      const comment = place % 4 === 3
      const textsFor = (number: number) => {
        const struck = `post ${number} struck${endings[ending]}`
        if (comment) return [`post ${number} begin`, `post ${number} middle`, struck]
        return inThread ? [`post ${number} begin`, struck, `post ${number} end`] : [struck]
      }
      const at = [sighted[place % sighted.length]!]
      const subject = await rig.create('scheduled', at, textsFor, { comment })
      await rig.comes(subject)
      for (const { step, when, nth = 1 } of points) {
        const text = step === 'look' ? null : subject.words.find((word) => word.includes(' struck'))!
        const reached = await rig.publishUntilKilled({ step, when, nth, text }, 90_000)
        if (!reached) missed.push({ ending, inThread, step, when, nth })
      }
    }
    await person.stop()
    await bringToAnEnd(run, randomFrom(seed))

    expect({ missed, faults }).toEqual({ missed: [], faults: [] })
    await expectNothingTwiceAndNothingLost(rig)
    await expectEveryEventAsTheMovesSay(rig)
  },
  600_000,
)

/** Endings of parts by which a destination enters a status, unless a command comes first. */
const wordsInto: Partial<Record<DestinationStatus, readonly string[]>> = {
  published: [endings.plain],
  failed: [endings.refused],
  delayed: [endings['put off']],
  reconnect_required: [endings.revoked],
  checking: [endings['taken, and no answer']],
  partially_published: [endings.plain, endings.refused],
}

test('commands of clients and of a person while publishers are killed: each does what was answered, and nothing goes out twice', async () => {
  onTestFailed(() => void process.stderr.write(`CRASH_SEED=${seed}\n`))
  await using rig = await openCrashRig()
  const sighted = rig.places.filter(({ blind }) => !blind)
  const everything = [...commandNames, 'approval approve']
  const run = crashRunOn(rig, everything)
  const random = randomFrom(seed)
  /** Publishers of the first rounds are killed early, those of the later ones once they have done something. */
  const round = async (withinMs: number, nthAtMost: number) => {
    for (const status of await missingStatuses()) {
      const words = wordsInto[status]
      if (words !== undefined) {
        const text = (number: number) =>
          words.map((ending, part) => `post ${number} towards part ${part}${ending}`)
        await rig.comes(await rig.create('scheduled', [random.pick(sighted)], text))
      }
    }
    for (let n = 0; n < 5; n++) {
      const state = random.pick(['scheduled', 'scheduled', 'scheduled', 'draft', 'immediate'] as const)
      const first = random.below(2) * 2
      const at = rig.places.slice(first, first + 2).slice(random.below(2))
      const blind = at.some((place) => place.blind)
      const textsFor = (number: number) => {
        const words = someWords(random, number, 0, blind)
        // What is refused at its beginning is what a retry is for.
        return n === 0 ? [`post ${number} begin${endings.refused}`, ...words] : words
      }
      const subject = await rig.create(state, at, textsFor, { comment: n === 0 })
      if (random.below(4) > 0) await rig.comes(subject)
    }
    const kill = () => ({
      step: random.pick(crashSteps),
      when: random.pick(moments),
      text: null,
      nth: 1 + random.below(nthAtMost),
    })
    await Promise.all([0, 1].map(() => rig.publishUntilKilled(kill(), withinMs)))
  }

  // What nothing but the end of its time brings about is left to the end.
  const everyStatus = destinationStatusNames.filter((status) => status !== 'expired')
  const missingStatuses = async () => {
    const entered = await statusesEntered(rig)
    return everyStatus.filter((status) => !entered.has(status))
  }

  const over = new AbortController()
  const acting = [clientActs, clientActs, clientActs, personActs].map(async (act, number) => {
    const own = randomFrom(seed + 1 + number)
    while (!over.signal.aborted) {
      if (rig.subjects.length > 0) await act(run, own)
      await new Promise((resolve) => setTimeout(resolve, own.below(25)))
    }
  })
  const publishing = (async () => {
    const metAll = async () =>
      everything.every((name) => run.answers.has(name)) && (await missingStatuses()).length === 0
    for (let n = 0; !over.signal.aborted && (n < rounds || (n < 5 * rounds && !(await metAll()))); n++) {
      // A machine that is slow gets more done when publishers run longer.
      await (n < rounds ? round(2_000, 4) : round(5_000, 40))
    }
  })().finally(() => over.abort())
  await Promise.all([publishing, ...acting]).finally(() => over.abort())
  const late = await rig.create('scheduled', rig.places.slice(0, 1), (number) => [`post ${number} late`])
  await rig.db`update destination set due_at = now(), expires_at = now() where post_id = ${late.postId}`
  await bringToAnEnd(run, random)

  await expectNothingTwiceAndNothingLost(rig)
  const entered = await expectEveryEventAsTheMovesSay(rig)
  expect(new Set(entered)).toEqual(new Set(destinationStatusNames))
  const { answers } = run
  expect([...answers.keys()]).toEqual(expect.arrayContaining(everything))
  expect(await movesMade(rig, 'failed', 'scheduled')).toBe(answers.get('retry'))
  expect(entered.filter((status) => status === 'cancelled')).toHaveLength(answers.get('cancel')!)
}, 600_000)
