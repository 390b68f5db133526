import type { DestinationStatus } from '@postrider/contract'
import { moves } from '../../src/engine/destinations/destination-states.ts'
import { announce, type ChannelRow, type DestinationRow, type MemoryDb, rotateToken } from './memory-store.ts'

/*
 * The commands of people and agents, as the contract states them: compare-and-swap on the control token,
 * the statuses of `moves`, and for cancel and retry what the evidence says.
 */

/** A check that can be left out, to prove that the model notices. */
export type CommandFlaw =
  | 'cancel: started publishing too'
  | 'cancel: doubtful work too'
  | 'retry: doubtful work too'
  | 'reschedule: work in flight too'
  | 'token: not compared'
  | 'edit: work in flight too'
  | 'person: believed before the call is over'

export type CommandName = 'schedule' | 'reschedule' | 'cancel' | 'retry' | 'edit'

export type Command = {
  readonly name: CommandName
  /** What its author saw last. */
  readonly controlToken: number
  readonly publishAt: number
  readonly allowedMs: number
}

export type Answer = 'done' | 'stale_control_token' | 'invalid_state' | 'unsafe_retry'

export function command(
  db: MemoryDb,
  row: DestinationRow,
  { name, controlToken, publishAt, allowedMs }: Command,
  flaws: ReadonlySet<CommandFlaw>,
): Answer {
  if (row.controlToken !== controlToken && !flaws.has('token: not compared')) return 'stale_control_token'
  switch (name) {
    case 'schedule':
    case 'reschedule': {
      const from: DestinationStatus[] = [...moves[name].from]
      if (flaws.has('reschedule: work in flight too')) from.push('publishing', 'checking')
      if (!from.includes(row.status)) return 'invalid_state'
      enqueue(db, row, publishAt, allowedMs)
      return 'done'
    }
    case 'cancel': {
      const from: DestinationStatus[] = [...moves.cancel.from]
      if (flaws.has('cancel: started publishing too')) from.push('publishing')
      if (flaws.has('cancel: doubtful work too')) from.push('checking')
      if (!from.includes(row.status)) return 'invalid_state'
      if (hasUnsafeEvidence(row) && flaws.size === 0) return 'invalid_state'
      row.status = 'cancelled'
      row.dueAt = null
      row.checkAgainAt = null
      row.leasedBy = null
      row.leaseUntil = null
      for (const part of row.parts) if (part.status === 'pending') part.status = 'skipped'
      changed(db, row)
      return 'done'
    }
    case 'retry': {
      const from: DestinationStatus[] = [...moves.retry.from]
      if (flaws.has('retry: doubtful work too')) from.push('checking')
      if (!from.includes(row.status)) return 'invalid_state'
      if (hasUnsafeEvidence(row) && flaws.size === 0) return 'unsafe_retry'
      for (const part of row.parts) part.status = 'pending'
      if (flaws.has('retry: doubtful work too'))
        for (const attempt of row.attempts) attempt.verdict = 'absent'
      enqueue(db, row, publishAt, allowedMs)
      return 'done'
    }
    case 'edit': {
      const mayEdit =
        row.status === 'draft' || row.status === 'scheduled' || flaws.has('edit: work in flight too')
      if (!mayEdit) return 'invalid_state'
      for (const part of row.parts) if (part.status !== 'published') part.text = `${part.text}'`
      return 'done'
    }
  }
}

/** Some call of the destination published, or its end is not proven. */
export function hasUnsafeEvidence({ parts, attempts }: DestinationRow): boolean {
  return (
    parts.some(
      ({ remoteId, status }) => remoteId !== null || status === 'publishing' || status === 'checking',
    ) || attempts.some(({ verdict }) => verdict === null || verdict === 'unknown' || verdict === 'published')
  )
}

/** The owner reconnects the channel; what waited for it is queued again. */
export function reconnect(db: MemoryDb, channel: ChannelRow): void {
  channel.connected = true
  channel.connection += ' and next'
  for (const row of db.destinations) {
    if (row.channel !== channel) continue
    const over = row.expiresAt === null || row.expiresAt <= db.now
    if (
      row.status === 'partially_published' &&
      row.dueAt === null &&
      row.error?.code === 'reconnect_required'
    ) {
      row.dueAt = db.now
    }
    if (row.status !== 'reconnect_required' || over) continue
    row.status = moves.reconnect.to
    row.dueAt = db.now
    row.error = null
    changed(db, row)
  }
}

function enqueue(db: MemoryDb, row: DestinationRow, publishAt: number, allowedMs: number): void {
  row.status = 'scheduled'
  row.publishAt = publishAt
  row.dueAt = publishAt
  row.expiresAt = publishAt + allowedMs
  row.checkAgainAt = null
  row.error = null
  row.tries = 0
  row.leasedBy = null
  row.leaseUntil = null
  changed(db, row)
}

function changed(db: MemoryDb, row: DestinationRow): void {
  row.statusSince = db.now
  rotateToken(db, row)
  announce(db, [row])
}
