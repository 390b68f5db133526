import type { Command, Option, Options } from '../command.ts'
import { optionName } from '../fields.ts'
import { networks } from './networks.ts'
import { openFields } from './open-fields.ts'
import { operations } from './operations.ts'

const SANDBOX = 'sandbox'
const OAUTH = {
  says: 'Print a link to sign in at the network in a browser, where accounts are connected in both ways.',
} satisfies Option
const ACCOUNT = {
  value: '<id or name>',
  many: true,
  says: 'Which of the accounts that a sign-in gives access to. Repeat for several. Default: choose in the browser.',
} satisfies Option

const SECRETS =
  'Secrets are asked for, or read from standard input. Where the network has a sign-in, a link is printed to open in a browser.'

/** The commands that connect accounts: they ask for secrets, or wait for a person at the network. */
export const connectCommands = {
  'channel add': {
    says: 'Connect an account of a network.',
    more: `The network is one of ${[SANDBOX, ...Object.keys(networks)].join(', ')}. ${SECRETS}`,
    takes: ['<network>'],
    options: { ...sandboxOptions(), ...networkOptions(), oauth: OAUTH, account: ACCOUNT },
    load: async () => {
      const { addChannel } = await import('./connect-channel.ts')
      return { run: addChannel }
    },
  },
  'channel reconnect': {
    says: 'Renew access to the account of a channel; waiting posts resume.',
    more: SECRETS,
    takes: ['<channelId>'],
    options: { ...networkOptions(), oauth: OAUTH },
    load: async () => {
      const { reconnectChannel } = await import('./connect-channel.ts')
      return { run: reconnectChannel }
    },
  },
} satisfies Record<string, Command>

/** An option of several networks says what it is for each. */
function networkOptions(): Options {
  const options: Record<string, Option> = {}
  for (const { displayName, ...network } of Object.values(networks)) {
    for (const { name, says } of openFields({ displayName, ...network })) {
      const before = options[optionName(name)]
      const own = `${displayName}: ${says}.`
      options[optionName(name)] = {
        value: '<text>',
        says: before === undefined ? own : `${before.says} ${own}`,
      }
    }
  }
  const { handle } = options
  return handle === undefined ? options : { ...options, handle: withSandbox(handle) }
}

/** `--handle` is the sandbox network's, too. */
function withSandbox({ says, ...option }: Option): Option {
  return { ...option, says: `${says} Sandbox: ${operations.connectSandboxChannel.fields.handle.says}` }
}

function sandboxOptions(): Options {
  const fields = Object.entries(operations.connectSandboxChannel.fields).filter(([name]) => name !== 'handle')
  return Object.fromEntries(
    fields.map(([name, { type, says }]) => [
      optionName(name),
      { value: type === 'number' ? '<number>' : '<text>', says: `Sandbox: ${says}`.trim() },
    ]),
  )
}
