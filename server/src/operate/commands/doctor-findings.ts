import { type KeyInUse, describeKeys } from '../secrets/open-secrets.ts'
import type { ConnectionCounts } from '../../networks/channels/channel-store.ts'
import type { StoredFilesCheck } from '../../media/check-stored-files.ts'
import type { ServerSettings } from '../../platform/postgres/database-facts.ts'
import { isPublic } from '../../platform/outbound/outbound-guard.ts'
import type { Unreachable } from '../../platform/outbound/reachable-address.ts'
import type { SchemaFinding } from '../../platform/postgres/migrate.ts'
import type { WorkerHeartbeat } from '../../platform/postgres/worker-store.ts'
import { counted, escapeControlCharacters } from './output.ts'

/** What one look showed. `fix` says what to do about it; empty when nothing is to be done. */
export type Finding = { name: string; status: 'ok' | 'warn' | 'fail'; detail: string; fix: string }

export function ok(name: string, detail: string): Finding {
  return { name, status: 'ok', detail, fix: '' }
}

export function warn(name: string, detail: string, fix: string): Finding {
  return { name, status: 'warn', detail, fix }
}

export function fail(name: string, detail: string, fix: string): Finding {
  return { name, status: 'fail', detail, fix }
}

/** The schema, as the server that starts checks it. */
export function judgeSchema({ status, detail, fix }: SchemaFinding): Finding {
  if (status === 'current') return ok('schema', detail)
  return status === 'newer' ? warn('schema', detail, fix) : fail('schema', detail, fix)
}

/** Posts are claimed and recorded before each call, so that each waits for some writes. */
const SLOW_WRITE_MS = 1_000

/** How long one write took until it was on disk; null when the database takes none. */
export function judgeWrites(tookMs: number | null): Finding {
  const name = 'writes'
  if (tookMs === null)
    return fail(name, 'the database takes none', 'End the failover, or its read-only mode.')
  const detail = `one is on disk within ${Math.ceil(tookMs)} ms`
  if (tookMs < SLOW_WRITE_MS) return ok(name, detail)
  const fix = "Posts go out late, or not at all. Find out what slows the database's disk, or its standby."
  return warn(name, detail, fix)
}

/** Whether what was committed outlives a crash of the database, and the promotion of a standby. */
export function judgeReplication(settings: Omit<ServerSettings, 'connections'>): Finding {
  const { standbys, synchronous, hidden, fsync, commit } = settings
  const name = 'durability'
  const lossy = Object.entries({ fsync, synchronous_commit: commit }).flatMap(([setting, value]) =>
    value === 'off' ? [`${setting} = off`] : [],
  )
  const lost = 'posts can be lost, and others published twice'
  if (lossy.length > 0)
    return warn(name, `${lossy.join(' and ')}: after a crash of the database ${lost}`, 'Turn on what is off.')
  if (standbys === 0) return ok(name, 'every commit is on disk; no standby')
  const detail = `${standbys} standby ${standbys === 1 ? 'server' : 'servers'}, ${synchronous} synchronous`
  if (synchronous > 0 && commit !== 'local') return ok(name, detail)
  if (hidden > 0)
    return warn(
      name,
      `${standbys} standby servers, of which this user sees no more`,
      'Grant pg_monitor to the database user.',
    )
  return warn(
    name,
    `${detail}: after a failover to one that lacks commits ${lost}`,
    'Set synchronous_standby_names, and synchronous_commit to on.',
  )
}

/** Whether the connections that this process may open are there. */
export function judgeConnections(needed: number, available: number): Finding {
  const detail = `up to ${needed} for a process with these roles and a command beside it, of ${available} that the database allows`
  return needed <= available
    ? ok('connections', detail)
    : warn('connections', detail, 'Lower DATABASE_POOL_…, raise max_connections, or use a pooler.')
}

/** How far this machine's clock stands apart from the database's, whose time decides when a post goes out. */
export function judgeClock(skewMs: number): Finding {
  const detail = `${Math.round(Math.abs(skewMs))} ms apart from the database`
  const fix = 'Let both machines keep their time with NTP.'
  if (Math.abs(skewMs) < 2_000) return ok('clock', detail)
  return Math.abs(skewMs) < 60_000 ? warn('clock', detail, fix) : fail('clock', detail, fix)
}

const MIB = 1024 * 1024

/** The room left where everything durable goes. */
export function judgeDisk(freeBytes: number, dataDir: string): Finding {
  const detail = `${Math.floor(freeBytes / MIB)} MiB free in ${dataDir}`
  const fix = 'Free some room, or move DATA_DIR to a larger disk.'
  if (freeBytes >= 1024 * MIB) return ok('disk', detail)
  return freeBytes >= 128 * MIB ? warn('disk', detail, fix) : fail('disk', detail, fix)
}

/**
 * Whether the keys at hand (`keyIds`, the first one first) decrypt all that is stored encrypted, and which are still needed.
 * `isOpen`: their file is not closed to other users.
 */
export function judgeSecretKeys(
  where: string,
  keyIds: readonly string[],
  inUse: readonly KeyInUse[],
  damaged: readonly string[],
  isOpen = false,
): Finding {
  const name = 'secret keys'
  const missing = inUse.filter(({ keyId }) => !keyIds.includes(keyId))
  if (missing.length > 0) {
    const ids = missing.map(({ keyId }) => keyId).join(', ')
    return fail(
      name,
      `${where} ${keyIds.length === 0 ? 'is missing' : `lacks ${ids}`}, needed for ${describeKeys(missing)}`,
      `Restore ${where} from your backup.`,
    )
  }
  if (damaged.length > 0)
    return fail(
      name,
      `stored values are damaged: ${damaged.join(', ')}`,
      'Restore the database from a backup, or reconnect these channels and rotate the secrets of these endpoints.',
    )
  const uses = keyIds.map((keyId) => useOf(keyId, inUse)).join('; ')
  const outdated = keyIds.slice(1).some((keyId) => inUse.some((use) => use.keyId === keyId))
  if (outdated) return warn(name, uses, 'Run `postrider reseal` before you remove an older key.')
  return isOpen
    ? warn(
        name,
        `every user of this machine can get at ${where}`,
        `Make it yours alone: \`chmod 600 ${where}\`.`,
      )
    : ok(name, uses)
}

function useOf(keyId: string, inUse: readonly KeyInUse[]): string {
  const use = inUse.find((each) => each.keyId === keyId)
  return use === undefined ? `${keyId} is not in use` : `${keyId} encrypts ${describeKeys([use])}`
}

/** Whether the storage of media is the right one, and holds what the media items refer to. */
export function judgeMedia(found: StoredFilesCheck): Finding[] {
  const { location, isOurs, files, missing, damaged } = found
  const name = 'media'
  if (isOurs === false) {
    const fix = 'Set DATA_DIR or S3_… as the server has them, or restore the storage from your backup.'
    return [fail(name, `${location} is not where the media of this database is`, fix)]
  }
  if (missing === 0 && damaged.length === 0)
    return [ok(name, `${counted(files, 'file')} in ${location}`), ...judgeSharing(found)]
  const which = damaged.length === 0 ? '' : `, and some are cut or damaged (${damaged.join(', ')})`
  const fix = 'Restore them from your backup, or upload the same files again.'
  return [
    fail(name, `${missing} of ${counted(files, 'file')} missing in ${location}${which}`, fix),
    ...judgeSharing(found),
  ]
}

/** Whether the storage is this installation's alone; nothing is said where it is. */
function judgeSharing({ location, ofOthers, users }: StoredFilesCheck): Finding[] {
  const name = 'media storage'
  const [other] = users
  if (other !== undefined)
    return [
      warn(
        name,
        `another installation uses ${location}, too: ${escapeControlCharacters(other.address)} on ${escapeControlCharacters(other.host)}`,
        'Neither removes what the other has stored. Give each a place of its own: S3_PREFIX or DATA_DIR.',
      ),
    ]
  if (ofOthers === 0) return []
  return [
    warn(
      name,
      `${counted(ofOthers, 'file')} in ${location} ${ofOthers === 1 ? 'was' : 'were'} not stored by this installation, and ${ofOthers === 1 ? 'is' : 'are'} left alone`,
      'If no other installation uses the place, `postrider media adopt` makes them its own; it shows what is there first.',
    ),
  ]
}

/**
 * Whether networks that fetch media themselves reach this server, by its address and by the addresses of its name, null where there
 * is no such name. Nothing is said where no network has to.
 */
export function judgeFetching(
  networks: readonly string[],
  baseUrl: string,
  {
    unreachable,
    addresses,
  }: { readonly unreachable: Unreachable | null; readonly addresses: readonly string[] | null },
): Finding[] {
  if (networks.length === 0) return []
  const name = 'media for networks'
  const who = `${networks.join(' and ')} ${networks.length === 1 ? 'fetches' : 'fetch'} media from this server`
  const fix = `Set BASE_URL to an address with https that the internet reaches. Until then, posts with media are refused for ${networks.join(' and ')}.`
  if (unreachable !== null) {
    const what = unreachable.why === 'not_public' ? 'is no public address' : 'has no https'
    return [warn(name, `${who}, and ${baseUrl} ${what}`, fix)]
  }
  const dns = 'Check the DNS of that name: networks on the internet have to find it.'
  if (addresses === null) return [warn(name, `${who}, and the name in ${baseUrl} cannot be looked up`, dns)]
  if (addresses.length > 0 && !addresses.some(isPublic))
    return [warn(name, `${who}, and ${baseUrl} has no public address (${addresses.join(', ')})`, dns)]
  return [ok(name, `${who}, at ${baseUrl}`)]
}

/** Whether the channels are connected, and stay so. */
export function judgeChannels({ channels, lapsed, ending }: ConnectionCounts): Finding {
  const parts = [
    lapsed.length === 0 ? [] : [`to be reconnected ${named(lapsed)}`],
    ending.length === 0 ? [] : [`ending within a week ${named(ending)}`],
  ].flat()
  if (parts.length === 0) return ok('channels', `${channels} enabled, all connected`)
  const fix = '`postrider channel list` shows their ids, `postrider channel reconnect` renews them.'
  return warn('channels', `${channels} enabled: ${parts.join('; ')}`, fix)
}

/** What waits for a person since the database was restored; nothing is said where nothing does. */
export function judgeHeld(held: number): Finding[] {
  if (held === 0) return []
  const detail = `${held} ${held === 1 ? 'post is' : 'posts are'} held since a restore: the server before may have published ${held === 1 ? 'it' : 'them'}`
  const fix =
    '`postrider restored list` lists them, `postrider restored resolve` settles them by what you saw.'
  return [warn('restore', detail, fix)]
}

/** Who and what is suspended since the database was restored; nothing is said where nothing is. */
export function judgeSuspended(members: number, keys: number): Finding[] {
  if (members + keys === 0) return []
  const detail = `${counted(members, 'member')} and ${counted(keys, 'agent key')} are suspended since a restore`
  const fix =
    '`postrider access list` lists them, `postrider access confirm` lets those go on that are right, and `postrider access deny` ends the others.'
  return [warn('access', detail, fix)]
}

const MAX_NAMED = 5

function named(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''
  return `${names.slice(0, MAX_NAMED).map(escapeControlCharacters).join(', ')}${more}`
}

/** Whether a publisher is running. */
export function judgeWorkers(
  heartbeats: readonly Pick<WorkerHeartbeat, 'roles' | 'host' | 'pid' | 'heartbeatAgeMs'>[],
): Finding {
  const publishers = heartbeats.filter(({ roles }) => roles.includes('publisher'))
  const [latest] = publishers.toSorted((a, b) => a.heartbeatAgeMs - b.heartbeatAgeMs)
  const start = 'Start the server, or a process with `postrider serve --roles publisher`.'
  if (latest === undefined) return warn('publisher', 'none is running', start)
  const seconds = Math.round(latest.heartbeatAgeMs / 1_000)
  const detail = `last heartbeat ${seconds} s ago, by process ${latest.pid} on ${latest.host}`
  return seconds <= 60 ? ok('publisher', detail) : warn('publisher', detail, start)
}
