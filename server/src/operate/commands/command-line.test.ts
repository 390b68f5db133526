import { Command } from 'commander'
import { expect, test } from 'vitest'
import { answered, unreachable } from '../../../test/rigs/database-faults.ts'
import { CommandFault, UsageError } from './command-fault.ts'
import { outputTo, runCommandLine, sentenceOf } from './command-line.ts'
import { type Columns, table } from './output.ts'

async function run(args: string[], act: (json: boolean) => void = () => undefined, env = {}) {
  let said = ''
  let errors = ''
  const console = {
    env,
    isTerminal: false,
    isOutputTerminal: false,
    calledAs: 'postrider',
    write: (text: string) => void (said += text),
    writeError: (text: string) => void (errors += text),
  }
  const program = new Command('postrider').option('--json', 'print JSON').version('1.2.3')
  program
    .command('greet')
    .requiredOption('--name <name>', 'whom')
    .action((options: { name: string }, command: Command) => {
      act(true)
      outputTo(console)(command).answer(options, `Hello ${options.name}`)
    })
  const exitCode = await runCommandLine(args, program, console)
  return { exitCode, said, errors }
}

test('a command answers people, or programs with --json in any place', async () => {
  expect(await run(['greet', '--name', 'Ada'])).toEqual({ exitCode: 0, said: 'Hello Ada\n', errors: '' })
  for (const args of [
    ['greet', '--name', 'Ada', '--json'],
    ['--json', 'greet', '--name', 'Ada'],
  ]) {
    expect(JSON.parse((await run(args)).said)).toEqual({ name: 'Ada' })
  }
})

test.each([
  [['greet'], "Required option '--name <name>' not specified."],
  [['greet', '--name', 'Ada', '--jsn'], "Unknown option '--jsn' (Did you mean --json?)"],
  [['gret'], '`postrider` has no command "gret" (Did you mean greet?).'],
  [['greet', '--name', 'Ada', 'Bob'], '`postrider greet` takes no argument, and got "Bob".'],
])('%j is refused in one sentence, with exit code 2', async (args, sentence) => {
  const { exitCode, said, errors } = await run(args)
  expect(exitCode).toBe(2)
  expect(said).toBe('')
  expect(errors).toContain(sentence)
  expect(errors.trim().split('\n')).toHaveLength(1)
})

test('help and version are answers; help in place of a command is not', async () => {
  expect(await run(['--version'])).toMatchObject({ exitCode: 0, said: '1.2.3\n' })
  expect((await run(['greet', '--help'])).exitCode).toBe(0)
  expect(await run([])).toMatchObject({ exitCode: 2, said: expect.stringContaining('Usage: postrider') })
})

test.each([
  [new UsageError('No.'), 2, 'No.\n'],
  [new CommandFault('Cannot.'), 1, 'Cannot.\n'],
  [unreachable('ECONNREFUSED'), 1, 'The database does not answer. Start it, or correct DATABASE_URL.\n'],
  [
    Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' }),
    1,
    'The limit of open files is too low for this process. Raise it: `ulimit -n` shows it in a shell, and LimitNOFILE sets it for systemd.\n',
  ],
  [answered('53100'), 1, 'The disk of the database is full. Free some room on it.\n'],
  [
    Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
    1,
    'The disk is full. Free some room on it, or choose a folder on another one.\n',
  ],
  [new Error('odd'), 1, 'Something broke: odd. Run it again with LOG_LEVEL=debug to see where.\n'],
])('%s is reported without a stack', async (fault, exitCode, errors) => {
  const fail = () => {
    throw fault
  }
  expect(await run(['greet', '--name', 'Ada'], fail)).toEqual({ exitCode, said: '', errors })
  expect((await run(['greet', '--name', 'Ada'], fail, { LOG_LEVEL: 'debug' })).errors).toContain('    at ')
})

test('with --json, what goes wrong is a problem in JSON on standard error', async () => {
  const failed = await run(['greet', '--name', 'Ada', '--json'], () => {
    throw new CommandFault('Cannot.')
  })
  expect(failed).toMatchObject({ exitCode: 1, said: '' })
  expect(JSON.parse(failed.errors)).toEqual({
    type: 'about:blank',
    title: 'The command could not be carried out',
    detail: 'Cannot.',
    code: 'command_failed',
  })
  const wrong = await run(['greet', '--json'])
  expect(wrong.exitCode).toBe(2)
  expect(JSON.parse(wrong.errors)).toMatchObject({ code: 'usage_error' })
})

test('help says which options are required', async () => {
  const { said } = await run(['greet', '--help'])
  expect(said).toMatch(/--name <name> +whom \(required\)/)
})

test('messages become sentences', () => {
  expect(sentenceOf("error: unknown option '--x'\n(Did you mean --y?)")).toBe(
    "Unknown option '--x' (Did you mean --y?)",
  )
  expect(sentenceOf('error: missing required argument')).toBe('Missing required argument.')
})

test('a table is as wide as its cells, has no trailing space, and shows characters that would act by their numbers', () => {
  const columns: Columns<{ a: string; long: string }> = { A: ({ a }) => a, LONG: ({ long }) => long }
  const rows = [
    { a: 'wide', long: 'b' },
    { a: 'c', long: '' },
    { a: 'd', long: '\u001b[2J' },
  ]
  expect(table(columns, rows)).toBe('A     LONG\nwide  b\nc\nd     \\u{1b}[2J')
})

test('why the server did not start is a sentence for a person, and a line of its log for a machine', async () => {
  const serve = async (isTerminal: boolean, env: Record<string, string> = {}) => {
    let errors = ''
    const console = {
      env,
      isTerminal,
      isOutputTerminal: isTerminal,
      calledAs: 'npx postrider',
      write: () => undefined,
      writeError: (text: string) => void (errors += text),
    }
    const program = new Command('postrider')
    program.command('serve').action(() => {
      throw new CommandFault('Cannot. Run `postrider doctor`.')
    })
    expect(await runCommandLine(['serve'], program, console)).toBe(1)
    return errors
  }
  const sentence = 'Cannot. Run `npx postrider doctor`.\n'
  const line = {
    level: 'fatal',
    time: expect.any(String) as string,
    code: 'command_failed',
    detail: 'Cannot. Run `npx postrider doctor`.',
    msg: 'the server did not start',
  }
  expect(await serve(true)).toBe(sentence)
  expect(await serve(false, { LOG_PRETTY: 'on' })).toBe(sentence)
  expect(JSON.parse(await serve(false))).toEqual(line)
  expect(JSON.parse(await serve(true, { LOG_PRETTY: 'off' }))).toEqual(line)
  const { err } = JSON.parse(await serve(false, { LOG_LEVEL: 'debug' })) as { err: { stack: string } }
  expect(err.stack).toContain('    at ')
})
