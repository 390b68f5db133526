import { createHmac } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { readBody } from '../shared/answers.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import { accepted, examined, examinedRefusal, lackingOf, SUSPENDED } from '../port/examinations.ts'
import {
  accessOf,
  faultOf,
  graphUrl,
  isPermission,
  isSuspended,
  read,
  usageIn,
  VERSION,
  type GraphFault,
  type MetaAccess,
} from './meta-graph.ts'
import type { AccessState, Examination, NetworkClient, Quota, Refusal, Told } from '../port/port.ts'
import { call, tryCall, type Steps } from '../port/procedure.ts'

/*
 * What Facebook tells of an access token, for Pages and the Instagram accounts of Pages: `debug_token`, which the app asks for
 * (https://developers.facebook.com/docs/graph-api/reference/debug_token), and the object itself.
 */

const READ = '2026-11-29'

/** What both networks tell. */
export const toldByGraph = {
  scopes: {
    by: 'GET /debug_token',
    source: 'https://developers.facebook.com/docs/graph-api/reference/debug_token',
    read: READ,
  },
  // Calls to a version that has ended are answered by the oldest that is left. The header is in no page of Meta's, but in its answers:
  // https://github.com/restfb/restfb reads it (DefaultWebRequestor).
  version: {
    by: 'the header `facebook-api-version`',
    source: 'https://developers.facebook.com/docs/apps/versions',
    read: READ,
  },
} satisfies Record<string, Told>

export const ERRORS = 'https://developers.facebook.com/docs/graph-api/guides/error-handling'
export const LIMITS = 'https://developers.facebook.com/docs/graph-api/overview/rate-limiting'
export const READ_IN = '2026-11'

const Debugged = Type.Object({
  data: Type.Object({
    is_valid: Type.Boolean(),
    /** In seconds since 1970; 0 for never. */
    expires_at: Type.Optional(Type.Integer({ minimum: 0, maximum: 1e11 })),
    scopes: Type.Optional(Type.Array(Type.String())),
    error: Type.Optional(
      Type.Object({
        code: Type.Integer(),
        subcode: Type.Optional(Type.Integer()),
        message: Type.Optional(Type.String()),
      }),
    ),
  }),
})
type Debugged = Static<typeof Debugged>['data']

export type Asking = {
  readonly api: string
  readonly access: MetaAccess
  readonly client: NetworkClient | null
  /** Where the account is, and what is asked of it. */
  readonly path: string
  readonly fields: string
  readonly permissions: readonly string[]
  /** Whether an answer shows the account. */
  readonly isShown: (response: HttpResponse) => boolean
  readonly refusalOf: (response: HttpResponse) => Refusal | null
}

/** Examines the access to an account by its token and by the account itself; `quotas` are added to what headers tell. */
export function* examineGraph(
  asking: Asking,
  readQuotas: () => Steps<readonly Quota[]> = noQuotas,
): Steps<Examination> {
  const { api, access, client, permissions } = asking
  const debugged = client === null ? null : yield* debugToken(api, access, client)
  const response = yield* call(read(api, access, asking.path, { fields: asking.fields }))
  const version = versionOf(response)
  const granted = debugged?.is_valid === true ? (debugged.scopes ?? null) : null
  const missing = granted === null ? null : { scopes: lackingOf(permissions, granted) }
  const usage = usageIn(response)
  const told = { missing, version, quotas: usage === null ? [] : [usage] }
  if (asking.isShown(response)) {
    const endsAt = debugged?.expires_at ? new Date(debugged.expires_at * 1_000) : null
    return examined(accepted(endsAt), { ...told, quotas: [...told.quotas, ...(yield* readQuotas())] })
  }
  const fault = faultOf(response)
  if (fault !== null && isPermission(fault))
    return examined(accepted(), { ...told, missing: lacked(missing) })
  const refused = examinedRefusal(response, asking.refusalOf(response))
  return {
    ...refused,
    ...told,
    access: suspensionIn(fault, debugged) ?? refused.access,
    quotas: [...refused.quotas, ...told.quotas],
  }
}

// oxlint-disable-next-line require-yield -- there is nothing to ask for
function* noQuotas(): Steps<readonly Quota[]> {
  return []
}

/** What the app asks of a token, in the query of its call alone. */
function debugRequest(api: string, { accessToken }: MetaAccess, client: NetworkClient): HttpRequest {
  const app = `${client.clientId}|${client.clientSecret ?? ''}`
  const proof = createHmac('sha256', client.clientSecret ?? '')
    .update(app)
    .digest('hex')
  const authorization = accessOf({ accessToken: app, proof })
  return {
    method: 'GET',
    url: graphUrl(api, 'debug_token'),
    authorization: { ...authorization, query: { ...authorization.query, input_token: accessToken } },
  }
}

function* debugToken(api: string, access: MetaAccess, client: NetworkClient): Steps<Debugged | null> {
  const response = yield* tryCall(debugRequest(api, access, client))
  return response === null ? null : (readBody(response, Debugged)?.data ?? null)
}

/** The account is refused for want of a permission: where none is known to be missing, it is the right to read it. */
function lacked(missing: { readonly scopes: readonly string[] } | null): Examination['missing'] {
  return missing !== null && missing.scopes.length > 0 ? missing : { rights: ['CREATE_CONTENT'] }
}

/** Codes of an account that has to be unlocked first, by the answer or by what is said of the token. */
function suspensionIn(fault: GraphFault | null, debugged: Debugged | null): AccessState | null {
  const error = debugged?.error
  const ofToken =
    error === undefined
      ? null
      : {
          message: error.message ?? '',
          code: error.code,
          ...(error.subcode ? { error_subcode: error.subcode } : {}),
        }
  return [fault, ofToken].some((one) => one !== null && isSuspended(one)) ? SUSPENDED : null
}

/** A code for calls of a version that is not there any more. */
const DEPRECATED = 2_635

function versionOf(response: HttpResponse): Examination['version'] {
  const told = response.headers['facebook-api-version']
  if (faultOf(response)?.code === DEPRECATED) return { name: VERSION, answered: false }
  return told === undefined ? null : { name: VERSION, answered: told === VERSION }
}
