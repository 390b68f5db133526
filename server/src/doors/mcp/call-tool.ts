import type { FastifyReply } from 'fastify'
import type { Operation } from '@postrider/contract'
import type { Asked } from '../../edge/api/operation/answer-operation.ts'
import { answerFault } from '../../edge/api/operation/faults.ts'
import { readIdempotencyHeader } from '../../edge/api/operation/idempotency-key.ts'
import type { Form, FormRules } from '../../edge/api/request/form-body.ts'
import { refuseWithout } from '../../edge/operations/refuse-without.ts'
import { type AtGate, disconnectSignal, type JsonOperation } from '../../edge/api/request/json-operation.ts'
import { refuseViolations } from '../../edge/api/request/request-check.ts'
import type { Outcome } from '../../edge/operations/idempotency.ts'
import { isRefusal, type Refusal } from '../../edge/operations/refusal.ts'
import type { Caller } from '../../edge/operations/route.ts'
import { takeGivenFile } from './given-file.ts'
import { answerOf, errorOf, type ToolAnswer } from './tool-result.ts'
import { type Arguments, askingsOf, type OperationCall, refuseArguments, type Tool } from './tools.ts'

/** An operation that tools ask for. */
export type Askable = {
  readonly run: JsonOperation
  /** Whether it may be begun for a caller who is only remembered. */
  readonly pipelined: boolean
}

export type CallParts = {
  /** By the ids of operations. */
  readonly operations: ReadonlyMap<string, Askable>
  /** Counts a write of a credential, and refuses those beyond its rate. */
  readonly countWrite: (credentialId: string) => Promise<Refusal | null>
  /** Whether the operation has been answered under this key. */
  readonly isDone: (caller: Caller, operation: Operation, key: string) => Promise<boolean>
  readonly baseUrl: string
}

export type AtMcp = AtGate & {
  readonly reply: FastifyReply
  /** Looks up a caller who was only remembered; throws `AnsweredByGate` where the gate has refused them. */
  readonly proveCaller: () => Promise<void>
}

/** Carries a refusal out of the gate. */
class Refused extends Error {
  override name = 'Refused'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.detail)
    this.refusal = refusal
  }
}

/** The gate has answered while a call was under way: there is nobody left to answer. */
export class AnsweredByGate extends Error {
  override name = 'AnsweredByGate'
}

/**
 * Calls a tool: carries its operation out, as a request for it would. Never throws for what the caller did, nor for what
 * broke: a model reads either as the error of a tool.
 */
export async function callTool(
  parts: CallParts,
  at: AtMcp,
  tool: Tool,
  given: Arguments,
): Promise<ToolAnswer> {
  const { request } = at
  const where = { baseUrl: parts.baseUrl, requestId: request.id }
  try {
    const askings = askingsOf(tool, given)
    const outcome = refuseArguments(tool, given) ?? (await askInTurn(parts, at, askings, given))
    const answered = isRefusal(outcome)
      ? outcome
      : answerOf({ listAs: tool.listAs, shownAs: askings[0]?.shownAs }, outcome)
    if (isRefusal(answered)) {
      request.problemCode = answered.refused
      return errorOf(answered, where)
    }
    request.idempotentReplay = answered.replayed
    return answered
  } catch (fault) {
    if (fault instanceof AnsweredByGate) throw fault
    if (fault instanceof Refused) {
      request.problemCode = fault.refusal.refused
      return errorOf(fault.refusal, where)
    }
    const { refusal, ours } = answerFault(fault)
    if (ours) request.fault = fault
    request.problemCode = refusal.refused
    return errorOf(refusal, where)
  }
}

/**
 * Asks for one operation after the other, as long as the post is in the status of the next one. What one of them has done under this key
 * is asked for again, whatever the status is by now.
 */
async function askInTurn(
  parts: CallParts,
  at: AtMcp,
  askings: readonly OperationCall[],
  given: Arguments,
): Promise<Outcome> {
  const [first, ...others] = askings
  if (first === undefined) throw new Error('a tool asks for nothing')
  if (first.operation.idempotency !== undefined) {
    const beyond = await parts.countWrite(callerAt(at).credential.id)
    if (beyond !== null) return beyond
  }
  for (const one of others.length === 0 ? [] : askings) {
    const read = typeof one.key === 'string' ? readIdempotencyHeader(one.key) : { key: null }
    const key = 'key' in read ? read.key : null
    if (key !== null && (await parts.isDone(callerAt(at), one.operation, key)))
      return askOnce(parts, at, one, given)
  }
  let outcome = await askOnce(parts, at, first, given)
  for (const next of others) {
    const isItsTurn =
      isRefusal(outcome) &&
      outcome.refused === 'invalid_state' &&
      outcome.facts.currentStatus === next.inStatus
    if (!isItsTurn) break
    outcome = await askOnce(parts, at, next, given)
  }
  return outcome
}

async function askOnce(
  parts: CallParts,
  at: AtMcp,
  asking: OperationCall,
  given: Arguments,
): Promise<Outcome> {
  const { operation, key } = asking
  const { request } = at
  const askable = parts.operations.get(operation.id)
  if (askable === undefined) throw new Error(`there is no route for ${operation.id}`)
  request.operationId = operation.id
  if (!askable.pipelined) await at.proveCaller()
  const lacking = refuseWithout(operation.permission, callerAt(at).credential)
  if (lacking !== null) return lacking
  if (lacksKey(operation, key)) return refuseMissingKey()

  const outcome = await askable.run({ request, enterAgain: () => enterAgain(at, operation) }, () =>
    askedBy(at, asking, given),
  )
  if (outcome === null) throw new AnsweredByGate()
  return outcome
}

/** Who is found changed meanwhile may have lost what the operation needs. */
async function enterAgain(at: AtMcp, { permission }: Operation): Promise<boolean> {
  if (!(await at.enterAgain())) return false
  const lacking = refuseWithout(permission, callerAt(at).credential)
  if (lacking === null) return true
  throw new Refused(lacking)
}

function callerAt({ request }: AtMcp): Caller {
  const { caller } = request
  if (caller?.workspaceId == null) throw new Error('a tool was called without a caller')
  return caller
}

function askedBy({ request, reply }: AtMcp, asking: OperationCall, given: Arguments): Asked {
  const { operation, params, query, body, key } = asking
  const readForm = async (rules: FormRules): Promise<Form | Refusal> => {
    const fields = body ?? {}
    const file = { address: fields[rules.address], base64: given['base64'] ?? undefined }
    const upload = await takeGivenFile(file, rules)
    return isRefusal(upload) ? upload : { fields, upload, violations: [] }
  }
  return {
    id: request.id,
    ip: request.ip,
    path: pathOf(operation, params),
    input: {
      params,
      query: { ...query },
      queryText: '',
      body,
      idempotencyHeader: typeof key === 'string' && operation.idempotency !== 'none' ? key : undefined,
    },
    confirmCaller: request.confirmCaller,
    // No tool is more than one write, which its call has counted.
    countWrites: null,
    readForm,
    gone: () => disconnectSignal(reply),
  }
}

/** The path of the same request over HTTP: a key that was used for it is the same key here. */
function pathOf({ at }: Operation, params: Arguments): string {
  const path = at.slice(at.indexOf(' ') + 1)
  if (!path.includes('{')) return path
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    // What is no id is refused before the path counts.
    return typeof value === 'string' ? encodeURIComponent(value.toWellFormed()) : ''
  })
}

/** Where the operation itself does not ask for the key that each write of a tool has. */
function lacksKey({ idempotency }: Operation, key: unknown): boolean {
  if (idempotency === 'none') return typeof key !== 'string' || key === ''
  return idempotency === 'optional header' && key === undefined
}

function refuseMissingKey(): Refusal {
  const detail = '`idempotencyKey` is missing or empty.'
  return refuseViolations([{ pointer: '/idempotencyKey', code: 'idempotency_key_required', detail }])
}
