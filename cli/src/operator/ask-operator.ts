import {
  isAnswerOf,
  type Problem,
  type ProblemCode,
  ProblemError,
  redirectOf,
  sayNotOurs,
  sayRedirect,
} from '@postrider/sdk'
import type { Context } from '../command.ts'
import { CliError, exits } from '../exits.ts'
import { type OperatorOperation, shapeOf } from './operator-command.ts'
import { optionName } from '../fields.ts'
import { networks } from './networks.ts'
import { OPERATOR_URL } from './environment.ts'
import { isOperator, NO_WORKSPACE, tokenOf } from './operator-client.ts'

export type OperatorRequest = Record<'path' | 'query' | 'body', Record<string, unknown>>

const TIMEOUT_MS = 60_000

/** Asks the server on this machine, once: these operations have no idempotency key. */
export async function askOperator(
  { env, signal }: Context,
  operation: OperatorOperation,
  { path, query, body }: OperatorRequest,
): Promise<unknown> {
  const url = demandOperator(env)
  const token = await tokenOf(env)()
  const { method, path: template, has } = shapeOf(operation)
  const clock = AbortSignal.timeout(TIMEOUT_MS)
  const isWrite = method !== 'GET'
  const address = addressOf(template, path, query)
  let response: Response
  let text: string
  try {
    response = await fetch(url + address, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        ...(isWrite ? { 'content-type': 'application/json' } : {}),
      },
      redirect: 'manual',
      signal: AbortSignal.any([signal, clock]),
      ...(isWrite ? { body: JSON.stringify(body) } : {}),
    })
    text = await response.text()
  } catch (cause) {
    signal.throwIfAborted()
    if (isRefusedConnection(cause)) throw noServer(url)
    const why = clock.aborted ? `no answer came within ${TIMEOUT_MS / 1_000} s` : 'the connection broke'
    throw isWrite ? unknown(why) : new CliError(exits.unavailable, `${url}: ${why}.`)
  }
  const { ok, status } = response
  const redirect = redirectOf(response, url, address)
  if (redirect !== null) {
    const said = sayRedirect(redirect, url)
    // 303 answers what was done, elsewhere (RFC 9110, 15.4.4); any other redirect has done nothing.
    throw isWrite && status === 303 ? unknown(said) : new CliError(exits.unavailable, said)
  }
  const answer = jsonIn(text)
  if (ok && isAnswerOf({ has }, answer, response.headers)) return answer
  const { code, title, detail } = (answer ?? {}) as Partial<Problem>
  const isUnknown = isWrite && (ok || (status >= 500 && code !== 'not_ready'))
  if (isUnknown)
    throw unknown(code === undefined ? sayNotOurs(url, `status ${status}`) : `${title}: ${detail}`)
  if (code === undefined) throw new CliError(exits.unavailable, sayNotOurs(url, `status ${status}`))
  const problem = answer as Problem & { code: ProblemCode }
  const facts = { operation, outcome: 'none', idempotencyKey: null, attempts: 1 } as const
  throw new ProblemError(withOptionNames(operation, problem, body['provider']), facts)
}

/** The address of the server on this machine. Throws away from it. */
export function demandOperator(env: Context['env']): string {
  const url = env[OPERATOR_URL]
  if (url === undefined || !isOperator(env)) throw notHere()
  return url
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function addressOf(template: string, path: Record<string, unknown>, query: Record<string, unknown>): string {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(name === 'workspaceId' ? NO_WORKSPACE : String(path[name])),
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) search.set(name, String(value))
  return search.size === 0 ? filled : `${filled}?${search.toString()}`
}

/** Faults by the options that were typed, and not by their places in the request. */
function withOptionNames<P extends Problem>(operation: OperatorOperation, problem: P, provider: unknown): P {
  const { errors } = problem
  if (errors === undefined) return problem
  const fields = Object.entries(shapeOf(operation).fields)
  const named = errors.map((error) => {
    // What a network asks for has options of its own, and secrets are asked for.
    const [, own] = /^\/fields\/(\w+)$/.exec(error.pointer) ?? []
    if (own !== undefined) return { ...error, pointer: secretTitle(provider, own) ?? `--${optionName(own)}` }
    const found = fields
      .filter(([, { at }]) => `${error.pointer}/`.replace(/^\?/, '/').startsWith(`/${at.join('/')}/`))
      .toSorted(([, one], [, other]) => other.at.length - one.at.length)[0]
    return found === undefined ? error : { ...error, pointer: `--${optionName(found[0])}` }
  })
  return { ...problem, errors: named }
}

/** What a secret is asked for by; null for what is an option. */
function secretTitle(provider: unknown, name: string): string | null {
  const form = networks[String(provider)]?.form ?? []
  return form.find((field) => field.name === name && field.secret === true)?.title ?? null
}

function isRefusedConnection(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false
  const { code, errors } = cause as { code?: unknown; errors?: readonly unknown[] }
  if (['ECONNREFUSED', 'ENOTFOUND', 'EADDRNOTAVAIL'].includes(String(code))) return true
  return errors === undefined ? isRefusedConnection(cause.cause) : errors.every(isRefusedConnection)
}

function noServer(url: string): CliError {
  return new CliError(
    exits.unavailable,
    `No server answers at ${url}. Start it on this machine: \`postrider serve\`. Nothing was changed.`,
    { code: 'no_server' },
  )
}

function unknown(why: string): CliError {
  return new CliError(
    exits.unknown,
    `${why.replace(/\.$/, '')}. The result is unknown. Check what exists before you repeat it.`,
    { code: 'unknown_outcome', outcome: 'unknown' },
  )
}

function notHere(): CliError {
  return new CliError(
    exits.credential,
    'A person does this in the dashboard, or the operator on the machine of the server, with its own `postrider`: in its folder, `npm run postrider -- …`. An agent key or an app, such as this command line, may not.',
    { code: 'operator_only' },
  )
}
