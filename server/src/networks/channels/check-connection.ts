import type { Log } from '../../platform/process/log.ts'
import type { Keyring } from '../../platform/sealing/sealing.ts'
import type { Authorization, Providers } from '../providers/port/port.ts'
import type { CallAnswer } from '../providers/port/calls.ts'
import { runProcedure, type ProcedureTools } from '../providers/port/procedure.ts'
import type { ConnectionRow } from './authorization-store.ts'
import { openAuthorization } from './authorization.ts'
import { type Checked, type ConnectionFinding, judgeConnection } from './judge-connection.ts'
import type { NetworkClients } from './network-clients.ts'
import type { RefreshAuthorization } from './refresh-authorization.ts'

export type CheckParts = {
  readonly providers: Providers
  readonly keyring: Pick<Keyring, 'unseal'>
  readonly tools: ProcedureTools
  readonly clients: Pick<NetworkClients, 'configured'>
  /**
   * Gets another access token where the one there is has ended. Left out, that is told: a check never spends a refresh token of its own
   * accord.
   */
  readonly refresh?: RefreshAuthorization
  readonly log: Log
  readonly now: () => Date
}

/** From the first call to the last answer. */
const TOTAL_MS = 20_000
const MAX_CALLS = 12

/**
 * Checks a connection by calls that change nothing at its network. Nothing is stored, and the status of the channel stays as it is,
 * whatever was found: what the network refuses now, it refuses the next post or the next look at the profile, which store that.
 */
export async function checkConnection(parts: CheckParts, row: ConnectionRow): Promise<ConnectionFinding[]> {
  const clock: Clock = { skewMs: null }
  const checked = await check(parts, row, clock).catch((err: unknown): Checked => {
    const { workspaceId, channelId, provider } = row
    parts.log.error({ err, workspaceId, channelId, provider }, 'a connection could not be checked')
    return { is: 'not_asked', why: 'check_failed' }
  })
  const { now, providers } = parts
  return judgeConnection(row, checked, { skewMs: clock.skewMs, now: now(), providers })
}

type Clock = { skewMs: number | null }

async function check(parts: CheckParts, row: ConnectionRow, clock: Clock): Promise<Checked> {
  if (!parts.providers.has(row.provider)) return { is: 'not_asked', why: 'provider_disabled' }
  if (!row.connected) return { is: 'not_asked', why: 'reconnect_required' }
  const authorization = opened(parts, row)
  if (authorization === null) return { is: 'not_asked', why: 'access_unreadable' }
  const first = await examine(parts, row, authorization, clock)
  const isOver = first.is === 'examined' && first.examination.access.is === 'expired'
  if (!isOver || row.accessEndsAt === null || parts.refresh === undefined) return first
  const refreshed = await parts.refresh(row, row.connection)
  if (refreshed.is === 'authorized') return examine(parts, row, refreshed.authorization, clock)
  return refreshed.is === 'ended' ? { is: 'not_asked', why: 'reconnect_required' } : first
}

function opened(
  { keyring }: CheckParts,
  { channelId, authorizationSealed }: ConnectionRow,
): Authorization | null {
  try {
    return openAuthorization(keyring, channelId, authorizationSealed)
  } catch {
    return null
  }
}

async function examine(
  { providers, tools, clients, now }: CheckParts,
  { provider }: ConnectionRow,
  authorization: Authorization,
  clock: Clock,
): Promise<Checked> {
  const adapter = await providers.get(provider)?.load()
  if (adapter?.examine == null) return { is: 'not_asked', why: 'check_failed' }
  const work = { authorization, client: clients.configured(provider), now: now() }
  const ran = await runProcedure(adapter.examine.ask, work, tools, {
    signal: AbortSignal.timeout(TOTAL_MS),
    maxCalls: MAX_CALLS,
    maxWaitMs: 0,
    onAnswer: (answer) => (clock.skewMs = closer(clock.skewMs, skewOf(answer, now()))),
  })
  switch (ran.is) {
    case 'done':
      return { is: 'examined', examination: ran.outcome }
    case 'silent':
      return { is: 'silent', reason: ran.answer.reason }
    case 'fault':
      throw ran.fault
    case 'paused':
      return { is: 'silent', reason: 'TIMEOUT' }
    case 'stopped':
      return ran.why === 'signal'
        ? { is: 'silent', reason: 'TIMEOUT' }
        : { is: 'not_asked', why: 'check_failed' }
  }
}

/** A date is cut to whole seconds. */
const HALF_SECOND_MS = 500

/** By how much our clock is ahead of what an answer says, at the middle of its call; null where it says nothing. */
function skewOf(answer: CallAnswer, now: Date): number | null {
  if (!answer.arrived) return null
  const { date = '', age = '0' } = answer.response.headers
  // What a cache has kept has the date of when it was made (RFC 9111, 4.2.3).
  const saidMs = Date.parse(date) + (/^\d{1,7}$/.test(age) ? Number(age) * 1_000 : 0)
  return Number.isNaN(saidMs) ? null : now.getTime() - answer.durationMs / 2 - (saidMs + HALF_SECOND_MS)
}

/** The smaller one: what is slow on its way makes it larger. */
function closer(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other
  return Math.abs(other) < Math.abs(one) ? other : one
}

/** How many connections are checked at once: each has its own calls, one after the other. */
const AT_ONCE = 4

export type CheckedConnection = {
  readonly row: ConnectionRow
  readonly findings: readonly ConnectionFinding[]
}

/** Checks several connections, some at once, and gives what was found in their order. */
export async function checkConnections(
  parts: CheckParts,
  rows: readonly ConnectionRow[],
): Promise<CheckedConnection[]> {
  const found: CheckedConnection[] = []
  const left = rows.entries()
  async function work(): Promise<void> {
    for (const [place, row] of left) found[place] = { row, findings: await checkConnection(parts, row) }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return found
}
