import { networkNames } from '@postrider/contract/names'
import { type KeyInUse, describeKeys } from '../secrets/open-secrets.ts'
import type { ConnectionCounts } from '../../networks/channels/channel-store.ts'
import type { StoredFilesCheck } from '../../media/check-stored-files.ts'
import type { ServerSettings } from '../../platform/postgres/database-facts.ts'
import type { Blocker } from '../../platform/postgres/read-blockers.ts'
import { isPublic } from '../../platform/outbound/outbound-guard.ts'
import type { Unreachable } from '../../platform/outbound/reachable-address.ts'
import type { SchemaFinding } from '../../platform/postgres/migrate.ts'
import type { WorkerHeartbeat } from '../../platform/postgres/worker-store.ts'
import {
  type FaultCode,
  faults,
  type FindingCode,
  LOOK_FAILED,
  subjects,
  type Subject,
} from '../monitoring/finding-table.ts'
import type { Verdict } from '../monitoring/judge-situation.ts'
import { isEnding, type VersionEnd, WARN_DAYS } from '../../networks/channels/version-ends.ts'
import { counted, escapeControlCharacters } from './output.ts'
import { joined, ours, type Said, say } from './said.ts'

/** What one look showed. `fix` says what to do about it; empty when nothing is to be done. */
export type Finding = {
  readonly code: FindingCode
  readonly name: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly detail: Said
  readonly fix: Said
}

export function ok(subject: Subject, detail: Said): Finding {
  return { code: `${subject}_ok`, name: subjects[subject], status: 'ok', detail, fix: ours('') }
}

export function found(code: FaultCode, detail: Said, fix: Said): Finding {
  const { of: subject, status } = faults[code]
  return { code, name: subjects[subject], status, detail, fix }
}

/** A look that could not be taken, and why. */
export function lookFailed(subject: Subject, why: Said): Finding {
  const detail = say`could not be looked at`
  return { code: LOOK_FAILED, name: subjects[subject], status: 'fail', detail, fix: why }
}

export function findingOf({ subject, detail, wrong }: Verdict): Finding {
  return wrong === null ? ok(subject, ours(detail)) : found(wrong.code, ours(detail), ours(wrong.fix))
}

/** A finding as programs read it, and people without the columns. */
export type ShownFinding = Pick<Finding, 'code' | 'name' | 'status'> & {
  readonly detail: string
  readonly fix: string
}

export function showFinding(finding: Finding, isRedacted: boolean): ShownFinding {
  const { code, name, status, detail, fix } = finding
  const shown = isRedacted ? 'redacted' : 'text'
  return { code, name, status, detail: detail[shown], fix: fix[shown] }
}

/** The schema, as the server that starts checks it. */
export function judgeSchema({ status, detail, fix }: SchemaFinding): Finding {
  // They are of our own migrations, or of those of a build of ours.
  return status === 'current'
    ? ok('schema', ours(detail))
    : found(`schema_${status}`, ours(detail), ours(fix))
}

/** Posts are claimed and recorded before each call, so that each waits for some writes. */
const SLOW_WRITE_MS = 1_000

/** How long one write took until it was on disk; null when the database takes none. */
export function judgeWrites(tookMs: number | null): Finding {
  if (tookMs === null)
    return found(
      'writes_refused',
      say`the database takes none`,
      say`End the failover, or its read-only mode.`,
    )
  const detail = say`one is on disk within ${Math.ceil(tookMs)} ms`
  if (tookMs < SLOW_WRITE_MS) return ok('writes', detail)
  const fix = say`Posts go out late, or not at all. Find out what slows the database's disk, or its standby.`
  return found('writes_slow', detail, fix)
}

/** Whether statements wait for a lock, and for whose: of what that runs, its kind is told, and no more. */
export function judgeLocks(blockers: readonly Blocker[]): Finding[] {
  if (blockers.length === 0) return [ok('locks', ours('nothing waits for one'))]
  return blockers.map((blocker) => found('locks_waited_for', describeBlocker(blocker), endingOf(blocker)))
}

function describeBlocker({ pid, application, waiting, ...now }: Blocker): Said {
  const { state, transactionSeconds, statement } = now
  const waits = ours(`${counted(waiting, 'statement')} ${waiting === 1 ? 'waits' : 'wait'} for`)
  if (pid === 0) return say`${waits} a prepared transaction`
  const name = application === null || application === '' ? null : escapeControlCharacters(application)
  const facts = [
    ...(state === null ? [] : [state]),
    ...(transactionSeconds === null ? [] : [`for ${transactionSeconds} s in its transaction`]),
    ...(statement === null ? [] : [`${state === 'active' ? 'running' : 'last with'} ${statement}`]),
  ]
  const about = ours(facts.length === 0 ? '' : `: ${facts.join(', ')}`)
  return say`${waits} process ${pid} of the database${name === null ? ours('') : say` (${name})`}${about}`
}

function endingOf({ pid, application }: Blocker): Said {
  if (pid === 0) return ours('End it: `select * from pg_prepared_xacts` has its name for ROLLBACK PREPARED.')
  const rights = application === null ? 'Grant pg_monitor to the database user to see more of it. ' : ''
  return ours(`${rights}Wait for its end, or end it: \`select pg_terminate_backend(${pid})\`.`)
}

/** Whether what was committed outlives a crash of the database, and the promotion of a standby. */
export function judgeReplication(settings: Omit<ServerSettings, 'connections'>): Finding {
  const { standbys, synchronous, hidden, fsync, commit } = settings
  const lossy = Object.entries({ fsync, synchronous_commit: commit }).flatMap(([setting, value]) =>
    value === 'off' ? [ours(`${setting} = off`)] : [],
  )
  const lost = ours('posts can be lost, and others published twice')
  if (lossy.length > 0)
    return found(
      'durability_off',
      say`${joined(lossy, ' and ')}: after a crash of the database ${lost}`,
      say`Turn on what is off.`,
    )
  if (standbys === 0) return ok('durability', say`every commit is on disk; no standby`)
  const detail = say`${ours(counted(standbys, 'standby server'))}, ${synchronous} synchronous`
  if (synchronous > 0 && commit !== 'local') return ok('durability', detail)
  if (hidden > 0)
    return found(
      'durability_hidden',
      say`${standbys} standby servers, of which this user sees no more`,
      say`Grant pg_monitor to the database user.`,
    )
  return found(
    'durability_asynchronous',
    say`${detail}: after a failover to one that lacks commits ${lost}`,
    say`Set synchronous_standby_names, and synchronous_commit to on.`,
  )
}

/** Whether the connections that this process may open are there. */
export function judgeConnections(needed: number, available: number): Finding {
  const detail = say`up to ${needed} for a process with these roles and a command beside it, of ${available} that the database allows`
  const fix = say`Lower DATABASE_POOL_…, raise max_connections, or use a pooler.`
  return needed <= available ? ok('connections', detail) : found('connections_short', detail, fix)
}

/** How far this machine's clock stands apart from the database's, whose time decides when a post goes out. */
export function judgeClock(skewMs: number): Finding {
  const detail = say`${Math.round(Math.abs(skewMs))} ms apart from the database`
  const fix = say`Let both machines keep their time with NTP.`
  if (Math.abs(skewMs) < 2_000) return ok('clock', detail)
  return found(Math.abs(skewMs) < 60_000 ? 'clock_apart' : 'clock_far_apart', detail, fix)
}

const MIB = 1024 * 1024

/** The room left where everything durable goes. */
export function judgeDisk(freeBytes: number, dataDir: string): Finding {
  const detail = say`${Math.floor(freeBytes / MIB)} MiB free in ${dataDir}`
  const fix = say`Free some room, or move DATA_DIR to a larger disk.`
  if (freeBytes >= 1024 * MIB) return ok('disk', detail)
  return found(freeBytes >= 128 * MIB ? 'disk_low' : 'disk_full', detail, fix)
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
  const missing = inUse.filter(({ keyId }) => !keyIds.includes(keyId))
  if (missing.length > 0) {
    const ids = missing.map(({ keyId }) => keyId).join(', ')
    const lacks = keyIds.length === 0 ? say`${where} is missing` : say`${where} lacks ${ids}`
    return found(
      'secret_keys_missing',
      say`${lacks}, needed for ${ours(describeKeys(missing))}`,
      say`Restore ${where} from your backup.`,
    )
  }
  if (damaged.length > 0)
    return found(
      'secret_keys_damaged',
      say`stored values are damaged: ${damaged.join(', ')}`,
      say`Restore the database from a backup, or reconnect these channels and rotate the secrets of these endpoints.`,
    )
  const uses = joined(
    keyIds.map((keyId) => useOf(keyId, inUse)),
    '; ',
  )
  const outdated = keyIds.slice(1).some((keyId) => inUse.some((use) => use.keyId === keyId))
  if (outdated)
    return found('secret_keys_outdated', uses, say`Run \`postrider reseal\` before you remove an older key.`)
  return isOpen
    ? found(
        'secret_keys_open',
        say`every user of this machine can get at ${where}`,
        say`Make it yours alone: \`chmod 600 ${where}\`.`,
      )
    : ok('secret_keys', uses)
}

function useOf(keyId: string, inUse: readonly KeyInUse[]): Said {
  const use = inUse.find((each) => each.keyId === keyId)
  return use === undefined ? say`${keyId} is not in use` : say`${keyId} encrypts ${ours(describeKeys([use]))}`
}

/** Whether the storage of media is the right one, and holds what the media items refer to. */
export function judgeMedia(check: StoredFilesCheck): Finding[] {
  const { location, isOurs, files, missing, damaged } = check
  if (isOurs === false) {
    const fix = say`Set DATA_DIR or S3_… as the server has them, or restore the storage from your backup.`
    return [found('media_elsewhere', say`${location} is not where the media of this database is`, fix)]
  }
  const count = ours(counted(files, 'file'))
  if (missing === 0 && damaged.length === 0)
    return [ok('media', say`${count} in ${location}`), ...judgeSharing(check)]
  const which = damaged.length === 0 ? ours('') : say`, and some are cut or damaged (${damaged.join(', ')})`
  const fix = say`Restore them from your backup, or upload the same files again.`
  return [
    found('media_missing', say`${missing} of ${count} missing in ${location}${which}`, fix),
    ...judgeSharing(check),
  ]
}

/** Whether the storage is this installation's alone; nothing is said where it is. */
function judgeSharing({ location, ofOthers, users }: StoredFilesCheck): Finding[] {
  const [other] = users
  if (other !== undefined)
    return [
      found(
        'media_storage_shared',
        say`another installation uses ${location}, too: ${escapeControlCharacters(other.address)} on ${escapeControlCharacters(other.host)}`,
        say`Neither removes what the other has stored. Give each a place of its own: S3_PREFIX or DATA_DIR.`,
      ),
    ]
  if (ofOthers === 0) return []
  const [were, are] = ofOthers === 1 ? (['was', 'is'] as const) : (['were', 'are'] as const)
  return [
    found(
      'media_storage_unknown_files',
      say`${ours(counted(ofOthers, 'file'))} in ${location} ${ours(were)} not stored by this installation, and ${ours(are)} left alone`,
      say`If no other installation uses the place, \`postrider media adopt\` makes them its own; it shows what is there first.`,
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
  const names = ours(networks.join(' and '))
  const who = say`${names} ${ours(networks.length === 1 ? 'fetches' : 'fetch')} media from this server`
  const fix = say`Set BASE_URL to an address with https that the internet reaches. Until then, posts with media are refused for ${names}.`
  if (unreachable !== null)
    return [
      unreachable.why === 'not_public'
        ? found('media_for_networks_not_public', say`${who}, and ${baseUrl} is no public address`, fix)
        : found('media_for_networks_not_https', say`${who}, and ${baseUrl} has no https`, fix),
    ]
  const dns = say`Check the DNS of that name: networks on the internet have to find it.`
  if (addresses === null)
    return [
      found('media_for_networks_no_name', say`${who}, and the name in ${baseUrl} cannot be looked up`, dns),
    ]
  if (addresses.length > 0 && !addresses.some(isPublic))
    return [
      found(
        'media_for_networks_not_public',
        say`${who}, and ${baseUrl} has no public address (${addresses.join(', ')})`,
        dns,
      ),
    ]
  return [ok('media_for_networks', say`${who}, at ${baseUrl}`)]
}

/** Whether the channels are connected, and stay so. */
export function judgeChannels({ channels, lapsed, ending }: ConnectionCounts): Finding {
  const parts = [
    lapsed.length === 0 ? [] : [say`to be reconnected ${named(lapsed)}`],
    ending.length === 0 ? [] : [say`ending within a week ${named(ending)}`],
  ].flat()
  if (parts.length === 0) return ok('channels', say`${channels} enabled, all connected`)
  const fix = say`\`postrider channel list\` shows their ids, \`postrider channel reconnect\` renews them.`
  return found(
    lapsed.length > 0 ? 'channels_lapsed' : 'channels_ending',
    say`${channels} enabled: ${joined(parts, '; ')}`,
    fix,
  )
}

/** Whether a network ends the version of its API that this release uses. */
export function judgeVersions(ends: readonly VersionEnd[], now: Date): Finding {
  const ending = ends.filter(({ endsOn }) => isEnding(endsOn, now))
  if (ending.length === 0) return ok('network_versions', say`none ends within ${WARN_DAYS} days`)
  const list = ending.map(({ provider, name, endsOn }) =>
    ours(`${networkNames[provider]?.displayName ?? provider} can end ${name} from ${endsOn} on`),
  )
  const fix = say`Upgrade Postrider before then.`
  return found('network_versions_ending', joined(list, '; '), fix)
}

/** What waits for a person since the database was restored; nothing is said where nothing does. */
export function judgeHeld(held: number): Finding[] {
  if (held === 0) return []
  const [are, them] = held === 1 ? (['post is', 'it'] as const) : (['posts are', 'them'] as const)
  return [
    found(
      'restore_held',
      say`${held} ${ours(are)} held since a restore: the server before may have published ${ours(them)}`,
      say`\`postrider restored list\` lists them, \`postrider restored resolve\` settles them by what you saw.`,
    ),
  ]
}

/** Who and what is suspended since the database was restored; nothing is said where nothing is. */
export function judgeSuspended(members: number, keys: number): Finding[] {
  if (members + keys === 0) return []
  return [
    found(
      'access_suspended',
      ours(`${counted(members, 'member')} and ${counted(keys, 'agent key')} are suspended since a restore`),
      say`\`postrider access list\` lists them, \`postrider access confirm\` lets those go on that are right, and \`postrider access deny\` ends the others.`,
    ),
  ]
}

/** What a server that is started does, and what only waits because none has run yet. */
const STARTED: ReadonlySet<FindingCode> = new Set([
  'publisher_missing',
  'webhook_dispatcher_missing',
  'mail_sender_missing',
  'housekeeping_missing',
  'posts_due_late',
  'posts_in_doubt_long',
  'series_late',
  'webhook_deliveries_late',
  'mail_queue_late',
  'sandbox_network_silent',
  'api_silent',
])

const RESTORED: ReadonlySet<FindingCode> = new Set(['restore_held', 'access_suspended'])

/** Where no server has run since a restore: first what the restore holds is to be settled, and then one is to be started. */
export function settleFirst(findings: readonly Finding[]): readonly Finding[] {
  const isNew = findings.some(({ code }) => code === 'publisher_missing')
  const held = findings.filter(({ code }) => RESTORED.has(code))
  if (!isNew || held.length === 0) return findings
  const names = held.map(({ name }) => `“${name}”`).join(' and ')
  const fix = ours(`First settle what the restore holds (${names}). Then start the server.`)
  return findings.map((finding) => (STARTED.has(finding.code) ? { ...finding, fix } : finding))
}

/** How many workspaces were stopped to go on elsewhere, or to be deleted. */
export function judgeFrozen(workspaces: number): Finding[] {
  if (workspaces === 0) return []
  return [
    found(
      'workspaces_frozen',
      ours(`${counted(workspaces, 'workspace')} frozen: nothing of them goes on here`),
      say`\`postrider workspace delete\` removes what was moved; what was not goes on with \`postrider workspace unfreeze\`.`,
    ),
  ]
}

const MAX_NAMED = 5

function named(names: readonly string[]): Said {
  const shown = names.slice(0, MAX_NAMED).map(escapeControlCharacters).join(', ')
  return names.length > MAX_NAMED ? say`${shown} and ${names.length - MAX_NAMED} more` : say`${shown}`
}

/** Whether a publisher is running. */
export function judgeWorkers(
  heartbeats: readonly Pick<WorkerHeartbeat, 'roles' | 'host' | 'pid' | 'heartbeatAgeMs'>[],
): Finding {
  const publishers = heartbeats.filter(({ roles }) => roles.includes('publisher'))
  const [latest] = publishers.toSorted((a, b) => a.heartbeatAgeMs - b.heartbeatAgeMs)
  const start = say`Start the server, or a process with \`postrider serve --roles publisher\`.`
  if (latest === undefined) return found('publisher_missing', say`none is running`, start)
  const seconds = Math.round(latest.heartbeatAgeMs / 1_000)
  const detail = say`last heartbeat ${seconds} s ago, by process ${latest.pid} on ${latest.host}`
  return seconds <= 60 ? ok('publisher', detail) : found('publisher_silent', detail, start)
}
