import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import type { Command } from 'commander'
import { pino } from 'pino'
import type { App } from '../app.ts'
import { greeting } from '../first-start/greeting.ts'
import { collectGarbage } from '../platform/collect-garbage.ts'
import { createLog, type Log } from '../platform/log.ts'
import type { Console } from './command-line.ts'
import { namedAsCalled } from './output.ts'
import { parseRoles, readSettings } from './read-settings.ts'

/** npm passes a Ctrl-C on to us although the terminal has sent it already: the two are one. */
const ECHO_MS = 500
/** How long a start that is given up may take to end what it has begun. */
const LEAVING_MS = 5_000

/**
 * Lets V8 give back the bytes of young buffers once they come to some 16 MB. By itself it waits for 64 MB of them, so
 * that every upload, however small its buffers, would raise memory by that much.
 */
const COLLECT_BUFFERS_SOON = '--scavenger-max-new-space-capacity-mb=4'

/** `postrider serve` */
export function addServeCommand(program: Command, { write, env, isTerminal, calledAs }: Console): void {
  program
    .command('serve')
    .description('run the server until it is stopped')
    .option(
      '--roles <list>',
      'what this process does: some of api,publisher,webhooks (default: ROLES, or all)',
    )
    .option(
      '--accept-lost-secrets',
      'give up what only lost secret keys decrypt: those channels have to be reconnected, those endpoints get new secrets',
      false,
    )
    .action(async (options: { roles?: string; acceptLostSecrets: boolean }) => {
      setFlagsFromString(COLLECT_BUFFERS_SOON)
      const roles = options.roles === undefined ? {} : { ROLES: parseRoles(options.roles).join(',') }
      // On a terminal the greeting stays readable: requests are logged there only when LOG_LEVEL asks for it.
      const config = readSettings({ ...(isTerminal ? { LOG_LEVEL: 'warn' } : {}), ...env, ...roles })
      const { level, pretty } = config.log
      const log = createLog({
        level,
        pretty: pretty === 'on' || (pretty === 'auto' && isTerminal),
        // Standard output is for people: it carries the greeting, and with it a secret.
        destination: pino.destination({ dest: 2, sync: true }),
      })
      exitOnUnhandledErrors(log)
      const stop = watchSignals()
      // Loaded only here: the other commands answer sooner without the server.
      const { startApp } = await import('../app.ts')
      const app = await startUnlessStopped((signal) => startApp(config, log, { ...options, signal }), stop)
      if (app === null) return
      write(namedAsCalled(greeting(app.addresses, app.first, app.ownerLink), calledAs))
      for (const notice of app.notices) write(`  ${namedAsCalled(notice, calledAs)}\n\n`)
      await runUntil(app, stop, isTerminal ? write : () => undefined)
    })
}

/** Null when it is to stop before it is up: at once, whatever the start waits for then. */
async function startUnlessStopped(
  start: (signal: AbortSignal) => Promise<App>,
  stop: Promise<void>,
): Promise<App | null> {
  const givenUp = new AbortController()
  const starting = start(givenUp.signal)
  const outcome = await Promise.race([starting, stop])
  if (outcome !== undefined) return outcome
  givenUp.abort()
  // Started after all, or stopped where it was: either way it leaves in order, if it does so soon.
  const left = starting.then((app) => app.stop()).catch(() => undefined)
  await Promise.race([left, delay(LEAVING_MS, undefined, { ref: false })])
  return null
}

async function runUntil(app: App, stop: Promise<void>, tell: (text: string) => void): Promise<void> {
  collectGarbage()
  await stop
  tell('\n  Stopping: what is under way is being finished. Ctrl-C again ends it at once.\n')
  await app.stop()
}

/** Resolves at the first SIGINT or SIGTERM; another one after that ends the process at once. */
function watchSignals(): Promise<void> {
  return new Promise((resolve) => {
    let firstMs: number | null = null
    const onSignal = () => {
      const nowMs = performance.now()
      firstMs ??= nowMs
      if (nowMs - firstMs > ECHO_MS) process.exit(130)
      resolve()
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
  })
}

/** After an error that nothing handled the state of the process is unknown, so it ends: what was in flight is recovered from the rows. */
function exitOnUnhandledErrors(log: Log): void {
  const exit = (err: unknown) => {
    log.fatal({ err }, 'ended by an unhandled error')
    process.exit(1)
  }
  process.on('uncaughtException', exit)
  process.on('unhandledRejection', exit)
}
