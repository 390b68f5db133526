import { channelCell, channelsForNames } from '../channels.ts'
import { type Context, textOf, textsOf } from '../command.ts'
import { usageError } from '../exits.ts'
import { givenOf } from '../fields.ts'
import { callOptions } from '../posting.ts'
import { table, timeCell, visible } from '../terminal.ts'

/** `postrider label` */
export async function run(context: Context): Promise<void> {
  const { values, args, signal } = context
  const label = textOf(values, 'results')
  const [add, remove] = [textsOf(values, 'add'), textsOf(values, 'remove')]
  if (label !== undefined) return showResults(context, label)
  if (args.length === 0) throw usageError('Name the posts by their ids, or say --results <label>.')
  if (add.length + remove.length === 0) throw usageError('Say what changes: --add or --remove <label>.')
  const change = {
    ...(add.length === 0 ? {} : { add }),
    ...(remove.length === 0 ? {} : { remove }),
  }
  const { posts } = await context.client().posts.label(args, change, { ...callOptions(context), signal })
  context.answer(
    posts,
    table({ POST: ({ postId }) => postId, LABELS: ({ labels }) => labels.map(visible).join(', ') }, posts),
  )
}

async function showResults(context: Context, label: string): Promise<void> {
  const client = context.client()
  const range = givenOf('readLabelResults', context.values, ['label'])
  const results = await client.posts.labelResults(label, { ...range, signal: context.signal })
  const channels = await channelsForNames(context, client)
  const said = (statuses: object) =>
    Object.entries(statuses)
      .map(([status, count]) => `${count} ${status}`)
      .join(', ')
  const rows = table(
    {
      CHANNEL: (one) => channelCell(channels, one),
      POSTS: ({ statuses }) => said(statuses),
    },
    results.channels,
  )
  const { posts, firstPublishedAt, lastPublishedAt, nextPublishAt, before } = results
  const head = [
    `${visible(results.label)}: ${posts} ${posts === 1 ? 'post' : 'posts'}`,
    ...(firstPublishedAt === null
      ? []
      : [`published from ${timeCell(firstPublishedAt)} to ${timeCell(lastPublishedAt)}`]),
    ...(nextPublishAt === null ? [] : [`next at ${timeCell(nextPublishAt)}`]),
    ...(before === undefined ? [] : [`before: ${before.posts}, ${said(before.statuses) || 'none'}`]),
  ]
  context.answer(results, results.channels.length === 0 ? head.join('\n') : `${head.join('\n')}\n${rows}`)
}
