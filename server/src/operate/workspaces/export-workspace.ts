import type { MediaStorage } from '../../media/media-storage.ts'
import { readFreeze } from '../../networks/channels/freeze-store.ts'
import type { Workspace } from '../../people/members/workspace-store.ts'
import type { Db, Sql } from '../../platform/postgres/db.ts'
import { listApplied } from '../../platform/postgres/migrate.ts'
import { version } from '../../platform/process/version.ts'
import { type Keyring, makeKeyring, tryUnseal } from '../../platform/sealing/sealing.ts'
import { BackupRefused, type Encrypt, writeBackupFile } from '../backup/backup-file.ts'
import { listMediaFiles, openSnapshot } from '../backup/backup-store.ts'
import { inPieces, mediaOf, PAGE } from '../backup/write-backup.ts'
import { sealedKinds } from '../secrets/sealed-kinds.ts'
import { awaitStill, freezeWorkspace } from './freeze-workspace.ts'
import { EXPORT, newFileKey, type WorkspaceEntry } from './workspace-file.ts'
import { listPeople, listWorkspaceTables } from './workspace-store.ts'
import { movedTables } from './workspace-tables.ts'

export type ExportParts = { readonly db: Db; readonly storage: MediaStorage; readonly keyring: Keyring }

export type ExportSummary = {
  rows: Record<string, number>
  mediaFiles: number
  /** Files that media items refer to, and that are not in the storage. */
  missing: string[]
  /** Secrets that the keys of this installation do not open: they are not in the file. */
  unreadable: number
  frozen: boolean
}

/** How long the end of calls under way is waited for. */
export const STILL_MS = 120_000

/**
 * Writes everything of a workspace into one file, beside servers that go on working, as it is at one moment. With `moves` it is frozen
 * before, so that it can go on where it is imported. What was begun and not ended can be repeated.
 */
export async function exportWorkspace(
  parts: ExportParts,
  workspace: Workspace,
  path: string,
  {
    moves,
    stillMs = STILL_MS,
    encrypt = null,
  }: { readonly moves: boolean; readonly stillMs?: number; readonly encrypt?: Encrypt | null },
): Promise<ExportSummary> {
  const { db } = parts
  const { workspaceId } = workspace
  if (moves) await stopForMove(db, workspaceId, stillMs)
  const summary: ExportSummary = { rows: {}, mediaFiles: 0, missing: [], unreadable: 0, frozen: false }
  await writeBackupFile(path, entriesOf(parts, workspace, summary), undefined, { kind: EXPORT, encrypt })
  return summary
}

/** Freezes the workspace, and waits until nothing of it is being published. */
export async function stopForMove(db: Db, workspaceId: string, stillMs: number): Promise<void> {
  await freezeWorkspace(db, workspaceId)
  const left = await awaitStill(db, workspaceId, stillMs)
  if (left > 0)
    throw new BackupRefused(
      `The workspace is frozen, but ${left} of its posts ${left === 1 ? 'is' : 'are'} still being published. ` +
        'Have the server run, wait until they are published or in doubt, then repeat the command.',
    )
}

async function* entriesOf(
  { db, storage, keyring }: ExportParts,
  { workspaceId, name }: Workspace,
  summary: ExportSummary,
): AsyncGenerator<WorkspaceEntry> {
  const key = newFileKey()
  const { sql, rowsOf, close } = await openSnapshot(db)
  try {
    const [now] = await sql<[{ at: Date }]>`select now() as at`
    const freeze = await readFreeze(sql, workspaceId)
    if (freeze?.deleting === true)
      throw new BackupRefused('The workspace is being deleted, and is not whole any more.')
    summary.frozen = freeze !== null
    yield {
      header: {
        format: EXPORT.format,
        version: EXPORT.version,
        release: version,
        createdAt: now.at.toISOString(),
        migrations: await listApplied(sql),
        workspaceId,
        name,
        frozen: summary.frozen,
        fileKey: key.toString('base64'),
      },
    }
    yield { people: await listPeople(sql, workspaceId) }
    for (const { name: table, column, counted } of await listWorkspaceTables(sql)) {
      if (!movedTables.has(table)) continue
      summary.rows[table] = 0
      for await (const rows of rowsOf(table, { column, value: workspaceId, orderedBy: counted })) {
        summary.rows[table] += rows.length
        for (const some of inPieces(rows)) yield { table, rows: some }
      }
    }
    yield* secretsOf(sql, workspaceId, { from: keyring, to: makeKeyring([key]) }, summary)
  } finally {
    close()
  }
  yield* mediaOf((after) => listMediaFiles(db, after, PAGE, workspaceId), storage, summary)
}

/** Every secret of the workspace, sealed with the key of the file. */
async function* secretsOf(
  sql: Sql,
  workspaceId: string,
  { from, to }: { readonly from: Keyring; readonly to: Keyring },
  summary: ExportSummary,
): AsyncGenerator<WorkspaceEntry> {
  for (const { column, ofWorkspace } of sealedKinds)
    for (const { id, context, sealed } of (await ofWorkspace?.(sql, workspaceId)) ?? []) {
      const plaintext = tryUnseal(from, sealed, context)
      if (plaintext === null) summary.unreadable += 1
      else yield { sealedKind: column, id, context, sealed: to.seal(plaintext, context).toString('base64') }
    }
}
