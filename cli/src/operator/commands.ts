import type { Command, Option, Options } from '../command.ts'
import { optionName } from '../fields.ts'
import { connectCommands } from './connect-commands.ts'
import { type OperatorCommand, shapeOf, typedFields } from './operator-command.ts'
import { allOf, type Field } from './operations.ts'

const SHOWN_ONCE = 'It is not shown again: keep it in a secret store.'
const decision = {
  operation: 'decideApproval',
  reads: 'readApproval',
  inNameOf: true,
  more: 'Applies once, to the content of the request when the command runs. With --digest from `approval show`, only to the content you saw.',
} as const

/** Every command of the operator, in the order of the help: an operation, or a command that asks for several. */
export const operatorCommands: Readonly<Record<string, OperatorCommand | Command>> = {
  'workspace update': { operation: 'updateWorkspace' },
  'member list': { operation: 'listMembers' },
  'member invite': { operation: 'inviteMember' },
  'member invitations': { operation: 'listInvitations' },
  'member uninvite': { operation: 'revokeInvitation' },
  'member role': { operation: 'changeMemberRole' },
  'member remove': { operation: 'removeMember' },
  'key create': {
    operation: 'createKey',
    more: 'It acts in the name of the owner. The key is shown only once.',
    after: `${SHOWN_ONCE}\nTo end it: postrider key revoke {keyId}`,
  },
  'key list': {
    operation: 'listKeys',
    columns: ['keyId', 'name', 'hint', 'permissions', 'limits', 'expiresAt', 'revokedAt', 'lastUsedAt'],
  },
  'key limit': { operation: 'limitKey' },
  'key revoke': { operation: 'revokeKey' },
  'key stop': { operation: 'stopKey' },
  'app list': {
    operation: 'listApps',
    columns: [
      'grantId',
      'clientName',
      'clientOrigin',
      'permissions',
      'limits',
      'expiresAt',
      'revokedAt',
      'lastUsedAt',
    ],
  },
  'app limit': { operation: 'limitApp' },
  'app revoke': { operation: 'revokeApp' },
  'app stop': { operation: 'stopApp' },
  'channel list': {
    operation: 'listManagedChannels',
    columns: [
      'channelId',
      'provider',
      'handle',
      'displayName',
      'enabled',
      'connectionStatus',
      'authorizedUntil',
    ],
  },
  ...connectCommands,
  'channel rename': { operation: 'renameChannel' },
  'channel remove': { operation: 'removeChannel' },
  'channel disable': { operation: 'disableChannel' },
  'channel enable': { operation: 'enableChannel' },
  'channel check': { operation: 'checkConnection' },
  'webhook create': {
    operation: 'createEndpoint',
    after: `${SHOWN_ONCE}\nTo try it: postrider webhook test {endpointId}`,
  },
  'webhook list': {
    operation: 'listEndpoints',
    columns: [
      'endpointId',
      'status',
      'statusSince',
      'disabledReason',
      'failingSince',
      'eventTypes',
      'autoReplay',
      'url',
      'description',
    ],
  },
  'webhook update': { operation: 'updateEndpoint' },
  'webhook rotate': { operation: 'rotateEndpointSecret', after: SHOWN_ONCE },
  'webhook disable': { operation: 'disableEndpoint' },
  'webhook enable': { operation: 'enableEndpoint' },
  'webhook delete': { operation: 'deleteEndpoint' },
  'webhook test': { operation: 'testEndpoint' },
  'webhook deliveries': {
    operation: 'listDeliveries',
    columns: ['eventId', 'eventType', 'test', 'status', 'attempts', 'error', 'httpStatus', 'createdAt'],
  },
  'webhook attempts': { operation: 'listDeliveryAttempts' },
  'webhook resend': { operation: 'resendDelivery' },
  'webhook replay': { operation: 'replayDeliveries' },
  'approval list': {
    operation: 'listApprovals',
    columns: ['approvalId', 'postId', 'status', 'requestedAt', 'expiresAt', 'decidedBy', 'text'],
  },
  'approval show': {
    operation: 'readApproval',
    after:
      'To publish exactly this: postrider approval approve {approvalId} --digest {digest}\nTo reject it: postrider approval reject {approvalId}',
  },
  'approval approve': {
    ...decision,
    says: 'Approve a request: the post is published at its time, or at once',
    fixed: { verdict: 'approve' },
  },
  'approval reject': {
    ...decision,
    says: 'Reject a request: the post stays a draft',
    fixed: { verdict: 'reject' },
  },
  resolve: { operation: 'resolveDestination', inNameOf: true },
}

const AS = {
  value: '<id or email>',
  says: 'The member who decides; the owner if left out. The log says that you did it in their name.',
} satisfies Option

/** The command as the help, the completions and the reading of options know it. */
export function commandFor(name: string): Command | null {
  const command = Object.hasOwn(operatorCommands, name) ? operatorCommands[name] : undefined
  if (command === undefined || 'load' in command) return command ?? null
  const { says, more } = shapeOf(command.operation)
  const typed = typedFields(command)
  const path = typed.filter(([, field]) => field.in === 'path').map(([field]) => `<${field}>`)
  const options = typed
    .filter(([, field]) => field.in !== 'path')
    .flatMap(([field, shape]) => optionsOf(command, field, shape))
  return {
    says: `${command.says ?? says}.`,
    more: command.more ?? more,
    takes: path,
    options: {
      ...Object.fromEntries(options),
      ...(command.inNameOf === undefined ? {} : { as: AS }),
    } satisfies Options,
    load: async () => {
      const { runOperator } = await import('./run-operator.ts')
      return { run: (context) => runOperator(command, context) }
    },
  }
}

/** The words that several commands of the operator begin with: `key`. */
export function groupNames(): string[] {
  const named = Object.keys(operatorCommands).filter((name) => name.includes(' '))
  return [...new Set(named.map((name) => name.split(' ')[0] ?? ''))]
}

/** Those that are called by one word. */
export function singleNames(): string[] {
  return Object.keys(operatorCommands).filter((name) => !name.includes(' '))
}

const VALUES = {
  text: '<text>',
  whole: '<number>',
  number: '<number>',
  time: '<time>',
  list: '<list>',
  json: '<json>',
  yes: undefined,
} as const
const TIME = 'A time: `2027-01-01T09:00Z`, from now on `+30d`, or before now `12h`.'

function optionsOf(
  { operation, reads }: OperatorCommand,
  name: string,
  { type, choices, says, required, at }: Field,
): [string, Option][] {
  const value = type === 'text' && choices !== undefined ? `<${choices.join('|')}>` : VALUES[type]
  // What is read before it is decided about has its digest.
  const isNeeded = required === true && type !== 'yes' && reads === undefined
  const all = allOf[name] === undefined ? [] : [required === true ? '`all` if left out.' : 'Or `all`.']
  const sentences = [
    says === '' && type === 'time' ? TIME : says,
    ...(type === 'list' && choices !== undefined ? [`Some of ${choices.join(', ')}, with commas.`] : []),
    ...all,
    ...(isNeeded && all.length === 0 ? ['Required.'] : []),
  ]
  const option: Option = {
    says: sentences.filter((each) => each !== '').join(' '),
    ...(value === undefined ? {} : { value }),
    ...(type === 'text' && choices !== undefined ? { choices } : {}),
  }
  // A change of something that is there can take back what is on.
  const isTakenBack = type === 'yes' && operation.startsWith('update') && at.length === 1
  const own: [string, Option] = [optionName(name), option]
  return isTakenBack ? [own, [`no-${optionName(name)}`, { says: 'Or not.' }]] : [own]
}
