import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import type { Block } from '../../../tools/doc-blocks.ts'
import { MAIN } from './built.ts'
import { root } from './product.ts'

/*
 * A reader who pastes the code blocks of one page into one shell: bash, which stops at the first command that fails. A
 * request that is refused fails, too. `<word>` in a block is what the shell's variable `word` holds, which a reader would
 * put there. After `sleep`, the next line is repeated until it prints what it should: how long that takes is the machine's.
 */

const LONGEST_WAIT_MS = 120_000
const PAUSE_MS = 100

const PRELUDE = String.raw`
set -e -o pipefail
curl() { command curl --fail-with-body "$@"; }
npm() {
  local command=$1
  shift
  while [[ $1 == --silent || $1 == --prefix ]]; do [[ $1 == --prefix ]] && shift; shift; done
  case "$command $1" in
    'run postrider') shift 2; node "$MAIN" "$@" ;;
    'exec --') shift; "$@" ;;
    *) echo "npm $command $1 is not for a block that is run here" >&2; return 1 ;;
  esac
}
postrider() {
  case " $CLI_COMMANDS " in
    *" $1 "*) node "$CLI/postrider.js" "$@" ;;
    *) node "$MAIN" "$@" ;;
  esac
}
pick() { node -p "const it = JSON.parse(require('node:fs').readFileSync(0)); it$1"; }
fill() {
  local text word
  text=$(cat "$1")
  while [[ $text =~ \<([a-z][A-Za-z]*)\> ]]; do
    word=${'$'}{BASH_REMATCH[1]}
    [[ -n ${'$'}{!word} ]] || { echo "nothing says what <$word> is" >&2; return 1; }
    text=${'$'}{text//"<$word>"/"${'$'}{!word}"}
  done
  printf '%s\n' "$text"
}
piece() {
  filled=$(fill "$1")
  eval "$filled" </dev/null
}
`

/** What the blocks about webhooks verify. */
export const SIGNED_REQUEST = `
import { createHmac } from 'node:crypto'
export const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
export const rawBody = JSON.stringify({ id: '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11', type: 'post.published', createdAt: new Date(), data: {} })
const now = Math.floor(Date.now() / 1000)
const signature = createHmac('sha256', secret).update(\`\${now}.\${rawBody}\`).digest('hex')
export const headers = new Headers({ 'content-type': 'application/json', 'x-service-signature': \`t=\${now},v1=\${signature}\` })
`

export type Session = AsyncDisposable & {
  /** Runs a block; throws with what it printed where it failed or printed something else. */
  run(block: Block): Promise<void>
}

export type SessionOptions = {
  readonly env: Readonly<Record<string, string>>
  /** What stands in a document instead of this server's own addresses and times. */
  readonly replace: readonly (readonly [from: string | RegExp, to: string])[]
}

export async function openSession({ env, replace }: SessionOptions): Promise<Session> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-blocks-'))
  const work = join(folder, 'work')
  await mkdir(work)
  for (const name of ['docs', 'sandbox-network', 'node_modules'])
    await symlink(join(root, name), join(work, name))
  await writeFile(join(work, 'signed-request.ts'), SIGNED_REQUEST)
  // As npm writes it for programs: ESM.
  await writeFile(join(work, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'prelude.sh'), PRELUDE)
  const shell = spawn('bash', ['--noprofile', '--norc'], {
    cwd: work,
    env: { ...env, HOME: folder, MAIN },
    detached: true,
    stdio: ['pipe', 'inherit', 'inherit', 'pipe'],
  })
  shell.stdin!.on('error', () => undefined)
  const ends = new Ends(shell)
  const kill = () => {
    try {
      process.kill(-shell.pid!, 'SIGKILL')
    } catch {
      // The shell has ended, and nobody else is in its group.
    }
  }
  let pieces = 0
  let printedLast = ''

  const run = async (code: string, { stays = false } = {}) => {
    const file = join(folder, `${(pieces += 1)}.sh`)
    await writeFile(file, code)
    await writeFile(`${file}.out`, '')
    const said = `>'${file}.out' 2>'${file}.err'`
    shell.stdin!.write(
      stays ? `(piece '${file}') ${said} & echo 3 >&3\n` : `piece '${file}' ${said}\necho ${pieces} >&3\n`,
    )
    const tooLong = setTimeout(kill, LONGEST_WAIT_MS)
    const ended = await ends.next()
    clearTimeout(tooLong)
    const out = () => readFile(`${file}.out`, 'utf8')
    if (!ended) throw new Error(`${code}\n${await out()}${await readFile(`${file}.err`, 'utf8')}`)
    return out
  }
  shell.stdin!.write(`. '${join(folder, 'prelude.sh')}'\n`)

  return {
    async run({ language, code, before, after, prints, way }) {
      const here = (text: string) =>
        replace.reduce((changed, [from, to]) => changed.replaceAll(from as string, to), text)
      const text = here(code)
      if (way.is === 'file') {
        await mkdir(join(work, dirname(way.name)), { recursive: true })
        return writeFile(join(work, way.name), text)
      }
      if (way.is === 'printed') {
        if (!printedLast.includes(text)) throw new Error(`It printed\n${printedLast}`)
        return
      }
      const waited = new Expected(prints.map(here))
      if (language !== 'sh') {
        const file = join(work, `block-${(pieces += 1)}.${language === 'python' ? 'py' : language}`)
        await writeFile(file, programOf({ before: here(before), code: text, after: here(after) }))
        const program = language === 'python' ? 'python3' : 'node'
        waited.take(await (await run(`${program} '${basename(file)}'`))())
        return waited.end()
      }
      if (before !== '') await run(here(before))
      printedLast = ''
      const [first = '', ...afterSleeps] = text.split(/^sleep \d+\n/m)
      const out = await run(first, { stays: way.is === 'stays' })
      await until(async () => {
        const printed = await out()
        if (way.is === 'stays') return waited.isAll(printed)
        printedLast += printed
        waited.take(printed)
        return true
      })
      for (const segment of afterSleeps) {
        const [line = '', ...rest] = segment.split('\n')
        await until(async () => waited.isNext(await (await run(line))()))
        waited.take(await (await run(rest.join('\n')))())
      }
      if (after !== '') await run(here(after))
      if (way.is !== 'stays') waited.end()
    },
    async [Symbol.asyncDispose]() {
      kill()
      await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** A block with what stands around it, as one file. */
export function programOf({ before, code, after }: Pick<Block, 'before' | 'code' | 'after'>): string {
  return `${before}\n${code}\n${after}\n`
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const latest = Date.now() + LONGEST_WAIT_MS
  while (!(await isDone())) {
    if (Date.now() > latest) throw new Error('It did not print what it should.')
    await delay(PAUSE_MS)
  }
}

/** Tells, for each piece, whether it came to its end before the shell did. */
class Ends {
  private readonly waiting: ((ended: boolean) => void)[] = []
  private isOver = false

  constructor(shell: ChildProcess) {
    createInterface(shell.stdio[3] as NodeJS.ReadableStream).on('line', () => this.waiting.shift()?.(true))
    shell.once('exit', () => {
      this.isOver = true
      for (const tell of this.waiting.splice(0)) tell(false)
    })
  }

  next(): Promise<boolean> {
    return this.isOver ? Promise.resolve(false) : new Promise((tell) => this.waiting.push(tell))
  }
}

/** The lines that a block prints, in their order, among others. */
class Expected {
  private lines: readonly RegExp[]

  constructor(lines: readonly string[]) {
    this.lines = lines.map(
      (line) =>
        new RegExp(`^${line.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`).replaceAll('…', '.*')}$`),
    )
  }

  take(printed: string): void {
    for (const line of printed.split('\n'))
      if (this.lines[0]?.test(line) === true) this.lines = this.lines.slice(1)
  }

  isNext(printed: string): boolean {
    const before = this.lines.length
    if (before === 0) throw new Error('Nothing says what the line after `sleep` prints.')
    this.take(printed)
    return this.lines.length < before
  }

  isAll(printed: string): boolean {
    const copy = new Expected([])
    copy.lines = this.lines
    copy.take(printed)
    return copy.lines.length === 0
  }

  end(): void {
    if (this.lines.length > 0) throw new Error(`It did not print ${this.lines.map(String).join(', ')}.`)
  }
}
