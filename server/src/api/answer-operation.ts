import type { Operation } from '@postrider/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { v7 as uuidv7 } from 'uuid'
import type { ActDetails, RecordAct } from '../operations/act.ts'
import { ChangedMeanwhile, whileLetIn } from '../operations/changed-meanwhile.ts'
import type { Db, Sql, Tx } from '../platform/db.ts'
import {
  findAnswer,
  fingerprintOf,
  type IdempotentRequest,
  type Outcome,
  type Recorded,
  withIdempotency,
  withIdempotencyPipelined,
} from '../operations/idempotency.ts'
import { isRefusal, type Refusal } from '../operations/refusal.ts'
import type { Caller, OutsideContext, PersonalCaller, Route, Upload } from '../operations/route.ts'
import { writeInTransaction } from '../operations/write-transaction.ts'
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
  /** Asks the gate once more; null where it has answered. */
  readonly letInAgain: () => Promise<Asking | null>
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

/**
 * Checks the request and carries the operation out, in the way that its kind needs; null where the gate has answered,
 * because its caller was found changed.
 */
export async function runOperation(compiled: CompiledOperation, asking: Asking): Promise<Outcome | null> {
  const { operation } = compiled
  const { letInAgain } = asking
  if (operation.idempotency === undefined)
    return whileLetIn(asking, (who) => runRead(compiled, who), letInAgain)
  // The handlers of what people do about themselves hold their session.
  if (!isInWorkspace(asking)) return whileLetIn(asking, (who) => runOwn(compiled, who), letInAgain)
  if (operation.file !== undefined) return runUpload(compiled, asking)
  return runHeld(compiled, asking, (who) => runWrite(compiled, who))
}

function runWrite(compiled: CompiledOperation, asking: AskingInWorkspace): Promise<Outcome> {
  const { operation, route } = compiled
  if (route.ownsTransaction === true) return runOwn(compiled, asking)
  if (operation.idempotency === 'none') return runUnkeyed(compiled, asking)
  return route.keepsRecord === true ? runOutside(compiled, asking) : runKeyed(compiled, asking)
}

/**
 * Carries a write out whose caller is held in its transaction. What was refused before there was one, or answered by the
 * record of a key, is held afterwards: nobody is answered whose right has ended.
 */
async function runHeld(
  { db }: CompiledOperation,
  asking: AskingInWorkspace,
  run: (asking: AskingInWorkspace) => Promise<Outcome>,
): Promise<Outcome | null> {
  return whileLetIn(
    asking,
    async (who) => {
      const { hold: holdCaller, workspaceId } = who.caller
      if (holdCaller === undefined) return run(who)
      let isHeld = false
      const hold = async (sql: Sql) => {
        isHeld = false
        await holdCaller(sql)
        isHeld = true
      }
      const outcome = await run({ ...who, caller: { ...who.caller, hold } })
      if (!isHeld) await holdCaller(db.share(workspaceId).together())
      return outcome
    },
    async () => {
      const again = await asking.letInAgain()
      if (again === null || isInWorkspace(again)) return again
      throw new Error('a caller was let in again without a workspace')
    },
  )
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

/** What was read of somebody who is remembered is dropped where they are confirmed to have changed since. */
async function runRead(compiled: CompiledOperation, asking: Asking): Promise<Outcome> {
  const { confirmCaller } = asking.request
  if (confirmCaller === null) return runOwn(compiled, asking)
  const db = compiled.db.share(asking.caller.workspaceId).together()
  const [confirmed, outcome] = await Promise.allSettled([
    confirmCaller(db),
    runOwn({ ...compiled, db }, asking),
  ])
  if (confirmed.status === 'rejected') throw confirmed.reason
  if (!confirmed.value) throw new ChangedMeanwhile()
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

/** The handler reads, or answers for its own transactions. */
async function runOwn(compiled: CompiledOperation, asking: Asking): Promise<Outcome> {
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
    await caller.hold?.(tx)
    const context = { caller, sql: tx, audit: act.say, gone: () => disconnectSignal(reply) }
    const answer = await handle(checked, context)
    if (isRefusal(answer)) return answer
    const rendered = renderAnswer(compiled, asking, answer)
    await act.record(tx, rendered)
    return { ...rendered, replayed: false }
  })
}

async function runKeyed(compiled: CompiledOperation, asking: AskingInWorkspace): Promise<Outcome> {
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
async function runUpload(compiled: CompiledOperation, asking: AskingInWorkspace): Promise<Outcome | null> {
  const form = await receiveForm(compiled, asking)
  if (isRefusal(form)) return form
  const { fields, upload, violations } = form
  try {
    const checked = compiled.check({ ...rawRequest(asking.request), body: fields }, violations)
    if (isRefusal(checked)) return checked
    if (upload === null) throw new Error(`${compiled.operation.id} passed its check without a file`)
    return await runHeld(compiled, asking, (who) => keepUpload(compiled, who, checked, upload))
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
  try {
    const outcome = await runOnce(compiled, asking, write, prepared.value)
    if (isRefusal(outcome) || outcome.replayed) await prepared.abandon()
    return outcome
  } catch (fault) {
    // Not after another throw: then the transaction may have been committed, and the item needs what was prepared.
    if (fault instanceof ChangedMeanwhile) await prepared.abandon()
    throw fault
  }
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
    // Begun together, so that the caller is held on the way: a throw or a refusal of either leaves nothing.
    const [, answer] = await Promise.all([caller.hold?.(tx), compiled.handle(checked, context, file)])
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
