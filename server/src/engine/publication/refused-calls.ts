import type { Adapter, LookupResult, PublishWork, Verdict } from '../../networks/providers/port/port.ts'
import type { Evidence, FormerCall, Work, WorkPart } from '../queue/work.ts'
import { evidenceOf, performProcedure, publishWorkOf, type Reply } from './adapter-exchange.ts'
import { deferralOf, PROVIDER_UNAVAILABLE } from './deferrals.ts'
import type { Engine, PartRefusal } from './engine-port.ts'
import { afterExpiry } from './fresh-authorization.ts'
import type { Ended } from './settle-attempt.ts'

/*
 * Networks refuse calls that they have carried out: Instagram answers `media_publish` with 4/2207051 while the post is live. Where a
 * look asks for the very thing that a call was to show, the look decides, and not the answer: right after the refusal, and again, of
 * every call before, when the part is to be called for again.
 */

type Refused = Extract<Verdict, { is: 'rejected' | 'deferred' | 'expired' | 'reauthorize' }>

/** What a look by key shows of a call. */
export type Shown = 'nothing' | 'out' | 'not told'

/** What a look showed; null for one that did not end. */
export function shownBy(look: LookupResult | null): Shown {
  switch (look?.is) {
    case 'found':
    case 'out':
      return 'out'
    case 'absent':
      return look.seen === 'by key' ? 'nothing' : 'not told'
    case 'gone':
      return 'nothing'
    case 'unavailable':
    case 'expired':
    case 'reauthorize':
    case undefined:
      return 'not told'
  }
}

/**
 * What a refusal proves after the look, and by the status of its answer. Where the look failed, what is put off stands, since it is asked
 * about again before the next call; what is refused for good does not, since nobody would ask any more. A caller that is not let in (401)
 * is turned away before anything is done.
 */
export function provenBy(
  refusal: Refused,
  shown: Shown,
  status: number,
): Refused | Extract<Verdict, { is: 'unknown' }> {
  if (shown === 'nothing') return refusal
  if (shown === 'out') return REFUSED_BUT_OUT
  return refusal.is === 'rejected' && status !== 401 ? REFUSED_AND_NOT_ASKED : refusal
}

const REFUSED_BUT_OUT = {
  is: 'unknown',
  detail: 'The network refused the call, but what it was to show is public.',
} as const
const REFUSED_AND_NOT_ASKED = {
  is: 'unknown',
  detail: 'The network refused the call, and could not be asked whether the post is public all the same.',
} as const

/** What a publish call has proved: the network that refused it is asked once for what the call was to show. */
export async function askIfRefused(
  engine: Engine,
  adapter: Adapter,
  work: Work,
  publishing: PublishWork,
  { answer, verdict }: Extract<Reply<Verdict>, { is: 'judged' }>,
): Promise<{ readonly proven: Verdict; readonly noted: Omit<Evidence, 'by'> }> {
  if (!isRefused(verdict) || !adapter.looksByKey(publishing)) return { proven: verdict, noted: {} }
  const { result } = await look(engine, adapter, work, publishing)
  const shown = shownBy(result)
  const proven = provenBy(verdict, shown, answer.response.status)
  const detail = proven.is === 'unknown' ? { detail: proven.detail } : {}
  return { proven, noted: { refused: verdict.is, shown, ...detail } }
}

function isRefused(verdict: Verdict): verdict is Refused {
  return ['rejected', 'deferred', 'expired', 'reauthorize'].includes(verdict.is)
}

/** The call that is found to have been carried out; why that cannot be told now; or null where none was, and the part may be called for. */
export async function askFormerCalls(
  engine: Engine,
  adapter: Adapter,
  work: Work,
  part: WorkPart,
): Promise<{ readonly out: FormerCall; readonly ended: Ended } | { readonly refused: PartRefusal } | null> {
  for (const former of work.formers.filter(({ partIndex }) => partIndex === part.index)) {
    const called = publishWorkOf(work, part, former.media, former.prepared)
    if (!adapter.looksByKey(called)) return null
    const { ran, result } = await look(engine, adapter, work, called, former.armedAt)
    const shown = shownBy(result)
    if (shown === 'nothing') continue
    if (shown === 'out')
      return { out: former, ended: { conclusion: REFUSED_BUT_OUT, evidence: evidenceFrom(ran) } }
    if (result?.is === 'expired') return { refused: await afterExpiry(engine, work) }
    if (result?.is === 'reauthorize') return { refused: result }
    return { refused: ran.is === 'done' ? PROVIDER_UNAVAILABLE : deferralOf(ran) }
  }
  return null
}

const MAX_CALLS = 10

async function look(engine: Engine, adapter: Adapter, work: Work, called: PublishWork, armedAt?: Date) {
  if (adapter.lookup === null) throw new Error(`${adapter.provider} looks by key, and has no look-up`)
  const now = engine.networks?.now() ?? new Date(0)
  // Which post it is, is for the look of a doubt to say, which knows of equal ones.
  const asked = { ...called, files: [], armedAt: armedAt ?? now, now, knownRemoteIds: [] }
  const context = { adapter, exchange: 'lookup', subject: work }
  const ran = await performProcedure(engine, context, adapter.lookup, asked, { maxCalls: MAX_CALLS })
  return { ran, result: ran.is === 'done' ? ran.outcome : null }
}

function evidenceFrom(ran: Awaited<ReturnType<typeof look>>['ran']): Evidence {
  const { is, detail } = REFUSED_BUT_OUT
  const last = ran.is === 'done' ? ran.last : null
  return { ...(last === null ? { by: 'lookup', verdict: is } : evidenceOf('lookup', last, { is })), detail }
}
