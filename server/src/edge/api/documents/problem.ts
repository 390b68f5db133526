import { type ProblemCode, problems } from '@postrider/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Refusal, RefusalFacts } from '../../operations/refusal.ts'

/** A problem's members (RFC 9457), in the order they are shown. */
export type ProblemBody = {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  code: ProblemCode
  requestId: string
} & RefusalFacts

export const PROBLEM_TYPE = 'application/problem+json'

/** Builds the body of a problem. `httpStatus` stands in for the code's own where a code travels under several. */
export function problemOf(
  refusal: Refusal,
  where: { baseUrl: string; path: string; requestId: string; httpStatus?: number },
): ProblemBody {
  const { refused: code, detail, facts } = refusal
  const { status, title } = problems[code]
  return {
    type: `${where.baseUrl}/problems/${code}`,
    title,
    status: where.httpStatus ?? status,
    detail,
    instance: where.path,
    code,
    requestId: where.requestId,
    ...facts,
  }
}

export type SendProblem = (
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
  httpStatus?: number,
) => FastifyReply

/** The one place that answers with a problem. */
export function problemSender(baseUrl: string): SendProblem {
  return (request, reply, refusal, httpStatus) => {
    const where = { baseUrl, path: pathOf(request.raw.url ?? '/'), requestId: request.id }
    const problem = problemOf(refusal, httpStatus === undefined ? where : { ...where, httpStatus })
    request.problemCode = problem.code
    // Who knows no address, or has no credential, is shown the way to both.
    const leads = problem.status === 401 || problem.status === 404
    const catalog = leads ? `, <${baseUrl}/.well-known/api-catalog>; rel="api-catalog"` : ''
    reply.header('link', `<${problem.type}>; rel="describedby"${catalog}`)
    const wait = refusal.facts.retryAfterSeconds
    if (wait !== undefined) reply.header('retry-after', String(wait))
    const isOAuth = where.path.startsWith('/oauth/')
    // As bytes, since Fastify adds a charset to JSON text, and RFC 9457 knows no such parameter.
    return reply
      .code(problem.status)
      .header('content-type', isOAuth ? 'application/json' : PROBLEM_TYPE)
      .send(Buffer.from(JSON.stringify(isOAuth ? oauthErrorOf(problem) : problem)))
  }
}

/** The same for clients of OAuth, which know no problems (RFC 6749, sections 4.1.2.1 and 5.2). */
function oauthErrorOf({ status, detail }: ProblemBody): { error: string; error_description: string } {
  const waits = status === 429 || status === 503
  const error = waits ? 'temporarily_unavailable' : status >= 500 ? 'server_error' : 'invalid_request'
  return { error, error_description: detail }
}

/** A URL without its query. */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/)
  return end === -1 ? url : url.slice(0, end)
}
