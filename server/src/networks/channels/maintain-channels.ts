import { runPeriodically } from '../../platform/loops/run-periodically.ts'
import type { Adapter, ProfileVerdict } from '../providers/port/port.ts'
import { runProcedure } from '../providers/port/procedure.ts'
import {
  claimProfiles,
  claimRefreshes,
  endAuthorization,
  storeProfile,
  type ProfileDue,
} from './authorization-store.ts'
import { openAuthorization } from './authorization.ts'
import type { AuthorizationParts, RefreshAuthorization } from './refresh-authorization.ts'

export type MaintenanceOptions = {
  readonly everyMs: number
  readonly onFault: (fault: unknown) => void
}

/** How many channels are taken at once. */
const BATCH = 20
const MAX_CALLS = 5
const DAY_MS = 86_400_000
/** How long before the end of an authorization its owner is warned, once a day. */
const WARN_BEFORE_MS = 7 * DAY_MS

/**
 * Keeps connected channels usable and true: refreshes authorizations that were not used for a while, reads each account's profile,
 * limits and subscription once a day, and warns before an authorization ends for good.
 */
export function startChannelMaintenance(
  parts: AuthorizationParts,
  refresh: RefreshAuthorization,
  { everyMs, onFault }: MaintenanceOptions,
): { stop(): Promise<void> } {
  const stopping = new AbortController()

  async function inBatches<Row>(claim: () => Promise<Row[]>, each: (row: Row) => Promise<unknown>) {
    for (let full = true; full && !stopping.signal.aborted;) {
      const rows = await claim()
      full = rows.length === BATCH
      await Promise.all(rows.map((row) => each(row).catch(onFault)))
    }
  }

  async function maintain(): Promise<void> {
    await inBatches(
      () => claimRefreshes(parts.db, BATCH),
      (row) => refresh(row, row.connection),
    )
    await inBatches(
      () => claimProfiles(parts.db, BATCH),
      (row) => readProfile(parts, refresh, row, stopping.signal),
    )
  }

  const maintenance = runPeriodically(maintain, everyMs, onFault)
  return {
    async stop() {
      stopping.abort()
      await maintenance.stop()
    },
  }
}

/** Reads the profile of a channel's account, with a fresh access token where the one it has is over. */
async function readProfile(
  parts: AuthorizationParts,
  refresh: RefreshAuthorization,
  row: ProfileDue,
  signal: AbortSignal,
): Promise<void> {
  warnOfEnd(parts, row)
  const adapter = await parts.providers.get(row.provider)?.load()
  if (adapter?.profile == null) return
  const authorization = openAuthorization(parts.keyring, row.channelId, row.authorizationSealed)
  let current = { ...row, authorization }
  let verdict = await askProfile(parts, adapter, current.authorization, signal)
  if (verdict.is === 'expired') {
    const refreshed = await refresh(row, row.connection)
    if (refreshed.is !== 'authorized') return
    current = { ...current, ...refreshed }
    verdict = await askProfile(parts, adapter, current.authorization, signal)
  }
  const facts = { workspaceId: row.workspaceId, channelId: row.channelId, provider: row.provider }
  if (verdict.is === 'profile') await storeProfile(parts.db, row, verdict.account)
  else if (verdict.is === 'reauthorize') {
    const ended = await endAuthorization(parts.db, current)
    if (ended) parts.log.warn(facts, 'the network ended an authorization: the channel has to be reconnected')
  } else parts.log.info({ ...facts, verdict: verdict.is }, 'the profile of a channel could not be read')
}

async function askProfile(
  { tools }: AuthorizationParts,
  adapter: Adapter,
  authorization: Parameters<NonNullable<Adapter['profile']>>[0]['authorization'],
  signal: AbortSignal,
): Promise<ProfileVerdict> {
  if (adapter.profile === null) return { is: 'unavailable', detail: 'The network has no profiles.' }
  const options = { signal, maxCalls: MAX_CALLS, maxWaitMs: 0 }
  const ran = await runProcedure(adapter.profile, { authorization, now: new Date() }, tools, options)
  if (ran.is === 'fault') throw ran.fault
  return ran.is === 'done' ? ran.outcome : { is: 'unavailable', detail: 'The network did not answer.' }
}

function warnOfEnd(
  { log }: AuthorizationParts,
  { authorizationEndsAt, workspaceId, channelId, provider }: ProfileDue,
): void {
  if (authorizationEndsAt === null || authorizationEndsAt.getTime() > Date.now() + WARN_BEFORE_MS) return
  const facts = { workspaceId, channelId, provider, authorizedUntil: authorizationEndsAt.toISOString() }
  log.warn(facts, 'the authorization of a channel ends soon: its owner has to reconnect it')
}
