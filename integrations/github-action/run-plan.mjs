// Runs `postrider plan` or `apply`, and tells GitHub what came of it: as annotations, outputs and the summary of the job.
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const { env } = process
const EXIT_USAGE = 2
const EXIT_CREDENTIAL = 3
/** Exit codes after which it is not known, or not done, since no answer came (docs/cli.md). */
const UNANSWERED = [5, 6]
/** Bytes; what is said of 10,000 posts has room in it. */
const LARGEST_ANSWER = 64 * 1024 * 1024

const marks = { create: '+', change: '~', cancel: '-', left: '.', drift: '!' }
const counts = {
  create: 'created',
  change: 'changed',
  cancel: 'cancelled',
  same: 'unchanged',
  left: 'left-alone',
  drift: 'drift',
}

process.exitCode = main()

function main() {
  const wrong = wrongInput()
  if (wrong !== null) {
    annotate('error', wrong.says)
    return wrong.exit
  }
  const { status, answer } = postrider()
  if (answer.changes === undefined) return failed(status, answer.error ?? {})
  const refused = answer.refused ?? []
  const done = answer.changes.filter(({ id }) => refused.every((each) => each.id !== id))
  const numbers = Object.entries(counts).map(([kind, name]) => [
    name,
    done.filter(({ change }) => change === kind).length,
  ])
  numbers.push(['refused', refused.length])
  appendFileSync(env.GITHUB_OUTPUT, numbers.map(([name, count]) => `${name}=${count}\n`).join(''))
  const lines = answer.changes
    .filter(({ change }) => change in marks)
    .map(({ id, change, says }) => `${marks[change]} ${id}: ${says}`)
  const sum = numbers
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')
  report(`Plan ${answer.plan}${env.DRY_RUN === 'true' ? ', as it would be applied' : ''}`, [
    ...lines,
    ...refused.map(({ id, message }) => `${id}: refused: ${message}`),
    sum === '' ? 'The plan has no posts.' : sum,
  ])
  for (const { id, change, says } of done) if (change === 'drift') annotate('warning', `${id}: ${says}`)
  for (const { id, message } of refused) annotate('error', `${id}: refused: ${message}`)
  return status
}

/** What of the inputs does not fit. A word that is neither true nor false could mean either, so it means nothing. */
function wrongInput() {
  for (const [name, value] of [
    ['dry-run', env.DRY_RUN],
    ['force', env.FORCE],
  ]) {
    if (value !== 'true' && value !== 'false')
      return { exit: EXIT_USAGE, says: `The input ${name} is true or false, and not "${value}".` }
  }
  if (env.POSTRIDER_URL === '') return { exit: EXIT_USAGE, says: 'The input address is empty.' }
  if (env.POSTRIDER_KEY === '')
    return {
      exit: EXIT_CREDENTIAL,
      says: 'The input key is empty. GitHub gives no secrets to pull requests from forks.',
    }
  return null
}

function postrider() {
  const main = join(env.RUNNER_TEMP, 'postrider-cli/node_modules/@postrider/cli/postrider.js')
  const args = [
    env.DRY_RUN === 'true' ? 'plan' : 'apply',
    ...(env.FORCE === 'true' ? ['--force'] : []),
    '--json',
    '--',
    env.PLAN,
  ]
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    encoding: 'utf8',
    maxBuffer: LARGEST_ANSWER,
  })
  const written = stdout.trim() === '' ? (stderr.trim().split('\n').at(-1) ?? '') : stdout
  try {
    return { status: status ?? 1, answer: JSON.parse(written) }
  } catch {
    return { status: status || 1, answer: { error: { message: stderr.trim() } } }
  }
}

function failed(status, { faults = [], message, detail, title }) {
  const said = detail ?? (message || title || 'The command line ended without an answer.')
  const again = UNANSWERED.includes(status)
    ? ' Run it again: what is done stays, and nothing is done twice.'
    : ''
  const lines = faults.map(
    ({ file, line, column, ...fault }) => `${file}:${line}:${column}: ${fault.message}`,
  )
  if (faults.length > 0) report('The plan has faults', [...lines, 'Nothing was changed.'])
  else {
    report('The plan is not done', [said + again])
    annotate('error', said + again)
  }
  for (const { file, line, column, message } of faults) {
    const path = relative(env.GITHUB_WORKSPACE ?? '.', resolve(file))
    annotate('error', message, { file: path, line, col: column })
  }
  return status
}

/** The log and the summary. What posts say stands in both, and is a command in neither. */
function report(title, lines) {
  const oneLine = lines.map((line) => line.replaceAll(/[\r\n]+/g, ' '))
  const resume = randomUUID()
  process.stdout.write(`::stop-commands::${resume}\n${oneLine.join('\n')}\n::${resume}::\n`)
  // Indented lines are code in Markdown, and nothing in them ends that.
  const code = oneLine.map((line) => `    ${line}\n`).join('')
  appendFileSync(env.GITHUB_STEP_SUMMARY, `### ${title}\n\n${code}\n`)
}

/** https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions */
function annotate(level, message, place = {}) {
  const properties = Object.entries(place)
    .map(([name, value]) => `${name}=${escape(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`)
    .join(',')
  process.stdout.write(`::${level}${properties === '' ? '' : ` ${properties}`}::${escape(message)}\n`)
}

function escape(text) {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
