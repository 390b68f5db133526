// `npm run mutants`: breaks one guard of the source after the other, in a copy, and runs the tests that must notice. A mutant
// that they do not notice survives: a guard that no test holds. Words behind it run only the mutants whose file has one of them.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Mutant, mutants } from './mutant-list.ts'

const ROOT = join(import.meta.dirname, '..')
const LIMIT_MS = 300_000
/** What vitest finds beside the sources. */
const SHARED = ['node_modules', 'server/node_modules', 'dashboard/node_modules', 'dashboard/dist']

const { positionals } = parseArgs({ allowPositionals: true })
const chosen = mutants.filter(
  ({ file }) => positionals.length === 0 || positionals.some((word) => file.includes(word)),
)
if (chosen.length === 0) {
  console.error('No mutant has a file with one of these words in its name.')
  process.exit(2)
}

const sources = new Map<string, string>()
for (const { file } of chosen) sources.set(file, await readFile(join(ROOT, file), 'utf8'))
const lost = chosen.filter(({ file, from }) => (sources.get(file) ?? '').split(from).length !== 2)
if (lost.length > 0) {
  const list = lost.map(
    ({ file, breaks, from }) => `${file}: ${breaks}\n    ${from.replaceAll('\n', '\n    ')}`,
  )
  console.error(
    `These mutants have no text of their own in the source any more: it has to be there once. Mend tools/mutant-list.ts.\n\n${list.join('\n\n')}`,
  )
  process.exit(2)
}
const untested = [...new Set(chosen.flatMap(({ tests }) => tests))].filter(
  (test) => !existsSync(join(ROOT, test)),
)
if (untested.length > 0) {
  console.error(`tools/mutant-list.ts names test files that are not there: ${untested.join(', ')}`)
  process.exit(2)
}

const copy = await mkdtemp(join(tmpdir(), 'postrider-mutants-'))
const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort())
try {
  process.exitCode = await runAll()
} finally {
  await rm(copy, { recursive: true, force: true })
}

/** 0 when every mutant was noticed, 1 when one survived, 2 when it cannot be said. */
async function runAll(): Promise<number> {
  await copyTree()
  const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests))]
  console.log(`${chosen.length} mutants. First, ${tests.length} test files on the source as it is.`)
  const before = await runTests(tests)
  if (stopped.signal.aborted) return 2
  if (before.is !== 'passed') {
    console.error(`They do not pass (${before.is}), so that nothing can be told by them.\n${before.output}`)
    return 2
  }
  const survivors: Mutant[] = []
  const broken: Mutant[] = []
  for (const [n, mutant] of chosen.entries()) {
    const outcome = await tryMutant(mutant)
    if (stopped.signal.aborted) return 2
    if (outcome === 'survives') survivors.push(mutant)
    if (outcome === 'broken') broken.push(mutant)
    console.log(`${n + 1}/${chosen.length} ${outcome.padEnd(8)} ${mutant.file}: ${mutant.breaks}`)
  }
  for (const { file, breaks } of broken)
    console.error(`\nThe tests of this mutant cannot be run: ${file}: ${breaks}`)
  for (const { file, breaks, tests: closest } of survivors)
    console.error(`\nSurvives ${closest.join(', ')}:\n    ${file}: ${breaks}`)
  console.log(`\n${chosen.length - survivors.length - broken.length} of ${chosen.length} noticed.`)
  return broken.length > 0 ? 2 : survivors.length > 0 ? 1 : 0
}

async function tryMutant({ file, from, to, tests }: Mutant): Promise<'noticed' | 'survives' | 'broken'> {
  const source = sources.get(file) ?? ''
  await writeFile(
    join(copy, file),
    source.replace(from, () => to),
  )
  try {
    const { is } = await runTests(tests)
    return is === 'passed' ? 'survives' : is === 'not run' ? 'broken' : 'noticed'
  } finally {
    await writeFile(join(copy, file), source)
  }
}

/** The files that git knows or would take, as they are now, with the packages of this checkout. */
async function copyTree(): Promise<void> {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  for (const name of new Set(listed.split('\0').filter((one) => one !== ''))) {
    await mkdir(dirname(join(copy, name)), { recursive: true })
    // One that is deleted and not committed is still listed.
    await cp(join(ROOT, name), join(copy, name)).catch(() => undefined)
  }
  for (const name of SHARED) await symlink(join(ROOT, name), join(copy, name)).catch(() => undefined)
}

type Outcome = { readonly is: 'passed' | 'failed' | 'timed out' | 'not run'; readonly output: string }

/** Runs test files in the copy. A file that cannot be loaded is not a test that failed. */
async function runTests(tests: readonly string[]): Promise<Outcome> {
  const report = join(copy, 'mutants-report.json')
  await rm(report, { force: true })
  const child = spawn(
    process.execPath,
    [
      join(ROOT, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--reporter=json',
      `--outputFile=${report}`,
      '--no-cache',
      ...tests,
    ],
    { cwd: copy, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += String(part)))
  let timedOut = false
  const end = () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }
  const late = setTimeout(
    () => {
      timedOut = true
      end()
    },
    LIMIT_MS * Math.max(1, tests.length / 2),
  )
  stopped.signal.addEventListener('abort', end, { once: true })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  clearTimeout(late)
  stopped.signal.removeEventListener('abort', end)
  if (timedOut) return { is: 'timed out', output }
  const text = await readFile(report, 'utf8').catch(() => null)
  if (text === null) return { is: 'not run', output }
  const { numFailedTests, numPassedTests, testResults } = JSON.parse(text) as {
    numFailedTests: number
    numPassedTests: number
    testResults: { name: string; message: string }[]
  }
  if (code === 0 && numPassedTests > 0) return { is: 'passed', output }
  const said = testResults.map(({ name, message }) => `${name} ${message}`).join('\n')
  return { is: numFailedTests > 0 ? 'failed' : 'not run', output: `${said}\n${output}` }
}
