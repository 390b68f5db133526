import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'

/** Where a database is: a URL, or the folder of a Unix socket (any `host` that begins with a slash). */
export type Place = { url: string } | { host: string; port: number; database: string; user: string }

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
 * with `sslmode=prefer` each with TLS and without.
 */
export function addressesOf(place: Place): Address[] {
  if (!('url' in place)) return [{ ...place, ssl: false }]
  const [, login = '', hostList = '', rest = ''] = /^\w+:\/\/([^/?]*@)?([^/?]*)(.*)$/.exec(place.url) ?? []
  // No URL has several hosts, so it is read without them.
  const { username, password, pathname, searchParams } = new URL(`postgresql://${login}host${rest}`)
  const given = (name: string, otherwise = '') => searchParams.get(name) ?? decodeURIComponent(otherwise)
  const named = searchParams
    .get('host')
    ?.split(',')
    .map((host) => [host, ''] as const)
  const hosts = named ?? hostList.split(',').map(splitPort)
  const ports = given('port').split(',')
  const secret = given('password', password)
  const application = given('application_name')
  const options = sessionOptions(searchParams)
  const common = {
    database: given('dbname', pathname.slice(1)),
    user: given('user', username),
    ...(secret === '' ? {} : { password: secret }),
    ...(searchParams.get('sslnegotiation') === 'direct' ? { sslnegotiation: 'direct' as const } : {}),
    ...(application === '' ? {} : { application_name: application }),
    ...(options === '' ? {} : { options }),
  }
  return hosts.flatMap(([host, port], index) => {
    const at = { host: host || 'localhost', port: Number(port || (ports[index] ?? ports[0]) || 5432) }
    const ways = host.startsWith('/') ? [false as const] : tlsOf(searchParams)
    return ways.map((ssl) => ({ ...common, ...at, ssl }))
  })
}

function splitPort(text: string): readonly [host: string, port: string] {
  const [, bracketed, plain = '', port = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? []
  return [bracketed ?? decodeURIComponent(plain), port]
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
      throw new TypeError(
        `sslmode=${mode} in the URL of the database is unknown. Use disable, prefer, require, verify-ca or verify-full.`,
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
  return path === null ? {} : { [option]: readFileSync(path, 'utf8') }
}

/** What libpq or this file acts on; every other parameter is a setting of the session. */
const CONNECTION_PARAMETERS = new Set([
  ...['host', 'hostaddr', 'port', 'user', 'password', 'dbname', 'passfile', 'service', 'requirepeer'],
  ...['application_name', 'fallback_application_name', 'client_encoding', 'options', 'connect_timeout'],
  ...[
    'ssl',
    'sslmode',
    'sslnegotiation',
    'sslrootcert',
    'sslcert',
    'sslkey',
    'sslpassword',
    'sslcertmode',
    'sslcrl',
  ],
  ...['sslsni', 'sslcompression', 'ssl_min_protocol_version', 'ssl_max_protocol_version', 'channel_binding'],
  ...['gssencmode', 'krbsrvname', 'gsslib', 'gssdelegation', 'target_session_attrs', 'load_balance_hosts'],
  ...['keepalives', 'keepalives_idle', 'keepalives_interval', 'keepalives_count', 'tcp_user_timeout'],
])

function sessionOptions(query: URLSearchParams): string {
  const settings = [...query].filter(([name]) => !CONNECTION_PARAMETERS.has(name))
  const own = query.get('options')
  return [
    ...(own === null ? [] : [own]),
    ...settings.map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\ ]/g, '\\$&')}`),
  ].join(' ')
}
