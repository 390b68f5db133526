import type { Sql } from '../../src/platform/postgres/db.ts'

/*
 * What a migration does to processes of the release before, which go on beside it, and to a database that is in use: read
 * from the catalog before and after, so that no way of writing it escapes.
 */

type Table = { name: string; file: string }
type Column = { name: string; type: string; required: boolean; defaulted: boolean }
type Constraint = { name: string; table: string; definition: string; columns: string[]; validated: boolean }
type Index = { name: string; table: string; unique: boolean; definition: string; columns: string[] }
type Named = { name: string; definition: string }

export type Schema = {
  tables: Map<string, Table>
  columns: Map<string, Column>
  constraints: Map<string, Constraint>
  indexes: Map<string, Index>
  triggers: Map<string, Named>
  functions: Map<string, Named>
}

const byName = <T extends { name: string }>(rows: readonly T[]) => new Map(rows.map((row) => [row.name, row]))

/** The schema `public` without partitions and without what belongs to extensions. */
export async function readSchema(db: Sql): Promise<Schema> {
  const tables = db`
    select c.oid, c.relname, c.relfilenode from pg_class c
    where  c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`
  return {
    tables: byName(await db<Table[]>`select relname as name, relfilenode::text as file from (${tables}) t`),
    columns: byName(
      await db<Column[]>`
        select t.relname || '.' || a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
               a.atthasdef or a.attidentity <> '' as defaulted
        from   (${tables}) t
        join   pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped`,
    ),
    constraints: byName(
      await db<Constraint[]>`
        select t.relname || '.' || c.conname as name, t.relname as table, pg_get_constraintdef(c.oid) as definition,
               c.convalidated as validated,
               array(select t.relname || '.' || a.attname from pg_attribute a
                     where a.attrelid = t.oid and a.attnum = any (c.conkey)) as columns
        from   (${tables}) t
        join   pg_constraint c on c.conrelid = t.oid and c.contype in ('c', 'f', 'x')`,
    ),
    indexes: byName(
      await db<Index[]>`
        select c.relname as name, t.relname as table, i.indisunique as unique, pg_get_indexdef(c.oid) as definition,
               array(select t.relname || '.' || a.attname from pg_attribute a
                     where a.attrelid = t.oid and a.attnum = any (i.indkey)) as columns
        from   (${tables}) t
        join   pg_index i on i.indrelid = t.oid
        join   pg_class c on c.oid = i.indexrelid`,
    ),
    triggers: byName(
      await db<Named[]>`
        select t.relname || '.' || g.tgname as name, pg_get_triggerdef(g.oid) as definition
        from   (${tables}) t
        join   pg_trigger g on g.tgrelid = t.oid and not g.tgisinternal`,
    ),
    functions: byName(
      await db<Named[]>`
        -- Without its settings: by which plan it does the same.
        select p.oid::regprocedure::text as name,
               regexp_replace(pg_get_functiondef(p.oid), '^ SET .*\n', '', 'gn') as definition
        from   pg_proc p
        where  p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
        and    not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
    ),
  }
}

/** What writers and readers of the release before may fail at. */
export function breakages(before: Schema, after: Schema): string[] {
  const isOld = (table: string) => before.tables.has(table)
  /** Old processes know none of the new columns, and leave them at their defaults. */
  const concernsOld = ({ table, columns }: Constraint | Index) =>
    isOld(table) && (columns.length === 0 || columns.some((column) => before.columns.has(column)))
  return [
    ...gone('table', before.tables, after.tables),
    ...gone('column', before.columns, after.columns),
    ...gone('trigger', before.triggers, after.triggers),
    ...gone('function', before.functions, after.functions),
    ...changed('trigger', before.triggers, after.triggers),
    ...changed('function', before.functions, after.functions),
    ...[...after.columns.values()].flatMap((column) => columnBreakages(before, column)),
    ...news(before.constraints, after.constraints)
      .filter(concernsOld)
      .map(({ name }) => `constraint ${name} is new for columns that are written already`),
    ...news(before.indexes, after.indexes)
      .filter((index) => index.unique && concernsOld(index))
      .map(({ name }) => `index ${name} makes columns unique that are written already`),
  ]
}

function columnBreakages(before: Schema, { name, type, required, defaulted }: Column): string[] {
  const [table = ''] = name.split('.')
  const was = before.columns.get(name)
  if (was === undefined) {
    const isRefused = before.tables.has(table) && required && !defaulted
    return isRefused ? [`column ${name} is new, required, and has no default`] : []
  }
  return [
    ...(was.type === type ? [] : [`column ${name} was ${was.type} and is ${type}`]),
    ...(required && !was.required ? [`column ${name} is required now`] : []),
    ...(required && was.defaulted && !defaulted ? [`column ${name} has no default any more`] : []),
  ]
}

/** What takes longer with each row of a table, under a lock that others wait for. */
export function longLocks(
  before: Schema,
  after: Schema,
  { concurrently }: { concurrently: boolean },
): string[] {
  const isOld = ({ table }: Constraint | Index) => before.tables.has(table)
  const rewritten = [...after.tables.values()].filter(
    ({ name, file }) => before.tables.has(name) && before.tables.get(name)?.file !== file,
  )
  return [
    ...rewritten.map(({ name }) => `table ${name} is rewritten`),
    ...news(before.constraints, after.constraints)
      .filter((constraint) => isOld(constraint) && constraint.validated)
      .map(
        ({ name }) =>
          `constraint ${name} is added and validated in one step: add it not valid, and validate it in a later file`,
      ),
    ...(concurrently ? [] : news(before.indexes, after.indexes).filter(isOld)).map(
      ({ name }) =>
        `index ${name} is built under a lock: give it a file that begins with “-- migrate: concurrently”`,
    ),
  ]
}

function gone(what: string, before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>) {
  return [...before.keys()].filter((name) => !after.has(name)).map((name) => `${what} ${name} is gone`)
}

function changed(what: string, before: ReadonlyMap<string, Named>, after: ReadonlyMap<string, Named>) {
  return [...after.values()]
    .filter(({ name, definition }) => before.has(name) && before.get(name)?.definition !== definition)
    .map(({ name }) => `${what} ${name} does something else`)
}

/** What was not there before, or under that name was something else. */
function news<T extends { name: string; definition: string }>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
): T[] {
  return [...after.values()].filter(({ name, definition }) => before.get(name)?.definition !== definition)
}
