import { isId, postFieldNames } from '@postrider/contract/plan'
import type { CallOptions, Operations, Series, SeriesSummary } from '@postrider/sdk'
import { placeOf } from '../channels.ts'
import { type Context, isSet, textOf, textsOf } from '../command.ts'
import { usageError } from '../exits.ts'
import { readWhole } from '../fields.ts'
import { callOptions, fieldsOf, once, readText } from '../posting.ts'
import { excerpt, table, timeCell, visible } from '../terminal.ts'

const LIMIT = 20
const LARGEST_PAGE = 100
const verbs: Readonly<Record<string, (context: Context, args: readonly string[]) => Promise<void>>> = {
  list: (context) => list(context),
  show: (context, [seriesId]) => show(context, seriesId),
  create: (context) => create(context),
  edit: (context, [seriesId]) => edit(context, seriesId),
  skip: (context, [seriesId, date]) => skip(context, seriesId, date, true),
  unskip: (context, [seriesId, date]) => skip(context, seriesId, date, false),
  pause: (context, [seriesId]) => setStatus(context, seriesId, 'paused'),
  resume: (context, [seriesId]) => setStatus(context, seriesId, 'active'),
  end: (context, [seriesId]) => setStatus(context, seriesId, 'ended'),
}

/** `postrider series` */
export async function run(context: Context): Promise<void> {
  const [verb = '', ...args] = context.args
  const act = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
  if (act === undefined)
    throw usageError(
      `\`postrider series\` has no command "${verb}". It takes ${Object.keys(verbs).join(', ')}.`,
    )
  return act(context, args)
}

async function list(context: Context): Promise<void> {
  const { values, signal } = context
  const limit = textOf(values, 'limit') === undefined ? LIMIT : readWhole('--limit', String(values['limit']))
  const status = textOf(values, 'status') as SeriesSummary['status'] | undefined
  const query = { limit: Math.min(limit, LARGEST_PAGE), ...(status === undefined ? {} : { status }) }
  const found: SeriesSummary[] = []
  for await (const one of context.client().series.list(query, { signal }))
    if (found.push(one) === limit) break
  const rows = table(
    {
      SERIES: ({ seriesId }) => seriesId,
      STATUS: (one) => one.status,
      NEXT: ({ nextAt }) => timeCell(nextAt),
      RULE: ({ rule }) => rule,
      TEXT: ({ text }) => excerpt(text),
    },
    found,
  )
  context.answer(found, found.length === 0 ? 'No series.' : rows)
}

async function show(context: Context, given: string | undefined): Promise<void> {
  const seriesId = idOf(given, 'show')
  const from = textOf(context.values, 'from')
  const { signal } = context
  const { series } = context.client()
  said(context, await series.read(seriesId, { signal, ...(from === undefined ? {} : { from }) }))
}

async function create(context: Context): Promise<void> {
  const { values } = context
  const change = await contentOf(context)
  const rule = textOf(values, 'rule')
  const startsAt = await startOf(context)
  if (rule === undefined || startsAt === undefined || change.channelIds === undefined)
    throw usageError('Say when and where: --rule, --starts and --to.')
  if (change.text === undefined && change.contents === undefined)
    throw usageError('Say what it is to tell: --text, several times for texts that take turns.')
  const body = { ...change, rule, startsAt }
  const dryRun = isSet(values, 'dry-run')
  said(
    context,
    await context.client().series.create(dryRun ? { ...body, dryRun } : body, callOptions(context)),
  )
}

async function edit(context: Context, given: string | undefined): Promise<void> {
  const seriesId = idOf(given, 'edit')
  const { values, signal } = context
  const [rule, only, from] = ['rule', 'only', 'from'].map((name) => textOf(values, name))
  const publishAt = textOf(values, 'at')
  const startsAt = await startOf(context)
  const change = {
    ...(await contentOf(context)),
    ...(rule === undefined ? {} : { rule }),
    ...(startsAt === undefined ? {} : { startsAt }),
    ...(publishAt === undefined ? {} : { publishAt }),
  }
  if (Object.keys(change).length === 0)
    throw usageError(
      'Say what changes: --text, --to, --label, --rule, --starts, --except, or --at with --only.',
    )
  const where = { ...(only === undefined ? {} : { only }), ...(from === undefined ? {} : { from }) }
  const { series } = context.client()
  const { editToken } = await series.read(seriesId, { signal })
  const body = { editToken, ...change, ...where }
  if (isSet(values, 'dry-run')) {
    said(context, await series.edit(seriesId, { ...body, dryRun: true }, { signal }))
    return
  }
  await write(context, seriesId, ['edit', change, where], (options) => series.edit(seriesId, body, options))
}

async function skip(
  context: Context,
  given: string | undefined,
  date: string | undefined,
  leavesOut: boolean,
): Promise<void> {
  const verb = leavesOut ? 'skip' : 'unskip'
  const seriesId = idOf(given, verb)
  if (date === undefined) throw usageError(`Name the day: \`postrider series ${verb} <seriesId> <date>\`.`)
  refuseDryRun(context)
  const { series } = context.client()
  const { editToken } = await series.read(seriesId, { signal: context.signal })
  await write(context, seriesId, [verb, date], (options) =>
    series.skip(seriesId, { editToken, date, skip: leavesOut }, options),
  )
}

async function setStatus(
  context: Context,
  given: string | undefined,
  status: Series['status'],
): Promise<void> {
  const seriesId = idOf(given, { active: 'resume', paused: 'pause', ended: 'end' }[status])
  refuseDryRun(context)
  const { series } = context.client()
  const { editToken } = await series.read(seriesId, { signal: context.signal })
  await write(context, seriesId, [status], (options) =>
    series.setStatus(seriesId, { editToken, status }, options),
  )
}

/** Sent again with the same key, it is read as it stands. */
async function write(
  context: Context,
  seriesId: string,
  asked: readonly unknown[],
  send: (options: CallOptions) => PromiseLike<Series>,
): Promise<void> {
  let answered: Series | null = null
  await once(context, ['series', seriesId, ...asked], async (options) => {
    answered = await send(options)
  })
  const { effects = [] } = (answered ?? {}) as Partial<Series>
  for (const { date, effect, reason } of effects)
    context.note(`${date}: its post is ${effect}${reason === null ? '.' : `. ${reason}`}`)
  said(context, answered ?? (await context.client().series.read(seriesId, { signal: context.signal })))
}

function refuseDryRun({ values }: Context): void {
  if (isSet(values, 'dry-run')) throw usageError('--dry-run is there for series create and series edit.')
}

function idOf(given: string | undefined, verb: string): string {
  if (given === undefined) throw usageError(`Name the series: \`postrider series ${verb} <seriesId>\`.`)
  return given
}

type Content = Pick<
  Operations['createSeries']['body'],
  'channelIds' | 'text' | 'contents' | 'labels' | 'except'
>

async function contentOf(context: Context): Promise<Content> {
  const { values, signal } = context
  const names = textsOf(values, 'to').flatMap((each) => each.split(',').map((one) => one.trim()))
  const channels = names.every(isId) ? [] : await context.client().channels({ signal })
  const texts = await Promise.all(textsOf(values, 'text').map((text) => readText(text)))
  const given = texts.flatMap((text) => (text === undefined ? [] : [text]))
  const except = textsOf(values, 'except')
  return {
    ...(names.length === 0
      ? {}
      : { channelIds: names.map((name) => (isId(name) ? name : placeOf(channels, name))) }),
    ...(given.length === 1 && given[0] !== undefined ? { text: given[0] } : {}),
    ...(given.length > 1 ? { contents: given.map((text) => ({ text })) } : {}),
    ...fieldsOf(values, postFieldNames),
    ...(except.length === 0 ? {} : { except }),
  }
}

async function startOf(context: Context) {
  const { values, signal } = context
  const starts = textOf(values, 'starts')
  if (starts === undefined) return undefined
  const zone = textOf(values, 'time-zone') ?? (await context.client().me({ signal })).workspace.timeZone
  return { local: starts.replace(' ', 'T'), timeZone: zone }
}

function said(context: Context, series: Series): void {
  const { seriesId, status, reason, rule, startsAt, nextAt, issues = [] } = series
  for (const { message, fix } of issues) context.note(`${message} ${fix}`)
  const head = [
    `${seriesId}  ${status}${reason === null ? '' : `: ${visible(reason)}`}`,
    `${rule} from ${startsAt.local} in ${startsAt.timeZone}`,
    ...(nextAt === null ? [] : [`next at ${timeCell(nextAt)}`]),
  ]
  const rows = table(
    {
      DAY: ({ date }) => date,
      STATUS: (one) => one.status,
      TIME: ({ publishAt }) => timeCell(publishAt),
      POST: ({ postId }) => postId ?? '–',
      TEXT: ({ text, reason: why }) => excerpt(why ?? text),
    },
    series.occurrences,
  )
  context.answer(series, series.occurrences.length === 0 ? head.join('\n') : `${head.join('\n')}\n${rows}`)
}
