import type { Sql } from '../platform/postgres/db.ts'

/*
 * The place in which the files of this installation are, which others may share. It is told from them by an id, and from a copy of its
 * own database, which has the same id, by what it has noted there last.
 */

/** As long as this, in days, a file stays in the trash, and nothing is removed after another database was found to have this id. */
export const TRASH_DAYS = 7
/** Enough for those of a process that was suspended between making a mark and writing it. */
const MARKS_KEPT = 64

/** The id of this installation: a copy of its database has it, too, and a restored one has another. */
export async function readInstallationId(sql: Sql): Promise<string> {
  const [row] = await sql<{ id: string }[]>`select installation_id as id from media_place`
  if (row === undefined) throw new Error('The database has lost its row in the table media_place.')
  return row.id
}

/** Gives the installation an id of its own, which no other database has. */
export async function renewInstallation(sql: Sql): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    update media_place set installation_id = gen_random_uuid(), marks = '{}', contested_at = null
    returning installation_id as id`
  return row?.id ?? ''
}

/** All marks that this database knows. */
export async function readMarks(sql: Sql): Promise<readonly string[]> {
  const [row] = await sql<{ marks: string[] }[]>`select marks from media_place`
  return row?.marks ?? []
}

/** Adds a mark that is about to be written, and gives all that this database knows, with its time. */
export async function addMark(sql: Sql, mark: string): Promise<{ marks: readonly string[]; at: Date }> {
  const [row] = await sql<{ marks: string[]; at: Date }[]>`
    update media_place set marks = (array[${mark}::uuid] || marks)[1:${MARKS_KEPT}::int] returning marks, now() as at`
  return { marks: row?.marks ?? [], at: row?.at ?? new Date(0) }
}

/** Notes that another database was found to have the id of this one. */
export async function noteContest(sql: Sql): Promise<void> {
  await sql`update media_place set contested_at = now()`
}

/** Whether another database was found to have the id of this one within the last TRASH_DAYS. */
export async function isContested(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ is: boolean }[]>`
    select coalesce(contested_at > now() - ${TRASH_DAYS} * interval '1 day', false) as is from media_place`
  return row?.is ?? false
}
