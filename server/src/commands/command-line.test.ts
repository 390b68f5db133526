import { Command } from 'commander'
import { expect, test } from 'vitest'
import { CommandFault, WrongUsage } from './command-fault.ts'
import { outputTo, runCommandLine, sentenceOf } from './command-line.ts'
import { table } from './output.ts'

async function run(args: string[], act: (json: boolean) => void = () => undefined, env = {}) {
  let said = ''
  let complained = ''
  const write = (text: string) => void (said += text)
  const program = new Command('postrider').option('--json', 'answer in JSON').version('1.2.3')
  program
    .command('greet')
    .requiredOption('--name <name>', 'whom')
    .action((options: { name: string }, command: Command) => {
      act(true)
      outputTo(write)(command).answer(options, `Hello ${options.name}`)
    })
  const complain = (text: string) => void (complained += text)
  const exitCode = await runCommandLine(args, program, { env, write, complain, isTerminal: false })
  return { exitCode, said, complained }
}

test('a command answers people, or programs with --json in any place', async () => {
  expect(await run(['greet', '--name', 'Ada'])).toEqual({ exitCode: 0, said: 'Hello Ada\n', complained: '' })
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
  [['gret'], "Unknown command 'gret' (Did you mean greet?)"],
  [['greet', '--name', 'Ada', 'Bob'], 'Too many arguments for'],
])('%j is refused in one sentence, with exit code 2', async (args, sentence) => {
  const { exitCode, said, complained } = await run(args)
  expect(exitCode).toBe(2)
  expect(said).toBe('')
  expect(complained).toContain(sentence)
  expect(complained.trim().split('\n')).toHaveLength(1)
})

test('help and version are answers; help in place of a command is not', async () => {
  expect(await run(['--version'])).toMatchObject({ exitCode: 0, said: '1.2.3\n' })
  expect((await run(['greet', '--help'])).exitCode).toBe(0)
  expect(await run([])).toMatchObject({ exitCode: 2, said: expect.stringContaining('Usage: postrider') })
})

test.each([
  [new WrongUsage('No.'), 2, 'No.\n'],
  [new CommandFault('Cannot.'), 1, 'Cannot.\n'],
  [
    Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
    1,
    'The database does not answer. Start it, or correct DATABASE_URL.\n',
  ],
  [new Error('odd'), 1, 'Something broke: odd. Run it again with LOG_LEVEL=debug to see where.\n'],
])('%s is told without a stack', async (fault, exitCode, complained) => {
  const fail = () => {
    throw fault
  }
  expect(await run(['greet', '--name', 'Ada'], fail)).toEqual({ exitCode, said: '', complained })
  expect((await run(['greet', '--name', 'Ada'], fail, { LOG_LEVEL: 'debug' })).complained).toContain(
    '    at ',
  )
})

test('messages become sentences', () => {
  expect(sentenceOf("error: unknown option '--x'\n(Did you mean --y?)")).toBe(
    "Unknown option '--x' (Did you mean --y?)",
  )
  expect(sentenceOf('error: missing required argument')).toBe('Missing required argument.')
})

test('a table is as wide as its cells and has no trailing space', () => {
  expect(
    table(
      ['A', 'LONG'],
      [
        ['wide', 'b'],
        ['c', ''],
      ],
    ),
  ).toBe('A     LONG\nwide  b\nc')
})
