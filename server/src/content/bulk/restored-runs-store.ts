import type { Tx } from '../../platform/postgres/db.ts'

const REASON = 'Restored from a backup: the previous server may have continued it since.'

/**
 * Stops what goes on in a database that was restored, or in the workspace that was imported: more of it may have been done than it knows of. It runs on the schema of the
 * backup, which may be that of a release without bulk runs.
 */
export async function stopRestoredRuns(tx: Tx, workspaceId: string | null = null): Promise<void> {
  const [found] = await tx<[{ exists: boolean }]>`select to_regclass('bulk_run') is not null as exists`
  if (!found.exists) return
  await tx`
    update bulk_run set status = 'stopped', reason = ${REASON}, look_at = null, ended_at = now()
    where  look_at is not null and (${workspaceId}::uuid is null or workspace_id = ${workspaceId})`
}
