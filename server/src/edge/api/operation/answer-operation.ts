import type { Operation } from '@postrider/contract'
import type { ActDetails, RecordAct } from '../../operations/act.ts'
import { ChangedMeanwhile, whileAuthenticated } from '../../operations/changed-meanwhile.ts'
import { type Db, sendingDeferred, type Sql, type Tx } from '../../../platform/postgres/db.ts'
import { uuidv7 } from '../../../platform/text/uuid.ts'
import {
  claimKey,
  findAnswer,
  fingerprintOf,
  type IdempotentRequest,
  type Outcome,
  type Recorded,
  withIdempotency,
  withIdempotencyPipelined,
} from '../../operations/idempotency.ts'
import { isRefusal, type Refusal } from '../../operations/refusal.ts'
import type {
  Caller,
  OutsideContext,
  PersonalCaller,
  PrepareContext,
  Route,
  Upload,
} from '../../operations/route.ts'
import { writeInTransaction } from '../../operations/write-transaction.ts'
import { auditedAct, type AuditedAct } from './audited.ts'
import type { Form, FormRules } from '../request/form-body.ts'
import { readIdempotencyHeader } from './idempotency-key.ts'
import {
  type CheckedRequest,
  compileRequestCheck,
  type RawRequest,
  refuseViolations,
  type RequestCheck,
} from '../request/request-check.ts'

export type AsJson = (answer: unknown) => string

/** What asks for an operation: a request of its own, or the call of a tool. */
export type Asked = {
  /** The id of the request. */
  readonly id: string
  /** The remote address. */
  readonly ip: string
  /** The path of the operation, with the ids in it. */
  readonly path: string
  readonly input: RawRequest
  /** Whether a caller who is remembered is still as remembered; null for one who was just looked up. */
  readonly confirmCaller: ((sql: Sql) => Promise<boolean>) | null
  /** Counts more writes than one against the rate limit of the caller; null where there is none. */
  readonly countWrites: ((count: number) => Promise<void>) | null
  /** Reads the form of an operation that takes a file. */
  readonly readForm: (rules: FormRules) => Promise<Form | Refusal>
  /** Aborted when the client has gone away. */
  readonly gone: () => AbortSignal
}

/** A request that has passed the gate of an operation. */
export type Invocation = {
  readonly asked: Asked
  readonly caller: Caller | PersonalCaller
  readonly asJson: AsJson
  /** Asks the gate once more; null where it has answered. */
  readonly authenticateAgain: () => Promise<Invocation | null>
}

type WorkspaceInvocation = Invocation & { readonly caller: Caller }

export type CompiledOperation = {
  readonly route: Route
  readonly operation: Operation
  readonly db: Db
  readonly recordAct: RecordAct
  readonly check: RequestCheck
  readonly handle: (
    input: CheckedRequest,
    context: {
      caller: Invocation['caller']
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
export async function runOperation(
  compiled: CompiledOperation,
  invocation: Invocation,
): Promise<Outcome | null> {
  const { operation } = compiled
  const { authenticateAgain } = invocation
  if (operation.idempotency === undefined)
    return whileAuthenticated(invocation, (who) => runRead(compiled, who), authenticateAgain)
  // The handlers of what people do about themselves hold their session.
  if (!isInWorkspace(invocation))
    return whileAuthenticated(invocation, (who) => runOwn(compiled, who), authenticateAgain)
  if (operation.file !== undefined) return runUpload(compiled, invocation)
  return runHeld(compiled, invocation, (who) => runWrite(compiled, who))
}

function runWrite(compiled: CompiledOperation, invocation: WorkspaceInvocation): Promise<Outcome> {
  const { operation, route } = compiled
  const ours = route.ownsTransaction !== true
  if (operation.idempotency === 'none')
    return ours ? runUnkeyed(compiled, invocation) : runOwn(compiled, invocation)
  return ours ? runKeyed(compiled, invocation) : runOutside(compiled, invocation)
}

/**
 * Carries a write out whose caller is held in its transaction. What was refused before there was one, or answered by the
 * record of a key, is held afterwards: a caller whose right has ended is not answered.
 */
async function runHeld(
  { db }: CompiledOperation,
  invocation: WorkspaceInvocation,
  run: (invocation: WorkspaceInvocation) => Promise<Outcome>,
): Promise<Outcome | null> {
  return whileAuthenticated(
    invocation,
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
      const again = await invocation.authenticateAgain()
      if (again === null || isInWorkspace(again)) return again
      throw new Error('a caller was let in again without a workspace')
    },
  )
}

function isInWorkspace(invocation: Invocation): invocation is WorkspaceInvocation {
  return invocation.caller.workspaceId !== null
}

/** What a read is answered with, before it is rendered. */
export async function readAnswer(
  { check, handle, db }: CompiledOperation,
  { asked, caller }: Pick<Invocation, 'asked' | 'caller'>,
  audit: (details: ActDetails) => void = () => undefined,
): Promise<unknown> {
  const checked = check(asked.input)
  if (isRefusal(checked)) return checked
  const sql = db.share(caller.workspaceId)
  return handle(checked, { caller, sql, audit, gone: asked.gone })
}

/** What was read for a caller who is remembered is dropped where they are confirmed to have changed since. */
async function runRead(compiled: CompiledOperation, invocation: Invocation): Promise<Outcome> {
  const { confirmCaller, input } = invocation.asked
  if (confirmCaller === null) return runOwn(compiled, invocation)
  const { credential, workspaceId } = invocation.caller
  const isQuick =
    credential !== null &&
    'limits' in credential &&
    compiled.route.isQuick?.(input.query, credential) === true
  const db = compiled.db.share(workspaceId).together(isQuick ? 'of a turn' : 'of a request')
  const [confirmed, outcome] = await Promise.allSettled([
    confirmCaller(db),
    runOwn({ ...compiled, db }, invocation),
  ])
  if (confirmed.status === 'rejected') throw confirmed.reason
  if (!confirmed.value) throw new ChangedMeanwhile()
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

/** The handler reads, or answers for its own transactions. */
async function runOwn(compiled: CompiledOperation, invocation: Invocation): Promise<Outcome> {
  const { route, operation, recordAct, db } = compiled
  const isAudited = route.audited === true && isInWorkspace(invocation)
  const { asked } = invocation
  const act = isAudited
    ? auditedAct(operation, asked, { caller: invocation.caller, params: asked.input.params, recordAct })
    : null
  const answer = await readAnswer(compiled, invocation, act?.say)
  if (isRefusal(answer)) return answer
  const rendered = renderAnswer(compiled, invocation, answer)
  await act?.record(db, rendered)
  return { ...rendered, replayed: false }
}

/** A write without a key: in one transaction with its audit entry. Its answer, which may hold a secret, is not kept. */
async function runUnkeyed(compiled: CompiledOperation, invocation: WorkspaceInvocation): Promise<Outcome> {
  const { check, handle, operation, recordAct, db, route } = compiled
  const { asked, caller } = invocation
  const checked = check(asked.input)
  if (isRefusal(checked)) return checked
  const prepare = route.prepare as
    | ((input: CheckedRequest, context: PrepareContext) => Promise<unknown>)
    | undefined
  const prepared = await prepare?.(checked, { caller, db: db.share(caller.workspaceId), gone: asked.gone() })
  if (isRefusal(prepared)) return prepared
  const more = (route.writesOf?.(prepared as never) ?? 1) - 1
  if (more > 0) await asked.countWrites?.(more)
  const act = auditedAct(operation, asked, { caller, params: checked.params, recordAct })
  const isRehearsal = (checked.body as { dryRun?: boolean } | undefined)?.dryRun === true
  // Rolled back where nothing is to be kept: `begin` takes that for a refusal.
  type Rehearsed = { readonly refused: null; readonly rehearsed: Recorded }
  const run = async (tx: Tx): Promise<Outcome | Rehearsed> => {
    await caller.hold?.(tx)
    const context = { caller, sql: tx, audit: act.say, gone: asked.gone }
    const answer = await handle(checked, context, prepared)
    if (isRefusal(answer)) return answer
    const rendered = renderAnswer(compiled, invocation, answer)
    if (isRehearsal) return { refused: null, rehearsed: rendered }
    await act.record(tx, rendered)
    return { ...rendered, replayed: false }
  }
  const outcome = await writeInTransaction(db.share(caller.workspaceId), run)
  return 'rehearsed' in outcome ? { ...outcome.rehearsed, replayed: false } : outcome
}

async function runKeyed(compiled: CompiledOperation, invocation: WorkspaceInvocation): Promise<Outcome> {
  const write = checkKeyed(compiled, invocation)
  if (isRefusal(write)) return write
  return write.isRehearsal ? rehearse(compiled, invocation, write) : runOnce(compiled, invocation, write)
}

/** The write that a request asks for. Whether it is only rehearsed is no part of what it is. */
export function checkKeyed(compiled: CompiledOperation, invocation: Invocation): NamedWrite | Refusal {
  if (!isInWorkspace(invocation)) throw new Error(`${compiled.operation.id} was reached without a workspace`)
  const checked = compiled.check(invocation.asked.input)
  if (isRefusal(checked)) return checked
  const { dryRun, ...body } = { dryRun: false, ...(checked.body as object) }
  const write = namedWrite(compiled, invocation, { ...checked, body }, body)
  return { ...write, isRehearsal: dryRun }
}

/** Does all of a write in a transaction that is rolled back. A key that is used is answered as it would be. */
async function rehearse(
  compiled: CompiledOperation,
  invocation: WorkspaceInvocation,
  write: NamedWrite,
): Promise<Outcome> {
  const rehearsed = await writeInTransaction(
    compiled.db.share(invocation.caller.workspaceId),
    async (tx): Promise<{ refused: null; outcome: Outcome | Recorded }> => {
      const { tx: own, send } = sendingDeferred(tx)
      const outcome = (await claimKey(own, write.once)) ?? (await runWithin(compiled, own, invocation, write))
      await send()
      return { refused: null, outcome }
    },
  )
  const { outcome } = rehearsed
  return isRefusal(outcome) || 'replayed' in outcome ? outcome : { ...outcome, status: 200, replayed: false }
}

/** Carries a write out in the transaction that is open. */
export async function runWithin(
  compiled: CompiledOperation,
  tx: Tx,
  invocation: Invocation,
  { checked, act }: NamedWrite,
  file?: unknown,
): Promise<Recorded | Refusal> {
  const { asked, caller } = invocation
  const context = { caller, sql: tx, audit: act.say, gone: asked.gone }
  const hold = 'hold' in caller ? caller.hold : undefined
  // Begun together, so that the caller is held on the way: a throw or a refusal of either leaves nothing.
  const [, answer] = await Promise.all([hold?.(tx), compiled.handle(checked, context, file)])
  return isRefusal(answer) ? answer : renderAnswer(compiled, invocation, answer)
}

/** The handler calls another service, and keeps the record itself. */
async function runOutside(compiled: CompiledOperation, invocation: WorkspaceInvocation): Promise<Outcome> {
  const { check, operation, db } = compiled
  const { asked, caller } = invocation
  const checked = check(asked.input)
  if (isRefusal(checked)) return checked
  // Where none is asked for, a request without a key has one of its own that cannot be guessed.
  const idempotencyKey =
    checked.idempotencyKey ?? (operation.idempotency === 'optional header' ? uuidv7() : null)
  const { once } = namedWrite(compiled, invocation, { ...checked, idempotencyKey }, checked.body)
  const render = (answer: unknown) => renderAnswer(compiled, invocation, answer)
  const handle = compiled.route.handle as (
    input: CheckedRequest,
    context: Omit<OutsideContext<Operation>, 'render'> & { render: (answer: unknown) => Recorded },
  ) => Promise<Outcome>
  const own = { db: db.share(caller.workspaceId), request: once, gone: asked.gone() }
  return handle(checked, { caller, ...own, render })
}

/** Receives and prepares the file first: the transaction only writes, and may be tried again. */
async function runUpload(
  compiled: CompiledOperation,
  invocation: WorkspaceInvocation,
): Promise<Outcome | null> {
  const form = await receiveForm(compiled, invocation)
  if (isRefusal(form)) return form
  const { fields, upload, violations } = form
  try {
    const checked = compiled.check({ ...invocation.asked.input, body: fields }, violations)
    if (isRefusal(checked)) return checked
    if (upload === null) throw new Error(`${compiled.operation.id} passed its check without a file`)
    return await runHeld(compiled, invocation, (who) => keepUpload(compiled, who, checked, upload))
  } finally {
    await upload?.dispose()
  }
}

async function receiveForm(
  { operation, route: { receive, receiveFrom } }: CompiledOperation,
  { asked, caller }: WorkspaceInvocation,
): Promise<Form | Refusal> {
  if (operation.file === undefined || receive === undefined || receiveFrom === undefined)
    throw new Error(`${operation.id} takes no file`)
  // Without a key nothing can come of it, so that not a byte is worth receiving.
  const header = readIdempotencyHeader(asked.input.idempotencyHeader)
  if ('violation' in header) return refuseViolations([header.violation])
  return asked.readForm({
    file: operation.file.field,
    address: operation.file.urlField,
    fields: operation.body,
    receive: (file) => receive(file, caller),
    receiveFrom: (address) => receiveFrom(address, caller, asked.gone()),
  })
}

async function keepUpload(
  compiled: CompiledOperation,
  invocation: WorkspaceInvocation,
  checked: CheckedRequest,
  upload: Upload<unknown>,
): Promise<Outcome> {
  const field = compiled.operation.file?.field ?? ''
  const file = upload.sha256 === null ? {} : { [field]: upload.sha256 }
  const content = { ...(checked.body as object), ...file }
  const write = namedWrite(compiled, invocation, checked, content)
  const known = await findAnswer(compiled.db.share(invocation.caller.workspaceId), write.once)
  if (known !== null) return known
  const prepared = await upload.prepare()
  if (isRefusal(prepared)) return prepared
  try {
    const outcome = await runOnce(compiled, invocation, write, prepared.value)
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
  invocation: WorkspaceInvocation,
  write: NamedWrite,
  file?: unknown,
): Promise<Outcome> {
  const runWithKey = compiled.route.pipelined === true ? withIdempotencyPipelined : withIdempotency
  return runWithKey(compiled.db.share(invocation.caller.workspaceId), write.once, (tx) =>
    runWithin(compiled, tx, invocation, write, file),
  )
}

function renderAnswer({ operation }: CompiledOperation, { asJson }: Invocation, answer: unknown): Recorded {
  return { status: operation.answer.status, body: asJson(answer), answer }
}

/** A write with the key that names its one effect, and its entry in the audit log. */
export type NamedWrite = {
  readonly checked: CheckedRequest
  /** Whether all of it is to be rolled back. */
  readonly isRehearsal: boolean
  readonly once: IdempotentRequest
  readonly act: AuditedAct
}

/** `content` is what the fingerprint is made of; of a file, its hash. */
function namedWrite(
  { operation, recordAct }: CompiledOperation,
  { asked, caller }: WorkspaceInvocation,
  checked: CheckedRequest,
  content: unknown,
): NamedWrite {
  const { idempotencyKey: key, params } = checked
  if (key === null) throw new Error(`${operation.id} passed its check without an idempotency key`)
  const act = auditedAct(operation, asked, { caller, params, recordAct })
  const fingerprint = fingerprintOf(operation.id, asked.path, content)
  const { workspaceId } = caller
  return {
    checked,
    act,
    isRehearsal: false,
    once: { workspaceId, operation: operation.id, key, fingerprint, audit: act.record },
  }
}
