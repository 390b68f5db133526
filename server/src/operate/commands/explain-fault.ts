import { codeOf, isOfDatabase } from '../../platform/postgres/db.ts'
import { type Outside, type OutsideFault, outsideFaultIn } from '../../platform/process/outside-fault.ts'

type Words = Readonly<Record<string, string>>

/** What is wrong with the way to something, by system code. */
function wordsOfWay(who: string, setting: string): Words {
  const late = `${who} does not answer in time. Check the network, or correct ${setting}.`
  const unreachable = `${who} cannot be reached from this machine. Check the network, or correct ${setting}.`
  const lost = `${who} ended the connection. See its log, and what is on the way to it.`
  const untrusted = `The certificate of ${lower(who)} is not trusted. Correct it there, or name its authority in NODE_EXTRA_CA_CERTS.`
  return {
    ECONNREFUSED: `${who} does not answer. Start it, or correct ${setting}.`,
    ENOTFOUND: `The host in ${setting} does not exist. Correct ${setting}.`,
    EAI_AGAIN: `The host in ${setting} cannot be looked up at the moment. Check the network, or correct ${setting}.`,
    ...each(['ETIMEDOUT', 'TimeoutError', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT'], late),
    ...each(['EHOSTUNREACH', 'ENETUNREACH'], unreachable),
    ...each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'], lost),
    ...each(
      [
        'DEPTH_ZERO_SELF_SIGNED_CERT',
        'SELF_SIGNED_CERT_IN_CHAIN',
        'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
        'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      ],
      untrusted,
    ),
    CERT_HAS_EXPIRED: `The certificate of ${lower(who)} has expired. Renew it.`,
    ERR_TLS_CERT_ALTNAME_INVALID: `The certificate of ${lower(who)} is for another name. Correct it, or ${setting}.`,
  }
}

function each(codes: readonly string[], words: string): Words {
  return Object.fromEntries(codes.map((code) => [code, words]))
}

const lower = (who: string) => who.charAt(0).toLowerCase() + who.slice(1)

const GONE = 'The database has ended the connection. It restarts, or somebody ended it: its log says which.'
const SLOW =
  'The database took too long: it is slow, or waits for a lock. `postrider doctor` names who holds one.'
const MET = 'Another transaction was in the way. Run it again.'

/** Database errors that a person can do something about, by SQLSTATE or system code. */
const DATABASE: Words = {
  ...wordsOfWay('The database', 'DATABASE_URL'),
  CONNECT_TIMEOUT: 'The database does not answer in time. Check the network, or correct DATABASE_URL.',
  ...each(['CONNECTION_CLOSED', 'CONNECTION_ENDED', '57P01', '57P02', '08003', '08006'], GONE),
  QUERY_TIMEOUT:
    'The database, or a pooler in front of it, has not answered in time. See whether the database runs, and how busy it is.',
  READ_ONLY:
    'No host in DATABASE_URL takes writes. Wait for the end of the failover, or correct the list of hosts.',
  OLD_TIMELINE:
    'The database that answers was the primary before a failover, and lacks what was written since. If it was restored on purpose, run this again.',
  NOT_REPLICATED:
    'The database has given up waiting for its standby. See whether the standby runs: until then a failover could lose what is written.',
  ...each(['57014', '55P03', 'POOL_TIMEOUT'], SLOW),
  ...each(['40P01', '40001'], MET),
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

const KEYS = 'The media store refuses the key. Correct S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.'
const RIGHTS =
  'The media store refuses this key the bucket. Let it read, write, list and delete there, or correct S3_BUCKET.'

/** What each says, by its own code or that of the system. */
const OUTSIDE: Readonly<Record<Outside, { readonly who: string; readonly words: Words }>> = {
  store: {
    who: 'The media store',
    words: {
      ...wordsOfWay('The media store', 'S3_ENDPOINT'),
      NoSuchBucket: 'The bucket in S3_BUCKET does not exist. Create it, or correct S3_BUCKET.',
      InvalidBucketName: 'The name in S3_BUCKET is none that a bucket can have. Correct S3_BUCKET.',
      ...each(['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'InvalidToken', 'ExpiredToken'], KEYS),
      ...each(['AccessDenied', 'Forbidden', 'AllAccessDisabled'], RIGHTS),
      CredentialsProviderError:
        'There is no key for the media store. Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.',
      ...each(
        ['PermanentRedirect', 'AuthorizationHeaderMalformed', 'IllegalLocationConstraintException'],
        'The bucket is in another region. Correct S3_REGION, and S3_ENDPOINT where it names a region.',
      ),
      RequestTimeTooSkewed:
        'The clock of this machine is too far from that of the media store. Let both keep their time with NTP.',
      ...each(['SlowDown', 'ServiceUnavailable'], 'The media store is overloaded. Wait a moment.'),
      XMinioStorageFull: 'The media store is full. Give it more room.',
    },
  },
  mail: {
    who: 'The mail server',
    words: {
      ...wordsOfWay('The mail server', 'SMTP_URL'),
      EDNS: 'The host in SMTP_URL cannot be looked up. Correct SMTP_URL, or check the DNS.',
      EAUTH: 'The mail server refuses the name or the password in SMTP_URL. Correct them.',
      ETLS: 'The mail server has no TLS that can be used. Correct its certificate, or SMTP_URL.',
    },
  },
  issuer: { who: 'The identity provider', words: wordsOfWay('The identity provider', 'OIDC_ISSUER') },
  network: {
    who: 'The internet',
    words: {
      ...each(
        Object.keys(wordsOfWay('', '')),
        'There is no way out over HTTPS. Needed for real providers only: check firewall and proxy.',
      ),
      ...each(
        ['ENOTFOUND', 'EAI_AGAIN'],
        'Names of the internet cannot be looked up. Needed for real providers only: check the DNS.',
      ),
    },
  },
  api: {
    who: 'The server',
    words: {
      ...wordsOfWay('The server', 'BASE_URL'),
      ECONNREFUSED: 'Nothing listens there. Start the server, or correct PORT or BASE_URL.',
    },
  },
}

/** What the system has run out of, by system code. */
const SYSTEM: Words = {
  EMFILE:
    'The limit of open files is too low for this process. Raise it: `ulimit -n` shows it in a shell, and LimitNOFILE sets it for systemd.',
  ENOSPC: 'The disk is full. Free some room on it, or choose a folder on another one.',
  EROFS: 'That file system is read-only. Mount it so that it can be written, or choose another folder.',
  ENFILE:
    'The machine has as many files open as it allows. Raise its limit (fs.file-max on Linux), or close other programs.',
}

/** The codes that have words, by whom they are of. */
export const explainedCodes = {
  database: Object.keys(DATABASE),
  ...(Object.fromEntries(
    Object.entries(OUTSIDE).map(([of, { words }]) => [of, Object.keys(words)]),
  ) as Record<Outside, string[]>),
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
  'StorageMissing',
  'UnusableDataDir',
  'UnreadableDatabase',
  'StartupError',
])

/** What went wrong and what to do, in a sentence or two without a stack. */
export function explainFault(fault: unknown): string {
  if (!(fault instanceof Error)) return `Something broke: ${unended(String(fault))}.`
  if (USER_FACING_ERRORS.has(fault.name)) return fault.message
  // Clients are not told what is for operators.
  if (fault.name === 'WrongStorage' && fault.cause instanceof Error) return fault.cause.message
  const known = explainByCode(fault)
  if (known !== null) return known
  const outside = outsideFaultIn(fault)
  if (outside !== null) return `${OUTSIDE[outside.of].who} says: ${unended(outside.message)}.`
  if (isOfDatabase(fault) && codeOf(fault) === '08P01') return explainPooler(fault.message)
  return `Something broke: ${unended(fault.message)}. Run it again with LOG_LEVEL=debug to see where.`
}

/** The same by its code alone, in words that are all ours; null where it takes those of others. */
export function explainByCode(fault: unknown): string | null {
  const outside = outsideFaultIn(fault)
  if (outside !== null) return explainOutside(outside)
  const code = codeOf(fault) ?? ''
  return (isOfDatabase(fault) ? DATABASE[code] : undefined) ?? SYSTEM[code] ?? null
}

/** What to do about it; null where its own words are all that is known. */
export function explainOutside({ of, code, message }: OutsideFault): string | null {
  const { words } = OUTSIDE[of]
  return SYSTEM[code] ?? words[code] ?? words[codeInText(message)] ?? null
}

/** Some libraries put a code of their own in place of the system's, which is left in the text. */
function codeInText(text: string): string {
  return /\bE[A-Z_]{4,}\b/.exec(text)?.[0] ?? ''
}

/** What others say ends with a full stop or without one. */
export function unended(text: string): string {
  return text.replace(/[\s.]+$/, '')
}

/** PgBouncer has one code for all that it refuses, so its words are all that tells them apart. */
function explainPooler(said: string): string {
  const cause = `The database, or a pooler in front of it, does not take the connection: ${unended(said)}.`
  return said.startsWith('unsupported startup parameter')
    ? `${cause} Where DATABASE_URL leads through a pooler in transaction mode, set DATABASE_LISTEN_URL to the same database without it.`
    : `${cause} See whether the database behind the pooler runs, and takes the user and the database that DATABASE_URL names.`
}
