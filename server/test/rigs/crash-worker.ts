/*
 * A publisher process for crash tests: the real engine on the real store and the real network. It waits for a plan on
 * its standard input, and kills itself, as `kill -9` would, at the point that the plan names.
 */
import { flushCompileCache } from 'node:module'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { v7 as uuidv7 } from 'uuid'
import { openAuthorization } from '../../src/networks/channels/authorization.ts'
import { openDb } from '../../src/platform/postgres/db.ts'
import { openOutbound } from '../../src/platform/outbound/outbound-http.ts'
import { makeKeyring } from '../../src/platform/sealing/sealing.ts'
import { providers } from '../../src/networks/providers/registry.ts'
import { openSender } from '../../src/networks/providers/port/send-request.ts'
import type { Call } from '../../src/networks/providers/port/calls.ts'
import type { EngineStore, Settlement, WorkPart } from '../../src/engine/queue/work.ts'
import { publicationStore } from '../../src/engine/queue/engine-store.ts'
import { startPublisher } from '../../src/engine/publication/publisher.ts'
import { noOutages } from './no-outages.ts'
import { noMedia } from './no-media.ts'

export type CrashPlan = {
  databaseUrl: string
  /** Base64 of the key that sealed the authorizations. */
  secretKey: string
  kill: Kill | null
  /** Of its calls; the usual time when left out. */
  callTimeoutMs?: number
}

/** A point in the work of a publisher. */
export type Kill = {
  step: CrashStep
  when: Moment
  /** The text of the part that it is about; null for any, which is all that a look can be told by. */
  text: string | null
  /** At which time of coming there. */
  nth: number
}

/** What a publisher does: `call` publishes, `look` asks the network and changes nothing. */
export const crashSteps = [
  'claim',
  'arm',
  'call',
  'awaitProcessing',
  'settle',
  'claimOrphans',
  'claimProcessing',
  'claimDoubts',
  'look',
] as const
export type CrashStep = (typeof crashSteps)[number]

/** Of a claim only the end is a point: before it nothing is known to be taken. */
export const moments = ['before', 'during', 'after'] as const
export type Moment = (typeof moments)[number]

/** That a publisher was killed is known by its session alone: its leases outlive the test. */
const leaseMs = 600_000
const heartbeatTimes = { heartbeatEveryMs: 100, silentAfterMs: 250 }
/** The times of the calls of these publishers. */
export const times = {
  armWindowMs: 250,
  callTimeoutMs: 400,
  settlingMs: 200,
  lateCallMs: 0,
  processingMs: 2_000,
}

if (import.meta.main) {
  // A killed process writes no compile cache at its end: each one after it would compile everything again.
  flushCompileCache()
  process.stdout.write('ready\n')
  const lines = createInterface({ input: process.stdin })
  // Nobody is left to kill this process: it must not outlive the test.
  lines.once('close', () => process.exit(1))
  lines.once('line', (line) => void publish(JSON.parse(line) as CrashPlan))
}

async function publish({ databaseUrl, secretKey, kill, callTimeoutMs }: CrashPlan): Promise<void> {
  const ownTimes = { ...times, callTimeoutMs: callTimeoutMs ?? times.callTimeoutMs }
  const keyring = makeKeyring([Buffer.from(secretKey, 'base64')])
  const db = openDb({ url: databaseUrl, applicationName: 'crash-worker', max: 4 })
  const heartbeatDb = openDb({ url: databaseUrl, applicationName: 'crash-worker', max: 1, permanent: true })
  const outbound = openOutbound({
    connectMs: 200,
    totalMs: ownTimes.callTimeoutMs,
    bodyMaxBytes: 65_536,
    userAgent: 'Postrider/test',
    rules: { httpsOnly: false, trustedOrigins: 'any', trustedNetworks: [] },
  })
  const workerId = uuidv7()
  const store = publicationStore(db, {
    workerId,
    leaseMs,
    heartbeatTimes,
    perWorkspace: 8,
    openAuthorization: (sealed, channelId) => openAuthorization(keyring, channelId, sealed),
  })
  const mortal = mortality(kill)

  const publisher = await startPublisher({
    db,
    heartbeatDb,
    worker: { id: workerId, roles: ['publisher'], host: 'test', pid: process.pid },
    leaseMs,
    heartbeatEveryMs: heartbeatTimes.heartbeatEveryMs,
    concurrency: 8,
    maxWaitMs: 100,
    engine: {
      store: mortal.store(store),
      providers,
      media: noMedia,
      networks: {
        refresh: async () => ({ is: 'unavailable', detail: 'Authorizations of this test last.' }),
        readCard: async () => ({ card: null, lack: null, done: async () => undefined }),
        now: () => new Date(),
      },
      call: mortal.call(
        openSender({ call: outbound.call, talk: outbound.talk, totalMs: ownTimes.callTimeoutMs }),
      ),
      clock: () => performance.now(),
      wait: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
      random: Math.random,
      newId: uuidv7,
      ...ownTimes,
      // The network's faults here are ordered by the posts: nothing is gained by waiting for it to recover.
      outages: noOutages,
      observe: () => undefined,
      onAdapterFault: ({ cause }) => process.stderr.write(`an adapter failed: ${String(cause)}\n`),
    },
    onClaim: () => undefined,
    onFault: (fault, doing) => process.stderr.write(`${doing}: ${String(fault)}\n`),
  })
  process.on('SIGTERM', () => {
    void publisher.stop(5_000).then(() => process.exit(0))
  })
}

/** Parts of a publisher that die at one point. */
function mortality(kill: Kill | null) {
  /** The texts of the parts of what was claimed. */
  const texts = new Map<string, string[]>()
  let times = 0

  function momentOf(step: CrashStep, about: readonly (string | undefined)[]): Moment | null {
    if (kill?.step !== step || (kill.text !== null && !about.includes(kill.text))) return null
    return ++times === kill.nth ? kill.when : null
  }

  async function pass<Result>(moment: Moment | null, act: () => Promise<Result>): Promise<Result> {
    if (moment === 'before') die()
    const acting = act()
    if (moment === 'during') {
      await sleep(Math.random() * 4)
      die()
    }
    const result = await acting
    if (moment === 'after') die()
    return result
  }

  type Claimed = { destinationId: string; parts: readonly WorkPart[] }
  const claiming =
    <Item extends Claimed>(step: CrashStep, claim: (limit: number) => Promise<Item[]>) =>
    async (limit: number): Promise<Item[]> => {
      const found = await claim(limit)
      for (const { destinationId, parts } of found)
        texts.set(
          destinationId,
          parts.map(({ text }) => text),
        )
      const about = found.flatMap(({ parts }) => parts.map(({ text }) => text))
      if (found.length > 0 && momentOf(step, about) !== null) die()
      return found
    }
  const textOf = ({ destinationId, partIndex }: { destinationId: string; partIndex: number }) =>
    texts.get(destinationId)?.[partIndex]
  const textSettled = ({ destinationId, attempt, refusedPart }: Settlement) =>
    textOf({ destinationId, partIndex: attempt?.partIndex ?? refusedPart ?? -1 })

  return {
    store: (real: EngineStore): EngineStore => ({
      ...real,
      claim: claiming('claim', real.claim),
      claimOrphans: claiming('claimOrphans', real.claimOrphans),
      claimDoubts: claiming('claimDoubts', real.claimDoubts),
      arm: (intent) => pass(momentOf('arm', [textOf(intent)]), () => real.arm(intent)),
      claimProcessing: claiming('claimProcessing', real.claimProcessing),
      awaitProcessing: (intent, wait) =>
        pass(momentOf('awaitProcessing', [textOf(intent)]), () => real.awaitProcessing(intent, wait)),
      settle: (settlement) =>
        pass(momentOf('settle', [textSettled(settlement)]), () => real.settle(settlement)),
    }),
    call:
      (real: Call): Call =>
      (request, signal, mayBegin) => {
        const body = (request.json ?? {}) as { text?: string; record?: { text?: string } }
        // Bluesky's part is a record.
        const text = body.text ?? body.record?.text
        return pass(momentOf(text === undefined ? 'look' : 'call', [text]), () =>
          real(request, signal, mayBegin),
        )
      },
  }
}

function die(): never {
  process.kill(process.pid, 'SIGKILL')
  throw new Error('unreachable')
}
