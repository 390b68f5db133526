import type { CallAnswer } from '../../networks/providers/port/calls.ts'
import type { Adapter, CallPurpose } from '../../networks/providers/port/port.ts'
import type { Engine, PartRefusal } from './engine-port.ts'
import type { Subject } from '../queue/work.ts'
import { budgetOf } from './adapter-exchange.ts'

/** The longest that a channel is held by what an answer says: a network that names a later time is asked again by then. */
const MAX_HOLD_MS = 24 * 60 * 60_000

/** The rate limits that the calls of one publication were counted by, as their answers said. */
export type Budget = {
  readonly note: (purpose: CallPurpose) => (answer: CallAnswer) => void
  /** Why the next call has to wait, and how long: it would be refused. Null when nothing is known to be spent. */
  readonly spent: () => Extract<PartRefusal, { is: 'deferred' }> | null
}

export function watchBudget(engine: Engine, adapter: Adapter, subject: Subject): Budget {
  /** By the engine's clock. */
  let resetsAt = -Infinity
  return {
    note: (purpose) => (answer) => {
      if (!answer.arrived || engine.networks === undefined) return
      const answered = { response: answer.response, purpose, now: engine.networks.now() }
      const budget = budgetOf(engine, adapter, subject, answered)
      if (budget === null || budget.remaining > 0) return
      resetsAt = Math.max(resetsAt, engine.clock() + Math.min(budget.resetsInMs, MAX_HOLD_MS))
    },
    spent() {
      const afterMs = Math.ceil(resetsAt - engine.clock())
      return afterMs > 0 ? { is: 'deferred', code: 'rate_limited', afterMs } : null
    },
  }
}

/**
 * Holds the channel before the lease ends, so that no worker begins a call on it that would be refused. Where the pause
 * cannot be stored, that call is made, and its refusal is what pauses.
 */
export async function holdWhileSpent(engine: Engine, subject: Subject, budget: Budget): Promise<void> {
  const limited = budget.spent()
  if (limited?.afterMs == null) return
  try {
    await engine.store.pauseChannel(subject, limited.afterMs)
  } catch (fault) {
    engine.onFault(fault, 'rate limit')
  }
}
