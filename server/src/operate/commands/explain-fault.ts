import { codeOf } from '../../platform/postgres/db.ts'

/** Database errors that a person can do something about, by SQLSTATE or system code. */
const DATABASE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The database does not answer. Start it, or correct DATABASE_URL.',
  ENOTFOUND: 'The host in DATABASE_URL does not exist. Correct DATABASE_URL.',
  EAI_AGAIN:
    'The host in DATABASE_URL cannot be looked up at the moment. Check the network, or correct DATABASE_URL.',
  CONNECT_TIMEOUT: 'The database does not answer in time. Check the network, or correct DATABASE_URL.',
  QUERY_TIMEOUT:
    'The database, or a pooler in front of it, has not answered in time. See whether the database runs, and how busy it is.',
  READ_ONLY:
    'No host in DATABASE_URL takes writes. Wait for the end of the failover, or correct the list of hosts.',
  '28P01': 'The database refuses the password in DATABASE_URL. Correct it.',
  '28000': 'The database refuses the user in DATABASE_URL. Correct it, or allow the user in pg_hba.conf.',
  '3D000':
    'The database named in DATABASE_URL does not exist. Create it with createdb, or correct DATABASE_URL.',
  '42501': 'The database user in DATABASE_URL lacks a right. Let it own the database.',
  '25006': 'The database takes no writes. End the failover, or its read-only mode.',
  '53100': 'The disk of the database is full. Free some room on it.',
  '53200': 'The database has no memory left. Close other programs on its machine, or give it more.',
  '57P03':
    'The database is starting, recovering or shutting down. Wait a moment; its log says how far it is.',
  '58030': 'The disk of the database fails: it cannot be read or written. See the log of PostgreSQL.',
  '53300': 'The database has no connection left. Raise its max_connections, or close other programs.',
}

/** What the system has run out of, by system code. */
const SYSTEM: Readonly<Record<string, string>> = {
  EMFILE:
    'The limit of open files is too low for this process. Raise it: `ulimit -n` shows it in a shell, and LimitNOFILE sets it for systemd.',
  ENOSPC: 'The disk is full. Free some room on it, or choose a folder on another one.',
  EROFS: 'That file system is read-only. Mount it so that it can be written, or choose another folder.',
  ENFILE:
    'The machine has as many files open as it allows. Raise its limit (fs.file-max on Linux), or close other programs.',
}

/** Errors whose message is already made for people. */
const USER_FACING_ERRORS = new Set([
  'CommandFault',
  'UsageError',
  'ConfigFault',
  'EmbeddedPostgresFault',
  'SandboxFault',
  'SandboxRefused',
  'SecretKeysMissing',
  'UnusableSecretKeys',
  'SchemaTooNew',
  'MigrationRefused',
  'NoDatabase',
  'BackupRefused',
  'UnusableDataDir',
  'UnreadableDatabase',
  'StartupError',
])

/** What went wrong and what to do, in a sentence or two without a stack. */
export function explainFault(fault: unknown): string {
  if (!(fault instanceof Error)) return `Something broke: ${String(fault)}`
  if (USER_FACING_ERRORS.has(fault.name)) return fault.message
  if (codeOf(fault) === '08P01') return explainPooler(fault.message)
  const known = { ...DATABASE, ...SYSTEM }[codeOf(fault) ?? '']
  if (known !== undefined) return known
  return `Something broke: ${fault.message}. Run it again with LOG_LEVEL=debug to see where.`
}

/** PgBouncer has one code for all that it refuses, so its words are all that tells them apart. */
function explainPooler(said: string): string {
  const cause = `The database, or a pooler in front of it, does not take the connection: ${said.replace(/\.$/, '')}.`
  return said.startsWith('unsupported startup parameter')
    ? `${cause} Where DATABASE_URL leads through a pooler in transaction mode, set DATABASE_LISTEN_URL to the same database without it.`
    : `${cause} See whether the database behind the pooler runs, and takes the user and the database that DATABASE_URL names.`
}
