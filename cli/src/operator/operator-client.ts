import { isAnswerOf, Postrider, REQUEST_ID } from '@postrider/sdk'
import { CALLED_BY, OPERATOR_TOKEN, OPERATOR_URL } from './environment.ts'

type Env = Readonly<Record<string, string | undefined>>

const AGENTS = '/agent/v1'
/** The token says which workspace is meant: the path names none. */
export const NO_WORKSPACE = '00000000-0000-0000-0000-000000000000'
/** Half of the time for which a token counts. */
const RENEW_AFTER_MS = 60_000

/** Whether the server's own `postrider` has called this, on its machine. */
export function isOperator(env: Env): boolean {
  return env[OPERATOR_URL] !== undefined && env[OPERATOR_TOKEN] !== undefined
}

/**
 * A client for the operator of the server's machine, who has no agent key. What people and agents do alike, people do below
 * another path, with the same requests and answers.
 */
export function operatorClient(env: Env): Postrider {
  return new Postrider({ baseUrl: env[OPERATOR_URL] ?? '', key: tokenOf(env), fetch: askAsPerson })
}

const tokens = new WeakMap<Env, () => string | Promise<string>>()

/** The token of this process, which is renewed while it runs. */
export function tokenOf(env: Env): () => string | Promise<string> {
  const known = tokens.get(env)
  if (known !== undefined) return known
  const token = keptFresh(env[OPERATOR_TOKEN] ?? '', env[CALLED_BY] === 'ipc')
  tokens.set(env, token)
  return token
}

const askAsPerson: typeof fetch = async (input, init) => {
  const { origin, pathname, search } = new URL(input instanceof Request ? input.url : input)
  const path = pathname.slice(AGENTS.length)
  const own = path === '/me' ? '' : path
  const response = await fetch(`${origin}/app/api/workspaces/${NO_WORKSPACE}${own}${search}`, init)
  if (!response.ok || !(path in read)) return response
  const { headers } = response
  const requestId = headers.get(REQUEST_ID)
  const answer = read[path as keyof typeof read](await response.json(), headers)
  return Response.json(answer, requestId === null ? {} : { headers: { [REQUEST_ID]: requestId } })
}

/** What people read otherwise than agents. */
const read = {
  '/me': (workspace: unknown, headers: Headers) =>
    isAnswerOf({ has: 'workspaceId' }, workspace, headers)
      ? operatorMe(workspace as { workspaceId: string })
      : workspace,
  '/channels': (channels: unknown, headers: Headers) =>
    isAnswerOf({ has: '[].enabled' }, channels, headers)
      ? (channels as { enabled: boolean }[]).filter(({ enabled }) => enabled)
      : channels,
} as const

function operatorMe({ workspaceId, ...workspace }: { workspaceId: string }) {
  return { workspace: { id: workspaceId, ...workspace }, credential: { type: 'operator' } }
}

/** The token, made anew by whoever started this before it is over: a command may wait for hours. */
function keptFresh(first: string, canAsk: boolean): () => string | Promise<string> {
  let token: string | Promise<string> = first
  let renewAt = Date.now() + RENEW_AFTER_MS
  return () => {
    if (canAsk && Date.now() >= renewAt) {
      renewAt = Date.now() + RENEW_AFTER_MS
      token = askForToken()
    }
    return token
  }
}

function askForToken(): Promise<string> {
  return new Promise<string>((answered, failed) => {
    process.channel?.ref()
    process.once('message', (message) => answered(String(message)))
    process.once('disconnect', () => failed(new Error('The process that started this is gone.')))
    process.send?.('token')
  }).finally(() => process.channel?.unref())
}
