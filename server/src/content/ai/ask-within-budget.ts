import type { Db, Tx } from '../../platform/postgres/db.ts'
import type { Refusal } from '../../edge/operations/refusal.ts'
import {
  type GenerateText,
  estimateTokens,
  mayHaveRun,
  type Message,
  type TextResult,
  type Usage,
} from './model-client.ts'
import { allowOutput, type TokenBudget } from './budget.ts'
import { ANSWER_SCHEMA } from './draft-prompt.ts'
import type { Generation } from './generate-once.ts'
import { lockBudget, readDayUse, recordCall, reserveTokens } from './generation-store.ts'
import type { ModelRef } from '../../platform/config/ai-access.ts'
import type { AskText } from './write-drafts.ts'

/** What a picture of the size that models are shown may be to one. */
const PICTURE_TOKENS = 1_600

/** How many tokens a question may be to its model. */
export function estimateInput(texts: readonly string[], pictures: number): number {
  return estimateTokens(...texts) + pictures * PICTURE_TOKENS
}

/** How many tokens the next call of the workspace may write. No other transaction reserves any until this one ends. */
export async function allowNextCall(
  tx: Tx,
  budget: TokenBudget,
  workspaceId: string,
  inputTokens: number,
): Promise<number | Refusal<'rate_limited'>> {
  await lockBudget(tx, workspaceId)
  return allowOutput(budget, await readDayUse(tx, workspaceId), inputTokens)
}

/**
 * Asks a model for drafts, books what every call has used, and stops before a call that the budget of the day has no
 * room for. Room for `firstOutput` tokens is reserved already. `usage` is what was used so far.
 */
export function askWithinBudget(
  { db, ask, budget }: { readonly db: Db; readonly ask: GenerateText; readonly budget: TokenBudget },
  { model, firstOutput }: { readonly model: ModelRef; readonly firstOutput: number },
  generation: Generation,
): {
  readonly askText: AskText<Refusal<'rate_limited'>>
  readonly usage: Usage & { readonly calls: number }
} {
  const usage = { calls: 0, inputTokens: 0, outputTokens: 0 }

  async function makeRoom(inputTokens: number): Promise<number | Refusal<'rate_limited'>> {
    if (usage.calls === 0) return firstOutput
    return db.begin(async (tx) => {
      const allowed = await allowNextCall(tx, budget, generation.workspaceId, inputTokens)
      if (typeof allowed === 'number') await reserveTokens(tx, generation, inputTokens + allowed)
      return allowed
    })
  }

  async function askText(system: string, messages: readonly Message[]) {
    const pictures = messages.flatMap((message) => message.pictures ?? [])
    const input = estimateInput([system, ...messages.map(({ content }) => content)], pictures.length)
    const maxOutputTokens = await makeRoom(input)
    if (typeof maxOutputTokens !== 'number') return { stop: maxOutputTokens }
    const question = { model, system, messages, schema: ANSWER_SCHEMA, maxOutputTokens }
    const reply = await ask(question, generation.signal)
    const used = reply.usage ?? guessUsage(reply, input)
    usage.calls += 1
    usage.inputTokens += used.inputTokens
    usage.outputTokens += used.outputTokens
    await recordCall(db, generation, used)
    return reply.is === 'answered' ? { text: reply.text } : { failure: reply.failure }
  }
  return { askText, usage }
}

/** What a call without an answer has cost is unknown; its question at least was read, where it got so far. */
function guessUsage(reply: TextResult, inputTokens: number): Usage {
  if (reply.is === 'answered') return { inputTokens, outputTokens: estimateTokens(reply.text) }
  return { inputTokens: mayHaveRun(reply.failure) ? inputTokens : 0, outputTokens: 0 }
}
