import { type Context, isSet } from '../command.ts'
import { type Exit, exits } from '../exits.ts'
import { preparePlan } from '../plan/prepare.ts'
import { changesJson, changesText, isChange } from '../plan/show-changes.ts'

/** `postrider plan` */
export async function run(context: Context): Promise<Exit> {
  const { args, values, answer } = context
  const { plan, changes } = await preparePlan(context, args[0] ?? '', { force: isSet(values, 'force') })
  answer({ plan, changes: changesJson(changes) }, changesText(plan, changes))
  return isSet(values, 'exit-code') && changes.some(isChange) ? exits.failed : exits.done
}
