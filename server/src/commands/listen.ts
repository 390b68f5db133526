import type { Command } from 'commander'
import { readTarget, targetFaults, type TargetRules } from '../platform/outbound-guard.ts'
import { openOutbound, type OutboundAnswer } from '../platform/outbound-http.ts'
import { forwardEvents } from '../webhooks/forward-events.ts'
import { newSigningSecret } from '../webhooks/signing.ts'
import { parseEventTypes } from './arguments.ts'
import { UsageError } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { inWorkspace, type InWorkspace, workspaceOption } from './session.ts'

type Options = InWorkspace & { forwardTo: string; events: string; secret?: boolean }

/** `postrider listen` */
export function addListenCommand(program: Command, { config, output, askSecret, env }: CommandLine): void {
  program
    .command('listen')
    .description(
      'forward events to a program of yours as they happen, signed and each tried once, until it is interrupted',
    )
    .requiredOption('--forward-to <address>', 'such as http://127.0.0.1:3000/hook')
    .option('--events <types>', '"all", or some of the event types, separated by commas', 'all')
    .option(
      '--secret',
      'ask for a signing secret to use again; without it, WEBHOOK_SECRET is used, or a new one',
    )
    .addOption(workspaceOption())
    .action(async (options: Options, command: Command) => {
      const target = targetIn(options.forwardTo)
      const eventTypes = parseEventTypes(options.events)
      const secret = secretIn(options.secret ? await askSecret('Signing secret: ') : env['WEBHOOK_SECRET'])
      const stop = new AbortController()
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

      await inWorkspace(config, options, async ({ db, workspace: { workspaceId, name } }) => {
        const outbound = openOutbound({ ...limits, rules: anyAddress })
        output(command).answer(
          { workspaceId, forwardTo: target.href, secret },
          `${secret}\n\nThis secret signs what is forwarded. Events of "${name}" go to ${target.href} from now on. Ctrl+C ends it.`,
        )
        await forwardEvents({
          db,
          workspaceId,
          target,
          secret,
          eventTypes,
          call: outbound.call,
          signal: stop.signal,
          onForwarded: (event, answer) =>
            output(command).answer({ ...event, ...outcomeOf(answer) }, lineOf(event, answer)),
        })
        await outbound.close()
      })
    })
}

/** The operator of this machine says where the events go. */
const anyAddress: TargetRules = { httpsOnly: false, trustedOrigins: 'any', trustedNetworks: [] }
const limits = {
  connectMs: 5_000,
  totalMs: 15_000,
  dropBodyAfterMs: 1_000,
  bodyMaxBytes: 16_384,
  userAgent: 'Postrider-Webhooks/1',
}

function targetIn(text: string): URL {
  const target = readTarget(text, anyAddress)
  if (typeof target === 'string')
    throw new UsageError(`--forward-to ${text} is refused. ${targetFaults[target]}`)
  return target
}

function secretIn(text: string | undefined): string {
  if (text === undefined || text === '') return newSigningSecret()
  if (/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(text)) return text
  throw new UsageError('That is no signing secret: it must be whsec_ and base64 text.')
}

function outcomeOf(answer: OutboundAnswer) {
  const { durationMs } = answer
  return answer.arrived
    ? { httpStatus: answer.response.status, durationMs }
    : { silence: answer.reason, durationMs }
}

function lineOf({ id, type }: { id: string; type: string }, answer: OutboundAnswer): string {
  const outcome = answer.arrived ? `HTTP ${answer.response.status}` : `no answer (${answer.reason})`
  return `${new Date().toISOString().slice(11, 19)}  ${type.padEnd(24)}  ${id}  ${outcome}, ${Math.round(answer.durationMs)} ms`
}
