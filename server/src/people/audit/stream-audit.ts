import { appendFile, open, stat } from 'node:fs/promises'
import type { Db } from '../../platform/postgres/db.ts'
import { runPeriodically } from '../../platform/loops/run-periodically.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'
import {
  actsBetween,
  advance,
  giveTurnBack,
  readEnd,
  readWriters,
  type StreamedAct,
  takeTurn,
} from './audit-stream-store.ts'

/** Ends once the text is where it is to be. */
export type WriteLines = (text: string) => Promise<void>

const EVERY_MS = 3_000
/** After how long without a sign of the process that writes another one takes over. */
const LEASE_SECONDS = 30
const ENTRIES = 500

/**
 * Writes the audit log out, an entry a line, in its order: each at least once, whatever dies. What is written is noted afterwards, so that
 * a process that dies in between writes its last lines again.
 */
export function startAuditStream(
  db: Db,
  write: WriteLines,
  onFault: (fault: unknown) => void,
): { stop: () => Promise<void> } {
  const holder = uuidv7()
  const stream = auditStream(db, holder, write)
  const loop = runPeriodically(stream, EVERY_MS, onFault)
  return {
    async stop() {
      await loop.stop()
      await giveTurnBack(db, holder)
    },
  }
}

/** A function that writes what is new, where it is this process's turn. */
export function auditStream(db: Db, holder: string, write: WriteLines): () => Promise<void> {
  /** Up to here, no entry can appear any more. */
  let complete = '0'
  /** Will be complete once these transactions have ended. */
  let end: { last: string; writers: readonly string[] } | null = null

  async function findComplete(): Promise<void> {
    if (end === null) end = await readEnd(db)
    else {
      const still = new Set(await readWriters(db))
      end = { ...end, writers: end.writers.filter((writer) => still.has(writer)) }
    }
    if (end.writers.length > 0) return
    complete = end.last
    end = null
  }

  return async () => {
    for (;;) {
      const after = await takeTurn(db, holder, LEASE_SECONDS)
      if (after === null) return
      if (BigInt(complete) <= BigInt(after)) await findComplete()
      const acts = await actsBetween(db, { after, upTo: complete, limit: ENTRIES })
      const last = acts.at(-1)
      if (last === undefined) {
        if (BigInt(complete) > BigInt(after)) await advance(db, holder, complete)
        return
      }
      await write(acts.map((act) => `${JSON.stringify(lineOf(act))}\n`).join(''))
      await advance(db, holder, last.seq)
    }
  }
}

function lineOf({ seq, actorType, actorId, actorName, personId, ...act }: StreamedAct) {
  const { auditId, at, workspaceId, action, subject, before, after, address, requestId } = act
  const actor = { type: actorType, id: actorId, name: actorName, personId }
  return {
    seq: Number(seq),
    auditId,
    at,
    workspaceId,
    actor,
    action,
    subject,
    before,
    after,
    address,
    requestId,
  }
}

/** Appends to a file, which may be moved away at any time, and has it on disk. */
export function toFile(path: string): WriteLines {
  return async (text) => {
    const start = (await isTorn(path)) ? '\n' : ''
    await appendFile(path, `${start}${text}`, { mode: 0o600, flush: true })
  }
}

/** Whether the file ends within a line, because the disk was full or the process died. */
async function isTorn(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  if (found === null || !found.isFile() || found.size === 0) return false
  await using file = await open(path)
  const { buffer } = await file.read({ buffer: Buffer.alloc(1), position: found.size - 1 })
  return buffer.toString() !== '\n'
}

/** Standard output; whoever reads it may be slow. */
export function toStandardOutput(): WriteLines {
  // What fails is told to the writer.
  process.stdout.on('error', () => undefined)
  return (text) =>
    new Promise((resolve, reject) => {
      process.stdout.write(text, (fault) => (fault ? reject(fault) : resolve()))
    })
}
