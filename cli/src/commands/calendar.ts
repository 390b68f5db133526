import type { Operations } from '@postrider/sdk'
import { channelCell, channelsForNames, placeOption } from '../channels.ts'
import type { Context } from '../command.ts'
import { givenOf } from '../fields.ts'
import { excerpt, table, timeCell } from '../terminal.ts'

const DAYS_MS = 31 * 86_400_000

/** `postrider calendar` */
export async function run(context: Context): Promise<void> {
  const { values, signal } = context
  const client = context.client()
  const channelId = await placeOption(context, client)
  const given = givenOf('readCalendar', values, ['channelId']) as Partial<Operations['readCalendar']['query']>
  const from = given.from ?? new Date()
  const query = {
    ...given,
    from,
    to: given.to ?? new Date(new Date(from).getTime() + DAYS_MS),
    ...(channelId === undefined ? {} : { channelId }),
  }
  const [entries, channels] = await Promise.all([
    client.calendar(query, { signal }),
    channelsForNames(context, client),
  ])
  const text = table(
    {
      TIME: ({ publishAt, publishedAt }) => timeCell(publishedAt ?? publishAt),
      STATUS: ({ status }) => status,
      CHANNEL: (entry) => channelCell(channels, entry),
      TEXT: (entry) => excerpt(entry.text),
      POST: ({ postId }) => postId,
    },
    entries,
  )
  context.answer(entries, entries.length === 0 ? 'Nothing is planned.' : text)
}
