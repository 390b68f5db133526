import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Db, Sql, Tx } from './db.ts'

type Migration = { version: number; name: string; checksum: string; text: string }
type AppliedMigration = { version: number; name: string; checksum: string }

/** Any number will do, as long as every process of every release takes the same. */
const MIGRATION_LOCK = 7_205_759_403

/** The database was written by a newer release; going on could damage it. */
export class SchemaTooNew extends Error {
  override name = 'SchemaTooNew'
}

/** The migration files and the record of what was applied contradict each other. */
export class MigrationRefused extends Error {
  override name = 'MigrationRefused'
}

/**
 * Applies the migration files of the folder (`NNNN_name.sql`) that the database has not had, in order, each in a
 * transaction of its own together with its record. Several processes may do so at once: each file is applied once.
 * Throws SchemaTooNew or MigrationRefused, and then has changed nothing.
 */
export async function migrate(db: Db, dir: string): Promise<{ applied: string[]; version: number }> {
  const migrations = await readMigrations(dir)
  const applied: string[] = []
  for (;;) {
    const next = await db.begin((tx) => applyNext(tx, migrations))
    if (next === null) return { applied, version: migrations.at(-1)?.version ?? 0 }
    applied.push(next)
  }
}

/** How the database's schema stands to the folder's files; changes nothing. */
export async function schemaStatus(db: Sql, dir: string): Promise<'current' | 'behind' | 'too_new'> {
  const newest = (await readMigrations(dir)).at(-1)?.version ?? 0
  const [table] = await db<
    { present: boolean }[]
  >`select to_regclass('schema_migration') is not null as present`
  const applied = table?.present === true ? await readApplied(db) : []
  const version = applied.at(-1)?.version ?? 0
  if (version === newest) return 'current'
  return version < newest ? 'behind' : 'too_new'
}

/** Applies one file and gives its name; null when none is left. The lock ends with the transaction. */
async function applyNext(tx: Tx, migrations: readonly Migration[]): Promise<string | null> {
  await tx`set local statement_timeout = 0`
  await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`
  await tx`
    create table if not exists schema_migration (
      version    int primary key,
      name       text not null,
      checksum   text not null,
      applied_at timestamptz not null default now()
    )`
  const next = nextMigration(migrations, await readApplied(tx))
  if (next === null) return null

  await tx.script(next.text)
  await tx`
    insert into schema_migration (version, name, checksum)
    values (${next.version}, ${next.name}, ${next.checksum})`
  return next.name
}

async function readApplied(db: Sql): Promise<AppliedMigration[]> {
  return db<AppliedMigration[]>`select version, name, checksum from schema_migration order by version`
}

/** The first file that was not applied yet. Throws when the files are not a continuation of what was applied. */
function nextMigration(
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
): Migration | null {
  const newest = migrations.at(-1)?.version ?? 0
  const version = applied.at(-1)?.version ?? 0
  if (version > newest) {
    throw new SchemaTooNew(
      `The database has schema version ${version}, and this release knows versions up to ${newest}. ` +
        'Start the release that wrote it, or a newer one.',
    )
  }
  for (const [index, { version, name, checksum }] of applied.entries()) {
    const file = migrations[index]
    if (file?.version !== version) {
      throw new MigrationRefused(
        `The database has had migration ${name}, but at its place in the order the migration files hold ${file?.name ?? 'none'}. ` +
          'Applied migrations are neither removed nor preceded by new ones.',
      )
    }
    if (file.checksum !== checksum) {
      throw new MigrationRefused(
        `Migration ${file.name} was edited after it had been applied. Restore its text and put the change into a new file.`,
      )
    }
  }
  return migrations[applied.length] ?? null
}

/** The folder's migration files in order. */
async function readMigrations(dir: string): Promise<Migration[]> {
  const names = (await readdir(dir)).filter((name) => name.endsWith('.sql')).toSorted()
  const migrations = await Promise.all(names.map((name) => readMigration(dir, name)))
  for (const [index, { version, name }] of migrations.entries()) {
    const before = migrations[index - 1]
    if (before?.version === version)
      throw new MigrationRefused(`${before.name} and ${name} have the same number.`)
  }
  return migrations
}

async function readMigration(dir: string, name: string): Promise<Migration> {
  const number = /^(\d{4})_[a-z0-9_-]+\.sql$/.exec(name)?.[1]
  if (number === undefined) throw new MigrationRefused(`${name} is not named like 0001_what_it_does.sql.`)
  // Line ends are evened out first: a checkout on another system must not look like an edit.
  const text = (await readFile(join(dir, name), 'utf8')).replaceAll('\r\n', '\n')
  const checksum = createHash('sha256').update(text).digest('hex')
  return { version: Number(number), name: name.replace(/\.sql$/, ''), checksum, text }
}
