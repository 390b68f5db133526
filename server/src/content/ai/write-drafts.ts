import type { Failure, Message, Picture } from './model-client.ts'
import { firstMessage, repairMessages, SYSTEM, type DraftTask } from './draft-prompt.ts'
import { checkAnswer, type Draft } from './check-answer.ts'
import { loadDetector } from './written-language.ts'

/** How often a model may correct itself. */
export const MAX_REPAIRS = 2

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
 * wrong, MAX_REPAIRS times, and never cut.
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
    const judged = checkAnswer(reply.text, task, await loadDetector())
    if ('drafts' in judged || repairs === MAX_REPAIRS) return judged
    messages.push(...repairMessages(reply.text, judged.faults))
  }
}
