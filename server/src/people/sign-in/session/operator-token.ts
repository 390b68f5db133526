import ipaddr from 'ipaddr.js'
import type { IncomingMessage } from 'node:http'
import { type Keyring, tryUnseal } from '../../../platform/sealing/sealing.ts'

/** What the operator of the server's machine asks for. */
export type OperatorClaim = {
  /** The user of the system who called the command, for the audit log. */
  readonly user: string
  /** The workspace by its id or its name; null for the only one there is. */
  readonly workspace: string | null
  /** The id of what the command is about: without `workspace`, the workspace that has it. */
  readonly about: string | null
  /** The member in whose name, by id or e-mail address; null for the owner. */
  readonly as: string | null
}

/** The sealing key makes and proves it: whoever has that key can read every secret of the installation anyway. */
const CONTEXT = 'operator-token'
const PREFIX = 'prop_'
/** A command asks at once, and asks for little. */
const VALID_MS = 2 * 60_000

/** A token for one command of the operator. */
export function makeOperatorToken(keyring: Pick<Keyring, 'seal'>, claim: OperatorClaim, now: number): string {
  const sealed = keyring.seal(JSON.stringify({ ...claim, until: now + VALID_MS }), CONTEXT)
  return `${PREFIX}${sealed.toString('base64url')}`
}

/** The token that a request carries; null for none. */
export function operatorTokenIn({ authorization = '' }: IncomingMessage['headers']): string | null {
  const token = /^bearer +(\S{1,4096}) *$/i.exec(authorization)?.[1]
  return token?.startsWith(PREFIX) === true ? token : null
}

/** What a token asks for; null where it is over, was changed, or was made with a key that is not among ours. */
export function readOperatorToken(
  keyring: Pick<Keyring, 'unseal'>,
  token: string,
  now: number,
): OperatorClaim | null {
  const sealed = Buffer.from(token.slice(PREFIX.length), 'base64url')
  const opened = tryUnseal(keyring, sealed, CONTEXT)
  if (opened === null) return null
  const { until, ...claim } = JSON.parse(opened.toString()) as OperatorClaim & { until: number }
  return now < until && until <= now + VALID_MS ? claim : null
}

/** Headers by which a proxy says that it passes a request on. */
const PASSED_ON = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]

/** Whether a request comes from this machine and not through a proxy, as far as can be known. */
export function isFromThisMachine({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): boolean {
  const { remoteAddress = '', localAddress } = socket
  if (PASSED_ON.some((name) => headers[name] !== undefined) || !ipaddr.isValid(remoteAddress)) return false
  return ipaddr.process(remoteAddress).range() === 'loopback' || remoteAddress === localAddress
}
