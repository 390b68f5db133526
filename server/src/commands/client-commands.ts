import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** What goes over the API with a login, from here as from anywhere: the command line of `cli/` does it. */
export const CLIENT_COMMANDS: readonly string[] = [
  ...['login', 'logout', 'whoami', 'check', 'list', 'show', 'edit', 'schedule', 'cancel', 'retry', 'media'],
  ...['channels', 'calendar', 'events', 'plan', 'apply', 'export', 'call', 'completion'],
]

/** What `post` is followed by where it reads the database of this machine; `post "…"` is a new one. */
const POSTS_HERE: readonly string[] = ['list', 'show', 'resolve', 'help', '--help', '-h']

export function isClientCommand([name = '', next = '--help']: readonly string[]): boolean {
  return CLIENT_COMMANDS.includes(name) || (name === 'post' && !POSTS_HERE.includes(next))
}

/** Runs it, and gives its exit code. */
export async function runClient(args: readonly string[]): Promise<number> {
  const program = join(import.meta.dirname, '../../../cli/dist/postrider.js')
  const child = spawn(process.execPath, [program, ...args], { stdio: 'inherit' })
  // The terminal interrupts both; the client says how it ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((ended, failed) => {
    child.once('error', failed)
    child.once('close', (code) => ended(code ?? 1))
  })
}
