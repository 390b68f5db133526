import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from '../../platform/process/product-files.ts'
import type { Console } from './console.ts'

/** What goes over the API with a login, from here as from anywhere: the command line of `cli/` does it. */
export const CLIENT_COMMANDS: readonly string[] = [
  'login',
  'logout',
  'whoami',
  'post',
  'check',
  'list',
  'show',
  'edit',
  'schedule',
  'cancel',
  'retry',
  'media',
  'channels',
  'calendar',
  'listen',
  'events',
  'label',
  'series',
  'plan',
  'apply',
  'import',
  'export',
  'call',
  'completion',
]

/** What goes over the API without a login, since the operator of this machine asks: `cli/` does it, too. A word alone is all that begins with it. */
export const OPERATOR_COMMANDS: readonly string[] = [
  'key',
  'app',
  'channel',
  'webhook',
  'approval',
  'resolve',
  'workspace update',
  'member list',
  'member invite',
  'member invitations',
  'member uninvite',
  'member role',
  'member remove',
]

/** What is done on the machine of the server, though its word alone goes over the API. */
const SERVER_COMMANDS: readonly string[] = ['media adopt']

export function isClientCommand(args: readonly string[]): boolean {
  const [name = '', next = ''] = args
  return CLIENT_COMMANDS.includes(name) && !SERVER_COMMANDS.includes(`${name} ${next}`)
}

export function isOperatorCommand(args: readonly string[]): boolean {
  const [name = '', next = ''] = args[0] === '--json' ? args.slice(1) : args
  return OPERATOR_COMMANDS.includes(name) || OPERATOR_COMMANDS.includes(`${name} ${next}`)
}

/** What a command line is run with. */
export type Within = {
  readonly env: Console['env']
  /** Makes a further token of the operator, for a command that goes on for long. */
  readonly makeToken?: () => string
}

/** Runs it, and gives its exit code. */
export async function runClient(args: readonly string[], { env, makeToken }: Within): Promise<number> {
  const program = join(ROOT, 'cli/dist/postrider.js')
  const child = spawn(process.execPath, [program, ...args], {
    stdio: makeToken === undefined ? 'inherit' : ['inherit', 'inherit', 'inherit', 'ipc'],
    env: makeToken === undefined ? { ...env } : { ...env, POSTRIDER_CALLED_BY: 'ipc' },
  })
  if (makeToken !== undefined) child.on('message', () => child.send(makeToken()))
  // The terminal interrupts both; the client says how it ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((ended, failed) => {
    child.once('error', failed)
    child.once('close', (code) => ended(code ?? 1))
  })
}
