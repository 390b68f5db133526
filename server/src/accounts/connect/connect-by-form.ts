import { isRefusedTarget } from '../../platform/outbound/outbound-http.ts'
import type { ConnectFields, Provider } from '../../networks/providers/port/port.ts'
import { runProcedure } from '../../networks/providers/port/procedure.ts'
import {
  connectAccount,
  type ConnectParts,
  type ConnectResult,
  type ConnectTarget,
  type NotConnected,
} from './connect-account.ts'
import { readFields } from './connect-fields.ts'

const MAX_CALLS = 20

/** Connects an account by what a person copied from the network: a password for apps, a token, an address. */
export async function connectByForm(
  parts: ConnectParts,
  target: ConnectTarget,
  provider: Provider,
  given: Readonly<Record<string, unknown>>,
): Promise<ConnectResult> {
  const { form } = provider.connecting
  const adapter = await provider.load()
  if (form === null || adapter.form === null) {
    return { is: 'refused', code: 'no_form', detail: `${provider.displayName} is not connected by a form.` }
  }
  const read = readFields(form.fields, given)
  if (!('fields' in read)) return { is: 'refused', code: 'invalid_field', ...read }

  const { signal } = new AbortController()
  const work = { fields: read.fields, now: new Date() }
  const ran = await runProcedure(adapter.form, work, parts.tools, {
    signal,
    maxCalls: MAX_CALLS,
    maxWaitMs: 0,
  })
  if (ran.is === 'fault') throw ran.fault
  if (ran.is === 'silent') return unanswered(provider, ran.answer.reason, read.fields)
  if (ran.is !== 'done')
    return {
      is: 'unavailable',
      detail: `${provider.displayName} received too many requests. Try again later.`,
    }
  return connectAccount(parts, target, adapter, ran.outcome)
}

const NO_SERVER: readonly string[] = ['ENOTFOUND', 'ENODATA', 'EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH']

/** What a call without an answer says to a person: whether to mend the address that they gave, or this server's way to the network. */
export function unanswered(
  { displayName }: Pick<Provider, 'displayName'>,
  reason: string,
  { server }: ConnectFields = {},
): NotConnected {
  const named = server === undefined ? {} : { field: 'server' }
  if (isRefusedTarget(reason)) {
    const detail =
      'The address is a private one, or not https. Give the public address of the server; the server operator can permit a private one by TRUSTED_ORIGINS.'
    return { is: 'refused', code: 'invalid_field', detail, ...named }
  }
  if (NO_SERVER.includes(reason) && server !== undefined) {
    const detail = `No server answers at ${server} (${reason}). Check the address.`
    return { is: 'refused', code: 'invalid_field', detail, ...named }
  }
  if (NO_SERVER.includes(reason)) {
    const detail = `Postrider can’t reach ${displayName} (${reason}). Nothing is wrong with what you entered: check this server’s connection to the internet, then try again.`
    return { is: 'unavailable', detail }
  }
  return { is: 'unavailable', detail: `${displayName} did not answer (${reason}). Try again later.` }
}
