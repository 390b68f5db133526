import { eventTypeNames } from '@postrider/contract/names'
import { Option, type Command } from 'commander'
import { targetRules } from '../config/target-rules.ts'
import {
  listAttempts,
  listDeliveries,
  type DeliveryAttempt,
  type DeliverySummary,
} from '../webhooks/delivery-log-store.ts'
import { deliveryStatuses, type DeliveryStatus } from '../webhooks/delivery-states.ts'
import { auditedEndpoint } from '../webhooks/audited-endpoint.ts'
import { findEndpoint, listEndpoints, type Endpoint, type EndpointKey } from '../webhooks/endpoint-store.ts'
import {
  createEndpoint,
  replay,
  resend,
  rotateSecret,
  sendTest,
  disable,
  enable,
  updateEndpoint,
  type EndpointParts,
  type EndpointRefusal,
} from '../webhooks/manage-endpoints.ts'
import { maskedUrl } from '../webhooks/masked-url.ts'
import { openSecrets } from '../secrets/open-secrets.ts'
import type { ActDetails } from '../operations/act.ts'
import { parseEventTypes, parseId, parseSince, parseWhole } from './arguments.ts'
import { CommandFault, UsageError } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { addListCommand } from './list-command.ts'
import { recordOperator } from './operator.ts'
import { type Columns, instantCell, table } from './output.ts'
import { inWorkspace, type InWorkspace, workspaceOption } from './session.ts'

type Wanted = InWorkspace & { url?: string; events?: string; description?: string; autoReplay?: OnOff }
type OnOff = 'on' | 'off'

const ownMachine =
  ' For a receiver on your own machine there is `postrider listen`; one in a private network is named in TRUSTED_ORIGINS.'
const SHOWN_ONCE = 'It is not shown again: keep it in a secret store.'

type Group = {
  readonly webhook: Command
  readonly config: CommandLine['config']
  readonly output: CommandLine['output']
  /** Makes a change in the chosen workspace, in one transaction with its entry in the audit log. A refusal ends the command. */
  readonly change: <T>(
    options: InWorkspace,
    action: string,
    run: (parts: EndpointParts, workspaceId: string) => Promise<T | EndpointRefusal>,
    details: (done: T) => ActDetails,
  ) => Promise<T>
  /** The same for a change of what one endpoint is, with what it was before. */
  readonly changeEndpoint: (
    options: InWorkspace,
    action: string,
    endpointId: string,
    run: (parts: EndpointParts, key: EndpointKey) => Promise<Endpoint | EndpointRefusal>,
  ) => Promise<Endpoint>
}

/** `postrider webhook …` */
export function addWebhookCommands(program: Command, commandLine: CommandLine): void {
  const { config, output } = commandLine
  const webhook = program.command('webhook').description('endpoints that events are delivered to')
  const group: Group = {
    ...{ webhook, config, output },
    change(options, action, run, details) {
      return inWorkspace(config, options, async ({ db, dataDir, settings, workspaceId }) => {
        const { keyring } = await openSecrets(db, { secretKeys: settings.secretKeys, dataDir })
        return db.begin(async (tx) => {
          const parts = { db: tx, keyring, rules: targetRules(settings) }
          const changed = done(await run(parts, workspaceId))
          await recordOperator(tx, workspaceId, action, details(changed))
          return changed
        })
      })
    },
    async changeEndpoint(options, action, endpointId, run) {
      let before: Endpoint | null = null
      return group.change(
        options,
        action,
        async (parts, workspaceId) => {
          const key = { workspaceId, endpointId }
          before = await findEndpoint(parts.db, key)
          return run(parts, key)
        },
        (changed) => ({
          subject: { endpointId },
          before: before === null ? null : auditedEndpoint(before),
          after: auditedEndpoint(changed),
        }),
      )
    },
  }
  addCreate(group)
  addListCommand(webhook, commandLine, {
    description: 'list the endpoints of a workspace',
    read: async (db, workspaceId) => (await listEndpoints(db, workspaceId)).map(shown),
    ...{ columns: endpointColumns, none: 'The workspace has no endpoint.' },
  })
  addUpdate(group)
  addRotate(group)
  addSwitches(group)
  addTest(group)
  addDeliveries(group)
  addResend(group)
  addReplay(group)
}

function addCreate({ webhook, change, output }: Group): void {
  webhook
    .command('create')
    .description('create an endpoint; its signing secret is shown only once')
    .requiredOption('--url <address>', 'where events are sent; https, unless TRUSTED_ORIGINS names it')
    .option('--events <types>', '"all", or some of the event types, separated by commas', 'all')
    .option('--description <text>', 'what it is for', '')
    .addOption(autoReplayOption().default('off'))
    .addOption(workspaceOption())
    .action(
      async (
        options: Wanted & { url: string; events: string; description: string; autoReplay: OnOff },
        command: Command,
      ) => {
        const wanted = {
          url: options.url,
          description: options.description,
          eventTypes: parseEventTypes(options.events),
          autoReplay: options.autoReplay === 'on',
        }
        const { endpoint, secret } = await change(
          options,
          'createEndpoint',
          (parts, workspaceId) => createEndpoint(parts, workspaceId, wanted),
          (made) => ({
            subject: { endpointId: made.endpoint.endpointId },
            after: auditedEndpoint(made.endpoint),
          }),
        )
        output(command).answer(
          { ...shown(endpoint), secret },
          `Endpoint ${endpoint.endpointId} gets ${listTypes(endpoint.eventTypes)} at ${maskedUrl(endpoint.url)}\n\n${secret}\n\n` +
            `This is its signing secret. ${SHOWN_ONCE}\nTo try it: postrider webhook test ${endpoint.endpointId}`,
        )
      },
    )
}

function addUpdate({ webhook, changeEndpoint, output }: Group): void {
  webhook
    .command('update')
    .description('change the address, event types, description or automatic replay of an endpoint')
    .argument('<endpointId>', 'as `webhook list` shows it')
    .option('--url <address>', 'the new address; what is pending goes there, too')
    .option('--events <types>', '"all", or some of the event types, separated by commas')
    .option('--description <text>', 'what it is for')
    .addOption(autoReplayOption())
    .addOption(workspaceOption())
    .action(async (endpointId: string, options: Wanted, command: Command) => {
      const { url, description, events, autoReplay } = options
      const wanted = {
        ...(url === undefined ? {} : { url }),
        ...(description === undefined ? {} : { description }),
        ...(events === undefined ? {} : { eventTypes: parseEventTypes(events) }),
        ...(autoReplay === undefined ? {} : { autoReplay: autoReplay === 'on' }),
      }
      if (Object.keys(wanted).length === 0)
        throw new UsageError('Give --url, --events, --description or --auto-replay.')
      const id = parseId('endpointId', endpointId)
      const endpoint = await changeEndpoint(options, 'updateEndpoint', id, (parts, key) =>
        updateEndpoint(parts, key, wanted),
      )
      output(command).answer(
        shown(endpoint),
        `The endpoint gets ${listTypes(endpoint.eventTypes)} at ${maskedUrl(endpoint.url)}`,
      )
    })
}

function addRotate({ webhook, change, output }: Group): void {
  webhook
    .command('rotate')
    .description(
      'give an endpoint a new signing secret, shown only once; the old one signs beside it for 24 hours',
    )
    .argument('<endpointId>', 'as `webhook list` shows it')
    .option('--at-once', 'end the old secret now, because it has leaked', false)
    .addOption(workspaceOption())
    .action(async (endpointId: string, options: InWorkspace & { atOnce: boolean }, command: Command) => {
      const id = parseId('endpointId', endpointId)
      const rotated = await change(
        options,
        'rotateEndpointSecret',
        (parts, workspaceId) => rotateSecret(parts, { workspaceId, endpointId: id }, options),
        (made) => ({
          subject: { endpointId: id },
          after: { overlapUntil: made.overlapUntil?.toISOString() ?? null },
        }),
      )
      const { secret, overlapUntil } = rotated
      const old =
        overlapUntil === null
          ? 'The old one no longer signs.'
          : `The old one signs beside it until ${instantCell(overlapUntil, '')}.`
      output(command).answer(rotated, `${secret}\n\nThis is the new signing secret. ${SHOWN_ONCE}\n${old}`)
    })
}

function addSwitches({ webhook, changeEndpoint, output }: Group): void {
  for (const { name, action, does, said, run } of switches) {
    webhook
      .command(name)
      .description(does)
      .argument('<endpointId>', 'as `webhook list` shows it')
      .addOption(workspaceOption())
      .action(async (endpointId: string, options: InWorkspace, command: Command) => {
        const id = parseId('endpointId', endpointId)
        const endpoint = await changeEndpoint(options, action, id, run)
        output(command).answer(shown(endpoint), said)
      })
  }
}

function addTest({ webhook, change, output }: Group): void {
  webhook
    .command('test')
    .description('send an invented event: its ids are all zeros, and its provider is "test"')
    .argument('<endpointId>', 'as `webhook list` shows it')
    .option(
      '--event <type>',
      'which of the types that it subscribes to; post.published when left out, if it does',
    )
    .addOption(workspaceOption())
    .action(async (endpointId: string, options: InWorkspace & { event?: string }, command: Command) => {
      const id = parseId('endpointId', endpointId)
      const sent = await change(
        options,
        'testEndpoint',
        (parts, workspaceId) => sendTest(parts, { workspaceId, endpointId: id }, options.event ?? null),
        ({ eventId }) => ({ subject: { endpointId: id, eventId } }),
      )
      output(command).answer(
        sent,
        `The test event ${sent.eventId} (${sent.type}) is queued; a running server sends it.\n` +
          `What becomes of it: postrider webhook deliveries ${endpointId} --event ${sent.eventId}`,
      )
    })
}

function addDeliveries({ webhook, config, output }: Group): void {
  webhook
    .command('deliveries')
    .description('list the deliveries to an endpoint, latest first, or the attempts at one')
    .argument('<endpointId>', 'as `webhook list` shows it')
    .addOption(new Option('--status <status>', 'only those').choices(Object.keys(deliveryStatuses)))
    .option('--event <eventId>', 'show the attempts at this one')
    .option('--limit <number>', 'how many', '20')
    .option('--before <eventId>', 'go on after the last event of the page before')
    .addOption(workspaceOption())
    .action(async (endpointId: string, options: DeliveriesOptions, command: Command) => {
      const id = parseId('endpointId', endpointId)
      if (options.event !== undefined) {
        const eventId = parseId('--event', options.event)
        const attempts = await inWorkspace(config, options, ({ db, workspaceId }) =>
          listAttempts(db, { workspaceId, endpointId: id, eventId }),
        )
        output(command).answer(
          attempts,
          attempts.length === 0 ? 'There is no attempt yet.' : table(attemptColumns, attempts),
        )
        return
      }
      const page = {
        status: options.status ?? null,
        limit: parseWhole('--limit', options.limit, 1_000),
        before: options.before === undefined ? null : parseId('--before', options.before),
      }
      const deliveries = await inWorkspace(config, options, ({ db, workspaceId }) =>
        listDeliveries(db, { workspaceId, endpointId: id }, page),
      )
      output(command).answer(
        deliveries,
        deliveries.length === 0 ? 'No deliveries.' : table(deliveryColumns, deliveries),
      )
    })
}

function addResend({ webhook, change, output }: Group): void {
  webhook
    .command('resend')
    .description('send one event to an endpoint again, whatever became of it before')
    .argument('<endpointId>', 'as `webhook list` shows it')
    .argument('<eventId>', 'as `webhook deliveries` shows it')
    .addOption(workspaceOption())
    .action(async (endpointId: string, eventId: string, options: InWorkspace, command: Command) => {
      const [endpoint, event] = [parseId('endpointId', endpointId), parseId('eventId', eventId)]
      const subject = { endpointId: endpoint, eventId: event }
      await change(
        options,
        'resendDelivery',
        (parts, workspaceId) => resend(parts, { workspaceId, ...subject }),
        () => ({ subject }),
      )
      output(command).answer(
        { endpointId: endpoint, eventId: event },
        'The event is on its way again, if a server runs.',
      )
    })
}

function addReplay({ webhook, change, output }: Group): void {
  webhook
    .command('replay')
    .description('send everything again that was recorded since a time')
    .argument('<endpointId>', 'as `webhook list` shows it')
    .requiredOption('--since <when>', 'a time before now (45m, 12h, 7d) or an instant')
    .option('--failed', 'only what failed', false)
    .addOption(workspaceOption())
    .action(
      async (
        endpointId: string,
        options: InWorkspace & { since: string; failed: boolean },
        command: Command,
      ) => {
        const id = parseId('endpointId', endpointId)
        const since = parseSince(options.since, new Date())
        const onlyFailed = options.failed
        const replayed = await change(
          options,
          'replayDeliveries',
          (parts, workspaceId) => replay(parts, { workspaceId, endpointId: id }, { since, onlyFailed }),
          ({ count }) => ({
            subject: { endpointId: id },
            after: { since: since.toISOString(), onlyFailed, count },
          }),
        )
        const { count } = replayed
        output(command).answer(
          replayed,
          `${count} ${count === 1 ? 'delivery is' : 'deliveries are'} on the way again.`,
        )
      },
    )
}

type DeliveriesOptions = InWorkspace & {
  status?: DeliveryStatus
  event?: string
  limit: string
  before?: string
}

const switches = [
  {
    name: 'disable',
    action: 'disableEndpoint',
    does: 'stop deliveries to an endpoint; what is pending is given up',
    said: 'The endpoint is disabled. Events recorded meanwhile can be replayed after `webhook enable`.',
    run: disable,
  },
  {
    name: 'enable',
    action: 'enableEndpoint',
    does: 'deliver to an endpoint again, from the next event on',
    said: 'The endpoint is active. To send what it has missed: postrider webhook replay',
    run: enable,
  },
]

/** What came of it; a refusal ends the command. */
function done<T>(outcome: T | EndpointRefusal): T {
  if (isRefused(outcome))
    throw new CommandFault(`${outcome.refused}${outcome.ofTarget === true ? ownMachine : ''}`)
  return outcome
}

function autoReplayOption(): Option {
  return new Option(
    '--auto-replay <on|off>',
    'whether deliveries of the last 24 hours that failed are sent again once the endpoint answers',
  ).choices(['on', 'off'])
}

function isRefused(value: unknown): value is EndpointRefusal {
  return typeof value === 'object' && value !== null && 'refused' in value
}

function listTypes(types: readonly string[]): string {
  const isAll = types.length === eventTypeNames.length && eventTypeNames.every((type) => types.includes(type))
  return isAll ? 'all events' : types.join(', ')
}

/** An endpoint for people and programs: a token in its address is not repeated. */
function shown(endpoint: Endpoint): Endpoint {
  return { ...endpoint, url: maskedUrl(endpoint.url) }
}

const endpointColumns: Columns<Endpoint> = {
  ENDPOINT: ({ endpointId }) => endpointId,
  STANDING: (endpoint) => standingOf(endpoint),
  EVENTS: ({ eventTypes }) => listTypes(eventTypes),
  'AUTO REPLAY': ({ autoReplay }) => (autoReplay ? 'on' : 'off'),
  ADDRESS: ({ url }) => url,
  DESCRIPTION: ({ description }) => description,
}

function standingOf({ status, statusSince, disabledReason, failingSince }: Endpoint): string {
  if (status === 'disabled')
    return `${disabledReason === 'failing' ? 'disabled, failing' : 'disabled'} since ${instantCell(statusSince, '')}`
  return failingSince === null ? 'active' : `failing since ${instantCell(failingSince, '')}`
}

const deliveryColumns: Columns<DeliverySummary> = {
  EVENT: ({ eventId }) => eventId,
  TYPE: ({ eventType, test }) => (test ? `${eventType} (test)` : eventType),
  STATUS: ({ status }) => status,
  ATTEMPTS: ({ attempts }) => String(attempts),
  'LAST ERROR': ({ error, httpStatus }) => (error === 'http_status' ? `HTTP ${httpStatus}` : (error ?? '')),
  RECORDED: ({ createdAt }) => instantCell(createdAt, ''),
}

const attemptColumns: Columns<DeliveryAttempt> = {
  ROUND: ({ round }) => String(round),
  ATTEMPT: ({ number }) => String(number),
  ENDED: ({ endedAt }) => endedAt.toISOString(),
  TOOK: ({ durationMs }) => (durationMs === null ? '' : `${Math.round(durationMs)} ms`),
  'HTTP STATUS': ({ httpStatus }) => String(httpStatus ?? ''),
  RESULT: ({ error }) => error ?? 'delivered',
}
