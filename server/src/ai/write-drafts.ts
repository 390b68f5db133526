import type { Failure, Message, Picture } from './asking.ts'
import { firstMessage, repairMessages, SYSTEM, type DraftTask } from './draft-prompt.ts'
import { judgeAnswer, type Draft } from './judge-answer.ts'
import { loadDetector } from './written-language.ts'

/** How often a model may correct itself. */
export const MOST_REPAIRS = 2

export type AskText<Stop> = (
  system: string,
  messages: readonly Message[],
) => Promise<{ readonly text: string } | { readonly failure: Failure } | { readonly stop: Stop }>

export type Written<Stop> =
  | { readonly drafts: readonly Draft[] }
  | { readonly failure: Failure }
  /** What is wrong with the last answer. */
  | { readonly faults: readonly string[] }
  | { readonly stop: Stop }

/**
 * Has the drafts written. They fit every destination, or there are none: what does not is given back with what is
 * wrong, MOST_REPAIRS times, and never cut.
 */
export async function writeDrafts<Stop>(
  task: DraftTask,
  ask: AskText<Stop>,
  pictures: readonly Picture[] = [],
): Promise<Written<Stop>> {
  const messages: Message[] = [firstMessage(task, pictures)]
  for (let repairs = 0; ; repairs++) {
    const reply = await ask(SYSTEM, messages)
    if (!('text' in reply)) return reply
    const judged = judgeAnswer(reply.text, task, await loadDetector())
    if ('drafts' in judged || repairs === MOST_REPAIRS) return judged
    messages.push(...repairMessages(reply.text, judged.faults))
  }
}
