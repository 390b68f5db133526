import type { MayBegin } from '../../platform/outbound/may-begin.ts'
import type { CallAnswer, HttpResponse, Json } from '../../networks/providers/port/calls.ts'
import type {
  Adapter,
  CallPurpose,
  Exchange,
  AuthorizationTimes,
  Limits,
  PartFile,
  PublishWork,
  RateBudget,
  RemoteMedia,
} from '../../networks/providers/port/port.ts'
import {
  runProcedure,
  type Procedure,
  type ProcedureTools,
  type Ran,
  type RunOptions,
} from '../../networks/providers/port/procedure.ts'
import { callKey } from './call-key.ts'
import { findExcess, type Excess } from './check-limits.ts'
import { kindOfPart, parentOf } from '../destinations/part-order.ts'
import type { AdapterFault, Engine, ExchangeContext } from './engine-port.ts'
import type { Evidence, Subject, WorkPart } from '../queue/work.ts'

/*
 * The one way in which the engine uses the functions of an adapter. An adapter that throws is at fault, and the
 * provider has said nothing by it: the fault is reported with its cause, and returned as a value.
 */

type Arrived = Extract<CallAnswer, { arrived: true }>
type Silent = Extract<CallAnswer, { arrived: false }>

/** What came of a call. `unreadable`: it was made and answered, and the adapter failed over the answer. */
export type Reply<Verdict> =
  | { readonly is: 'judged'; readonly answer: Arrived; readonly verdict: Verdict }
  | { readonly is: 'silent'; readonly answer: Silent }
  | { readonly is: 'unreadable'; readonly answer: Arrived; readonly fault: AdapterFault }

/** A call that can be made: its request is built, and nothing has left yet. */
export type PreparedCall<Verdict> = {
  readonly is: 'prepared'
  readonly send: (mayBegin: MayBegin) => Promise<Reply<Verdict>>
}

/** Builds the request of an exchange, and makes no call. */
export function prepare<Work, Verdict>(
  engine: Pick<Engine, 'call' | 'onAdapterFault'>,
  context: ExchangeContext,
  { request, judge }: Exchange<Work, Verdict>,
  work: Work,
): PreparedCall<Verdict> | AdapterFault {
  const built = guard(engine, context, 'request', () => request(work))
  if (built.is === 'adapter_fault') return built

  const made = built.value
  return {
    is: 'prepared',
    async send(mayBegin) {
      const answer = await engine.call(made, undefined, mayBegin)
      if (!answer.arrived) return { is: 'silent', answer }
      const judged = guard(engine, context, 'judge', () => judge(answer.response, work))
      return judged.is === 'adapter_fault'
        ? { is: 'unreadable', answer, fault: judged }
        : { is: 'judged', answer, verdict: judged.value }
    },
  }
}

/** A call that changes nothing may be made at any time. */
export const ANY_TIME: MayBegin = () => true

/** Builds the request of an exchange, and makes its call, which begins while it may or never. */
export async function exchange<Work, Verdict>(
  engine: Pick<Engine, 'call' | 'onAdapterFault'>,
  context: ExchangeContext,
  functions: Exchange<Work, Verdict>,
  work: Work,
  mayBegin: MayBegin,
): Promise<Reply<Verdict> | AdapterFault> {
  const call = prepare(engine, context, functions, work)
  return call.is === 'adapter_fault' ? call : call.send(mayBegin)
}

/** How long a procedure may wait for a provider in all, for one that is still processing what it was given. */
const MAX_WAIT_MS = 10 * 60_000
/** A large file in pieces of some megabytes fits. */
const MAX_CALLS = 1_000

/**
 * Performs a procedure of an adapter: its calls may be repeated, and publish nothing. With `resumes` it pauses at every wait
 * that has a checkpoint.
 */
export async function performProcedure<Work, Outcome>(
  engine: Pick<Engine, 'call' | 'wait' | 'stopping' | 'networks' | 'onAdapterFault'>,
  context: ExchangeContext,
  procedure: Procedure<Work, Outcome>,
  work: Work,
  {
    maxCalls = MAX_CALLS,
    resumes = false,
    onAnswer,
  }: Pick<RunOptions, 'resumes' | 'onAnswer'> & { readonly maxCalls?: number } = {},
): Promise<Exclude<Ran<Outcome>, { is: 'fault' }> | AdapterFault> {
  const { workspaceId } = context.subject
  const readCard: ProcedureTools['readCard'] = (url, picture, signal) =>
    engine.networks === undefined
      ? Promise.resolve({ card: null, lack: null, done: () => Promise.resolve() })
      : engine.networks.readCard(workspaceId, url, picture, signal)
  const tools = { call: engine.call, wait: engine.wait, readCard }
  const options = { signal: engine.stopping, maxCalls, maxWaitMs: MAX_WAIT_MS, resumes }
  const observed = onAnswer === undefined ? options : { ...options, onAnswer }
  const ran = await runProcedure(procedure, work, tools, observed)
  return ran.is === 'fault' ? report(engine, context, context.exchange, ran.fault) : ran
}

type Done<T> = { readonly is: 'done'; readonly value: T }

/** The adapter of a destination's provider; undefined where this server has none. */
export async function loadAdapter(
  engine: Pick<Engine, 'providers' | 'onAdapterFault'>,
  subject: Subject,
): Promise<Done<Adapter | undefined> | AdapterFault> {
  try {
    return { is: 'done', value: await engine.providers.get(subject.provider)?.load() }
  } catch (cause) {
    return report(engine, { adapter: subject, exchange: 'load', subject }, 'load', cause)
  }
}

/** The origin that an authorization publishes at. */
export function originOf(
  engine: Pick<Engine, 'onAdapterFault'>,
  adapter: Adapter,
  subject: Subject,
): Done<string> | AdapterFault {
  return guard(engine, { adapter, exchange: 'origin', subject }, null, () =>
    adapter.origin(subject.authorization),
  )
}

/** When the access of an authorization, and the authorization itself, end. */
export function authorizationTimesOf(
  engine: Pick<Engine, 'onAdapterFault'>,
  adapter: Adapter,
  subject: Subject,
): Done<AuthorizationTimes> | AdapterFault {
  const context = { adapter, exchange: 'authorizationTimes', subject }
  return guard(engine, context, null, () => adapter.authorizationTimes(subject.authorization))
}

/** What exceeds the limits of its channel, of what is left of a destination; null when nothing does. */
export function excessOf(
  engine: Pick<Engine, 'onAdapterFault'>,
  adapter: Adapter,
  limits: Limits,
  subject: Subject,
): Done<Excess | null> | AdapterFault {
  const context = { adapter, exchange: 'check', subject }
  return guard(engine, context, null, () => findExcess(adapter, limits, subject))
}

/** What an answer says of the rate limit that a call of this purpose counts against; null for nothing. */
export function budgetOf(
  engine: Pick<Engine, 'onAdapterFault'>,
  adapter: Adapter,
  subject: Subject,
  { response, purpose, now }: { response: HttpResponse; purpose: CallPurpose; now: Date },
): RateBudget | null {
  const context = { adapter, exchange: 'budget', subject }
  const read = guard(engine, context, null, () => adapter.budget(response, purpose, now))
  return read.is === 'done' ? read.value : null
}

function guard<T>(
  engine: Pick<Engine, 'onAdapterFault'>,
  context: ExchangeContext,
  name: 'request' | 'judge' | null,
  run: () => T,
): Done<T> | AdapterFault {
  try {
    return { is: 'done', value: run() }
  } catch (cause) {
    return report(engine, context, name === null ? context.exchange : `${context.exchange}.${name}`, cause)
  }
}

function report(
  { onAdapterFault }: Pick<Engine, 'onAdapterFault'>,
  { adapter, subject }: ExchangeContext,
  adapterFunction: string,
  cause: unknown,
): AdapterFault {
  const fault = { is: 'adapter_fault', provider: adapter.provider, adapterFunction, cause } as const
  onAdapterFault(fault, subject)
  return fault
}

/** What is stored of an exchange: enough to prove what happened, never text of the provider. */
export function evidenceOf(by: string, answer: CallAnswer, verdict: { readonly is: string }): Evidence {
  const proof =
    'remoteId' in verdict && typeof verdict.remoteId === 'string' ? { remoteId: verdict.remoteId } : {}
  return answer.arrived
    ? { by, verdict: verdict.is, httpStatus: answer.response.status, durationMs: answer.durationMs, ...proof }
    : {
        by,
        verdict: verdict.is,
        silence: answer.reason,
        maybeSent: answer.maybeSent,
        ...(answer.unfinished === true ? { unfinished: true } : {}),
        durationMs: answer.durationMs,
      }
}

/** The work of one part, with the parts it answers to. */
export function publishWorkOf(
  subject: Subject,
  part: WorkPart,
  media: readonly RemoteMedia[],
  prepared: Json = null,
  files: readonly PartFile[] = [],
): PublishWork {
  return {
    kind: kindOfPart(part),
    authorization: subject.authorization,
    settings: subject.settings,
    text: part.text,
    media,
    parent: remotePart(parentOf(subject.parts, part)),
    root: remotePart(part.index === 0 ? undefined : subject.parts[0]),
    idempotencyKey: callKey(subject, part),
    prepared,
    files,
  }
}

function remotePart(part: WorkPart | undefined): { remoteId: string } | null {
  return part?.remoteId == null ? null : { remoteId: part.remoteId }
}
