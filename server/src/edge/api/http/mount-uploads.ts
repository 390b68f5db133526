import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuseBeyond } from '../../operations/credential-limits.ts'
import type { RecordAct } from '../../operations/act.ts'
import { isRefusal, refuse, type Refusal } from '../../operations/refusal.ts'
import type { Caller, Route } from '../../operations/route.ts'
import type { UploadPass } from '../../operations/upload-pass.ts'
import type { Db, Sql } from '../../../platform/postgres/db.ts'
import { isPast } from '../../../platform/text/instant.ts'
import type { BearerCounts } from '../operation/agent-api.ts'
import type { Asked } from '../operation/answer-operation.ts'
import type { Form, FormRules } from '../request/form-body.ts'
import { refuseWithout } from '../../operations/refuse-without.ts'
import { refuseBeyondRate } from '../operation/gate.ts'
import { refuseEncoded, unreadableBody } from '../request/json-body.ts'
import { disconnectSignal, jsonOperation } from '../request/json-operation.ts'
import { leaveBodyUnread, sendAnswered, splitAddress } from '../operation/operation-route.ts'
import { problemSender } from '../documents/problem.ts'

export type UploadParts = {
  readonly db: Db
  readonly recordAct: RecordAct
  /** The upload as a credential asks for it. */
  readonly route: Route
  /** What an address stands for, by the text at its end; null where that was not made here. */
  readonly readPass: (token: string) => UploadPass | null
  /** Who holds a credential; null when it is revoked, expired or unknown. */
  readonly holderOf: (sql: Sql, credential: UploadPass['credential']) => Promise<Caller | null>
  readonly counts: BearerCounts
  readonly baseUrl: string
}

/**
 * Takes files at the addresses that credentials have asked for: each is the upload of that credential, under its key, in all but
 * the secret that opens it.
 */
export function mountUploads(app: FastifyInstance, parts: UploadParts): void {
  const { route, readPass, baseUrl } = parts
  const { operation } = route
  const [, path] = splitAddress(operation.at)
  const sendProblem = problemSender(baseUrl)
  const run = jsonOperation(route, parts)
  const passOf = ({ params }: FastifyRequest) => readPass((params as { '*': string })['*'])

  async function enter(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | void> {
    request.operationId = operation.id
    const pass = passOf(request)
    const caller = await holderFor(pass, parts)
    if (isRefusal(caller)) return sendProblem(request, reply, caller)
    Object.assign(request, { caller })
    const refusal = await refuseAtGate(caller, request, parts)
    return refusal === null ? undefined : sendProblem(request, reply, refusal)
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const pass = passOf(request)
    if (pass === null) throw new Error('a file was let in without a pass')
    const enterAgain = async () => {
      await enter(request, reply)
      return !reply.sent
    }
    const outcome = await run({ request, enterAgain }, () => askedBy(request, reply, { pass, path }))
    if (outcome === null) return reply
    if (isRefusal(outcome)) return sendProblem(request, reply, usedUp(outcome))
    return sendAnswered(request, reply, outcome)
  }

  void app.register(async (scope) => {
    leaveBodyUnread(scope)
    scope.route({ method: ['PUT', 'POST'], url: '/uploads/*', onRequest: enter, handler: answer })
  })
}

/** Who uploads by an address; a refusal where nobody may any more. */
async function holderFor(
  pass: UploadPass | null,
  { db, holderOf }: UploadParts,
): Promise<Caller | Refusal<'link_not_valid'>> {
  if (pass === null) return notValid('This is no address that files are taken at.')
  if (await isPast(db, pass.expiresAt)) return notValid('This address has expired.')
  const caller = await holderOf(db, pass.credential)
  if (caller === null || caller.workspaceId !== pass.workspaceId)
    return notValid('The credential that asked for this address is no longer valid.')
  return caller
}

function notValid(detail: string): Refusal<'link_not_valid'> {
  return refuse('link_not_valid', `${detail} Have the agent ask for a new one.`)
}

async function refuseAtGate(
  { credential }: Caller,
  { ip }: FastifyRequest,
  { counts, route }: UploadParts,
): Promise<Refusal | null> {
  const { requests, writes } = counts
  const left = await Promise.all([requests.take(credential.id), writes?.take(credential.id) ?? null])
  const beyond = refuseBeyondRate(...left)
  if (beyond !== null) return beyond
  return (
    refuseBeyond(credential.limits, { address: ip }) ?? refuseWithout(route.operation.permission, credential)
  )
}

/** The key belongs to the address: whoever sends another file by it needs another address. */
function usedUp(refusal: Refusal): Refusal {
  return refusal.refused === 'idempotency_key_reused'
    ? refuse(
        'link_not_valid',
        'Another file was uploaded to this address already. Have the agent ask for one with another key.',
      )
    : refusal
}

function askedBy(
  request: FastifyRequest,
  reply: FastifyReply,
  { pass, path }: { readonly pass: UploadPass; readonly path: string },
): Asked {
  const { altText } = pass
  const fields = { confirmed: true, ...(altText === null ? {} : { altText }) }
  return {
    id: request.id,
    ip: request.ip,
    path,
    input: { params: {}, query: {}, queryText: '', body: fields, idempotencyHeader: pass.key },
    confirmCaller: null,
    countWrites: null,
    readForm: (rules) => readBare(request.raw, fields, rules),
    gone: () => disconnectSignal(reply),
  }
}

/** The body of a request is the file. Never closes the socket, on which there is still to be answered. */
async function readBare(
  request: IncomingMessage,
  fields: Form['fields'],
  { receive }: FormRules,
): Promise<Form | Refusal> {
  refuseEncoded(request)
  const claimed = request.headers['content-type'] ?? ''
  if (/^multipart\//i.test(claimed))
    throw unreadableBody('Send the bytes of the file as they are, without a form.', 415)
  const bytes = new PassThrough()
  // Closed is every request in the end; one that is not complete by then was broken off.
  const onClose = () => void (request.complete || bytes.destroy(new Error('the upload was broken off')))
  request.once('close', onClose)
  bytes.once('close', () => {
    request.off('close', onClose)
    request.unpipe(bytes)
    request.resume()
  })
  request.pipe(bytes)
  // What clients say of bytes that they know nothing of is not looked at: the bytes decide.
  const upload = await receive({ bytes, claimedType: null }).catch((fault: unknown) => {
    throw request.complete ? fault : unreadableBody('The file is cut short.')
  })
  return isRefusal(upload) ? upload : { fields, upload, violations: [] }
}
