import {
  destinationStatuses,
  type DestinationError,
  type DestinationStatus,
  type PartStatus,
} from '@postrider/contract'
import { claimable, moves } from '../../src/engine/destinations/destination-states.ts'
import { waitAt } from '../../src/engine/publication/decide-outcome.ts'
import {
  ANNOUNCE_HOLD_AFTER_MS,
  deferralMessages,
  LOOKUP_WAITS_MS,
  waitOf,
} from '../../src/engine/queue/waits.ts'
import { type OutageRules, usualOutageRules } from '../../src/engine/queue/outage-store.ts'
import type {
  Conclusion,
  Doubt,
  Evidence,
  FormerCall,
  Intent,
  Lease,
  NetworkFailure,
  OpenAttempt,
  ProcessingWait,
  Settlement,
  Subject,
  WaitingUpload,
  Work,
} from '../../src/engine/queue/work.ts'

/*
 * What publication-store.ts says in SQL, said again in memory and under a virtual clock. A contract test runs
 * both through the same sequences. Every function here is one transaction: it happens at once, or not at all.
 */

/** A guard that can be left out, to prove that the model notices. */
export type StoreFlaw =
  | 'claim: several per channel'
  | 'claim: fence not raised'
  | 'claim: token not rotated'
  | 'orphans: fence not raised'
  | 'orphans: armed attempt forgotten'
  | 'processing: channel set free'
  | 'arm: fence not checked'
  | 'arm: status not checked'
  | 'arm: attempt not written'
  | 'settle: fence not checked'
  | 'settle: token not rotated'
  | 'settle: event forgotten'
  | 'settle: event written twice'
  | 'settle: every try announced'
  | 'settle: lease kept'
  | 'settle: evidence forgotten'
  | 'settle: doubt not checked'
  | 'settle: twins not looked at'
  | 'doubts: twins that are out not told'
  | 'expire: doubtful work too'
  | 'expire: work in flight too'
  | 'expire: event forgotten'

export type PartRow = {
  readonly index: number
  readonly firstComment: boolean
  status: PartStatus
  text: string
  remoteId: string | null
}

export type AttemptRow = {
  id: string
  partIndex: number
  key: string
  fence: number
  armedAt: number
  handle: string | null
  verdict: Conclusion['is'] | null
  evidence: Evidence[]
}

export type DestinationRow = {
  readonly id: string
  readonly workspaceId: string
  readonly postId: string
  readonly channel: ChannelRow
  status: DestinationStatus
  statusSince: number
  controlToken: number
  publishAt: number | null
  expiresAt: number | null
  dueAt: number | null
  checkAgainAt: number | null
  error: DestinationError | null
  /** The wait that was announced last, as long as it goes on. */
  announcedWait: string | null
  upload: WaitingUpload | null
  tries: number
  fence: number
  leasedBy: string | null
  leaseUntil: number | null
  parts: PartRow[]
  attempts: AttemptRow[]
}

export type ChannelRow = {
  readonly id: string
  readonly workspaceId: string
  readonly provider: string
  enabled: boolean
  connected: boolean
  connection: string
  /** Where its calls go; null until one was made. */
  origin: string | null
  /** Nothing is claimed on it before this moment of the virtual clock. */
  pausedUntil?: number
}

/** A network that is taken to be away, by a workspace or, with null, by all. */
export type OutageRow = {
  readonly id: string
  readonly origin: string
  readonly workspaceId: string | null
  probes: number
  probeAt: number
}

type FailureRow = { readonly origin: string; readonly channel: ChannelRow; failedAt: number }

export type EventRow = {
  readonly destinationId: string
  readonly type: string
  readonly status: DestinationStatus
  readonly wait: string | null
}

export type MemoryDb = {
  /** Milliseconds. */
  now: number
  readonly destinations: DestinationRow[]
  readonly events: EventRow[]
  readonly flaws: ReadonlySet<StoreFlaw>
  /** Workers whose session is gone, and that have sent no heartbeat since: dead, or cut off for a moment. */
  readonly deadWorkers: Set<string>
  readonly outageRules: OutageRules
  outages: OutageRow[]
  failures: FailureRow[]
  lastOutage: number
  lastToken: number
}

export type MemoryWorker = {
  readonly id: string
  readonly leaseMs: number
  readonly perWorkspace: number
  readonly absenceCountsAfterMs?: readonly number[]
}

export function openMemoryDb(flaws: readonly StoreFlaw[] = [], outageRules = usualOutageRules): MemoryDb {
  return {
    now: 0,
    destinations: [],
    events: [],
    flaws: new Set(flaws),
    deadWorkers: new Set(),
    outageRules,
    outages: [],
    failures: [],
    lastOutage: 0,
    lastToken: 0,
  }
}

/** Writes the event of each destination's status, if it has one. */
export function announce(db: MemoryDb, changed: readonly DestinationRow[]): void {
  for (const { id, status, announcedWait: wait } of changed) {
    const type = destinationStatuses[status].event
    if (type !== null) db.events.push({ destinationId: id, type, status, wait })
  }
}

export function rotateToken(db: MemoryDb, row: DestinationRow): void {
  row.controlToken = ++db.lastToken
}

export function findDestination(db: MemoryDb, id: string): DestinationRow | undefined {
  return db.destinations.find((row) => row.id === id)
}

export function claim(db: MemoryDb, worker: MemoryWorker, limit: number): Work[] {
  const heads = new Map<ChannelRow, DestinationRow>()
  for (const row of db.destinations) {
    if (!isClaimable(row) || row.dueAt === null || row.dueAt > db.now) continue
    if (row.expiresAt === null || row.expiresAt <= db.now) continue
    const head = heads.get(row.channel)
    if (head === undefined || compareDue(row, head) < 0) heads.set(row.channel, row)
  }
  const turns = new Map<string, number>()
  const queue = [...heads.values()]
    .filter(
      ({ channel }) =>
        channel.enabled &&
        (heldUntil(db, channel) === null || !channel.connected) &&
        (db.flaws.has('claim: several per channel') || !isBusy(db, channel)),
    )
    .sort(compareDue)
    .map((row) => {
      const turn = (turns.get(row.workspaceId) ?? held(db, worker, row.workspaceId)) + 1
      turns.set(row.workspaceId, turn)
      return { row, turn }
    })
    .filter(({ turn }) => turn <= worker.perWorkspace)
    .sort((a, b) => a.turn - b.turn || compareDue(a.row, b.row))
  return queue.slice(0, limit).map(({ row }) => lease(db, worker, row, null))
}

export function claimProbes(db: MemoryDb, worker: MemoryWorker, limit: number): Work[] {
  const due = db.outages.filter(({ probeAt }) => probeAt <= db.now).sort((a, b) => (a.id < b.id ? -1 : 1))
  return due.slice(0, limit).flatMap((outage) => {
    const failedAt = ({ channel }: DestinationRow) =>
      db.failures.find((one) => one.origin === outage.origin && one.channel === channel)?.failedAt ??
      -Infinity
    const [first] = db.destinations
      .filter((row) => mayProbe(db, outage, row))
      .sort(
        (a, b) =>
          failedAt(a) - failedAt(b) ||
          (failedAt(a) === -Infinity ? compareChannel(a.channel, b.channel) : 0) ||
          compareDue(a, b),
      )
    if (first === undefined) return []
    outage.probeAt = db.now + db.outageRules.probeTimeoutMs
    return [lease(db, worker, first, outage.id)]
  })
}

function mayProbe(db: MemoryDb, { origin, workspaceId }: OutageRow, row: DestinationRow): boolean {
  const { channel } = row
  const isDue = isClaimable(row) && (row.dueAt ?? Infinity) <= db.now && (row.expiresAt ?? 0) > db.now
  const isTheirs = channel.origin === origin && (workspaceId === null || channel.workspaceId === workspaceId)
  const isUsable = channel.enabled && channel.connected && (channel.pausedUntil ?? 0) <= db.now
  return isDue && isTheirs && isUsable && !isBusy(db, channel)
}

function lease(db: MemoryDb, worker: MemoryWorker, row: DestinationRow, probe: string | null): Work {
  const lateMs = db.now - (row.dueAt ?? db.now)
  row.status = 'publishing'
  row.statusSince = db.now
  if (!db.flaws.has('claim: token not rotated')) rotateToken(db, row)
  if (!db.flaws.has('claim: fence not raised')) row.fence += 1
  row.leasedBy = worker.id
  row.leaseUntil = db.now + worker.leaseMs
  row.checkAgainAt = null
  row.error = null
  const suspected = isSuspected(db, row.channel)
  return {
    ...subjectOf(row),
    fence: row.fence,
    orphan: false,
    attempt: db.flaws.has('orphans: armed attempt forgotten') ? null : attemptUnderWay(db, row),
    formers: formerCalls(row),
    discarded: [],
    upload: null,
    lateMs,
    probe,
    suspected,
  }
}

function isSuspected(db: MemoryDb, { origin }: ChannelRow): boolean {
  return db.failures.some((one) => one.origin === origin)
}

/** Until when a channel is held, by a pause or by an outage; null when nothing holds it. */
export function heldUntil(db: MemoryDb, channel: ChannelRow): number | null {
  const times = db.outages
    .filter(
      ({ origin, workspaceId }) =>
        origin === channel.origin && (workspaceId === null || workspaceId === channel.workspaceId),
    )
    .map(({ probeAt }) => probeAt)
  if ((channel.pausedUntil ?? 0) > db.now) times.push(channel.pausedUntil ?? 0)
  return times.length === 0 ? null : Math.max(...times)
}

/* ---- networks ---- */

export function learnOrigin(
  db: MemoryDb,
  { channelId }: Pick<Subject, 'channelId'>,
  origin: string,
): boolean {
  const channel = channelOf(db, channelId)
  if (channel === undefined) return false
  channel.origin = origin
  return heldUntil(db, channel) !== null
}

export function recordFailure(db: MemoryDb, { origin, channelId, probe }: NetworkFailure): void {
  const channel = channelOf(db, channelId)
  if (channel === undefined) return
  const { accounts, windowMs, probeWaitsMs } = db.outageRules
  const known = db.failures.find((one) => one.origin === origin && one.channel === channel)
  if (known === undefined) db.failures.push({ origin, channel, failedAt: db.now })
  else known.failedAt = db.now
  const probed = db.outages.find(({ id }) => id === probe)
  if (probed !== undefined) {
    probed.probes += 1
    probed.probeAt = db.now + waitAt(probeWaitsMs, probed.probes)
  }
  db.failures = db.failures.filter((one) => one.origin !== origin || one.failedAt > db.now - windowMs)

  const failed = db.failures.filter((one) => one.origin === origin)
  const workspaces = [...new Set(failed.map((one) => one.channel.workspaceId))]
  const open = (workspaceId: string | null) =>
    db.outages.push({
      id: `o${String(++db.lastOutage).padStart(6, '0')}`,
      origin,
      workspaceId,
      probes: 0,
      probeAt: db.now + waitAt(probeWaitsMs, 0),
    })
  if (db.outages.some((one) => one.origin === origin && one.workspaceId === null)) return
  if (failed.length >= accounts && workspaces.length > 1) {
    db.outages = db.outages.filter((one) => one.origin !== origin)
    open(null)
    return
  }
  for (const workspaceId of workspaces) {
    const own = failed.filter((one) => one.channel.workspaceId === workspaceId)
    const isOpen = db.outages.some((one) => one.origin === origin && one.workspaceId === workspaceId)
    if (own.length >= accounts && !isOpen) open(workspaceId)
  }
}

export function recordSuccess(db: MemoryDb, origin: string): void {
  db.failures = db.failures.filter((one) => one.origin !== origin)
  const open = db.outages.length
  db.outages = db.outages.filter((one) => one.origin !== origin)
  if (db.outages.length === open) return
  for (const row of db.destinations) {
    if (row.channel.origin !== origin || row.status !== 'checking' || (row.dueAt ?? 0) <= db.now) continue
    row.dueAt = db.now
    row.checkAgainAt = db.now
  }
}

export function returnProbe(db: MemoryDb, outageId: string): void {
  const outage = db.outages.find(({ id }) => id === outageId)
  if (outage !== undefined) outage.probeAt = db.now
}

export function announceHolds(db: MemoryDb, limit: number): number {
  const held = db.destinations
    .filter(
      (row) =>
        row.status === 'scheduled' &&
        (row.dueAt ?? Infinity) <= db.now - ANNOUNCE_HOLD_AFTER_MS &&
        (row.expiresAt ?? 0) > db.now &&
        row.channel.enabled &&
        row.channel.connected &&
        heldUntil(db, row.channel) !== null &&
        !isBusy(db, row.channel),
    )
    .slice(0, limit)
  for (const row of held) {
    const code = (row.channel.pausedUntil ?? 0) > db.now ? 'rate_limited' : 'provider_unavailable'
    row.status = moves.hold.to
    row.statusSince = db.now
    rotateToken(db, row)
    row.checkAgainAt = Math.max(heldUntil(db, row.channel) ?? 0, db.now)
    row.announcedWait = waitOf('delayed', code)
    row.error = { code, message: deferralMessages[code], provider: row.channel.provider, retryable: true }
  }
  announce(db, held)
  return held.length
}

function channelOf(db: MemoryDb, channelId: string): ChannelRow | undefined {
  return db.destinations.find((row) => row.channel.id === channelId)?.channel
}

/* ---- work that is publishing already ---- */

export function claimOrphans(db: MemoryDb, worker: MemoryWorker, limit: number): Work[] {
  const lost = db.destinations
    .filter((row) => isOrphaned(db, row))
    .sort((a, b) => (a.leaseUntil ?? 0) - (b.leaseUntil ?? 0))
  return lost.slice(0, limit).map((row) => takeOver(db, worker, row, true))
}

/** Whether the worker that holds it is lost: its lease is over, or it is known to be dead. */
export function isOrphaned(db: MemoryDb, { status, leaseUntil, leasedBy }: DestinationRow): boolean {
  if (status !== 'publishing' || leaseUntil === null) return false
  return leaseUntil <= db.now || (leasedBy !== null && db.deadWorkers.has(leasedBy))
}

export function claimProcessing(db: MemoryDb, worker: MemoryWorker, limit: number): Work[] {
  const due = db.destinations
    .filter((row) => row.status === 'publishing' && row.leaseUntil === null && (row.dueAt ?? 0) <= db.now)
    .sort((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0))
  return due.slice(0, limit).map((row) => takeOver(db, worker, row, false))
}

function takeOver(db: MemoryDb, worker: MemoryWorker, row: DestinationRow, orphan: boolean): Work {
  if (!db.flaws.has('orphans: fence not raised')) row.fence += 1
  row.leasedBy = worker.id
  row.leaseUntil = db.now + worker.leaseMs
  const attempt = orphan && db.flaws.has('orphans: armed attempt forgotten') ? null : attemptUnderWay(db, row)
  const suspected = isSuspected(db, row.channel)
  return {
    ...subjectOf(row),
    fence: row.fence,
    orphan,
    lateMs: 0,
    attempt,
    formers: formerCalls(row),
    discarded: [],
    probe: null,
    upload: row.upload,
    suspected,
  }
}

const MADE_NOTHING: ReadonlySet<string | null> = new Set(['absent', 'deferred', 'rejected', 'reauthorize'])

/** The calls that are held to have made nothing: of those that carried the same, the last. */
function formerCalls({ attempts }: DestinationRow): FormerCall[] {
  const made = attempts
    .filter(
      ({ verdict, evidence }) => MADE_NOTHING.has(verdict) && !evidence.some(({ by }) => by === 'engine'),
    )
    .toSorted((a, b) => b.armedAt - a.armedAt)
  const carrying = Map.groupBy(made, ({ partIndex, key }) => `${partIndex} ${key}`)
  return [...carrying.values()].map((calls) => {
    const [last] = calls as [AttemptRow, ...AttemptRow[]]
    const { id, partIndex, key } = last
    const refusals = calls.filter(({ verdict }) => verdict === 'deferred' || verdict === 'rejected').length
    const armedAt = new Date(last.armedAt)
    return { id, partIndex, key, media: [], prepared: null, armedAt, refusals, discarded: false }
  })
}

/** The attempt whose end nobody has written yet. */
function attemptUnderWay(db: MemoryDb, row: DestinationRow): OpenAttempt | null {
  const open = row.attempts.find(({ verdict }) => verdict === null)
  return open === undefined ? null : openAttempt(db, open)
}

export function claimDoubts(db: MemoryDb, worker: MemoryWorker, limit: number): Doubt[] {
  const due = db.destinations
    .filter((row) => row.status === 'checking' && row.dueAt !== null && row.dueAt <= db.now)
    .sort((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0))
  return due.slice(0, limit).flatMap((row) => {
    const attempt = row.attempts.find(({ verdict }) => verdict === 'unknown')
    const nextAt = db.now + waitAt(LOOKUP_WAITS_MS, row.tries + 1)
    const countsAt = (worker.absenceCountsAfterMs ?? [])
      .map((ms) => (attempt?.armedAt ?? -Infinity) + ms + 1)
      .filter((at) => at > db.now)
    row.dueAt = Math.min(nextAt, ...countsAt)
    row.checkAgainAt = row.dueAt
    row.tries += 1
    if (attempt === undefined) return []
    const expired = row.expiresAt !== null && row.expiresAt <= db.now
    const rounds = row.attempts.filter(
      ({ partIndex, verdict }) => partIndex === attempt.partIndex && verdict === 'absent',
    ).length
    const text = row.parts[attempt.partIndex]?.text
    const knownRemoteIds = db.flaws.has('doubts: twins that are out not told')
      ? []
      : partsOn(db, row.channel).flatMap(({ part }) =>
          part.text === text && part.remoteId !== null ? [part.remoteId] : [],
        )
    return [{ ...subjectOf(row), attempt: openAttempt(db, attempt), expired, rounds, knownRemoteIds }]
  })
}

export function arm(db: MemoryDb, intent: Intent): boolean {
  const row = findDestination(db, intent.destinationId)
  const part = row?.parts[intent.partIndex]
  if (row === undefined || part === undefined) return false
  if (row.status !== 'publishing' && !db.flaws.has('arm: status not checked')) return false
  if (row.fence !== intent.fence && !db.flaws.has('arm: fence not checked')) return false
  const inDoubt = row.attempts.some(
    ({ partIndex, verdict }) => partIndex === intent.partIndex && (verdict === null || verdict === 'unknown'),
  )
  if (inDoubt || part.remoteId !== null) return false
  part.status = 'publishing'
  if (db.flaws.has('arm: attempt not written')) return true
  row.attempts.push({
    id: intent.attemptId,
    partIndex: intent.partIndex,
    key: intent.key,
    fence: intent.fence,
    armedAt: db.now,
    handle: null,
    verdict: null,
    evidence: [],
  })
  return true
}

export function awaitProcessing(db: MemoryDb, intent: Omit<Intent, 'key'>, wait: ProcessingWait): boolean {
  const row = findDestination(db, intent.destinationId)
  const attempt = row?.attempts.find(({ id }) => id === intent.attemptId)
  if (attempt !== undefined && (attempt.verdict === null || attempt.verdict === 'unknown')) {
    attempt.handle = wait.handle
  }
  if (row?.status !== 'publishing' || row.fence !== intent.fence) return false
  row.fence += 1
  row.leasedBy = null
  row.leaseUntil = null
  row.dueAt = db.now + wait.pollInMs
  row.error = wait.error
  return true
}

export function awaitUpload(db: MemoryDb, lease: Lease, upload: WaitingUpload, pollInMs: number): boolean {
  const row = findDestination(db, lease.destinationId)
  if (row?.status !== 'publishing' || row.fence !== lease.fence) return false
  row.fence += 1
  row.leasedBy = null
  row.leaseUntil = null
  row.dueAt = db.now + pollInMs
  row.upload = upload
  return true
}

export function disconnect(
  db: MemoryDb,
  { channelId, connection }: Pick<Subject, 'channelId' | 'connection'>,
): void {
  const channel = db.destinations.find((row) => row.channel.id === channelId)?.channel
  if (channel?.connection === connection) channel.connected = false
}

export function pauseChannel(db: MemoryDb, { channelId }: Pick<Subject, 'channelId'>, forMs: number): void {
  const channel = db.destinations.find((row) => row.channel.id === channelId)?.channel
  if (channel !== undefined) channel.pausedUntil = Math.max(channel.pausedUntil ?? 0, db.now + forMs)
}

export function settle(db: MemoryDb, settlement: Settlement): boolean {
  const { outcome, attempt } = settlement
  const row = findDestination(db, settlement.destinationId)
  if (row === undefined || !maySettle(db, row, settlement)) return false
  const move = outcome.move === null ? null : moves[outcome.move]
  if (move !== null && !isOneOf(move.from, row.status)) return false

  const next = move === null ? row.status : move.to
  if (attempt !== null) {
    for (const part of row.parts) {
      if (part.index === attempt.partIndex) {
        part.status = outcome.part
        part.remoteId = outcome.remoteId
      } else if (outcome.endsThread && part.status !== 'published') {
        part.status = 'skipped'
        part.remoteId = null
      }
    }
    const kept = row.attempts.find(({ id }) => id === attempt.id)
    if (kept !== undefined && !db.flaws.has('settle: evidence forgotten')) {
      kept.verdict = attempt.conclusion
      kept.evidence.push(attempt.evidence)
    }
  }
  if (outcome.disconnects && settlement.connection === row.channel.connection) row.channel.connected = false

  const again = outcome.dueInMs === null ? null : db.now + outcome.dueInMs
  if (outcome.pausesChannel) row.channel.pausedUntil = Math.max(row.channel.pausedUntil ?? 0, again ?? 0)
  row.status = next
  row.dueAt = again
  row.checkAgainAt = isOneOf(['delayed', 'checking', 'partially_published'], next) ? again : null
  row.error = outcome.error
  const announcedAlready = outcome.wait !== null && row.announcedWait === outcome.wait
  row.announcedWait = outcome.wait
  row.upload = settlement.upload ?? null
  if (outcome.endsThread && next === 'partially_published') row.expiresAt = null
  row.tries = isOneOf(['delayed', 'partially_published'], next) ? row.tries + 1 : 0
  if (move === null) return true

  row.statusSince = db.now
  if (!db.flaws.has('settle: token not rotated')) rotateToken(db, row)
  if (!db.flaws.has('settle: lease kept')) {
    row.leasedBy = null
    row.leaseUntil = null
  }
  if (announcedAlready && !db.flaws.has('settle: every try announced')) return true
  if (!db.flaws.has('settle: event forgotten')) announce(db, [row])
  if (db.flaws.has('settle: event written twice')) announce(db, [row])
  return true
}

function maySettle(db: MemoryDb, row: DestinationRow, settlement: Settlement): boolean {
  const { fence, attempt } = settlement
  if (fence !== null) {
    return row.status === 'publishing' && (row.fence === fence || db.flaws.has('settle: fence not checked'))
  }
  if (attempt === null || row.status !== 'checking') return false
  const kept = row.attempts.find(({ id }) => id === attempt.id)
  if (kept?.verdict !== 'unknown' && !db.flaws.has('settle: doubt not checked')) return false
  return (
    !attempt.inferred ||
    attempt.conclusion === 'absent' ||
    db.flaws.has('settle: twins not looked at') ||
    !twinInTheWay(db, row, settlement)
  )
}

/** Whether an equal part of the channel is in flight, or is out under this very id. */
function twinInTheWay(db: MemoryDb, row: DestinationRow, { attempt, outcome }: Settlement): boolean {
  const mine = row.parts[attempt?.partIndex ?? -1]
  return partsOn(db, row.channel).some(
    ({ part }) =>
      part !== mine &&
      part.text === mine?.text &&
      (part.status === 'publishing' ||
        part.status === 'checking' ||
        (outcome.remoteId !== null && part.remoteId === outcome.remoteId)),
  )
}

export function noteDoubt(
  db: MemoryDb,
  { destinationId, attempt }: Pick<Doubt, 'destinationId' | 'attempt'>,
  error: DestinationError,
): void {
  const row = findDestination(db, destinationId)
  if (row?.status !== 'checking') return
  if (row.attempts.some(({ id, verdict }) => id === attempt.id && verdict === 'unknown')) row.error = error
}

export function expire(db: MemoryDb, limit: number): number {
  const also: DestinationStatus[] = []
  if (db.flaws.has('expire: doubtful work too')) also.push('checking')
  if (db.flaws.has('expire: work in flight too')) also.push('publishing')
  const over = db.destinations
    .filter(
      (row) =>
        (isOneOf(moves.expire.from, row.status) || also.includes(row.status)) &&
        row.expiresAt !== null &&
        row.expiresAt <= db.now,
    )
    .sort((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0))
    .slice(0, limit)
  for (const row of over) {
    for (const part of row.parts) if (part.status === 'pending') part.status = 'skipped'
    row.status = moves.expire.to
    row.statusSince = db.now
    rotateToken(db, row)
    row.dueAt = null
    row.checkAgainAt = null
    row.leasedBy = null
    row.leaseUntil = null
    row.error = {
      code: 'allowed_time_over',
      message: 'The work was not done within its allowed time, and was stopped.',
      provider: row.channel.provider,
      retryable: true,
    }
  }
  if (!db.flaws.has('expire: event forgotten')) announce(db, over)
  return over.length
}

/** What heartbeat-store.ts does for the leases that a living worker holds. */
export function heartbeat(db: MemoryDb, worker: MemoryWorker, leases: readonly Lease[]): number {
  db.deadWorkers.delete(worker.id)
  let renewed = 0
  for (const lease of leases) {
    const row = findDestination(db, lease.destinationId)
    if (row?.status !== 'publishing' || row.fence !== lease.fence || row.leasedBy !== worker.id) continue
    if ((row.leaseUntil ?? 0) >= db.now + (worker.leaseMs * 2) / 3) continue
    row.leaseUntil = db.now + worker.leaseMs
    renewed += 1
  }
  return renewed
}

function subjectOf(row: DestinationRow): Subject {
  return {
    workspaceId: row.workspaceId,
    destinationId: row.id,
    postId: row.postId,
    channelId: row.channel.id,
    provider: row.channel.provider,
    connected: row.channel.connected,
    connection: row.channel.connection,
    origin: row.channel.origin,
    authorization: {},
    settings: { channelId: row.channel.id },
    subscription: null,
    limits: null,
    tries: row.tries,
    parts: row.parts.map(({ index, firstComment, status, text, remoteId }) => ({
      index,
      firstComment,
      status,
      text,
      remoteId,
      media: [],
    })),
  }
}

function openAttempt(db: MemoryDb, { id, partIndex, armedAt, handle }: AttemptRow): OpenAttempt {
  return { id, partIndex, armedAt: new Date(armedAt), ageMs: db.now - armedAt, handle, media: [] }
}

function partsOn(db: MemoryDb, channel: ChannelRow) {
  return db.destinations
    .filter((row) => row.channel === channel)
    .flatMap((row) => row.parts.map((part) => ({ row, part })))
}

/** Whether something is being published on the channel. */
export function isBusy(db: MemoryDb, channel: ChannelRow): boolean {
  const free = db.flaws.has('processing: channel set free')
  return db.destinations.some(
    (row) => row.channel === channel && row.status === 'publishing' && !(free && row.leaseUntil === null),
  )
}

function held(db: MemoryDb, worker: MemoryWorker, workspaceId: string): number {
  return db.destinations.filter(
    (row) => row.status === 'publishing' && row.leasedBy === worker.id && row.workspaceId === workspaceId,
  ).length
}

function compareDue(a: DestinationRow, b: DestinationRow): number {
  return (a.dueAt ?? 0) - (b.dueAt ?? 0) || (a.id < b.id ? -1 : 1)
}

function compareChannel(a: ChannelRow, b: ChannelRow): number {
  const [keyOfA, keyOfB] = [`${a.workspaceId} ${a.id}`, `${b.workspaceId} ${b.id}`]
  return keyOfA === keyOfB ? 0 : keyOfA < keyOfB ? -1 : 1
}

/** Whether a worker may claim it, once it is due. */
export function isClaimable({ status }: DestinationRow): boolean {
  return isOneOf(claimable, status)
}

function isOneOf(list: readonly DestinationStatus[], status: DestinationStatus): boolean {
  return list.includes(status)
}
