import type { Operation } from '@postrider/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RecordAct } from '../../operations/act.ts'
import { answerIn, type Answered, type Outcome } from '../../operations/idempotency.ts'
import { isRefusal, type Refusal } from '../../operations/refusal.ts'
import type { Caller, PersonalCaller, Restricted, Route } from '../../operations/route.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { type BatchParts, runBatch } from '../operation/batch.ts'
import { type Asked, compileOperation, type Invocation, runOperation } from '../operation/answer-operation.ts'
import { answerWriter } from '../operation/answer-writer.ts'
import { readRowsRunner } from '../operation/read-rows.ts'

/** A request at the gate, whose caller the gate leaves on it. */
export type AtGate = {
  readonly request: FastifyRequest
  /** Asks the gate once more; false where it has answered. */
  readonly enterAgain: () => Promise<boolean>
}

/** Carries an operation out for whoever the gate let in; null where the gate has answered meanwhile. */
export type JsonOperation = (at: AtGate, asked: () => Asked) => Promise<Outcome | null>

/** An operation that answers with JSON: the rules of its request, then replay or handler. */
export function jsonOperation(route: Route, parts: { db: Db; recordAct: RecordAct }): JsonOperation {
  const { operation } = route
  const run = runnerOf(route, parts)
  const asJson = answerWriter(operation.answer.schema)
  const restricted = route.restricted as Restricted<unknown> | undefined

  return async ({ request, enterAgain }, asked) => {
    const invocation = (): Invocation => ({
      asked: asked(),
      asJson,
      authenticateAgain,
      caller: callerOf(request, operation),
    })
    const authenticateAgain = async () => ((await enterAgain()) ? invocation() : null)
    const outcome = await run(invocation())
    if (outcome === null || isRefusal(outcome)) return outcome
    const caller = callerOf(request, operation)
    const hidden = await refuseRepeatOf(parts.db, route, { asked, caller }, outcome)
    return hidden ?? { ...outcome, body: bodyFor(caller, outcome, restricted) }
  }
}

/** How an operation is carried out: by its handler, or row by row. */
function runnerOf(
  route: Route,
  parts: { db: Db; recordAct: RecordAct },
): (invocation: Invocation) => Promise<Outcome | null> {
  const compiled = compileOperation(route, parts)
  const { rows, readRows } = route
  if (readRows !== undefined) return readRowsRunner(compiled, readRows)
  if (rows === undefined) return (invocation) => runOperation(compiled, invocation)
  const row = compileOperation(rows.route, parts)
  const batch: BatchParts = {
    compiled,
    row,
    rows,
    refuseRepeat: (invocation, answered) =>
      refuseRepeatOf(
        parts.db,
        rows.route,
        { asked: () => invocation.asked, caller: invocation.caller },
        answered,
      ),
    bodyFor: (caller, answered) =>
      bodyFor(caller, answered, rows.route.restricted as Restricted<unknown> | undefined),
    rowAsJson: answerWriter(rows.route.operation.answer.schema),
  }
  return (invocation) => runBatch(batch, invocation)
}

/** Why a caller is not shown the answer of an earlier request; null where they are, or it is their first. */
async function refuseRepeatOf(
  db: Db,
  { refuseRepeat }: Route,
  { asked, caller }: { asked: () => Pick<Asked, 'input'>; caller: Caller | PersonalCaller },
  outcome: Answered,
): Promise<Refusal | null> {
  if (!outcome.replayed || refuseRepeat === undefined || caller.workspaceId === null) return null
  const { params, query, body } = asked().input
  const repeat = { params, query, body, answer: answerIn(outcome) }
  return refuseRepeat(repeat as never, { caller, sql: db.share(caller.workspaceId) })
}

/** A first answer is made for its caller; a replayed one may have been made for another. */
function bodyFor(
  caller: Caller | PersonalCaller,
  { body, replayed }: Answered,
  restricted: Restricted<unknown> | undefined,
): string {
  if (!replayed || restricted === undefined) return body
  const mayRead = caller.workspaceId !== null && caller.credential.permissions.includes(restricted.permission)
  return mayRead ? body : JSON.stringify(restricted.without(JSON.parse(body)))
}

export function callerOf({ caller }: FastifyRequest, { id }: Operation): Caller | PersonalCaller {
  if (caller === null) throw new Error(`${id} was reached without a caller`)
  return caller
}

/** Aborts when the connection closes before the answer is written. */
export function disconnectSignal({ raw }: FastifyReply): AbortSignal {
  const disconnect = new AbortController()
  if (raw.destroyed) disconnect.abort()
  else raw.once('close', () => raw.writableEnded || disconnect.abort())
  return disconnect.signal
}
