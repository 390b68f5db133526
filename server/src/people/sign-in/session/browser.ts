import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ClientInfo } from './session-store.ts'
import type { Site } from '../../../platform/outbound/site.ts'

/** The browser that a request comes from: the secrets it has in cookies, and the way to give it others. */
export type Browser = {
  readonly client: ClientInfo
  /** The secret of its session, good or not; null for none. */
  readonly session: string | null
  /** The secret of what it has begun and not finished. */
  readonly step: string | null
  readonly keepSession: (secret: string) => void
  readonly forgetSession: () => void
  /** Keeps the proof that a person has used this browser. */
  readonly keepKnown: (proof: string) => void
  readonly keepStep: (secret: string) => void
  readonly forgetStep: () => void
  /** The secret in another cookie, good or not; null for none. */
  readonly secretIn: (name: string) => string | null
  /** Keeps a secret for the pages below a path. */
  readonly keepSecret: (name: string, secret: string, below: { path: string; seconds: number }) => void
}

const SESSION_SECONDS = 30 * 86_400
const STEP_SECONDS = 600
const KNOWN_SECONDS = 365 * 86_400
const SECRET = /^[\w-]{43}$/
const SEALED = /^[\w-]{100,300}$/

/**
 * Cookies that no script can read and that no request of another site carries, a link to us excepted. With `__Host-` no
 * other host can set them; browsers accept that on https alone.
 */
export function browserOf(request: FastifyRequest, reply: FastifyReply, { secure }: Site): Browser {
  const prefix = secure ? '__Host-' : ''
  const [sessionName, stepName, knownName] = ['', '-step', '-known'].map(
    (what) => `${prefix}postrider${what}`,
  ) as [string, string, string]
  const set = (name: string, value: string, maxAge: number, path = '/') =>
    void reply.header(
      'set-cookie',
      `${name}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`,
    )
  return {
    client: {
      address: request.ip,
      userAgent: request.headers['user-agent'] ?? null,
      known: cookieOf(request, knownName, SEALED),
    },
    session: cookieOf(request, sessionName),
    step: cookieOf(request, stepName),
    keepSession: (secret) => set(sessionName, secret, SESSION_SECONDS),
    forgetSession: () => set(sessionName, '', 0),
    keepKnown: (proof) => set(knownName, proof, KNOWN_SECONDS),
    keepStep: (secret) => set(stepName, secret, STEP_SECONDS),
    forgetStep: () => set(stepName, '', 0),
    secretIn: (name) => cookieOf(request, name),
    keepSecret: (name, secret, { path, seconds }) => set(name, secret, seconds, path),
  }
}

/** What the cookie holds, if it has the form of a secret of ours; of several with the name, nothing: one is foreign. */
function cookieOf({ headers }: FastifyRequest, name: string, form = SECRET): string | null {
  const values = (headers.cookie ?? '').split(';').flatMap((pair) => {
    const [key = '', value = ''] = pair.split('=', 2)
    return key.trim() === name ? [value.trim()] : []
  })
  const [value] = values
  return values.length === 1 && value !== undefined && form.test(value) ? value : null
}
