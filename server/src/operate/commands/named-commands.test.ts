import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { commandLineWith, silentConsole } from '../../../test/rigs/command-line.ts'
import { run as runInCli } from '../../../../cli/src/run.ts'
import { root } from '../../../test/rigs/product.ts'
import { common } from '../../../../cli/src/commands.ts'
import { commandFor, operatorCommands } from '../../../../cli/src/operator/commands.ts'
import { isClientCommand, isOperatorCommand, OPERATOR_COMMANDS } from './client-commands.ts'
import { calledAs } from './command-line.ts'
import { namedAsCalled } from './output.ts'
import { openProgram } from '../../app/run.ts'

/*
 * Walks over every command that a message, a page or the documentation names: it has to be there, with the options that are
 * named.
 */

function filesBelow(folder: string, ending: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name) && !/\.test\.ts$|node_modules/.test(name))
    .map((name) => join(folder, name))
}

const files = [
  ...filesBelow('server/src', /\.ts$/),
  ...filesBelow('contract/src', /\.ts$/),
  ...filesBelow('dashboard/src', /\.tsx?$/),
  ...filesBelow('docs', /\.md$/),
  'README.md',
  'CHANGELOG.md',
  'compose.yaml',
]

/** What stands behind `postrider`, up to the end of the line or of its quotes; no address. Words of its own stand for other things. */
const NAMED = /(?<=(?:^|[\s`(>])(?:npm run postrider -- |postrider ))(?!…|<|https?:)[a-z][^`'")\\\n]*/gm
const others = ['keeper', 'oauth', 'worker', 'network', 'named', 'sh', 'cat']

/** Why a command line cannot be run as it is named; null when it can. */
async function faultOf(line: string): Promise<string | null> {
  // `docker compose exec postrider postrider …`: the first is the name of the service.
  // `… /opt/postrider/.bin/postrider backup`: the program in a shell that has set something before.
  const words = line
    .replace(/^.*\/postrider (?=[a-z])/, '')
    .replace(/^postrider /, '')
    .trim()
    .split(/\s+/)
  if (isOperatorCommand(words)) return faultOfOperator(words)
  const program = await openProgram(words, silentConsole)
  let command: Command = program
  let depth = 0
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word.replace(/[.,:;]$/, ''))
    if (next === undefined) break
    command = next
    depth++
  }
  if (depth === 0) return `there is no command ${words[0]}`
  const options = words.flatMap((word) => /^--[a-z-]+/.exec(word)?.[0] ?? [])
  const known = [program, command, ...command.commands].flatMap((each) =>
    each.options.map(({ long }) => long),
  )
  const unknown = options.find((option) => option !== '--help' && !known.includes(option))
  return unknown === undefined ? null : `${command.name()} has no option ${unknown}`
}

/** The same of a command that `cli/` runs for the operator. */
function faultOfOperator(words: readonly string[]): string | null {
  const [group = '', second = ''] = words.map((word) => word.replace(/[.,:;]$/, ''))
  // `postrider resolve`
  const single = commandFor(group)
  // `postrider key --help`
  const command =
    single ?? (second.startsWith('-') || second === '' ? null : commandFor(`${group} ${second}`))
  if (command === null) return second.startsWith('-') ? null : `there is no command ${group} ${second}`
  const known = [...Object.keys(common), ...Object.keys(command.options ?? {})].map((name) => `--${name}`)
  const unknown = words
    .flatMap((word) => /^--[a-z-]+/.exec(word)?.[0] ?? [])
    .find((option) => !known.includes(option))
  return unknown === undefined ? null : `${group} ${second} has no option ${unknown}`
}

test('what the operator does over the API is known to both programs, and to one of them alone', async () => {
  for (const name of Object.keys(operatorCommands)) expect(isOperatorCommand(name.split(' '))).toBe(true)
  for (const name of OPERATOR_COMMANDS)
    expect(Object.keys(operatorCommands).some((known) => `${known} `.startsWith(`${name} `))).toBe(true)
  const program = await openProgram([], silentConsole)
  for (const group of program.commands)
    for (const { name } of group.commands.map((command) => ({ name: `${group.name()} ${command.name()}` })))
      expect(isOperatorCommand(name.split(' '))).toBe(false)
})

test('every command that is named anywhere is there, with its options', async () => {
  const named = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    return [...text.matchAll(NAMED)].map(([line]) => ({ file, line }))
  })
  // Those of `cli/` have a test of their own, beside it.
  const commands = named.filter(
    ({ line }) => !others.includes(line.split(' ')[0] ?? '') && !isClientCommand(line.split(' ')),
  )
  expect(commands.length).toBeGreaterThan(80)
  const faults: string[] = []
  for (const { file, line } of commands) {
    const fault = await faultOf(line)
    if (fault !== null) faults.push(`${file}: ${line}: ${fault}`)
  }
  expect(faults).toEqual([])
  expect(await faultOf('chanel list')).toContain('no command')
  expect(await faultOf('channel list --everything')).toContain('no option')
  expect(await faultOf('key lst')).toContain('no command')
  expect(await faultOf('key list --everything')).toContain('no option')
})

test('whatever is typed too much or wrongly, the answer names the command and what it takes', async () => {
  const wrongly: [string[], string[]][] = []
  const walk = (command: Command, path: readonly string[]) => {
    for (const child of command.commands) walk(child, [...path, child.name()])
    const children = command.commands.map((child) => child.name())
    const takes = command.registeredArguments
    // "backup nonsense" is the folder of a backup.
    const takesWord = path.join(' ') === 'backup'
    if (children.length > 0 && path.length > 0 && !takesWord) wrongly.push([[...path, 'nonsense'], children])
    if (path.length > 0) wrongly.push([[...path, '--nonsense'], ['--help']])
    if (children.length > 0 || takes.at(-1)?.variadic === true) return
    const needed = command.options.filter(({ mandatory }) => mandatory).flatMap(({ long }) => [long!, 'x'])
    wrongly.push([
      [...path, ...needed, ...takes.map(() => 'x'), 'nonsense'],
      takes.length === 0 ? ['no argument'] : takes.map((one) => one.name()),
    ])
  }
  walk(await openProgram([], silentConsole), [])
  for (const group of new Set(
    Object.keys(operatorCommands).flatMap((name) => (name.includes(' ') ? [name.split(' ')[0]!] : [])),
  ))
    wrongly.push([
      [group, 'nonsense'],
      Object.keys(operatorCommands).flatMap((name) =>
        name.startsWith(`${group} `) ? [name.split(' ')[1]!] : [],
      ),
    ])
  expect(wrongly.length).toBeGreaterThan(50)
  // Where there is no server, what goes over the API is looked at by the program that does it.
  for (const [line, takes] of wrongly) {
    const { exitCode, errors } = await typed(line)
    const named = line.filter((word) => !/^(x|nonsense|--.*)$/.test(word)).join(' ')
    expect({ line, exitCode }).toEqual({ line, exitCode: 2 })
    expect(errors).toContain(`postrider ${named}`)
    expect({ line, missing: takes.filter((word) => !errors.includes(word)) }).toEqual({ line, missing: [] })
  }
})

async function typed(line: readonly string[]) {
  if (!isOperatorCommand(line)) return commandLineWith({})(...line)
  let errors = ''
  const exitCode = await runInCli(line, {
    env: {},
    write: () => undefined,
    writeError: (text) => void (errors += text),
    signal: new AbortController().signal,
    askSecret: async () => '',
  })
  return { exitCode, errors }
}

test('commands are named as whoever reads it calls them, and texts of others are left alone', () => {
  const text = 'Run `postrider migrate`.\nNext: postrider key create\n  | postrider key create\nof postrider'
  expect(namedAsCalled(text, calledAs({ npm_lifecycle_event: 'start' }))).toBe(
    'Run `npm run postrider -- migrate`.\nNext: npm run postrider -- key create\n  | postrider key create\nof postrider',
  )
  expect(namedAsCalled(text, calledAs({ npm_lifecycle_event: 'npx' }))).toContain('npx postrider migrate')
  expect(namedAsCalled(text, calledAs({}))).toBe(text)
})

test('a server that another program is to call postrider keeps its name', () => {
  const line = 'claude mcp add --transport http postrider http://localhost:4000/mcp'
  expect(namedAsCalled(line, calledAs({ npm_lifecycle_event: 'start' }))).toBe(line)
})
