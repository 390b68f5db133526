import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { explainUnsuitable, readDatabaseFacts } from './database-facts.ts'
import { codeOf, type Db, type Reserved, type Sql } from './db.ts'

type Migration = {
  version: number
  name: string
  checksum: string
  text: string
  /** Releases from before it cannot work on its schema. */
  breaking: boolean
  /** The indexes that it builds beside running work, outside of any transaction; null for every other file. */
  indexes: readonly IndexStatement[] | null
}
type IndexStatement = { index: string; text: string }
export type AppliedMigration = { version: number; name: string; checksum: string; breaking: boolean }

export type MigrateOptions = {
  /** How long a migration may wait for a lock before it makes way for the work that it holds up, and tries again. */
  lockTimeoutMs?: number
  /** For how long it tries. */
  triesForMs?: number
  /** Told each time that a migration did not get its locks. */
  onLocked?: (migration: string) => void
  /** Called once when another process migrates, and this one waits for it. */
  onWait?: () => void
  /** The last version to apply; all of them when left out. */
  upTo?: number
}

/**
 * How the database stands to this release. One that is `behind` is brought up to date, a `newer` one is safe to work on. Nothing starts
 * on one that is `too_new`, or `foreign`: of another build, or from before 0.1.0.
 */
export type SchemaStatus = 'current' | 'behind' | 'newer' | 'too_new' | 'foreign'

/** What one check of the schema found: the same for a server that starts, for `doctor` and for /readyz. */
export type SchemaFinding = {
  readonly status: SchemaStatus
  /** What the schema is, as in “The schema of the database is …”. */
  readonly detail: string
  /** What an operator does about it, in sentences; empty where nothing is to be done. */
  readonly fix: string
}

/** The finding in sentences. */
export function schemaSentence({ detail, fix }: SchemaFinding, of = 'database'): string {
  return `The schema of the ${of} is ${detail}. ${fix}`.trim()
}

/** Any number will do, as long as every process of every release takes the same. */
const MIGRATION_LOCK = 7_205_759_403

/** The database was written by a newer release; going on could damage it. */
export class SchemaTooNew extends Error {
  override name = 'SchemaTooNew'
}

/** The migration files and the record of what was applied contradict each other, or the database cannot be migrated. */
export class MigrationRefused extends Error {
  override name = 'MigrationRefused'
}

/** What the first migration was called before 0.1.0, the first release: what it made cannot be carried over to the one of today. */
const FORMER_FIRST = ['0001_first', '0001_schema']

/**
 * Applies the migration files of the folder (`NNNN_name.sql`) that the database has not had, in order, each in a
 * transaction of its own together with its record. Several processes may do so at once: each file is applied once.
 * A schema from a newer release is left as it is, and is refused only if one of its migrations is breaking. One from before
 * 0.1.0 is refused.
 *
 * The first line of a file may say `-- migrate:` and, separated by commas, `breaking`; and `concurrently`, if it holds nothing but
 * `create index concurrently if not exists`, of which what a crash has left is removed and built again.
 */
export async function migrate(
  db: Db,
  dir: string,
  options: MigrateOptions = {},
): Promise<{ applied: string[]; version: number }> {
  const { upTo = Infinity } = options
  const migrations = readMigrations(dir).filter(({ version }) => version <= upTo)
  const connection = await db.reserve({ statementTimeoutMs: 0 })
  try {
    const unsuitable = explainUnsuitable(await readDatabaseFacts(connection))
    if (unsuitable !== null) throw new MigrationRefused(unsuitable)
    await takeTurn(connection, options)
    await createRecord(connection)
    const applied: string[] = []
    for (;;) {
      const before = await readApplied(connection)
      const next = nextMigration(migrations, before)
      if (next === null) return { applied, version: before.at(-1)?.version ?? 0 }
      await applyMigration(connection, next, options)
      applied.push(next.name)
    }
  } finally {
    connection.release()
  }
}

/** Checks the schema of the database against the folder's files; changes nothing. */
export async function checkSchema(db: Sql, dir: string): Promise<SchemaFinding> {
  return judgeHistory(knownMigrations(dir), await listApplied(db))
}

/** What a release knows of its own migrations, in order. */
export type KnownMigration = Pick<Migration, 'version' | 'name' | 'checksum'>

/** Reads the folder's files. */
export function knownMigrations(dir: string): KnownMigration[] {
  return readMigrations(dir).map(({ version, name, checksum }) => ({ version, name, checksum }))
}

/** How a database that has had these migrations stands to a release that knows those. */
export function judgeHistory(
  known: readonly KnownMigration[],
  applied: readonly AppliedMigration[],
): SchemaFinding {
  const [newest, version] = [known.at(-1)?.version ?? 0, applied.at(-1)?.version ?? 0]
  // Its version numbers are higher than today's, so it would be taken for that of a newer release.
  if (FORMER_FIRST.includes(applied[0]?.name ?? '')) return FORMER
  if (applied.some((one) => one.version > newest && one.breaking)) return tooNew(version, newest)
  const differing = applied.find((one, index) => one.version <= newest && !isSame(one, known[index]))
  if (differing !== undefined) return foreign(differing)
  if (version === newest) return { status: 'current', detail: 'current', fix: '' }
  return version < newest ? BEHIND : NEWER
}

function isSame(applied: AppliedMigration, known: KnownMigration | undefined): boolean {
  return known?.version === applied.version && known.checksum === applied.checksum
}

const FORMER: SchemaFinding = {
  status: 'foreign',
  detail: 'from before release 0.1.0, which can neither upgrade such a database nor restore a backup of one',
  fix:
    'Start with an empty database (another DATA_DIR, or a new database in DATABASE_URL), connect the channels to it again, ' +
    'and keep the old release for as long as you need what is in the old one.',
}

const BEHIND: SchemaFinding = {
  status: 'behind',
  detail: 'older than this release',
  fix: 'Run `postrider migrate`, or start the server, which does so.',
}

const NEWER: SchemaFinding = {
  status: 'newer',
  detail: 'newer than this release, which can work on it',
  fix: 'Upgrade this process soon.',
}

const NEWER_RELEASE = 'Use the release that wrote it, or a newer one.'

function tooNew(version: number, newest: number): SchemaFinding {
  return {
    status: 'too_new',
    detail: `too new for this release: it has version ${version}, and releases that know versions up to ${newest} cannot work on it`,
    fix: NEWER_RELEASE,
  }
}

/** A step was changed, left out or put in between: what the tables are then, this release cannot know. */
function foreign({ name }: AppliedMigration): SchemaFinding {
  return {
    status: 'foreign',
    detail: `that of another build of Postrider, whose step ${name} this release does not have, or has otherwise`,
    fix: 'Nothing was changed. Start the build that last worked on it, or one that was made from it.',
  }
}

/** The migrations that the database has had, in order; none where it has no schema yet. */
export async function listApplied(sql: Sql): Promise<AppliedMigration[]> {
  const [table] = await sql<
    [{ present: boolean }]
  >`select to_regclass('schema_migration') is not null as present`
  return table.present ? readApplied(sql) : []
}

/**
 * Makes sure that what was applied elsewhere, where the backup was made, is how the folder's migrations begin. Throws SchemaTooNew where
 * the folder lacks some of it, and MigrationRefused where they contradict each other.
 */
export function checkHistory(dir: string, applied: readonly AppliedMigration[]): void {
  const known = knownMigrations(dir)
  const found = judgeHistory(known, applied)
  refuseUnfit(found, 'backup')
  if (found.status !== 'newer') return
  const [newest, version] = [known.at(-1)?.version ?? 0, applied.at(-1)?.version ?? 0]
  const detail = `newer than this release: it has version ${version}, and this release knows versions up to ${newest}`
  throw new SchemaTooNew(schemaSentence({ status: 'too_new', detail, fix: NEWER_RELEASE }, 'backup'))
}

function refuseUnfit(found: SchemaFinding, of?: string): void {
  if (found.status === 'too_new') throw new SchemaTooNew(schemaSentence(found, of))
  if (found.status === 'foreign') throw new MigrationRefused(schemaSentence(found, of))
}

/**
 * Waits for the session lock, which ends with the connection, by polling: the process that holds the lock may be building an
 * index, which waits for every open statement, one that waits for the lock included.
 */
async function takeTurn(connection: Reserved, { onWait }: MigrateOptions): Promise<void> {
  for (let tries = 0; ; tries++) {
    const [row] = await connection<{ mine: boolean }[]>`
      select pg_try_advisory_lock(${MIGRATION_LOCK}) as mine`
    if (row?.mine === true) return
    if (tries === 0) onWait?.()
    await delay(50)
  }
}

async function createRecord(connection: Reserved): Promise<void> {
  await connection`
    create table if not exists schema_migration (
      version    int primary key,
      name       text not null,
      checksum   text not null,
      breaking   boolean not null default false,
      applied_at timestamptz not null default now()
    )`
}

/** The same of a database that is known to have a schema, in one statement. */
export async function readApplied(db: Sql): Promise<AppliedMigration[]> {
  return db<
    AppliedMigration[]
  >`select version, name, checksum, breaking from schema_migration order by version`
}

/** The first file that was not applied yet. Throws when the files are not a continuation of what was applied. */
function nextMigration(
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
): Migration | null {
  const found = judgeHistory(migrations, applied)
  refuseUnfit(found)
  return found.status === 'behind' ? (migrations[applied.length] ?? null) : null
}

async function applyMigration(
  connection: Reserved,
  migration: Migration,
  { lockTimeoutMs = LOCK_TIMEOUT_MS, triesForMs = 120_000, onLocked }: MigrateOptions,
): Promise<void> {
  if (migration.indexes !== null) {
    for (const statement of migration.indexes) await buildIndex(connection, statement)
    return record(connection, migration)
  }
  const deadline = performance.now() + triesForMs
  for (let waitMs = 100; ; waitMs = Math.min(2 * waitMs, 5_000)) {
    try {
      return await applyInTransaction(connection, migration, lockTimeoutMs)
    } catch (error) {
      if (!LOCKED.includes(codeOf(error) ?? '')) throw error
      if (performance.now() > deadline) throw blocked(migration, error)
      onLocked?.(migration.name)
      await delay(waitMs)
    }
  }
}

/**
 * The longest that statements queue behind a migration. It is below `deadlock_timeout` (1 s), after which PostgreSQL checks
 * for deadlocks: of a migration and a statement that wait for each other, the migration is cancelled.
 */
const LOCK_TIMEOUT_MS = 800

/** A lock was not to be had in time, or a deadlock was resolved against us. */
const LOCKED = ['55P03', '40P01']

async function applyInTransaction(
  connection: Reserved,
  migration: Migration,
  lockTimeoutMs: number,
): Promise<void> {
  try {
    await connection`begin`
    await connection`select set_config('lock_timeout', ${String(lockTimeoutMs)}, true)`
    await connection.script(migration.text)
    await record(connection, migration)
    await connection`commit`
  } catch (error) {
    await connection`rollback`.catch(() => undefined)
    throw error
  }
}

function blocked({ name }: Migration, cause: unknown): MigrationRefused {
  return new MigrationRefused(
    `Migration ${name} could not get its locks: something else has used these tables all the time. ` +
      'Look into pg_stat_activity for a transaction that stays open, end it, and start again.',
    { cause },
  )
}

async function buildIndex(connection: Reserved, { index, text }: IndexStatement): Promise<void> {
  const half = await connection`
    select from pg_index i
    join   pg_class c on c.oid = i.indexrelid
    where  c.relname = ${index} and pg_table_is_visible(c.oid) and not i.indisvalid`
  if (half.count > 0) await connection`drop index concurrently if exists ${connection(index)}`
  await connection.script(text)
}

async function record(connection: Reserved, { version, name, checksum, breaking }: Migration): Promise<void> {
  await connection`
    insert into schema_migration (version, name, checksum, breaking)
    values (${version}, ${name}, ${checksum}, ${breaking})`
}

/** The folder's migration files in order. */
function readMigrations(dir: string): Migration[] {
  const names = readdirSync(dir)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
  const migrations = names.map((name) => readMigration(dir, name))
  for (const [index, { version, name }] of migrations.entries()) {
    const before = migrations[index - 1]
    if (before?.version === version)
      throw new MigrationRefused(`${before.name} and ${name} have the same number.`)
  }
  return migrations
}

function readMigration(dir: string, name: string): Migration {
  const version = versionOf(name)
  // Line ends are evened out first: a checkout on another system must not look like an edit.
  const text = readFileSync(join(dir, name), 'utf8').replaceAll('\r\n', '\n')
  const checksum = createHash('sha256').update(text).digest('hex')
  const words = directivesOf(name, text)
  return {
    version,
    name: name.replace(/\.sql$/, ''),
    checksum,
    text,
    breaking: words.includes('breaking'),
    indexes: words.includes('concurrently') ? indexStatementsOf(name, text) : null,
  }
}

function versionOf(name: string): number {
  const number = /^(\d{4})_[a-z0-9_-]+\.sql$/.exec(name)?.[1]
  if (number === undefined) throw new MigrationRefused(`${name} is not named like 0001_what_it_does.sql.`)
  return Number(number)
}

/** What the first line says after `-- migrate:`. */
function directivesOf(name: string, text: string): string[] {
  const line = /^-- migrate:(.*)/.exec(text)?.[1]
  const words = line?.split(',').map((word) => word.trim()) ?? []
  const unknown = words.find((word) => !['breaking', 'concurrently'].includes(word))
  if (unknown === undefined) return words
  throw new MigrationRefused(
    `${name} says “migrate: ${unknown}”, which is unknown. Use breaking or concurrently.`,
  )
}

function indexStatementsOf(name: string, text: string): IndexStatement[] {
  const statements = text
    .replaceAll(/^\s*--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
  return statements.map((statement) => {
    const index = /^create (?:unique )?index concurrently if not exists (\w+)\s/i.exec(statement)?.[1]
    if (index !== undefined) return { index, text: statement }
    throw new MigrationRefused(
      `${name} is to run concurrently, and may hold nothing but “create index concurrently if not exists …”.`,
    )
  })
}
