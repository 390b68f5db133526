/*
 * A publisher process for crash tests: the real engine on the real store and the real network. It kills
 * itself, as `kill -9` would, the n-th time it comes to one chosen point.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { v7 as uuidv7 } from 'uuid'
import { openGrant } from '../src/channels/grant.ts'
import { noMedia } from './no-media.ts'
import { openDb } from '../src/platform/db.ts'
import { openOutbound } from '../src/platform/outbound-http.ts'
import { makeKeyring } from '../src/platform/sealing.ts'
import { providers } from '../src/providers/registry.ts'
import type { EngineStore } from '../src/publication/engine-port.ts'
import { publicationStore } from '../src/publication/publication-store.ts'
import { startPublisher } from '../src/publication/publisher.ts'

export type CrashPlan = {
  databaseUrl: string
  /** Base64 of the key that sealed the grants. */
  secretKey: string
  kill: { step: CrashStep; when: 'before' | 'during' | 'after'; nth: number } | null
}
export type CrashStep = 'claim' | 'claimOrphans' | 'claimDoubts' | 'arm' | 'hold' | 'call' | 'settle'

const leaseMs = 600
const callTimeoutMs = 400

const plan = JSON.parse(process.argv[2] ?? '') as CrashPlan
const keyring = makeKeyring([Buffer.from(plan.secretKey, 'base64')])
const db = openDb({ url: plan.databaseUrl, applicationName: 'crash-worker', max: 4 })
const outbound = openOutbound({
  connectMs: 200,
  totalMs: callTimeoutMs,
  bodyMaxBytes: 65_536,
  userAgent: 'Postrider/test',
  rules: { httpsOnly: false, trustedOrigins: 'any', trustedNetworks: [] },
})
const workerId = uuidv7()
const store = publicationStore(db, {
  workerId,
  leaseMs,
  perWorkspace: 8,
  openGrant: (sealed, channelId) => openGrant(keyring, channelId, sealed),
})

const publisher = await startPublisher({
  db,
  worker: { id: workerId, roles: ['publisher'], host: 'test', pid: process.pid },
  leaseMs,
  concurrency: 8,
  sweepEveryMs: 100,
  engine: {
    store: dyingStore(store),
    providers,
    media: noMedia,
    call: dying('call', outbound.call),
    clock: () => performance.now(),
    wait: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
    random: Math.random,
    newId: uuidv7,
    armWindowMs: 250,
    callTimeoutMs,
    settlingMs: 200,
    // The network's faults here are ordered by the posts: nothing is gained by waiting for it to recover.
    breaker: { heldMs: () => 0, told: () => undefined },
    observe: () => undefined,
  },
  onClaim: () => undefined,
  onFault: (fault, doing) => process.stderr.write(`${doing}: ${String(fault)}\n`),
})
process.stdout.write('running\n')
process.on('SIGTERM', () => {
  void publisher.stop(5_000).then(() => process.exit(0))
})

function dyingStore(real: EngineStore): EngineStore {
  return {
    ...real,
    claim: dyingIfAny('claim', real.claim),
    claimOrphans: dyingIfAny('claimOrphans', real.claimOrphans),
    claimDoubts: dyingIfAny('claimDoubts', real.claimDoubts),
    arm: dying('arm', real.arm),
    hold: dying('hold', real.hold),
    settle: dying('settle', real.settle),
  }
}

function dying<Args extends unknown[], Result>(step: CrashStep, act: (...args: Args) => Promise<Result>) {
  let times = 0
  return async (...args: Args): Promise<Result> => {
    const here = plan.kill?.step === step && ++times === plan.kill.nth ? plan.kill.when : null
    if (here === 'before') die()
    const acting = act(...args)
    if (here === 'during') {
      await sleep(Math.random() * 4)
      die()
    }
    const result = await acting
    if (here === 'after') die()
    return result
  }
}

/** A claim that found nothing is not a step: it does not count. */
function dyingIfAny<Item>(step: CrashStep, claim: (limit: number) => Promise<Item[]>) {
  const counted = dying(step, async (found: Item[]) => found)
  return async (limit: number): Promise<Item[]> => {
    const found = await claim(limit)
    return found.length === 0 ? found : counted(found)
  }
}

function die(): never {
  process.kill(process.pid, 'SIGKILL')
  throw new Error('unreachable')
}
