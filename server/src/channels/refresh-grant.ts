import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, Sql, Tx } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import type { Keyring } from '../platform/sealing.ts'
import type { Adapter, Grant, GrantTimes, Providers, RefreshVerdict } from '../providers/port.ts'
import { runProcedure, type ProcedureTools } from '../providers/procedure.ts'
import type { ChannelKey } from './channel-store.ts'
import type { OauthClients } from './oauth-clients.ts'
import { endGrant, findGrant, storeGrant, tryLockRefresh, type GrantRow } from './grant-store.ts'
import { openGrant, sealGrant } from './grant.ts'

export type GrantParts = {
  readonly db: Db
  readonly keyring: Pick<Keyring, 'seal' | 'unseal'>
  readonly providers: Providers
  readonly tools: ProcedureTools
  readonly clients: OauthClients
  readonly log: Log
}

/** What became of a refresh. */
export type Refreshed =
  /** A grant that is newer than the one that was refused; `connection` names it. */
  | { readonly is: 'granted'; readonly grant: Grant; readonly connection: string }
  /** The network ended the grant: the channel has to be reconnected, and says so. */
  | { readonly is: 'ended' }
  | Unavailable

/** `lost`: the network may have spent the refresh token, and ended what came with it. */
type Unavailable = { readonly is: 'unavailable'; readonly detail: string; readonly lost?: true }

/** Gets another access token for a channel whose grant of that name needs one. It never throws. */
export type RefreshGrant = (channel: ChannelKey, connection: string) => Promise<Refreshed>

/** How many grants a process refreshes at once: each holds a connection to the database meanwhile. */
const MAX_RUNNING = 2
/** How long a caller waits for another process that is refreshing the same grant. */
const MAX_WAIT_MS = 40_000
const POLL_MS = 200

/**
 * Refreshes grants, one at a time per channel over all processes: a refresh token that is used twice ends the grant
 * on many networks. Whoever finds the channel with a newer grant than the one that needed a refresh takes that one.
 */
export function openRefresh(parts: GrantParts): RefreshGrant {
  const running = new Map<string, Promise<Refreshed>>()
  const turn = limiter(MAX_RUNNING)

  return (channel, connection) => {
    const key = `${channel.channelId} ${connection}`
    const under = running.get(key)
    if (under !== undefined) return under
    const started = turn(() => refreshOnce(parts, channel, connection))
      .catch((fault: unknown): Refreshed => {
        parts.log.error({ err: fault, ...channel }, 'a grant could not be refreshed')
        return unavailable('The grant could not be refreshed by this server.')
      })
      .finally(() => running.delete(key))
    running.set(key, started)
    return started
  }
}

/** Runs at most so many tasks at once, in the order in which they came. */
function limiter(max: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (task) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve))
    running++
    try {
      return await task()
    } finally {
      running--
      waiting.shift()?.()
    }
  }
}

/** A grant that the network has given and that is not stored yet. */
type Fresh = { readonly row: GrantRow; readonly adapter: Adapter; readonly grant: Grant }

async function refreshOnce(parts: GrantParts, channel: ChannelKey, connection: string): Promise<Refreshed> {
  const until = performance.now() + MAX_WAIT_MS
  for (;;) {
    const got: { fresh: Fresh | null } = { fresh: null }
    const refreshed = await parts.db
      .begin(async (tx) =>
        (await tryLockRefresh(tx, channel)) ? underLock(parts, tx, channel, connection, got) : null,
      )
      // The network has forgotten the old token by now: what is not stored is lost.
      .catch((fault: unknown) => {
        if (got.fresh === null) throw fault
        return storeUntilDone(parts, got.fresh)
      })
    if (refreshed !== null) return refreshed
    if (performance.now() > until) return unavailable('Another process is refreshing the grant.')
    await sleep(POLL_MS)
  }
}

/** Nobody else refreshes this grant until the transaction ends. */
async function underLock(
  parts: GrantParts,
  tx: Tx,
  channel: ChannelKey,
  connection: string,
  got: { fresh: Fresh | null },
): Promise<Refreshed> {
  const { providers, log } = parts
  const row = await findGrant(tx, channel)
  if (row === null || !row.connected) return { is: 'ended' }
  if (row.connection !== connection) return granted(parts, row)
  const adapter = await providers.get(row.provider)?.load()
  if (adapter === undefined) return unavailable('The provider is not enabled on this server.')

  const verdict = await askNetwork(parts, adapter, openGrant(parts.keyring, row.channelId, row.grantSealed))
  const facts = { ...channel, provider: row.provider }
  if (verdict.is === 'unavailable') {
    log.warn({ ...facts, detail: verdict.detail }, 'a grant was not refreshed')
    return verdict
  }
  if (verdict.is === 'ended') {
    log.warn(
      { ...facts, detail: verdict.detail },
      'the network ended a grant: the channel has to be reconnected',
    )
    await endGrant(tx, row)
    return { is: 'ended' }
  }
  got.fresh = { row, adapter, grant: verdict.grant }
  const stored = await storeFresh(parts, tx, got.fresh)
  log.info(facts, 'a grant was refreshed')
  return stored
}

async function storeFresh(parts: GrantParts, sql: Sql, { row, adapter, grant }: Fresh): Promise<Refreshed> {
  const grantSealed = sealGrant(parts.keyring, row.channelId, grant)
  const connection = await storeGrant(sql, row, { grantSealed, ...timesOf(parts, { row, adapter, grant }) })
  if (connection !== null) return { is: 'granted', grant, connection }
  // Reconnected in the meantime, or stored before the connection broke: what is there is as new.
  const now = await findGrant(sql, row)
  return now === null || !now.connected ? { is: 'ended' } : granted(parts, now)
}

/** The old tokens may be over: a grant is stored even when the adapter fails to read its times. */
function timesOf({ log }: GrantParts, { row, adapter, grant }: Fresh): GrantTimes {
  try {
    return adapter.grantTimes(grant)
  } catch (fault) {
    const { workspaceId, channelId, provider } = row
    log.error({ err: fault, workspaceId, channelId, provider }, 'an adapter failed over the times of a grant')
    return { accessEndsAt: null, grantEndsAt: null }
  }
}

function granted({ keyring }: GrantParts, { channelId, connection, grantSealed }: GrantRow): Refreshed {
  return { is: 'granted', grant: openGrant(keyring, channelId, grantSealed), connection }
}

/** How often a refresh is asked for whose answer was lost, where the network lets the same token be used again. */
const TRIES = 3
const TRY_AGAIN_AFTER_MS = 1_000
const MAX_CALLS = 5

async function askNetwork(
  { tools, clients }: GrantParts,
  adapter: Adapter,
  grant: Grant,
): Promise<Exclude<RefreshVerdict, { is: 'unavailable' }> | Unavailable> {
  if (adapter.refresh === null) return { is: 'unavailable', detail: 'The network has no refresh.' }
  const client = await clients.known(adapter)
  for (let tries = 1; ; tries++) {
    const { signal } = new AbortController()
    const ran = await runProcedure(adapter.refresh, { grant, client, now: new Date() }, tools, {
      ...{ signal, maxCalls: MAX_CALLS, maxWaitMs: 0 },
    })
    if (ran.is === 'done') return ran.outcome
    if (ran.is === 'fault') throw ran.fault
    if (ran.is !== 'silent') return { is: 'unavailable', detail: 'The network asked for too many calls.' }
    const mayRepeat = adapter.refreshRepeatable(grant) || !ran.answer.maybeSent
    if (!mayRepeat || tries === TRIES) {
      const detail = `The network did not answer (${ran.answer.reason}).`
      return { is: 'unavailable', detail, ...(mayRepeat ? {} : { lost: true }) }
    }
    await sleep(TRY_AGAIN_AFTER_MS)
  }
}

const STORE_TRIES = 100
const STORE_AGAIN_AFTER_MS = 300

async function storeUntilDone(parts: GrantParts, fresh: Fresh): Promise<Refreshed> {
  for (let tries = 1; ; tries++) {
    try {
      return await storeFresh(parts, parts.db, fresh)
    } catch (cause) {
      if (tries === STORE_TRIES) throw new Error('a refreshed grant could not be stored', { cause })
      await sleep(STORE_AGAIN_AFTER_MS)
    }
  }
}

function unavailable(detail: string): Refreshed {
  return { is: 'unavailable', detail }
}
