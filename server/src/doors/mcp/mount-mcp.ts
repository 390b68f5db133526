import { isIP } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { BearerCounts } from '../../edge/api/operation/agent-api.ts'
import {
  type Authenticate,
  bearerGates,
  refuseBeyondRate,
  scopeChallenge,
} from '../../edge/api/operation/gate.ts'
import { refuseWithout } from '../../edge/operations/refuse-without.ts'
import { guideFor } from '../../edge/api/documents/discovery.ts'
import { readJsonOf } from '../../edge/api/request/json-body.ts'
import { jsonOperation } from '../../edge/api/request/json-operation.ts'
import { problemSender } from '../../edge/api/documents/problem.ts'
import { resourceMetadataUrl, resources } from '../../edge/api/documents/resources.ts'
import { isSchema } from '../../edge/api/request/schema-shape.ts'
import type { RecordAct } from '../../edge/operations/act.ts'
import { isRecorded } from '../../edge/operations/idempotency.ts'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import type { Caller, Route } from '../../edge/operations/route.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { LOOPBACK } from '../../platform/outbound/loopback.ts'
import { onFirstUse } from '../../platform/process/on-first-use.ts'
import { type Site, siteOf } from '../../platform/outbound/site.ts'
import { AnsweredByGate, type Askable, type AtMcp, type CallParts, callTool } from './call-tool.ts'
import type { McpSession } from './mcp-server.ts'
import { offerToOpen } from './offer-to-open.ts'
import { plainAnswer, plainCallIn, plainOffer, takesJson } from './plain-call.ts'
import { resultOf } from './tool-result.ts'
import { type Arguments, askingsOf, definitionOf, type Tool, toolByName, toolsFor } from './tools.ts'

export type McpParts = {
  readonly db: Db
  readonly recordAct: RecordAct
  readonly log: Log
  /** Those of the Agent API. */
  readonly routes: readonly Route[]
  readonly authenticate: Authenticate
  readonly counts: BearerCounts
  readonly baseUrl: string
  /** Whether a model can be asked for texts, and for images. */
  readonly models: Readonly<Record<NonNullable<Tool['needs']>, boolean>>
}

/** A message may carry a file of four megabytes in base64. */
const MESSAGE_BYTES = 6 * 1_048_576

/** Entering takes a credential; what a tool needs besides, its call asks for. */
const ENTRANCE = { id: 'mcp', permission: null } as const

/** Serves the Agent API's operations as tools (Model Context Protocol, Streamable HTTP without sessions). */
export function mountMcp(app: FastifyInstance, parts: McpParts): void {
  const { db, baseUrl, log, counts } = parts
  const sendProblem = problemSender(baseUrl)
  const metadataUrl = resourceMetadataUrl(baseUrl, resources.mcp)
  const gate = bearerGates({ ...parts, ...counts, metadataUrl, sendProblem })(ENTRANCE)
  const site = siteOf(baseUrl)
  const own = new URL(baseUrl)
  const operations = new Map(parts.routes.flatMap((route) => askableIn(route, parts)))
  const calls: CallParts = {
    operations,
    baseUrl,
    countWrite: async (credentialId) => {
      const left = (await counts.writes?.take(credentialId)) ?? null
      return left === null ? null : refuseBeyondRate(left, null)
    },
    isDone: ({ workspaceId }, { id: operation }, key) =>
      isRecorded(db.share(workspaceId), { workspaceId, operation, key }),
  }
  const guide = guideFor(baseUrl)
  const server = onFirstUse(async () => {
    const { openMcpServer } = await import('./mcp-server.ts')
    return openMcpServer((err) => log.debug({ err }, 'a message of MCP was refused'))
  })

  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/json', readJsonOf(MESSAGE_BYTES))
    scope.post(resources.mcp.path, {
      onRequest: async (request, reply) => {
        request.operationId = ENTRANCE.id
        const foreign = refuseForeign(request, site, own)
        if (foreign !== null) return sendProblem(request, reply, foreign, 403)
        return gate(request, reply, { mayRecall: true })
      },
      handler: answer,
    })
  })

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { body } = request
    if (!isSchema(body)) {
      const detail = 'Send one JSON-RPC message, not a list of them.'
      return sendProblem(request, reply, refuse('malformed_request', detail))
    }
    const at = atMcp(request, reply)
    try {
      const call = callIn(body, request)
      if (call === null || call.tool === null) await at.proveCaller()
      const lacking = call === null ? null : await lackingFor(call, at)
      if (lacking !== null) {
        reply.header('www-authenticate', scopeChallenge({ metadataUrl }, lacking.scope))
        return sendProblem(request, reply, lacking.refusal)
      }
      const plain = call?.tool == null ? null : plainCallIn(body, request.headers)
      if (call?.tool != null && plain !== null) {
        const given = await callTool(calls, at, call.tool, call.given)
        if (reply.sent) return reply
        const offer = offerToOpen(call.params, given)
        const said = offer === null ? plainAnswer(plain, given) : plainOffer(plain, offer)
        return reply.header('content-type', 'application/json').send(said)
      }
      const answerMcp = await server.get()
      const response = await answerMcp(webRequest(request), body, sessionFor(at, call?.params))
      if (reply.sent) return reply
      const sent = await response.text()
      reply.code(response.status)
      const type = response.headers.get('content-type')
      if (type !== null) reply.header('content-type', type)
      return reply.send(sent)
    } catch (fault) {
      if (fault instanceof AnsweredByGate) return reply
      throw fault
    }
  }

  function atMcp(request: FastifyRequest, reply: FastifyReply): AtMcp {
    const enterAgain = async () => {
      await gate(request, reply)
      return !reply.sent
    }
    const proveCaller = async () => {
      const { confirmCaller } = request
      if (confirmCaller === null) return
      request.confirmCaller = null
      if (await confirmCaller(db)) return
      if (!(await enterAgain())) throw new AnsweredByGate()
    }
    return { request, reply, enterAgain, proveCaller }
  }

  function sessionFor(at: AtMcp, params: Arguments = {}): McpSession {
    const { permissions } = callerAt(at.request).credential
    const drawsImages = asksForImages(at.request)
    return {
      guide,
      tools: toolsFor(permissions, (need) => parts.models[need] && (need !== IMAGES || drawsImages)).map(
        definitionOf,
      ),
      call: (name, given) => {
        const tool = toolNamed(name, at.request)
        if (tool === null) return null
        return callTool(calls, at, tool, given).then(
          (answer) => offerToOpen(params, answer) ?? resultOf(answer),
        )
      },
    }
  }
}

const IMAGES = 'a model for images'

/** Directories of agents' tools refuse those that draw, so these are offered only to whoever asks for them. */
function asksForImages({ query }: FastifyRequest): boolean {
  return isSchema(query) && query['media'] === 'ai'
}

function toolNamed(name: unknown, request: FastifyRequest): Tool | null {
  const tool = typeof name === 'string' ? toolByName.get(name) : undefined
  return tool === undefined || (tool.needs === IMAGES && !asksForImages(request)) ? null : tool
}

type Call = { readonly tool: Tool | null; readonly given: Arguments; readonly params: Arguments }

/** The call that a message asks for; null for other messages. */
function callIn(body: Arguments, request: FastifyRequest): Call | null {
  const { method, params } = body
  if (method !== 'tools/call' || !isSchema(params)) return null
  const given = params['arguments']
  return { tool: toolNamed(params['name'], request), given: isSchema(given) ? given : {}, params }
}

/** An app that lacks a permission can ask a person for it, and is told so before the call; for a key there is no such way. */
async function lackingFor(
  { tool, given }: Call,
  at: AtMcp,
): Promise<{ refusal: Refusal; scope: string } | null> {
  if (tool === null || callerAt(at.request).credential.type !== 'oauth') return null
  const needed = askingsOf(tool, given).map(({ operation }) => operation.permission)
  const lackingNow = () => {
    const { credential } = callerAt(at.request)
    return needed.map((one) => refuseWithout(one, credential)).find((one) => one !== null) ?? null
  }
  if (lackingNow() === null) return null
  await at.proveCaller()
  const refusal = lackingNow()
  if (refusal === null) return null
  const { permissions } = callerAt(at.request).credential
  // All that it has, too: a client asks for what it is told, and would lose the rest.
  const scope = [...new Set([...permissions, ...needed])].filter((one) => one !== null).join(' ')
  return { refusal, scope }
}

function askableIn(route: Route, parts: McpParts): [string, Askable][] {
  const { id, answer } = route.operation
  if (answer.bytes !== undefined) return []
  return [[id, { run: jsonOperation(route, parts), pipelined: route.pipelined === true }]]
}

function callerAt({ caller }: FastifyRequest): Caller {
  if (caller?.workspaceId == null) throw new Error('a message was let in without a caller')
  return caller
}

/**
 * The same request for the library, which is given the body as it was read. It wants clients to take event streams, too, which it is never
 * asked to send: who takes JSON is answered.
 */
function webRequest({ method, headers, raw }: FastifyRequest): Request {
  const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  )
  const asked = new Request(new URL(raw.url ?? '/', 'http://mcp.invalid'), { method, headers: sent })
  if (takesJson(headers.accept)) asked.headers.set('accept', 'application/json, text/event-stream')
  return asked
}

/**
 * Pages of other sites are kept out, and so are names that were made to lead here (DNS rebinding): of a name with a dot in it only
 * that of this installation is taken.
 */
function refuseForeign({ headers, hostname }: FastifyRequest, site: Site, own: URL): Refusal | null {
  const { origin } = headers
  if (origin !== undefined && !site.origins.has(origin))
    return refuse('cross_site_request', 'MCP is for programs: pages of other sites may not use it.')
  const name = hostname.toLowerCase()
  const isKnown =
    name === own.hostname ||
    LOOPBACK.some((one) => one === name) ||
    isIP(name.replaceAll(/[[\]]/g, '')) !== 0 ||
    !name.includes('.')
  if (isKnown) return null
  const detail = `This server is known as ${own.host} (BASE_URL), and was asked under another name. Use that one; a proxy has to pass the header \`Host\` on.`
  return refuse('cross_site_request', detail)
}
