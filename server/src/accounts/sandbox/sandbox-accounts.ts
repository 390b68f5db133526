import Type, { type Static, type TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { askSandbox, type SandboxAnswer } from './ask-sandbox.ts'

/** The two kinds of account the sandbox network has; the provider's name is `sandbox-` and the profile. */
export const sandboxProfiles = ['short', 'professional'] as const
export type SandboxProfile = (typeof sandboxProfiles)[number]

export type NewSandboxAccount = {
  handle: string
  displayName: string
  profile: SandboxProfile
  /** For how long each authorization is accepted, in seconds; for ever when left out. */
  authorizedSeconds?: number
}

const Account = Type.Object({
  id: Type.String(),
  handle: Type.String(),
  displayName: Type.String(),
  profile: Type.Enum(sandboxProfiles),
  url: Type.String(),
  authorizedUntil: Type.Optional(Type.Union([Type.String(), Type.Null()])),
})
const Accounts = Type.Object({ items: Type.Array(Account) })
const OpenedAccount = Type.Object({ ...Account.properties, token: Type.String() })
const RefusedRequest = Type.Object({ error: Type.Object({ message: Type.String() }) })

/** An account with the token that opens it. */
export type SandboxAccount = Static<typeof OpenedAccount>

/** The sandbox network said no, or nothing; the message says what to do. */
export class SandboxRefused extends Error {
  override name = 'SandboxRefused'
}

/**
 * Makes an account at the sandbox network. With `takeOver`, an account that has the handle already is opened with a
 * fresh token, which ends its former one: only for accounts that no channel uses. Throws SandboxRefused.
 */
export async function openSandboxAccount(
  networkUrl: string,
  account: NewSandboxAccount,
  { takeOver }: { takeOver: boolean },
): Promise<SandboxAccount> {
  const made = await ask(networkUrl, 'POST', '/control/accounts', account)
  if (made.httpStatus !== 409) return read(OpenedAccount, made)

  const { items } = read(Accounts, await ask(networkUrl, 'GET', '/control/accounts'))
  const found = items.find(({ handle }) => handle.toLowerCase() === account.handle.toLowerCase())
  if (found === undefined || found.profile !== account.profile || !takeOver) {
    throw new SandboxRefused(`The sandbox network already has @${account.handle}. Choose another handle.`)
  }
  return renewSandboxAccount(networkUrl, found.id)
}

/** Restores an account that may be revoked, with a fresh token that ends its former one. Throws SandboxRefused. */
export async function renewSandboxAccount(networkUrl: string, accountId: string): Promise<SandboxAccount> {
  const renewal = `/control/accounts/${encodeURIComponent(accountId)}/restore`
  return read(OpenedAccount, await ask(networkUrl, 'POST', renewal, { newToken: true }))
}

async function ask(
  networkUrl: string,
  method: 'GET' | 'POST',
  path: string,
  json?: object,
): Promise<SandboxAnswer> {
  try {
    return await askSandbox(new URL(path, networkUrl), { method, json })
  } catch (error) {
    throw new SandboxRefused(`The sandbox network does not answer at ${networkUrl}. Try again in a moment.`, {
      cause: error,
    })
  }
}

function read<S extends TSchema>(schema: S, { httpStatus, body }: SandboxAnswer): Static<S> {
  if (Check(schema, body)) return body
  const words = Check(RefusedRequest, body) ? body.error.message : `HTTP status ${httpStatus}`
  throw new SandboxRefused(`The sandbox network refused: ${words}`)
}
