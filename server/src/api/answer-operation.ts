import type { Operation } from '@postrider/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { v7 as uuidv7 } from 'uuid'
import type { ActDetails, RecordAct } from '../platform/act.ts'
import type { Db, Sql, Tx } from '../platform/db.ts'
import {
  findAnswer,
  fingerprintOf,
  type IdempotentRequest,
  type Outcome,
  type Recorded,
  withIdempotency,
  withIdempotencyPipelined,
} from '../platform/idempotency.ts'
import { isRefusal, refuse, type Refusal } from '../platform/refusal.ts'
import type { Caller, OutsideContext, PersonalCaller, Route, Upload } from '../platform/route.ts'
import { writeInTransaction } from '../platform/write-transaction.ts'
import { auditedAct, type AuditedAct } from './audited.ts'
import { type Form, readForm } from './form-body.ts'
import { readIdempotencyHeader } from './idempotency-key.ts'
import { pathOf } from './problem.ts'
import {
  type CheckedRequest,
  compileRequestCheck,
  type RawRequest,
  refuseViolations,
  type RequestCheck,
} from './request-check.ts'

export type AsJson = (answer: unknown) => string

/** A request that has passed the gate of an operation. */
export type Asking = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly caller: Caller | PersonalCaller
  readonly asJson: AsJson
}

type AskingInWorkspace = Asking & { readonly caller: Caller }

export type CompiledOperation = {
  readonly route: Route
  readonly operation: Operation
  readonly db: Db
  readonly recordAct: RecordAct
  readonly check: RequestCheck
  readonly handle: (
    input: CheckedRequest,
    context: {
      caller: Asking['caller']
      sql: Db | Tx
      audit: (details: ActDetails) => void
      gone: () => AbortSignal
    },
    file?: unknown,
  ) => Promise<unknown>
}

export function compileOperation(
  route: Route,
  { db, recordAct }: { db: Db; recordAct: RecordAct },
): CompiledOperation {
  const { operation } = route
  return {
    route,
    operation,
    db,
    recordAct,
    check: compileRequestCheck(operation),
    // What a handler takes is what its operation declares, and the check lets nothing else pass.
    handle: route.handle as CompiledOperation['handle'],
  }
}

/** Checks the request and carries the operation out, in the way that its kind needs. */
export function runOperation(compiled: CompiledOperation, asking: Asking): Promise<Outcome> {
  const { operation, route } = compiled
  if (operation.idempotency === undefined || route.ownsTransaction === true) return runRead(compiled, asking)
  if (!isInWorkspace(asking)) throw new Error(`${operation.id} was reached without a workspace`)
  if (operation.idempotency === 'none') return runUnkeyed(compiled, asking)
  if (route.keepsRecord === true) return runOutside(compiled, asking)
  return operation.file === undefined ? runWrite(compiled, asking) : runUpload(compiled, asking)
}

function isInWorkspace(asking: Asking): asking is AskingInWorkspace {
  return asking.caller.workspaceId !== null
}

/** What a read is answered with, before it is rendered. */
export async function readAnswer(
  { check, handle, db }: CompiledOperation,
  { request, reply, caller }: Pick<Asking, 'request' | 'reply' | 'caller'>,
): Promise<unknown> {
  const checked = check(rawRequest(request))
  if (isRefusal(checked)) return checked
  const sql = db.share(caller.workspaceId)
  return handle(checked, { caller, sql, audit: () => undefined, gone: () => disconnectSignal(reply) })
}

type Confirm = (sql: Sql) => Promise<boolean>

/**
 * Carries the operation out while its remembered caller is confirmed, in the same round trip. Null where the credential is
 * no longer what it was: what was read is dropped then, and what was written is rolled back.
 */
export function runConfirmed(
  compiled: CompiledOperation,
  asking: Asking,
  confirm: Confirm,
): Promise<Outcome | null> {
  if (compiled.operation.idempotency === undefined) return runConfirmedRead(compiled, asking, confirm)
  if (!isInWorkspace(asking)) throw new Error(`${compiled.operation.id} was reached without a workspace`)
  return runConfirmedWrite(compiled, asking, confirm)
}

async function runConfirmedRead(
  compiled: CompiledOperation,
  asking: Asking,
  confirm: Confirm,
): Promise<Outcome | null> {
  const db = compiled.db.share(asking.caller.workspaceId).together()
  const [confirmed, outcome] = await Promise.allSettled([confirm(db), runRead({ ...compiled, db }, asking)])
  if (confirmed.status === 'rejected') throw confirmed.reason
  if (!confirmed.value) return null
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

/** Rolls a write back whose caller was not confirmed. */
const changedMeanwhile = refuse('invalid_credential', 'This credential has been changed.')

/** What was refused before its transaction, or answered by the record of its key, is confirmed afterwards. */
async function runConfirmedWrite(
  compiled: CompiledOperation,
  asking: AskingInWorkspace,
  confirm: Confirm,
): Promise<Outcome | null> {
  const { caller } = asking
  let isConfirmed: boolean | null = null
  const hold = async (tx: Tx) => {
    isConfirmed = null
    const [refused, isSame] = await Promise.all([caller.hold?.(tx) ?? null, confirm(tx)])
    isConfirmed = isSame
    return isSame ? refused : changedMeanwhile
  }
  const outcome = await runWrite(compiled, { ...asking, caller: { ...caller, hold } })
  return (isConfirmed ?? (await confirm(compiled.db))) ? outcome : null
}

async function runRead(compiled: CompiledOperation, asking: Asking): Promise<Outcome> {
  const answer = await readAnswer(compiled, asking)
  if (isRefusal(answer)) return answer
  return { ...renderAnswer(compiled, asking, answer), replayed: false }
}

/** A write without a key: in one transaction with its audit entry. Its answer, which may hold a secret, is not kept. */
async function runUnkeyed(compiled: CompiledOperation, asking: AskingInWorkspace): Promise<Outcome> {
  const { check, handle, operation, recordAct, db } = compiled
  const { request, reply, caller } = asking
  const checked = check(rawRequest(request))
  if (isRefusal(checked)) return checked
  const act = auditedAct(operation, request, { caller, params: checked.params, recordAct })
  return writeInTransaction(db.share(caller.workspaceId), async (tx): Promise<Outcome> => {
    const refused = (await caller.hold?.(tx)) ?? null
    if (refused !== null) return refused
    const context = { caller, sql: tx, audit: act.say, gone: () => disconnectSignal(reply) }
    const answer = await handle(checked, context)
    if (isRefusal(answer)) return answer
    const rendered = renderAnswer(compiled, asking, answer)
    await act.record(tx, rendered)
    return { ...rendered, replayed: false }
  })
}

async function runWrite(compiled: CompiledOperation, asking: AskingInWorkspace): Promise<Outcome> {
  const checked = compiled.check(rawRequest(asking.request))
  if (isRefusal(checked)) return checked
  return runOnce(compiled, asking, namedWrite(compiled, asking, checked, checked.body))
}

/** The handler asks somebody outside, and keeps the record itself. */
async function runOutside(compiled: CompiledOperation, asking: AskingInWorkspace): Promise<Outcome> {
  const { check, operation, db } = compiled
  const { request, reply, caller } = asking
  const checked = check(rawRequest(request))
  if (isRefusal(checked)) return checked
  // Where none is asked for, a request without a key has one that nobody else can know.
  const idempotencyKey =
    checked.idempotencyKey ?? (operation.idempotency === 'optional header' ? uuidv7() : null)
  const { once } = namedWrite(compiled, asking, { ...checked, idempotencyKey }, checked.body)
  const render = (answer: unknown) => renderAnswer(compiled, asking, answer)
  const handle = compiled.route.handle as (
    input: CheckedRequest,
    context: Omit<OutsideContext<Operation>, 'render'> & { render: (answer: unknown) => Recorded },
  ) => Promise<Outcome>
  const own = { db: db.share(caller.workspaceId), request: once, gone: disconnectSignal(reply) }
  return handle(checked, { caller, ...own, render })
}

/** Receives and prepares the file first: the transaction only writes, and may be tried again. */
async function runUpload(compiled: CompiledOperation, asking: AskingInWorkspace): Promise<Outcome> {
  const form = await receiveForm(compiled, asking)
  if (isRefusal(form)) return form
  const { fields, upload, violations } = form
  try {
    const checked = compiled.check({ ...rawRequest(asking.request), body: fields }, violations)
    if (isRefusal(checked)) return checked
    if (upload === null) throw new Error(`${compiled.operation.id} passed its check without a file`)
    return await keepUpload(compiled, asking, checked, upload)
  } finally {
    await upload?.dispose()
  }
}

async function receiveForm(
  { operation, route: { receive } }: CompiledOperation,
  { request, caller }: AskingInWorkspace,
): Promise<Form | Refusal> {
  if (operation.file === undefined || receive === undefined) throw new Error(`${operation.id} takes no file`)
  // Without a key nothing can come of it, so that not a byte is worth receiving.
  const header = readIdempotencyHeader(request.headers['idempotency-key'])
  if ('violation' in header) return refuseViolations([header.violation])
  return readForm(request.raw, {
    file: operation.file.field,
    fields: operation.body,
    receive: (file) => receive(file, caller),
  })
}

async function keepUpload(
  compiled: CompiledOperation,
  asking: AskingInWorkspace,
  checked: CheckedRequest,
  upload: Upload<unknown>,
): Promise<Outcome> {
  const field = compiled.operation.file?.field ?? ''
  const content = { ...(checked.body as object), [field]: upload.sha256 }
  const write = namedWrite(compiled, asking, checked, content)
  const known = await findAnswer(compiled.db.share(asking.caller.workspaceId), write.once)
  if (known !== null) return known
  const prepared = await upload.prepare()
  if (isRefusal(prepared)) return prepared
  const outcome = await runOnce(compiled, asking, write, prepared.value)
  // Not after a throw: then the transaction may have been committed, and the item needs what was prepared.
  if (isRefusal(outcome) || outcome.replayed) await prepared.abandon()
  return outcome
}

function runOnce(
  compiled: CompiledOperation,
  asking: AskingInWorkspace,
  { checked, once, act }: NamedWrite,
  file?: unknown,
): Promise<Outcome> {
  const { caller, reply } = asking
  const runWithKey = compiled.route.pipelined === true ? withIdempotencyPipelined : withIdempotency
  return runWithKey(compiled.db.share(caller.workspaceId), once, async (tx) => {
    const context = { caller, sql: tx, audit: act.say, gone: () => disconnectSignal(reply) }
    // Begun together, so that what has to hold is asked on the way: a refusal of either leaves nothing.
    const [refused, answer] = await Promise.all([
      caller.hold?.(tx) ?? null,
      compiled.handle(checked, context, file),
    ])
    if (refused !== null) return refused
    return isRefusal(answer) ? answer : renderAnswer(compiled, asking, answer)
  })
}

function renderAnswer({ operation }: CompiledOperation, { asJson }: Asking, answer: unknown): Recorded {
  return { status: operation.answer.status, body: asJson(answer) }
}

/** A write with the key that names its one effect, and its entry in the audit log. */
type NamedWrite = {
  readonly checked: CheckedRequest
  readonly once: IdempotentRequest
  readonly act: AuditedAct
}

/** `content` is what the fingerprint is made of; of a file, its hash. */
function namedWrite(
  { operation, recordAct }: CompiledOperation,
  { request, caller }: AskingInWorkspace,
  checked: CheckedRequest,
  content: unknown,
): NamedWrite {
  const { idempotencyKey: key, params } = checked
  if (key === null) throw new Error(`${operation.id} passed its check without an idempotency key`)
  const act = auditedAct(operation, request, { caller, params, recordAct })
  const fingerprint = fingerprintOf(operation.id, pathOf(request.url), content)
  const { workspaceId } = caller
  return {
    checked,
    act,
    once: { workspaceId, operation: operation.id, key, fingerprint, audit: act.record },
  }
}

/** Aborts when the connection closes before the answer is written. */
function disconnectSignal({ raw }: FastifyReply): AbortSignal {
  const disconnect = new AbortController()
  if (raw.destroyed) disconnect.abort()
  else raw.once('close', () => raw.writableEnded || disconnect.abort())
  return disconnect.signal
}

function rawRequest(request: FastifyRequest): RawRequest {
  const url = request.raw.url ?? '/'
  const mark = url.indexOf('?')
  return {
    params: request.params,
    query: request.query as Record<string, unknown>,
    queryText: mark === -1 ? '' : url.slice(mark + 1),
    body: request.body,
    idempotencyHeader: request.headers['idempotency-key'],
  }
}
