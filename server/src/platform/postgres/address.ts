import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { codeOf } from '../process/error-code.ts'

/**
 * Where a database is: a URL, or the folder of a Unix socket (any `host` that begins with a slash). With `listenUrl`, `url`
 * goes through a pooler in transaction mode, and `listenUrl` to the same database without one.
 */
export type Place =
  | { url: string; listenUrl?: string | undefined }
  | { host: string; port: number; database: string; user: string }

/** The way to a database that keeps sessions. */
export function directPlaceOf(place: Place): Place {
  return 'url' in place && place.listenUrl !== undefined ? { url: place.listenUrl } : place
}

/** One way to one host of a database. */
export type Address = {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly password?: string
  readonly ssl: ConnectionOptions | false
  readonly sslnegotiation?: 'direct'
  /** Instead of the process's own name. */
  readonly application_name?: string
  /** Settings of the session, in the form of libpq's `options`. */
  readonly options?: string
  readonly connectTimeoutMs: number
}

/** The text is no address of a database that can be used. The message is the end of a sentence that begins with its name. */
export class BadAddress extends Error {
  override name = 'BadAddress'
}

/** The place in the form that libpq understands too (`?host=/folder`). */
export function urlOf(place: Place): string {
  if ('url' in place) return place.url
  const { host, port, database, user } = place
  if (!host.startsWith('/'))
    return `postgresql://${encodeURIComponent(user)}@${host}:${port}/${encodeURIComponent(database)}`
  const query = new URLSearchParams({ host, port: String(port) })
  return `postgresql://${encodeURIComponent(user)}@localhost/${encodeURIComponent(database)}?${query.toString()}`
}

/**
 * The ways to a database, in the order to try them: each host of the URL (`a:5432,b:5433`, or `host=` and `port=`), and
 * with `sslmode=prefer` each with TLS and without. Throws BadAddress.
 */
export function addressesOf(place: Place): Address[] {
  if (!('url' in place)) return [{ ...place, ssl: false, connectTimeoutMs: CONNECT_TIMEOUT_MS }]
  const { login, hostList, searchParams } = parse(place.url)
  const given = (name: string, otherwise = '') => searchParams.get(name) ?? otherwise
  const hosts = hostsIn(hostList, searchParams)
  const secret = given('password', login.password)
  const application = given('application_name')
  const options = sessionOptions(searchParams)
  const common = {
    database: given('dbname', login.database),
    user: given('user', login.user),
    ...(secret === '' ? {} : { password: secret }),
    ...(searchParams.get('sslnegotiation') === 'direct' ? { sslnegotiation: 'direct' as const } : {}),
    ...(application === '' ? {} : { application_name: application }),
    ...(options === '' ? {} : { options }),
    connectTimeoutMs: connectTimeoutOf(searchParams, hosts.length),
  }
  if (common.database === '') throw new BadAddress('does not name a database')
  return hosts.flatMap((at) => {
    const ways = at.host.startsWith('/') ? [false as const] : tlsOf(searchParams)
    return ways.map((ssl) => ({ ...common, ...at, ssl }))
  })
}

const WRITABLE = ['read-write', 'primary']
const UNSUITED = ['read-only', 'standby', 'prefer-standby']

/**
 * Whether a server that takes no writes is passed over: where `target_session_attrs` asks for that, and, unless it says
 * `any`, where there is another host to try. Throws BadAddress.
 */
export function passesOverStandbys(place: Place): boolean {
  if (!('url' in place)) return false
  const { hostList, searchParams } = parse(place.url)
  const wanted = searchParams.get('target_session_attrs')
  if (wanted === null) return hostsIn(hostList, searchParams).length > 1
  if (wanted === 'any') return false
  if (WRITABLE.includes(wanted)) return true
  const reason = UNSUITED.includes(wanted) ? 'and the server has to write' : 'which is unknown'
  throw new BadAddress(`says target_session_attrs=${wanted}, ${reason}: use ${WRITABLE.join(', ')} or any`)
}

/** The parts of a URL. No URL has several hosts, so it is read without them. */
function parse(url: string) {
  const [, userInfo = '', hostList = '', rest = ''] = /^\w+:\/\/([^/?]*@)?([^/?]*)(.*)$/.exec(url) ?? []
  try {
    const { username, password, pathname, searchParams } = new URL(`postgresql://${userInfo}host${rest}`)
    const [user, secret, database] = [username, password, pathname.slice(1)].map(decodeURIComponent)
    return { login: { user, password: secret, database }, hostList, searchParams }
  } catch {
    throw new BadAddress(
      'is not a well-formed address (a password with special characters must be percent-encoded)',
    )
  }
}

type HostAndPort = { readonly host: string; readonly port: number }

/** No part of a malformed list is repeated in the fault: it may be a password that is not percent-encoded. */
function hostsIn(hostList: string, query: URLSearchParams): HostAndPort[] {
  const named = query.get('host')
  const hosts =
    named === null ? hostList.split(',').map(splitPort) : named.split(',').map((host) => [host, ''])
  const ports = query.get('port')?.split(',') ?? ['']
  if (hosts.length > 1 && hosts.some(([host]) => host === ''))
    throw new BadAddress('lists a host without a name: write host1:5432,host2:5432')
  if (ports.length > 1 && ports.length !== hosts.length)
    throw new BadAddress(
      `has ${ports.length} ports for ${hosts.length} hosts: give one for each, or one for all`,
    )
  return hosts.map(([host = '', port = ''], index) => ({
    host: host === '' ? 'localhost' : host,
    port: portOf(port === '' ? (ports[index] ?? ports[0] ?? '') : port),
  }))
}

function splitPort(text: string): [host: string, port: string] {
  const [all, bracketed, plain = '', port = ''] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(.*))?$/.exec(text) ?? []
  if (all === undefined)
    throw new BadAddress(
      'lists a malformed host: write host1:5432,host2:5432, and IPv6 addresses in brackets',
    )
  return [bracketed ?? decodeURIComponent(plain), port]
}

function portOf(text: string): number {
  const port = Number(text === '' ? 5432 : text)
  if (/^\d*$/.test(text) && port >= 1 && port <= 65_535) return port
  throw new BadAddress('has a port that is not a whole number from 1 to 65535')
}

const CONNECT_TIMEOUT_MS = 10_000
/** Where another host may take over, one that is down must not use up the time of a request. */
const CONNECT_TIMEOUT_OF_SEVERAL_MS = 2_000

function connectTimeoutOf(query: URLSearchParams, hosts: number): number {
  const seconds = query.get('connect_timeout')
  if (seconds === null) return hosts > 1 ? CONNECT_TIMEOUT_OF_SEVERAL_MS : CONNECT_TIMEOUT_MS
  if (/^[1-9]\d{0,3}$/.test(seconds)) return Number(seconds) * 1_000
  throw new BadAddress('has a connect_timeout that is not a whole number of seconds from 1 to 9999')
}

/** TLS as libpq's `sslmode` means it, in the order to try. */
function tlsOf(query: URLSearchParams): (ConnectionOptions | false)[] {
  const files = { ...fileOf(query, 'sslcert', 'cert'), ...fileOf(query, 'sslkey', 'key') }
  const root = query.get('sslrootcert') === 'system' ? {} : fileOf(query, 'sslrootcert', 'ca')
  const unverified = { ...files, rejectUnauthorized: false }
  const authority = { ...files, ...root, checkServerIdentity: () => undefined }
  const mode = query.get('sslmode') ?? SSL_ALIASES[query.get('ssl') ?? ''] ?? query.get('ssl') ?? 'disable'
  switch (mode) {
    case 'disable':
      return [false]
    case 'allow':
    case 'prefer':
      return [unverified, false]
    case 'require':
      return [query.has('sslrootcert') ? authority : unverified]
    case 'no-verify':
      return [unverified]
    case 'verify-ca':
      return [authority]
    case 'verify-full':
      return [{ ...files, ...root }]
    default:
      throw new BadAddress(
        `says sslmode=${mode}, which is unknown: use disable, prefer, require, verify-ca or verify-full`,
      )
  }
}

const SSL_ALIASES: Partial<Record<string, string>> = {
  true: 'require',
  '1': 'require',
  false: 'disable',
  '0': 'disable',
}

function fileOf(query: URLSearchParams, name: string, option: 'ca' | 'cert' | 'key'): ConnectionOptions {
  const path = query.get(name)
  if (path === null) return {}
  try {
    return { [option]: readFileSync(path, 'utf8') }
  } catch (error) {
    throw new BadAddress(`names ${name}=${path}, which cannot be read (${codeOf(error)})`, { cause: error })
  }
}

/** What libpq or this file acts on; every other parameter is a setting of the session. */
const CONNECTION_PARAMETERS = new Set([
  'host',
  'hostaddr',
  'port',
  'user',
  'password',
  'dbname',
  'passfile',
  'service',
  'requirepeer',
  'application_name',
  'fallback_application_name',
  'client_encoding',
  'options',
  'connect_timeout',
  'ssl',
  'sslmode',
  'sslnegotiation',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslpassword',
  'sslcertmode',
  'sslcrl',
  'sslsni',
  'sslcompression',
  'ssl_min_protocol_version',
  'ssl_max_protocol_version',
  'channel_binding',
  'gssencmode',
  'krbsrvname',
  'gsslib',
  'gssdelegation',
  'target_session_attrs',
  'load_balance_hosts',
  'keepalives',
  'keepalives_idle',
  'keepalives_interval',
  'keepalives_count',
  'tcp_user_timeout',
])

function sessionOptions(query: URLSearchParams): string {
  const settings = [...query].filter(([name]) => !CONNECTION_PARAMETERS.has(name))
  const own = query.get('options')
  return [
    ...(own === null ? [] : [own]),
    ...settings.map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\ ]/g, '\\$&')}`),
  ].join(' ')
}
