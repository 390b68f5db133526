import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type Command, type Context, type Options, textOf, type Values } from './command.ts'
import { commands, withCommon } from './commands.ts'
import { hasLogin, openLogin } from './credentials.ts'
import { type Exit, exits, usageError } from './exits.ts'
import { commandHelp, generalHelp, groupHelp } from './help.ts'
import { explainServer } from './explain-server.ts'
import { OPERATOR_URL } from './operator/environment.ts'
import { isOperator, operatorClient } from './operator/operator-client.ts'
import { reportOf } from './report.ts'
import { jsonText, namedAsCalled, visible } from './terminal.ts'
import { nearest } from '@postrider/contract/plan'
import { type Unfinished, unfinishedRun } from './unfinished.ts'
import { Postrider } from '@postrider/sdk'
import { version } from './version.ts'

/** What this process has. */
export type Process = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly write: (text: string) => void
  readonly writeError: (text: string) => void
  readonly signal: AbortSignal
  readonly askSecret: (prompt: string) => Promise<string>
}

/** Runs one command line, and gives its exit code. */
export async function run(line: readonly string[], process: Process): Promise<Exit> {
  // An error is told in JSON, too, where nothing else of the line was understood.
  const json = line.includes('--json')
  const effect: Effect = { key: null, server: null, run: null }
  try {
    const exit = await runLine(line, process, effect)
    effect.run?.end(effect.key ?? '', false)
    return exit
  } catch (error) {
    const {
      exit,
      message,
      json: facts,
    } = reportOf(await explainServer(error, effect.server, effect.key !== null), effect.key)
    effect.run?.end(effect.key ?? '', exit === exits.unknown || process.signal.aborted)
    process.writeError(
      json ? `${jsonText({ error: facts })}\n` : `${namedAsCalled(visible(message), process.env)}\n`,
    )
    return exit
  }
}

/** What is known of a command once it has begun: the key of what it does, where it takes one, and the server that it asks. */
type Effect = { key: string | null; server: string | null; run: Unfinished | null }

async function runLine(typed: readonly string[], process: Process, effect: Effect): Promise<Exit> {
  // `--json` may stand before the command, too.
  const line = typed[0] === '--json' ? [...typed.slice(1), '--json'] : typed
  const [first = 'help', ...others] = line
  if (['help', '--help', '-h'].includes(first)) {
    const about = others.filter((word) => !word.startsWith('-'))
    process.write(about.length === 0 ? await generalHelp() : await helpFor(about))
    return exits.done
  }
  if (first === '--version') {
    process.write(`${version}\n`)
    return exits.done
  }
  const { name, command } = await commandOf(line)
  if (command === null) {
    process.write(await groupHelp(name))
    return line.includes('--help') || line.includes('-h') ? exits.done : exits.usage
  }
  const { values, args } = readLine(name, command, line.slice(name.split(' ').length))
  if (values['help'] === true) {
    process.write(commandHelp(name, command))
    return exits.done
  }
  const { run } = await command.load()
  const given = textOf(values, 'idempotency-key')
  if (command.goesOn === true && given === undefined) effect.run = unfinishedRun(process.env, line)
  const repeated = given ?? effect.run?.key ?? null
  const key = repeated ?? randomUUID()
  if (command.options?.['idempotency-key'] !== undefined) effect.key = key
  const context = contextOf(process, values, args, { key, repeats: repeated !== null }, effect)
  if (given === undefined && repeated !== null)
    context.note('The same command was run before, and its result is not known: this run goes on with it.')
  return (await run(context)) ?? exits.done
}

async function helpFor(words: readonly string[]): Promise<string> {
  const { name, command } = await commandOf(words)
  return command === null ? groupHelp(name) : commandHelp(name, command)
}

/** The command that a line begins with; null for the first word of several. */
async function commandOf([first = '', second = '']: readonly string[]): Promise<{
  name: string
  command: Command | null
}> {
  const command = Object.hasOwn(commands, first) ? commands[first] : undefined
  if (command !== undefined) return { name: first, command }
  // Loaded only here: the other commands answer sooner without it.
  const { commandFor, groupNames, operatorCommands, singleNames } = await import('./operator/commands.ts')
  const groups = groupNames()
  const isGroup = groups.includes(first)
  const name = isGroup ? `${first} ${second}` : first
  if (isGroup && (second === '' || second.startsWith('-'))) return { name: first, command: null }
  const own = commandFor(name)
  if (own !== null) return { name, command: own }
  const inGroup = Object.keys(operatorCommands).filter((each) => each.startsWith(`${first} `))
  const meant = nearest(name, isGroup ? inGroup : [...Object.keys(commands), ...groups, ...singleNames()])
  const also = meant === null ? '' : ` Did you mean \`postrider ${meant}\`?`
  throw usageError(
    isGroup
      ? `\`postrider ${first}\` has no command "${second}".${also} It takes ${inGroup.map((each) => each.slice(first.length + 1)).join(', ')}.`
      : `There is no command ${name}.${also} \`postrider --help\` lists all.`,
  )
}

function readLine(
  name: string,
  command: Command,
  line: readonly string[],
): { values: Values; args: string[] } {
  const options = withCommon(command)
  const { values, args } = parseOptions(name, options, line)
  for (const [option, { choices }] of Object.entries(options)) {
    const value = textOf(values, option)
    if (value !== undefined && choices !== undefined && !choices.includes(value)) {
      throw usageError(`--${option} is one of ${choices.join(', ')}, and not ${value}.`)
    }
  }
  const takes = command.takes ?? []
  const least = takes.filter((each) => each.startsWith('<')).length
  const most = takes.at(-1)?.endsWith('…]') === true ? Infinity : takes.length
  if (values['help'] !== true && (args.length < least || args.length > most)) {
    throw usageError(`Usage: \`postrider ${[name, ...takes].join(' ')}\`. See \`postrider ${name} --help\`.`)
  }
  return { values, args }
}

function parseOptions(name: string, options: Options, line: readonly string[]) {
  const config = Object.fromEntries(
    Object.entries(options).map(([option, { value, many }]) => [
      option,
      value === undefined
        ? ({ type: 'boolean' } as const)
        : ({ type: 'string', multiple: many === true } as const),
    ]),
  )
  try {
    const { values, positionals } = parseArgs({
      args: joined(options, line),
      options: config,
      allowPositionals: true,
    })
    return { values: values as Values, args: positionals }
  } catch (error) {
    const unknown = /^Unknown option '--?([^' ]+)/.exec((error as Error).message)?.[1]
    if (unknown === undefined)
      throw usageError(`${(error as Error).message.replace(/\.$/, '')}. See \`postrider ${name} --help\`.`)
    const meant = nearest(unknown, Object.keys(options))
    throw usageError(
      `\`postrider ${name}\` has no option --${unknown}.${meant === null ? '' : ` Did you mean --${meant}?`} See \`postrider ${name} --help\`.`,
    )
  }
}

/** With `--name -value` as `--name=-value`: a token may begin with a dash. What looks like an option stays one. */
function joined(options: Options, line: readonly string[]): string[] {
  const args: string[] = []
  for (const arg of line) {
    const name = args.at(-1)
    const isValue = /^-./.test(arg) && !/^(-h|--[a-z-]+(=.*)?)$/s.test(arg)
    if (isValue && name?.startsWith('--') === true && options[name.slice(2)]?.value !== undefined)
      args[args.length - 1] = `${name}=${arg}`
    else args.push(arg)
  }
  return args
}

function contextOf(
  { env, write, writeError, signal, askSecret }: Process,
  values: Values,
  args: readonly string[],
  { key, repeats }: Pick<Context, 'key' | 'repeats'>,
  effect: Effect,
): Context {
  const json = values['json'] === true
  if (isOperator(env)) effect.server = env[OPERATOR_URL] ?? null
  const isOperators = () => isOperator(env) && !hasLogin(env, textOf(values, 'server'))
  return {
    args,
    values,
    env,
    json,
    key,
    repeats,
    signal,
    askSecret,
    address: () =>
      isOperators() ? (env[OPERATOR_URL] ?? '') : openLogin(env, textOf(values, 'server')).server,
    client: () => {
      const workspace = textOf(values, 'workspace')
      if (isOperators()) return operatorClient(env)
      if (workspace !== undefined) throw usageError('A login has one workspace. Leave out --workspace.')
      const { server, key } = openLogin(env, textOf(values, 'server'))
      effect.server = server
      return new Postrider({ baseUrl: server, key })
    },
    answer: (value, text) =>
      write(json ? `${jsonText(value, 2)}\n` : `${namedAsCalled(visible(text), env)}\n`),
    note: (text, facts) => {
      if (!json) writeError(`${visible(text)}\n`)
      else if (facts !== undefined) writeError(`${jsonText(facts)}\n`)
    },
  }
}
