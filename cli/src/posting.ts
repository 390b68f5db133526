import {
  besideNames,
  contentNames,
  type FieldName,
  fieldRows,
  fromPlan,
  isId,
  nearest,
  postFieldNames,
} from '@postrider/contract/plan'
import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { createHash } from 'node:crypto'
import {
  type CallOptions,
  type Destination,
  isProblem,
  type Operations,
  type Post,
  type Postrider,
} from '@postrider/sdk'
import { placeOf } from './channels.ts'
import { type Context, isSet, textOf, textsOf, type Values } from './command.ts'
import { readJson } from './fields.ts'
import { CliError, type Exit, exits, usageError } from './exits.ts'
import { timeCell, visible } from './terminal.ts'

type When = NonNullable<Operations['scheduleDestination']['body']['publishAt']>
type Plan = Operations['checkPost']['body']

/** The key of the command's write, and what interrupts it. */
export function callOptions({ key, signal }: Context): CallOptions & { readonly idempotencyKey: string } {
  return { signal, idempotencyKey: key }
}

/**
 * A step of a command that first reads what it changes, under a key made of the command's own and of what is asked for. The
 * request names the state that was read, so the same command sends another one after it has had its effect: that its key was used
 * says that it has. False then: it was done before.
 */
export async function once(
  context: Context,
  asked: readonly unknown[],
  act: (options: CallOptions) => Promise<unknown>,
): Promise<boolean> {
  const options = callOptions(context)
  try {
    await act({ ...options, idempotencyKey: keyWithin(options.idempotencyKey, JSON.stringify(asked)) })
    return true
  } catch (error) {
    if (isProblem(error, 'idempotency_key_reused')) return false
    throw error
  }
}

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** A time as it was typed: an instant, a local time in a zone, or so long from now on. */
async function readTime(text: string, zone: string | undefined, client: () => Postrider): Promise<When> {
  const [, count, unit] = /^\+(\d{1,5})([smhd])$/.exec(text) ?? []
  if (count !== undefined) return new Date(Date.now() + Number(count) * UNITS[unit as keyof typeof UNITS])
  if (/(?:Z|[+-]\d{2}:\d{2})$/i.test(text)) return text
  if (!/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?$/.test(text)) {
    throw usageError(
      `--at ${text} is no time. Write 2027-01-01T09:00+01:00, 2027-01-01T09:00, or +10m, +2h, +3d.`,
    )
  }
  return { local: text.replace(' ', 'T'), timeZone: zone ?? (await client().me()).workspace.timeZone }
}

/** When: the time of --at, or the place of --queue; undefined where neither was given. */
export async function readWhen({ values }: Context, client: () => Postrider): Promise<When | undefined> {
  const [at, queue] = [textOf(values, 'at'), textOf(values, 'queue')]
  if (at !== undefined && queue !== undefined) throw usageError('Use --at or --queue, not both.')
  if (queue === undefined)
    return at === undefined ? undefined : readTime(at, textOf(values, 'time-zone'), client)
  if (queue !== 'next' && queue !== 'first') {
    throw usageError(`--queue ${queue} is no place in a queue. Write --queue next, or --queue first.`)
  }
  return { queue }
}

/** The text of a command: what was typed, or all of standard input. */
export async function readText(given: string | undefined): Promise<string | undefined> {
  return given === '-' ? (await readAll(process.stdin)).replace(/\n$/, '') : given
}

/** The ids of the media that a command names; files are uploaded, under keys of their own. */
async function mediaOf({ key, values, signal }: Context, client: Postrider): Promise<string[]> {
  const alts = textsOf(values, 'alt')
  const keyOf = uploadKeys(key)
  const ids: string[] = []
  for (const [index, name] of textsOf(values, 'media').entries()) {
    if (isId(name)) {
      ids.push(name)
      continue
    }
    const fields = alts[index] === undefined ? {} : { altText: alts[index] }
    const source = name.startsWith('https://') ? name : await readBytes(name)
    const options = { signal, idempotencyKey: await keyOf(source, alts[index]) }
    const { mediaId } =
      typeof source === 'string'
        ? await client.media.uploadFrom(source, fields, options)
        : await client.media.upload(source, fields, options)
    ids.push(mediaId)
  }
  return ids
}

/**
 * The keys of the uploads of one command: made of what is uploaded, and of its number among equals. So a file has the same key wherever
 * it stands among the others, and whichever of them are left out when the command is repeated.
 */
export function uploadKeys(key: string): (source: Blob | string, alt: string | undefined) => Promise<string> {
  const equals = new Map<string, number>()
  return async (source, alt) => {
    const isAddress = typeof source === 'string'
    const digest = createHash('sha256')
      .update(JSON.stringify([alt ?? null, isAddress ? source : null]))
      .update(isAddress ? '' : Buffer.from(await source.arrayBuffer()))
      .digest('base64url')
    const number = (equals.get(digest) ?? 0) + 1
    equals.set(digest, number)
    return keyWithin(key, `media ${digest} ${number}`)
  }
}

export async function readBytes(path: string): Promise<Blob> {
  try {
    return new Blob([await readFile(path)])
  } catch (error) {
    throw usageError(`${path} cannot be read: ${(error as Error).message}.`)
  }
}

/** A key of its own for one step of a command: two steps never share one, and the same step always has the same. */
export function keyWithin(key: string, step: string): string {
  return createHash('sha256').update(`${key}\n${step}`).digest('base64url')
}

/** What `post` and `check` were given, as the API takes it. */
export async function planOf(
  context: Context,
  client: Postrider,
  { uploads }: { uploads: boolean },
): Promise<Plan> {
  const { values, args } = context
  const names = textsOf(values, 'to')
    .flatMap((each) => each.split(','))
    .map((each) => each.trim())
  const template = await templateOf(context, client)
  if (names.length === 0 && template === undefined)
    throw usageError('Choose a channel: --to <channel or group>. `postrider channels` lists them.')
  const publishAt = await readWhen(context, () => client)
  const [draft, immediate] = [isSet(values, 'draft'), isSet(values, 'immediate')]
  if ([publishAt !== undefined, draft, immediate].filter(Boolean).length !== 1) {
    throw usageError('Choose when: --at <time>, --queue <next or first>, --draft or --immediate.')
  }
  const text = await readText(args[0])
  if (text === undefined && template === undefined && textsOf(values, 'media').length === 0) {
    throw usageError('The text is missing. Write it after the command, or - to read it from standard input.')
  }
  const channels = names.every(isId) ? [] : await client.channels({ signal: context.signal })
  const mediaIds = uploads ? await mediaOf(context, client) : textsOf(values, 'media').filter(isId)
  const thread = textsOf(values, 'thread').map((part) => ({ text: part }))
  const spread = textOf(values, 'spread')
  if (spread !== undefined && !/^\d{1,6}$/.test(spread))
    throw usageError(`--spread must be a whole number of minutes, not ${spread === '' ? 'empty' : spread}.`)
  const spreadMinutes = spread === undefined ? undefined : Number(spread)
  return {
    state: draft ? 'draft' : immediate ? 'immediate' : 'scheduled',
    ...(names.length === 0
      ? {}
      : { channelIds: names.map((name) => (isId(name) ? name : placeOf(channels, name))) }),
    ...(template === undefined ? {} : { template }),
    ...(text === undefined ? {} : { text }),
    ...(mediaIds.length === 0 ? {} : { mediaIds }),
    ...(thread.length === 0 ? {} : { thread }),
    ...fieldsOf(values, [...besideNames, ...postFieldNames]),
    ...(publishAt === undefined ? {} : { publishAt }),
    ...(spreadMinutes === undefined ? {} : { spreadMinutes }),
  }
}

/** What options say of fields, as the API takes it. */
export function fieldsOf(values: Values, names: readonly FieldName[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const written = writtenOf(values, name)
      const value = written === undefined ? undefined : fromPlan(name, written)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** The value of the option of a field, as a plan writes it; undefined where it is not given. */
function writtenOf(values: Values, name: FieldName): unknown {
  const { option, plan } = fieldRows[name]
  if (option === undefined) return undefined
  const { type } = plan.schema
  if (type === 'array') return textsOf(values, option.name)
  const text = textOf(values, option.name)
  if (text === undefined || type === 'string') return text
  if (type === 'object') return readJson(`--${option.name}`, text)
  if (text !== 'yes' && text !== 'no') throw usageError(`--${option.name} must be yes or no, not ${text}.`)
  return text === 'yes'
}

/** What the edit of a post changes of what it has beside its text, media and follow-ups. */
function changesOf(values: Values): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    besideNames.flatMap((name): [string, unknown][] => {
      const { option, none } = fieldRows[name]
      const isGiven = writtenOf(values, name) !== undefined || isSet(values, `no-${option?.name}`)
      return isGiven ? [[name, fieldsOf(values, [name])[name] ?? none]] : []
    }),
  )
}

/** The template that a post is made from, with the values of its fields. */
async function templateOf({ values, signal }: Context, client: Postrider): Promise<Plan['template']> {
  const name = textOf(values, 'template')
  const given = textsOf(values, 'field')
  if (name === undefined) {
    if (given.length > 0) throw usageError('--field is a field of a template: add --template <name>.')
    return undefined
  }
  const pairs = given.map((each) => {
    const [, field, value] = /^([^=]+)=(.*)$/s.exec(each) ?? []
    if (field === undefined || value === undefined)
      throw usageError(`--field ${each}: write --field name=value.`)
    return [field, value] as const
  })
  const twice = pairs.find(([field], place) => pairs.findIndex(([other]) => other === field) !== place)
  if (twice !== undefined) throw usageError(`--field gives ${twice[0]} twice. Give one value for each field.`)
  const fields = Object.fromEntries(pairs)
  if (isId(name)) return { templateId: name, fields }
  const { templates } = await client.call('listTemplates', {}, { signal })
  const found = templates.find((each) => each.name.toLowerCase() === name.toLowerCase())
  if (found !== undefined) return { templateId: found.templateId, fields }
  const known = templates.map((each) => each.name)
  const meant = nearest(name, known)
  const list = known.length === 0 ? 'There are none yet.' : `There are ${known.map(visible).join(', ')}.`
  throw usageError(
    `There is no template "${name}".${meant === null ? '' : ` Did you mean "${visible(meant)}"?`} ${list}`,
  )
}

/** What `edit` was given, as the API takes it. */
export async function changeOf(context: Context, client: Postrider) {
  const { values } = context
  const text = await readText(textOf(values, 'text'))
  const mediaIds = await mediaOf(context, client)
  const thread = textsOf(values, 'thread').map((part) => ({ text: part }))
  const change = {
    ...(text === undefined ? {} : { text }),
    ...(mediaIds.length > 0 || isSet(values, 'no-media') ? { mediaIds } : {}),
    ...(thread.length > 0 || isSet(values, 'no-thread') ? { thread } : {}),
    ...changesOf(values),
  }
  if (Object.keys(change).length === 0) {
    const known = contentNames.flatMap((name) => fieldRows[name].option ?? [])
    const removals = known.flatMap(({ name, removes }) => (removes === undefined ? [] : [`no-${name}`]))
    const options = ['text', ...known.map(({ name }) => name), ...removals].map((name) => `--${name}`)
    const list = new Intl.ListFormat('en-GB', { type: 'disjunction' })
    throw usageError(`Choose what to change: ${list.format(options)}.`)
  }
  const part = textOf(values, 'part')
  if (part === undefined) return change
  if (!/^\d{1,2}$/.test(part))
    throw usageError(`--part ${part} is no index. Write --part 0 for the first part.`)
  const [other] = (Object.keys(change) as FieldName[]).filter(
    (name) => name !== 'text' && name !== 'mediaIds',
  )
  if (other !== undefined) {
    const option = fieldRows[other].option?.name ?? other
    throw usageError(`--part changes one part. Leave out --${option} and --no-${option}.`)
  }
  return { parts: [{ index: Number(part), ...change }] }
}

/** A post for people: where it stands on each channel, and what it says. */
export function postText(post: Post): string {
  const { postId, reference, labels, reviewStatus, approval, destinations, content, history } = post
  const head = [
    `${postId}${reference === null ? '' : `  (${reference})`}`,
    ...(labels.length === 0 ? [] : [`labels: ${labels.map(visible).join(', ')}`]),
    ...(reviewStatus === 'not_required' ? [] : [`approval: ${reviewStatus}`]),
    ...(approval?.status === 'pending' ? [`to decide: ${approval.reviewUrl}`] : []),
  ]
  const shared =
    content === null ? [] : [quoted(content.text), ...(content.thread ?? []).map(({ text }) => quoted(text))]
  const events = (history ?? []).map(({ at, text, steps }) =>
    [`${timeCell(at)}  ${visible(text)}`, ...steps.map((step) => `    ${visible(step)}`)].join('\n'),
  )
  return [...head, ...destinations.map(destinationText), ...shared, ...events].join('\n')
}

/** One post on one channel, for people. */
export function destinationText(destination: Destination): string {
  const { provider, displayName, status, publishAt, queued, publishedAt, releaseUrl, error, settleUrl } =
    destination
  const { content } = destination
  const place = queued && publishedAt === null ? '  (in the queue)' : ''
  const lines = [
    `${status}  ${provider} ${visible(displayName)}  ${timeCell(publishedAt ?? publishAt)}${place}`,
    ...(releaseUrl === null ? [] : [`  ${releaseUrl}`]),
    ...(error === null ? [] : [`  ${error.code}: ${visible(error.message)}`]),
    ...(status === 'checking' ? ['  Whether it is published is not known. Do not publish it again.'] : []),
    ...(settleUrl === null ? [] : [`  Say what the network shows: ${settleUrl}`]),
    ...(content === null ? [] : [quoted(content.text)]),
  ]
  return lines.join('\n')
}

function quoted(text: string): string {
  return visible(text)
    .split('\n')
    .map((line) => `  | ${line}`)
    .join('\n')
}

/** What a post that was waited for ends the command with. */
export function exitOf(post: Post): Exit {
  const statuses = post.destinations.map(({ status }) => status)
  if (statuses.includes('checking')) return exits.unknown
  return statuses.some((status) =>
    ['failed', 'expired', 'reconnect_required', 'partially_published'].includes(status),
  )
    ? exits.failed
    : exits.done
}

/** Refuses what the server would refuse, for a dry run. */
export function demandAllowed(
  post: Post,
  command: 'edit' | 'schedule' | 'reschedule' | 'cancel' | 'retry',
  channelId?: string,
): void {
  const meant = post.destinations.filter((each) => channelId === undefined || each.channelId === channelId)
  const allowed = meant.some((each) => each.allowedActions[command].allowed)
  const reason = meant.map((each) => each.allowedActions[command].reason).find((each) => each !== null)
  if (!allowed)
    throw new CliError(exits.failed, reason ?? 'The post is not on this channel.', { code: 'invalid_state' })
}
