import type { Context } from '../command.ts'
import { type Exit, exits } from '../exits.ts'
import { planOf } from '../posting.ts'
import { counted } from '../terminal.ts'

/** `postrider check` */
export async function run(context: Context): Promise<Exit> {
  const client = context.client()
  const check = await client.posts.check(await planOf(context, client, { uploads: false }), {
    signal: context.signal,
  })
  const issues = check.issues.map(
    ({ severity, pointer, message, fix }) => `${severity}: ${pointer}: ${message} ${fix}`,
  )
  const lengths = check.destinations.map(
    ({ provider, maxCharacters, parts }) =>
      `${provider}: ${parts.map(({ characters }) => characters).join(' + ')} of ${counted(maxCharacters, 'character')}`,
  )
  context.answer(
    check,
    [check.ready ? 'It would be accepted.' : 'It would be refused.', ...lengths, ...issues].join('\n'),
  )
  return check.ready ? exits.done : exits.failed
}
