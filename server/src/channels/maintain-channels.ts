import { runPeriodically } from '../platform/run-periodically.ts'
import type { Adapter, ProfileVerdict } from '../providers/port.ts'
import { runProcedure } from '../providers/procedure.ts'
import { claimProfiles, claimRefreshes, endGrant, storeProfile, type ProfileDue } from './grant-store.ts'
import { openGrant } from './grant.ts'
import type { GrantParts, RefreshGrant } from './refresh-grant.ts'

export type KeepOptions = {
  readonly everyMs: number
  readonly onFault: (fault: unknown) => void
}

/** How many channels are taken at once. */
const BATCH = 20
const MAX_CALLS = 5
const DAY_MS = 86_400_000
/** How long before the end of a grant its owner is warned, once a day. */
const WARN_BEFORE_MS = 7 * DAY_MS

/**
 * Keeps connected channels usable and true: refreshes grants that nobody used for a while, reads each account's profile,
 * limits and subscription once a day, and warns before a grant ends for good.
 */
export function startChannelMaintenance(
  parts: GrantParts,
  refresh: RefreshGrant,
  { everyMs, onFault }: KeepOptions,
): { stop(): Promise<void> } {
  const stopping = new AbortController()

  async function inBatches<Row>(claim: () => Promise<Row[]>, each: (row: Row) => Promise<unknown>) {
    for (let full = true; full && !stopping.signal.aborted;) {
      const rows = await claim()
      full = rows.length === BATCH
      await Promise.all(rows.map((row) => each(row).catch(onFault)))
    }
  }

  async function keep(): Promise<void> {
    await inBatches(
      () => claimRefreshes(parts.db, BATCH),
      (row) => refresh(row, row.connection),
    )
    await inBatches(
      () => claimProfiles(parts.db, BATCH),
      (row) => readProfile(parts, refresh, row, stopping.signal),
    )
  }

  const maintenance = runPeriodically(keep, everyMs, onFault)
  return {
    async stop() {
      stopping.abort()
      await maintenance.stop()
    },
  }
}

/** Reads the profile of a channel's account, with a fresh access token where the one it has is over. */
async function readProfile(
  parts: GrantParts,
  refresh: RefreshGrant,
  row: ProfileDue,
  signal: AbortSignal,
): Promise<void> {
  warnOfEnd(parts, row)
  const adapter = await parts.providers.get(row.provider)?.load()
  if (adapter?.profile == null) return
  const grant = openGrant(parts.keyring, row.channelId, row.grantSealed)
  let current = { ...row, grant }
  let verdict = await askProfile(parts, adapter, current.grant, signal)
  if (verdict.is === 'expired') {
    const refreshed = await refresh(row, row.connection)
    if (refreshed.is !== 'granted') return
    current = { ...current, ...refreshed }
    verdict = await askProfile(parts, adapter, current.grant, signal)
  }
  const facts = { workspaceId: row.workspaceId, channelId: row.channelId, provider: row.provider }
  if (verdict.is === 'profile') await storeProfile(parts.db, row, verdict.account)
  else if (verdict.is === 'reauthorize') {
    const ended = await endGrant(parts.db, current)
    if (ended) parts.log.warn(facts, 'the network ended a grant: the channel has to be reconnected')
  } else parts.log.info({ ...facts, verdict: verdict.is }, 'the profile of a channel could not be read')
}

async function askProfile(
  { tools }: GrantParts,
  adapter: Adapter,
  grant: Parameters<NonNullable<Adapter['profile']>>[0]['grant'],
  signal: AbortSignal,
): Promise<ProfileVerdict> {
  if (adapter.profile === null) return { is: 'unavailable', detail: 'The network has no profiles.' }
  const options = { signal, maxCalls: MAX_CALLS, maxWaitMs: 0 }
  const ran = await runProcedure(adapter.profile, { grant, now: new Date() }, tools, options)
  if (ran.is === 'fault') throw ran.fault
  return ran.is === 'done' ? ran.outcome : { is: 'unavailable', detail: 'The network did not answer.' }
}

function warnOfEnd({ log }: GrantParts, { grantEndsAt, workspaceId, channelId, provider }: ProfileDue): void {
  if (grantEndsAt === null || grantEndsAt.getTime() > Date.now() + WARN_BEFORE_MS) return
  const facts = { workspaceId, channelId, provider, authorizedUntil: grantEndsAt.toISOString() }
  log.warn(facts, 'the authorisation of a channel ends soon: its owner has to reconnect it')
}
