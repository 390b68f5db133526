import type { Tx } from '../../platform/postgres/db.ts'

const REASON =
  'Restored from a backup: the previous server may have published later occurrences. Look on the network, then resume.'

/**
 * Pauses all series of a database that was restored, or of the workspace that was imported: more of them may have been published than it knows of. What is due until a person
 * resumes them is not made. It runs on the schema of the backup, which may be that of a release without series.
 */
export async function pauseRestoredSeries(tx: Tx, workspaceId: string | null = null): Promise<void> {
  const [found] = await tx<[{ exists: boolean }]>`select to_regclass('series') is not null as exists`
  if (!found.exists) return
  await tx`
    update series
    set    status = 'paused', reason = ${REASON}, look_at = null, changed_at = clock_timestamp(), changed_by_type = 'service',
           changed_by_name = 'Postrider', changed = '{status}'
    where  status = 'active' and (${workspaceId}::uuid is null or workspace_id = ${workspaceId})`
}
