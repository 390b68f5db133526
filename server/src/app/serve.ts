import { setFlagsFromString } from 'node:v8'
import type { Command } from 'commander'
import type { App } from './app.ts'
import { greeting } from '../accounts/first-start/greeting.ts'
import { writeGreeting } from '../accounts/first-start/write-greeting.ts'
import { collectGarbage } from '../platform/process/collect-garbage.ts'
import { createLog, linesTo, type Log } from '../platform/process/log.ts'
import { STOP_SIGNALS } from '../platform/process/stop-signals.ts'
import { version } from '../platform/process/version.ts'
import type { Console } from '../operate/commands/console.ts'
import type { OpenedRecord } from '../operate/commands/open-record.ts'
import { RECORD_OPTION, recordTo } from '../operate/commands/record-option.ts'
import { namedAsCalled } from '../operate/commands/output.ts'
import { parseRoles, readSettings } from '../operate/commands/read-settings.ts'

/** npm passes a Ctrl-C on to us although the terminal has sent it already: the two are one. */
const ECHO_MS = 500

/**
 * Lets V8 give back the bytes of young buffers once they come to some 16 MB. By itself it waits for 64 MB of them, so
 * that every upload, however small its buffers, would raise memory by that much.
 */
const COLLECT_BUFFERS_SOON = '--scavenger-max-new-space-capacity-mb=4'

/** `postrider serve` */
export function addServeCommand(program: Command, console: Console): void {
  const { write, env, calledAs } = console
  const isTerminal = console.isTerminal && console.isOutputTerminal
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
    .option(...RECORD_OPTION)
    .action(async ({ record: recordFile, ...options }: ServeOptions) => {
      setFlagsFromString(COLLECT_BUFFERS_SOON)
      const roles = options.roles === undefined ? {} : { ROLES: parseRoles(options.roles).join(',') }
      // On a terminal the greeting stays readable: requests are logged there only when LOG_LEVEL asks for it.
      const config = readSettings({ ...(isTerminal ? { LOG_LEVEL: 'warn' } : {}), ...env, ...roles })
      const { level, pretty } = config.log
      const log = createLog({
        level,
        pretty: pretty === 'on' || (pretty === 'auto' && console.isTerminal),
        // Standard output is for people: on a terminal it carries the greeting, and with it a secret.
        destination: linesTo(2),
      })
      exitOnUnhandledErrors(log)
      await using opened = new AsyncDisposableStack()
      const record = await recordTo(recordFile, opened)
      const stop = watchSignals()
      // Loaded only here: the other commands answer sooner without the server.
      const { startApp } = await import('./app.ts')
      let kept: { greeting?: string } = {}
      const greet = async (up: Omit<App, 'stop'>) => {
        const text = namedAsCalled(greeting(up.addresses, up.first, up.ownerLink), calledAs)
        const told = record === null ? up.notices : [...up.notices, noticeOf(record)]
        const notices = told.map((notice) => namedAsCalled(notice, calledAs))
        if (console.isOutputTerminal)
          return write(`${text}${notices.map((notice) => `  ${notice}\n\n`).join('')}`)
        for (const notice of notices) log.warn(notice)
        kept = await keepGreeting(up, text, log)
      }
      const app = await startUnlessStopped(
        (signal) =>
          startApp(config, log, {
            ...options,
            signal,
            greet,
            ...(record === null ? {} : { recorder: record.recorder }),
          }),
        stop,
      )
      const facts = { version, roles: config.roles }
      if (app === null) return log.info({ ...facts, reason: await stop }, 'stopped before it was ready')
      log.info({ ...facts, schema: app.schema, ...app.addresses, ...kept }, 'Postrider is ready')
      const reason = await runUntil(app, stop, isTerminal ? write : () => undefined)
      log.info({ ...facts, schema: app.schema, reason }, 'stopped')
    })
}

type ServeOptions = { roles?: string; acceptLostSecrets: boolean; record?: string }

function noticeOf({ file }: OpenedRecord): string {
  return `Calls to networks are recorded in ${file}, without tokens, texts, names, ids and addresses. Start without --record to end it.`
}

/** Null when it is to stop before it is up: at once, whatever the start waits for then. */
async function startUnlessStopped(
  start: (signal: AbortSignal) => Promise<App>,
  stop: Promise<NodeJS.Signals>,
): Promise<App | null> {
  const givenUp = new AbortController()
  const starting = start(givenUp.signal)
  const outcome = await Promise.race([starting, stop])
  if (typeof outcome !== 'string') return outcome
  givenUp.abort()
  // Started after all, or stopped where it was: either way it leaves in order, and no database of its own behind.
  await starting.then((app) => app.stop()).catch(() => undefined)
  return null
}

/** Logs are kept and read by many; what a person needs once, and the secrets in it, goes into a file of the owner's. */
async function keepGreeting(app: Omit<App, 'stop'>, text: string, log: Log): Promise<{ greeting?: string }> {
  if (app.addresses.api === null) return {}
  try {
    return { greeting: await writeGreeting(app.dataDir, text, { isFirst: app.first !== null }) }
  } catch (err) {
    log.error(
      { err },
      'the greeting could not be written: `postrider key create` and `postrider owner link` make new secrets',
    )
    return {}
  }
}

async function runUntil(
  app: App,
  stop: Promise<NodeJS.Signals>,
  tell: (text: string) => void,
): Promise<NodeJS.Signals> {
  collectGarbage()
  const reason = await stop
  tell('\n  Stopping: what is under way is being finished. Ctrl-C again ends it at once.\n')
  await app.stop()
  return reason
}

/** Resolves with the first signal to stop; another one after that ends the process at once. */
function watchSignals(): Promise<NodeJS.Signals> {
  // A terminal that hung up takes nothing more, which must not end the process before its work is done.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  return new Promise((resolve) => {
    let firstMs: number | null = null
    const onSignal = (signal: NodeJS.Signals) => {
      const nowMs = performance.now()
      firstMs ??= nowMs
      if (nowMs - firstMs > ECHO_MS) process.exit(130)
      resolve(signal)
    }
    for (const signal of STOP_SIGNALS) process.on(signal, onSignal)
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
