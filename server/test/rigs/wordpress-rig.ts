import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { copyFile, cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { unpackDebian } from './debian-packages.ts'
import { freePort } from './free-port.ts'

/*
 * A real site: WordPress on PHP and MariaDB, all from Debian's packages, unpacked beside the project. It needs no root, and reaches
 * nobody.
 */

const SOURCE = join(import.meta.dirname, 'wordpress')
const SUITE = 'bookworm'
const PHP = ['cli', 'common', 'gd', 'mbstring', 'mysql', 'opcache', 'xml'].map((name) => `php8.2-${name}`)
/** What these need of libraries that a machine may not have. */
const LIBRARIES = [
  'libargon2-1',
  'libaio1',
  'libgd3',
  'libonig5',
  'libpcre2-8-0',
  'libsodium23',
  'libxml2',
  'libicu72',
  'libedit2',
  'libjpeg62-turbo',
  'libpng16-16',
  'libwebp7',
  'libtiff6',
  'libxpm4',
  'libx11-6',
  'libxcb1',
  'libxau6',
  'libxdmcp6',
  'libfreetype6',
  'libfontconfig1',
  'libheif1',
  'libavif15',
  'libde265-0',
  'libx265-199',
  'libdav1d6',
  'libaom3',
  'librav1e0',
  'libsvtav1enc1',
  'libyuv0',
  'libgav1-1',
  'libabsl20220623',
  'libjbig0',
  'libdeflate0',
  'liblerc4',
  'libbsd0',
  'libmd0',
  'libbrotli1',
  'libpng16-16',
  'libnuma1',
  'liburing2',
  'libsnappy1v5',
  'liblz4-1',
  'liblzma5',
]
const PACKAGES = [
  'mariadb-server-core',
  'wordpress',
  'php-getid3',
  'libjs-cropper',
  'libjs-underscore',
  ...PHP,
]
const EXTENSIONS = [
  'mysqlnd',
  'mysqli',
  'ctype',
  'dom',
  'exif',
  'fileinfo',
  'gd',
  'iconv',
  'mbstring',
  'tokenizer',
  'xml',
  'simplexml',
]
const run = promisify(execFile)

export type Site = AsyncDisposable & {
  readonly url: string
  /** The application passwords of an administrator, an author, and a contributor, who may not publish. */
  readonly passwords: Readonly<Record<'alice' | 'author' | 'reader', string>>
  /** All posts with a status, oldest first, as the site's own API shows them to its administrator. */
  readonly posts: (status?: string) => Promise<readonly SitePost[]>
  /** Serves the same site once more, in a folder, or without permalinks. Gives its address; it ends with the site. */
  readonly serve: (as: { readonly folder?: string; readonly plain?: boolean }) => Promise<string>
  /** Calls the API as the administrator. */
  readonly ask: (method: string, route: string, body?: object) => Promise<any>
}

export type SitePost = {
  readonly id: number
  readonly slug: string
  readonly title: { readonly raw: string }
  readonly content: { readonly raw: string; readonly rendered: string }
  readonly [field: string]: unknown
}

/** Starts a site of a test's own: `await using site = await openSite()`. */
export async function openSite(): Promise<Site> {
  const root = await unpackDebian(SUITE, [...PACKAGES, ...new Set(LIBRARIES)])
  const folder = await mkdtemp(join(tmpdir(), 'postrider-site-'))
  const www = join(folder, 'www')
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const socket = join(folder, 'db.sock')
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: [join(root, 'usr/lib/x86_64-linux-gnu'), join(root, 'lib/x86_64-linux-gnu')].join(':'),
    WORDPRESS_SOCKET: socket,
    WORDPRESS_URL: url,
    WORDPRESS_FOLDER: www,
    PHP_CLI_SERVER_WORKERS: '4',
  }
  await copySite(root, www)
  const database = startDatabase(root, folder, socket, env)
  await untilItAnswers(socket)

  const php = join(root, 'usr/bin/php8.2')
  const [modules = ''] = await readdir(join(root, 'usr/lib/php')).then((names) =>
    names.filter((name) => /^\d{8}$/.test(name)),
  )
  const settings = [
    `extension_dir=${join(root, 'usr/lib/php', modules)}`,
    ...EXTENSIONS.map((name) => `extension=${name}.so`),
    'zend_extension=opcache.so',
    'opcache.enable_cli=1',
    'upload_max_filesize=8M',
    'post_max_size=8M',
    'sendmail_path=/bin/true',
  ]
  const ini = join(folder, 'php.ini')
  await writeFile(ini, settings.join('\n'))
  const { stdout } = await run(php, ['-n', '-c', ini, join(SOURCE, 'install.php')], { env })
  const passwords = JSON.parse(stdout) as Site['passwords']
  const servers: ChildProcess[] = []

  async function start(address: string, documents: string, also: Record<string, string> = {}): Promise<void> {
    const { host } = new URL(address)
    const program = [php, '-n', '-c', ini, '-S', host, '-t', documents]
    servers.push(endingWithUs(`exec "$@"`, program, { ...env, WORDPRESS_URL: address, ...also }))
    await untilThere(`${address}/?rest_route=/`)
  }
  await start(url, www)

  async function ask(method: string, route: string, body?: object): Promise<any> {
    const response = await fetch(new URL(`/wp-json/wp/v2/${route}`, url), {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`alice:${passwords.alice}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${text}`)
    return JSON.parse(text)
  }

  return {
    url,
    passwords,
    ask,
    async serve({ folder: path = '', plain = false }) {
      const documents = path === '' ? www : await mkdtemp(join(folder, 'documents-'))
      if (path !== '') await symlink(www, join(documents, path))
      const address = `http://127.0.0.1:${await freePort()}${path === '' ? '' : `/${path}`}`
      await start(address, documents, plain ? { WORDPRESS_PLAIN: '1' } : {})
      return address
    },
    async posts(status = 'publish') {
      const all: SitePost[] = []
      for (let page = 1; ; page++) {
        const query = `posts?status=${status}&context=edit&orderby=id&order=asc&per_page=100&page=${page}`
        const posts = (await ask('GET', query)) as SitePost[]
        all.push(...posts)
        if (posts.length < 100) return all
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map(end))
      await end(database)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The program of a site, with what its package links to, and settings of ours. */
async function copySite(root: string, www: string): Promise<void> {
  await mkdir(www)
  const from = join(root, 'usr/share/wordpress')
  // One link leads out of the package, to a file that Apache reads.
  const filter = (source: string) => !source.endsWith('/.htaccess') && !source.endsWith('/wp-config.php')
  await cp(from, www, { recursive: true, dereference: true, filter })
  await mkdir(join(www, 'wp-content/uploads'), { recursive: true })
  await copyFile(join(SOURCE, 'wp-config.php'), join(www, 'wp-config.php'))
}

function startDatabase(root: string, folder: string, socket: string, env: NodeJS.ProcessEnv): ChildProcess {
  const data = join(folder, 'db')
  const init = join(folder, 'init.sql')
  const program = [
    join(root, 'usr/sbin/mariadbd'),
    '--no-defaults',
    `--datadir=${data}`,
    `--socket=${socket}`,
    `--basedir=${join(root, 'usr')}`,
    `--lc-messages-dir=${join(root, 'usr/share/mysql')}`,
    `--pid-file=${join(folder, 'db.pid')}`,
    `--plugin-dir=${join(root, 'usr/lib/mysql/plugin')}`,
    '--skip-networking',
    '--skip-grant-tables',
    '--skip-log-bin',
    '--innodb-buffer-pool-size=32M',
    '--innodb-log-file-size=16M',
    '--innodb-flush-log-at-trx-commit=0',
    `--init-file=${init}`,
    ...(process.getuid?.() === 0 ? ['--user=root'] : []),
  ]
  const script = `mkdir "$0" && echo 'create database if not exists wordpress;' > "${init}" && exec "$@"`
  return endingWithUs(script, program, env, data)
}

/** Runs a program that ends with its standard input, and so with us, however we end. */
function endingWithUs(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  name = 'sh',
): ChildProcess {
  const watched = `(${script}) & program=$!; read -r _; kill "$program"; wait "$program"`
  return spawn('/bin/sh', ['-c', watched, name, ...args], { env, stdio: ['pipe', 'ignore', 'ignore'] })
}

async function end(process: ChildProcess): Promise<void> {
  const ended = new Promise((done) => process.once('exit', done))
  process.stdin?.end()
  await ended
}

const LIMIT_MS = 60_000

async function untilItAnswers(socket: string): Promise<void> {
  const { connect } = await import('node:net')
  const isUp = () =>
    new Promise<boolean>((resolve) => {
      const client = connect(socket)
      client.once('data', () => resolve(true)).once('error', () => resolve(false))
      client.once('data', () => client.destroy())
    })
  await until(isUp, 'The database of the site did not start.')
}

async function untilThere(url: string): Promise<void> {
  const isUp = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
  await until(isUp, 'The site did not start.')
}

async function until(isUp: () => Promise<boolean>, otherwise: string): Promise<void> {
  for (const begun = performance.now(); !(await isUp()); await sleep(100))
    if (performance.now() - begun > LIMIT_MS) throw new Error(otherwise)
}
