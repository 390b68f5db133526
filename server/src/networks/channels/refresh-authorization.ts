import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, Sql, Tx } from '../../platform/postgres/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { isRefusedTarget } from '../../platform/outbound/outbound-http.ts'
import type { Keyring } from '../../platform/sealing/sealing.ts'
import type {
  Adapter,
  Authorization,
  AuthorizationTimes,
  Providers,
  RefreshVerdict,
} from '../providers/port/port.ts'
import { runProcedure, type ProcedureTools } from '../providers/port/procedure.ts'
import type { ChannelKey } from './channel-store.ts'
import type { NetworkClients } from './network-clients.ts'
import {
  endAuthorization,
  findAuthorization,
  storeAuthorization,
  tryLockRefresh,
  type AuthorizationRow,
} from './authorization-store.ts'
import { openAuthorization, sealAuthorization } from './authorization.ts'

export type AuthorizationParts = {
  readonly db: Db
  readonly keyring: Pick<Keyring, 'seal' | 'unseal'>
  readonly providers: Providers
  readonly tools: ProcedureTools
  readonly clients: NetworkClients
  readonly log: Log
}

/** What became of a refresh. */
export type Refreshed =
  /** An authorization that is newer than the one that was refused; `connection` names it. */
  | { readonly is: 'authorized'; readonly authorization: Authorization; readonly connection: string }
  /** The network ended the authorization: the channel has to be reconnected, and says so. */
  | { readonly is: 'ended' }
  | Unavailable

/**
 * `lost`: the network may have spent the refresh token, and ended what came with it. `refusedTarget`: this installation
 * calls no such address.
 */
type Unavailable = {
  readonly is: 'unavailable'
  readonly detail: string
  readonly lost?: true
  readonly refusedTarget?: true
}

/** Gets another access token for a channel whose authorization of that name needs one. It never throws. */
export type RefreshAuthorization = (channel: ChannelKey, connection: string) => Promise<Refreshed>

/** How many authorizations a process refreshes at once: each holds a connection to the database meanwhile. */
const MAX_RUNNING = 2
/** How long a caller waits for another process that is refreshing the same authorization. */
const MAX_WAIT_MS = 40_000
const POLL_MS = 200

/**
 * Refreshes authorizations, one at a time per channel over all processes: a refresh token that is used twice ends the authorization
 * on many networks. Where the channel has a newer authorization than the one that needed a refresh, that one is taken.
 */
export function openRefresh(parts: AuthorizationParts): RefreshAuthorization {
  const running = new Map<string, Promise<Refreshed>>()
  const turn = limiter(MAX_RUNNING)

  return (channel, connection) => {
    const key = `${channel.channelId} ${connection}`
    const under = running.get(key)
    if (under !== undefined) return under
    const started = turn(() => refreshOnce(parts, channel, connection))
      .catch((fault: unknown): Refreshed => {
        parts.log.error({ err: fault, ...channel }, 'an authorization could not be refreshed')
        return unavailable("This server could not refresh the channel's access.")
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

/** An authorization that the network has given and that is not stored yet. */
type Fresh = {
  readonly row: AuthorizationRow
  readonly adapter: Adapter
  readonly authorization: Authorization
}

async function refreshOnce(
  parts: AuthorizationParts,
  channel: ChannelKey,
  connection: string,
): Promise<Refreshed> {
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
    if (performance.now() > until) return unavailable('Another process is refreshing the access.')
    await sleep(POLL_MS)
  }
}

/** No other process refreshes this authorization until the transaction ends. */
async function underLock(
  parts: AuthorizationParts,
  tx: Tx,
  channel: ChannelKey,
  connection: string,
  got: { fresh: Fresh | null },
): Promise<Refreshed> {
  const { providers, log } = parts
  const row = await findAuthorization(tx, channel)
  if (row === null || !row.connected) return { is: 'ended' }
  if (row.connection !== connection) return authorized(parts, row)
  const adapter = await providers.get(row.provider)?.load()
  if (adapter === undefined) return unavailable('The network is not enabled on this server.')

  const verdict = await askNetwork(
    parts,
    adapter,
    openAuthorization(parts.keyring, row.channelId, row.authorizationSealed),
  )
  const facts = { ...channel, provider: row.provider }
  if (verdict.is === 'unavailable') {
    log.warn({ ...facts, detail: verdict.detail }, 'an authorization was not refreshed')
    return verdict
  }
  if (verdict.is === 'ended') {
    log.warn(
      { ...facts, detail: verdict.detail },
      'the network ended an authorization: the channel has to be reconnected',
    )
    await endAuthorization(tx, row)
    return { is: 'ended' }
  }
  got.fresh = { row, adapter, authorization: verdict.authorization }
  const stored = await storeFresh(parts, tx, got.fresh)
  log.info(facts, 'an authorization was refreshed')
  return stored
}

async function storeFresh(
  parts: AuthorizationParts,
  sql: Sql,
  { row, adapter, authorization }: Fresh,
): Promise<Refreshed> {
  const authorizationSealed = sealAuthorization(parts.keyring, row.channelId, authorization)
  const connection = await storeAuthorization(sql, row, {
    authorizationSealed,
    ...timesOf(parts, { row, adapter, authorization }),
  })
  if (connection !== null) return { is: 'authorized', authorization, connection }
  // Reconnected in the meantime, or stored before the connection broke: what is there is as new.
  const now = await findAuthorization(sql, row)
  return now === null || !now.connected ? { is: 'ended' } : authorized(parts, now)
}

/** The old tokens may be over: an authorization is stored even when the adapter fails to read its times. */
function timesOf({ log }: AuthorizationParts, { row, adapter, authorization }: Fresh): AuthorizationTimes {
  try {
    return adapter.authorizationTimes(authorization)
  } catch (fault) {
    const { workspaceId, channelId, provider } = row
    log.error(
      { err: fault, workspaceId, channelId, provider },
      'an adapter failed over the times of an authorization',
    )
    return { accessEndsAt: null, authorizationEndsAt: null }
  }
}

function authorized(
  { keyring }: AuthorizationParts,
  { channelId, connection, authorizationSealed }: AuthorizationRow,
): Refreshed {
  return {
    is: 'authorized',
    authorization: openAuthorization(keyring, channelId, authorizationSealed),
    connection,
  }
}

/** How often a refresh is asked for whose answer was lost, where the network lets the same token be used again. */
const TRIES = 3
const TRY_AGAIN_AFTER_MS = 1_000
const MAX_CALLS = 5

async function askNetwork(
  { tools, clients }: AuthorizationParts,
  adapter: Adapter,
  authorization: Authorization,
): Promise<Exclude<RefreshVerdict, { is: 'unavailable' }> | Unavailable> {
  if (adapter.refresh === null) return { is: 'unavailable', detail: 'The network has no refresh.' }
  const client = await clients.known(adapter)
  for (let tries = 1; ; tries++) {
    const { signal } = new AbortController()
    const ran = await runProcedure(adapter.refresh, { authorization, client, now: new Date() }, tools, {
      signal,
      maxCalls: MAX_CALLS,
      maxWaitMs: 0,
    })
    if (ran.is === 'done') return ran.outcome
    if (ran.is === 'fault') throw ran.fault
    if (ran.is !== 'silent')
      return { is: 'unavailable', detail: 'Refreshing the access took too many requests.' }
    if (isRefusedTarget(ran.answer.reason)) {
      const detail = 'The address of the network is one that this server does not call.'
      return { is: 'unavailable', detail, refusedTarget: true }
    }
    const mayRepeat = adapter.refreshRepeatable(authorization) || !ran.answer.maybeSent
    if (!mayRepeat || tries === TRIES) {
      const detail = `The network did not answer (${ran.answer.reason}).`
      return { is: 'unavailable', detail, ...(mayRepeat ? {} : { lost: true }) }
    }
    await sleep(TRY_AGAIN_AFTER_MS)
  }
}

const STORE_TRIES = 100
const STORE_AGAIN_AFTER_MS = 300

async function storeUntilDone(parts: AuthorizationParts, fresh: Fresh): Promise<Refreshed> {
  for (let tries = 1; ; tries++) {
    try {
      return await storeFresh(parts, parts.db, fresh)
    } catch (cause) {
      if (tries === STORE_TRIES) throw new Error('a refreshed authorization could not be stored', { cause })
      await sleep(STORE_AGAIN_AFTER_MS)
    }
  }
}

function unavailable(detail: string): Refreshed {
  return { is: 'unavailable', detail }
}
