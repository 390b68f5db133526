import { TOO_LATE } from '../../src/platform/outbound/may-begin.ts'
import { noMedia } from '../rigs/no-media.ts'
import type { Call, CallAnswer } from '../../src/networks/providers/port/calls.ts'
import type { Engine } from '../../src/engine/publication/engine-port.ts'
import type { EngineStore, Outages, Work } from '../../src/engine/queue/work.ts'
import { contentViolation, noteIntent } from './invariants.ts'
import {
  announceHolds,
  arm,
  awaitProcessing,
  awaitUpload,
  claim,
  claimDoubts,
  claimOrphans,
  claimProbes,
  claimProcessing,
  disconnect,
  expire,
  learnOrigin,
  noteDoubt,
  pauseChannel,
  recordFailure,
  recordSuccess,
  returnProbe,
  settle,
} from './memory-store.ts'
import {
  callTimeoutMs,
  create,
  type CreateBody,
  type Exchanged,
  type Fate,
  fates,
  lookAt,
  lookFates,
  pollAt,
  processingMs,
  settlingMs,
} from './provider-network.ts'
import { armWindowMs, type Flaw, perform, type Simulation, type Task, trace } from './scheduler.ts'

/*
 * What the engine runs on in a simulation: the store in memory, the networks, and the clock of the scheduler.
 */

export function engineOf(sim: Simulation, task: Task): Engine {
  const { flaws } = sim
  return {
    store: storeOf(sim, task),
    providers: sim.providers,
    call: callOf(sim, task),
    media: noMedia,
    clock: () => sim.db.now,
    wait: (ms, signal) =>
      perform(sim, task, 'wait', `waits ${ms} ms`, () => undefined, signal.aborted ? 0 : ms).then(
        () => undefined,
      ),
    random: () => 0,
    newId: () => `a${++sim.ids}`,
    armWindowMs: flaws.has('arm window not looked at') ? 10 ** 9 : armWindowMs,
    callTimeoutMs: flaws.has('absent counted at once') ? -armWindowMs : callTimeoutMs,
    settlingMs:
      flaws.has('absent counted at once') || flaws.has('absent counted before the answer can show')
        ? 0
        : settlingMs,
    lateCallMs: 0,
    processingMs,
    outages: outagesOf(sim, task),
    onFault: (fault, doing) => trace(sim, () => `${task.name}: ${doing}: ${String(fault)}`),
    stopping: task.worker.stopping.signal,
    onAdapterFault: ({ adapterFunction }) => sim.count(`adapter fault: ${adapterFunction}`),
    observe({ subject, attempt, outcome, settled }) {
      if (attempt !== null && settled && subject.parts[attempt.partIndex]?.firstComment === true)
        sim.count(`first comment: ${attempt.conclusion} by ${attempt.evidence.by}`)
      sim.count(
        `${attempt?.evidence.by ?? 'no call'}: ${attempt?.conclusion ?? 'none'}${settled ? '' : ' (void)'}`,
      )
      if (settled) sim.count(`move: ${outcome.move ?? 'next part'}`)
      trace(
        sim,
        () =>
          `${task.name}: ${attempt?.conclusion ?? 'no call'}, so ${outcome.move ?? 'next part'}${settled ? '' : ' (void)'}`,
      )
    },
  }
}

function storeOf(sim: Simulation, task: Task): EngineStore {
  const { db, flaws } = sim
  const { identity } = task.worker
  const ask = <T>(label: () => string, run: () => T) =>
    perform(sim, task, 'store', sim.trace === null ? '' : label(), run)
  return {
    claim: (limit) =>
      ask(
        () => 'claims',
        () => pinContent(sim, claim(db, identity, limit)),
      ),
    claimOrphans: (limit) =>
      ask(
        () => 'takes orphans',
        () => claimOrphans(db, identity, limit),
      ),
    claimDoubts: (limit) =>
      ask(
        () => 'takes doubts',
        () => claimDoubts(db, identity, limit),
      ),
    arm: (intent) => {
      noteIntent(sim.watch, intent)
      return ask(
        () => `arms ${intent.attemptId}`,
        () => arm(db, intent),
      )
    },
    claimProbes: (limit) =>
      ask(
        () => 'claims probes',
        () => pinContent(sim, claimProbes(db, identity, limit)),
      ),
    announceHolds: (limit) =>
      ask(
        () => 'announces holds',
        () => {
          const announced = announceHolds(db, limit)
          if (announced > 0) sim.count('held')
          return announced
        },
      ),
    claimProcessing: (limit) =>
      ask(
        () => 'takes what is processed',
        () => claimProcessing(db, identity, limit),
      ),
    awaitProcessing: (intent, wait) =>
      ask(
        () => `waits for ${wait.handle}`,
        () => awaitProcessing(db, intent, wait),
      ),
    awaitUpload: (lease, upload, pollInMs) =>
      ask(
        () => `waits for the uploads of ${lease.destinationId}`,
        () => awaitUpload(db, lease, upload, pollInMs),
      ),
    settle: (settlement) => {
      const conclusion = settlement.attempt?.conclusion
      const given = conclusion === 'unknown' ? mistaken(flaws, settlement) : settlement
      return ask(
        () => `settles ${settlement.destinationId}`,
        () => settle(db, given),
      )
    },
    disconnect: (subject) =>
      ask(
        () => 'disconnects',
        () => disconnect(db, subject),
      ),
    pauseChannel: (subject, forMs) =>
      ask(
        () => `pauses ${subject.channelId}`,
        () => pauseChannel(db, subject, forMs),
      ),
    noteDoubt: (doubt, error) =>
      ask(
        () => `notes ${error.code} on ${doubt.destinationId}`,
        () => noteDoubt(db, doubt, error),
      ),
    // Its networks leave nothing behind.
    noteDrafts: async () => undefined,
    claimLeftovers: async () => [],
    endLeftover: async () => undefined,
    noteLook: async () => undefined,
    // No call of its workers arrives that was given up.
    noteLatePost: async () => null,
    expire: (limit) =>
      ask(
        () => 'expires',
        () => expire(db, limit),
      ),
  }
}

function outagesOf(sim: Simulation, task: Task): Outages {
  const { db } = sim
  const ask = <T>(label: string, run: () => T) => perform(sim, task, 'store', label, run)
  return {
    learnOrigin: (subject, origin) => ask(`learns ${origin}`, () => learnOrigin(db, subject, origin)),
    recordFailure: (failure) =>
      ask(`says that ${failure.origin} failed`, () => {
        const open = db.outages.length
        recordFailure(db, failure)
        if (db.outages.length > open) sim.count('outage')
      }),
    recordSuccess: (origin) =>
      ask(`says that ${origin} works`, () => {
        const open = db.outages.length
        recordSuccess(db, origin)
        if (db.outages.length < open) sim.count('recovery')
      }),
    returnProbe: (outageId) => ask(`returns the probe of ${outageId}`, () => returnProbe(db, outageId)),
  }
}

type Settlement = Parameters<EngineStore['settle']>[0]

function mistaken(flaws: ReadonlySet<Flaw>, settlement: Settlement): Settlement {
  const { attempt, outcome } = settlement
  const as = (
    conclusion: 'deferred' | 'rejected',
    move: 'defer' | 'reject',
    part: 'pending' | 'failed',
  ): Settlement => ({
    ...settlement,
    attempt: attempt && { ...attempt, conclusion },
    outcome: { ...outcome, part, move, dueInMs: move === 'defer' ? 15_000 : null },
  })
  if (flaws.has('unknown taken for not sent')) return as('deferred', 'defer', 'pending')
  if (flaws.has('unknown taken for refused')) return as('rejected', 'reject', 'failed')
  return settlement
}

function callOf(sim: Simulation, task: Task): Call {
  const { network } = sim
  return async ({ json }, _signal, mayBegin) => {
    const { kind, body } = json as Exchanged
    const fate = sim.faulty ? (sim.scenario.fates[sim.fatesUsed++] ?? 0) : 0
    const lookFate = lookFates[(fate >> 4) % lookFates.length] ?? 'answered'
    switch (kind) {
      case 'create': {
        // Until a connection is there, any time may pass.
        await perform(sim, task, 'call', 'connects', () => undefined)
        if (mayBegin?.() === false) {
          sim.count('call: too late')
          return { arrived: false, maybeSent: false, reason: TOO_LATE, durationMs: 0 }
        }
        const chosen = fateOf(body as CreateBody, fate)
        sim.count(`fate: ${chosen}`)
        sim.violation ??= contentViolation(sim.watch, body as CreateBody)
        const { afterMs, answer } = create(network, body as CreateBody, chosen, sim.db.now)
        trace(sim, () => `${task.name}: calls for ${(body as CreateBody).key}: ${chosen}`)
        return perform(sim, task, 'call', 'answer', () => misheard(sim.flaws, answer()), afterMs)
      }
      case 'look':
        return perform(
          sim,
          task,
          'call',
          'looks',
          () => lookAt(network, body as CreateBody & { armedAt: number }, lookFate, sim.db.now),
          20,
        )
      case 'poll':
        return perform(
          sim,
          task,
          'call',
          'polls',
          () => pollAt(network, (body as { handle: string }).handle, lookFate, sim.db.now),
          20,
        )
    }
  }
}

function misheard(flaws: ReadonlySet<Flaw>, answer: CallAnswer): CallAnswer {
  return !answer.arrived && flaws.has('silence taken for not sent') ? { ...answer, maybeSent: false } : answer
}

function fateOf({ network }: CreateBody, pick: number): Fate {
  const fate = fates[pick % fates.length] ?? 'accepted'
  if (network === 'slow') return fate
  return elsewhere[fate] ?? fate
}

/** What becomes of calls, on networks that process nothing, that would be processed. */
const elsewhere: Partial<Record<Fate, Fate>> = {
  'processed, then published': 'accepted late, after silence',
  'processed and forgotten, then published': 'accepted late, after silence',
  'processed, then refused': 'refused: content',
  'dropped in processing': 'refused: content',
}

/** What a destination says when it is claimed. */
function pinContent(sim: Simulation, works: Work[]): Work[] {
  for (const { destinationId, parts } of works) {
    sim.watch.pinned.set(
      destinationId,
      parts.map(({ text }) => text),
    )
  }
  return works
}
