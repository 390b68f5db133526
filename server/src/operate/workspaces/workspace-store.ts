import { createHash } from 'node:crypto'
import { workspaceOfKey } from '../../media/media-storage.ts'
import type { Fragment, Sql, Tx } from '../../platform/postgres/db.ts'

/*
 * Rows of one workspace in whatever table: which tables have some, and in which order their foreign keys allow them to be inserted, is
 * read from the schema.
 */

/** A table with rows of workspaces. */
export type WorkspaceTable = {
  readonly name: string
  /** The column that says of which workspace a row is. */
  readonly column: string
  /** The column that counts rows of all workspaces in their order; null for none. */
  readonly counted: string | null
}

/** All of them, each after those that its foreign keys lead to. */
export async function listWorkspaceTables(sql: Sql): Promise<WorkspaceTable[]> {
  type Row = WorkspaceTable & { readonly leadsTo: string[] }
  const rows = await sql<Row[]>`
    select t.relname as name, w.attname as column, s.attname as counted,
           array(
             select f.confrelid::regclass::text from pg_constraint f
             where  f.conrelid = t.oid and f.contype = 'f' and f.confrelid <> t.oid) as "leadsTo"
    from   pg_class t
    join   pg_attribute w on w.attrelid = t.oid and w.attnum > 0 and not w.attisdropped
           and w.attname = case when t.relname = 'workspace' then 'id' else 'workspace_id' end
    left   join pg_attribute s on s.attrelid = t.oid and s.attidentity = 'a'
    where  t.relnamespace = current_schema()::regnamespace and t.relkind in ('r', 'p')
    order  by t.relname`
  const ordered: Row[] = []
  let left: readonly Row[] = rows
  while (left.length > 0) {
    const waiting = new Set(left.map(({ name }) => name))
    const [next] = left.filter(({ leadsTo }) => !leadsTo.some((name) => waiting.has(name)))
    if (next === undefined) throw new Error('The foreign keys of the schema lead in a circle.')
    ordered.push(next)
    left = left.filter((row) => row !== next)
  }
  return ordered.map(({ name, column, counted }) => ({ name, column, counted }))
}

/** How many rows of the workspace each table has. */
export async function countRows(sql: Sql, table: WorkspaceTable, workspaceId: string): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from ${sql(table.name)} where ${sql(table.column)} = ${workspaceId}`
  return row.count
}

/** Removes at most `limit` rows of the workspace, and says how many. */
export async function removeRows(
  tx: Tx,
  table: WorkspaceTable,
  workspaceId: string,
  limit: number,
): Promise<number> {
  await tx`set local postrider.audit_retention = 'on'`
  const { count } = await tx`
    delete from ${tx(table.name)}
    where  ctid = any (array(
      select ctid from ${tx(table.name)} where ${tx(table.column)} = ${workspaceId} limit ${limit}))`
  return count
}

/** The name that `insertRows` gives a file. */
export function movedKey(key: string, salt: string): string {
  const hash = createHash('sha256').update(`${salt}${key}`).digest('hex')
  const id = [hash.slice(0, 8), hash.slice(8, 12), hash.slice(12, 16), hash.slice(16, 20), hash.slice(20, 32)]
  return `${workspaceOfKey(key)}/${id.join('-')}`
}

export type Moving = {
  /** The ids that people have here, by those that they have in the file; those that have the same are left out. */
  readonly people: Readonly<Record<string, string>>
  /** Gives files other names here than they have there: no two installations take a file for their own. */
  readonly salt: string
}

/** Inserts rows of a file, with what is different here. */
export async function insertRows(
  tx: Tx,
  table: WorkspaceTable,
  rows: readonly string[],
  moving: Moving,
): Promise<void> {
  const columns = await tx<{ name: string }[]>`
    select attname as name from pg_attribute
    where  attrelid = ${table.name}::text::regclass and attnum > 0 and not attisdropped and attgenerated = ''
    and    attidentity <> 'a'
    order  by attnum`
  const names = joined(
    tx,
    columns.map(({ name }) => tx`${tx(name)}`),
  )
  const values = joined(
    tx,
    columns.map(({ name }) => valueOf(tx, `${table.name}.${name}`, tx`stored.${tx(name)}`, moving)),
  )
  const order = table.counted === null ? tx`` : tx`order by stored.${tx(table.counted)}`
  await tx`
    insert into ${tx(table.name)} (${names})
    select ${values} from unnest(cast(${[...rows]}::text[] as ${tx(table.name)}[])) stored
    ${order}`
}

/** What a column has here: ids of people, names of files, and places in the order of all workspaces are others. */
function valueOf(tx: Tx, column: string, stored: Fragment, { people, salt }: Moving): Fragment {
  if (column.endsWith('.person_id') || column === 'audit_entry.actor_id')
    return tx`coalesce((${tx.json(people)}::jsonb ->> ${stored}::text)::uuid, ${stored})`
  switch (column) {
    case 'media_item.storage_key':
      return tx`
        stored.workspace_id || '/' ||
        substring(encode(sha256(convert_to(${salt}::text || ${stored}, 'UTF8')), 'hex') for 32)::uuid`
    case 'notice_reader.told_to':
      return tx`(select last_seq from notice_position)`
    case 'notice_reader.mail_at':
    case 'notice_reader.last_mail':
      return tx`null`
    default:
      return stored
  }
}

function joined(tx: Tx, parts: readonly Fragment[]): Fragment {
  return parts.reduce((before, part) => tx`${before}, ${part}`)
}

export type MovedPerson = { readonly id: string; readonly name: string; readonly email: string }

/** Everybody who is or was a member. */
export async function listPeople(sql: Sql, workspaceId: string): Promise<MovedPerson[]> {
  return sql<MovedPerson[]>`
    select p.id, p.name, p.email from person p
    where  p.id in (select person_id from member where workspace_id = ${workspaceId})
    order  by p.id`
}
