import { readFile } from 'node:fs/promises'
import type { Destination, Post } from '@postrider/contract'
import { noApprovalPolicy, noLimits, permissionNames } from '@postrider/contract/names'
import { type Command, Option } from 'commander'
import type { Actor } from '../operations/actor.ts'
import type { Db } from '../platform/db.ts'
import { codeOf } from '../platform/error-code.ts'
import { isRefusal, type Refusal } from '../operations/refusal.ts'
import { workspaceOfPost } from '../posts/post-store.ts'
import { readPost } from '../posts/read-post.ts'
import type { Outcome } from '../queue/work.ts'
import { callTimes } from '../publication/call-times.ts'
import { type Finding, resolveByPerson } from '../publication/resolve-by-person.ts'
import { parseId } from './arguments.ts'
import type { Config } from '../config/config.ts'
import { CommandFault, UsageError } from './command-fault.ts'
import {
  addPostListCommand,
  type FoundPart,
  readFilter,
  resolvePublished,
  resolveRestored,
  type SettledHolds,
} from './post-list.ts'
import type { CommandLine } from './command-line.ts'
import { OPERATOR, recordOperator } from './operator.ts'
import { escapeControlCharacters, mediaLine, quoted } from './output.ts'
import { inWorkspace, type InWorkspace, knownWorkspaceOption, memberOf, type Place } from './session.ts'

type ResolveOptions = InWorkspace & {
  channel?: string
  token?: string
  restored?: true
  from?: string
  to?: string
  ids?: string
  published?: true
  absent?: true
  failed?: true
  remoteId?: string
  url?: string
  note?: string
  as?: string
}

/** `postrider post …` */
export function addPostCommands(program: Command, line: CommandLine): void {
  const post = program.command('post').description('the state of posts, and results that cannot be proven')
  addPostListCommand(post, line)
  addShowCommand(post, line)
  addResolveCommand(post, line)
}

function addShowCommand(post: Command, { config, output }: CommandLine): void {
  post
    .command('show')
    .description('show a post and where it stands on each channel')
    .argument('<postId>', 'as the API gives it')
    .addOption(knownWorkspaceOption())
    .action(async (text: string, options: InWorkspace, command: Command) => {
      const postId = parseId('postId', text)
      const shown = await inWorkspace(
        config,
        options,
        ({ db, settings, workspaceId }) => findPost(db, { workspaceId, postId }, settings.http.baseUrl),
        (db) => workspaceOfPost(db, postId),
      )
      output(command).answer(shown, describe(shown))
    })
}

function addResolveCommand(post: Command, { config, output }: CommandLine): void {
  post
    .command('resolve')
    .description(
      'resolve a destination that is `checking` by saying what you saw on the network; what you say is kept as evidence',
    )
    .argument('[postId]', 'as the API gives it; left out with --restored')
    .option('--channel <id>', 'where it is in doubt, as `post show` shows it')
    .option('--token <controlToken>', 'what it had when you looked, as `post show` shows it')
    .addOption(
      new Option(
        '--restored',
        'what is held since a restore: all of it with --absent or --failed, which --channel, --from and --to narrow; with --published what --ids names',
      ).conflicts(['token', 'remoteId', 'url']),
    )
    .option(
      '--ids <file>',
      'with --restored --published: a line for each part that is out, with the ids of post and channel, its id at the provider, and its address if it has one',
    )
    .option('--from <time>', 'with --restored: what was to be published from then on')
    .option('--to <time>', 'with --restored: and before then')
    .addOption(new Option('--published', 'it is out').conflicts(['absent', 'failed']))
    .option(
      '--remote-id <id>',
      'with --published: its id at the provider, or its address where that has the id in it',
    )
    .option('--url <address>', 'with --published: its public address')
    .addOption(
      new Option('--absent', 'it is not out, and is published at its time, or now').conflicts('failed'),
    )
    .option('--failed', 'it is not out, and is not published by itself')
    .option('--note <text>', 'how you know')
    .option('--as <member id or email>', 'whose word it is; that of the owner when left out')
    .addOption(new Option('--workspace <id or name>', 'with --restored, where there are several'))
    .action(async (text: string | undefined, options: ResolveOptions, command: Command) => {
      const restored = options.restored === true
      if (restored && text !== undefined) throw new UsageError('With --restored, name no post.')
      const { answer, words } = restored
        ? await resolveHeld(config, options)
        : await resolveNamed(config, text, options)
      output(command).answer(answer, words)
    })
}

type Settings = CommandLine['config']
type Said = { readonly answer: Destination | SettledHolds; readonly words: string }

/** What is held since a restore. */
async function resolveHeld(config: Settings, options: ResolveOptions): Promise<Said> {
  const found = await readFound(options)
  const filter = readFilter(options)
  const finding = found === null ? readFinding(options) : null
  const answer = await inWorkspace(config, options, async ({ db, settings, workspace }) => {
    const word = { member: await memberOf(db, workspace, options.as), note: noteOf(options) }
    const times = timesOf(settings)
    return finding === null
      ? resolvePublished(db, workspace, times, word, found ?? [])
      : resolveRestored(db, workspace, times, { ...word, filter, finding })
  })
  return { answer, words: restoredWords(answer, finding?.is ?? 'published') }
}

/** One destination that is in doubt. */
async function resolveNamed(
  config: Settings,
  text: string | undefined,
  options: ResolveOptions,
): Promise<Said> {
  const { postId, channelId, token } = readNamed(text, options)
  const finding = readFinding(options)
  const note = noteOf(options)
  const run = async ({ db, settings, workspace, workspaceId }: Place): Promise<Said> => {
    const { name: memberName } = await memberOf(db, workspace, options.as)
    const key = { workspaceId, postId, channelId }
    const read = () => findDestination(db, key, settings.http.baseUrl)
    await read()
    const { providers } = await import('../providers/registry.ts')
    const resolved = await db.begin(async (tx) => {
      const word = { ...key, controlToken: token, memberName, note, finding }
      const outcome = await resolveByPerson(tx, timesOf(settings), providers, word)
      if (isRefusal(outcome)) return outcome
      await recordOperator(tx, key.workspaceId, 'resolveDestination', {
        subject: { postId, channelId },
        before: { status: 'checking' },
        after: { finding: finding.is, note, decidedBy: memberName },
      })
      return outcome
    })
    const answer = await read()
    if (isRefusal(resolved)) throw new CommandFault(unresolvedWords(resolved, answer))
    return { answer, words: consequenceOf(resolved, finding, answer, new Date()) }
  }
  return inWorkspace(config, options, run, (db) => workspaceOfPost(db, postId))
}

function noteOf({ note }: ResolveOptions): string | null {
  return note?.trim() || null
}

/** What a file says to be out; null where it is not that which was found. */
async function readFound({ published, ids, channel, from, to }: ResolveOptions): Promise<FoundPart[] | null> {
  if ((published === true) !== (ids !== undefined))
    throw new UsageError('--restored --published needs --ids, and --ids goes with these two only.')
  if (ids === undefined) return null
  if (channel !== undefined || from !== undefined || to !== undefined)
    throw new UsageError('--ids names what is meant: leave --channel, --from and --to out.')
  const text = await readFile(ids, 'utf8').catch((cause: unknown) => {
    throw new CommandFault(`${ids} cannot be read: ${codeOf(cause) ?? String(cause)}.`)
  })
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '').map((line) => readLine(line))
}

function readLine(line: string): FoundPart {
  const [postId = '', channelId = '', remoteId = '', url, ...more] = line.split(/\s+/)
  const found = readFinding({ published: true, remoteId, ...(url === undefined ? {} : { url }) })
  if (found.is !== 'published' || more.length > 0)
    throw new UsageError(`A line has three or four words, and "${line}" has ${more.length + 4}.`)
  return { ...found, postId: parseId('postId', postId), channelId: parseId('channelId', channelId) }
}

function readNamed(text: string | undefined, { channel, token, from, to, ids }: ResolveOptions) {
  if (text === undefined) throw new UsageError('Name the post, or say --restored.')
  if (channel === undefined || token === undefined)
    throw new UsageError('--channel and --token are needed, as `post show` shows them.')
  if (from !== undefined || to !== undefined || ids !== undefined)
    throw new UsageError('--from, --to and --ids go with --restored only.')
  return { postId: parseId('postId', text), channelId: parseId('--channel', channel), token }
}

/** The operator of the server may see and do everything. */
const operator: Actor = {
  ...OPERATOR,
  permissions: permissionNames,
  ...{ credentialId: null, limits: noLimits, approval: noApprovalPolicy },
}

/** The times of calls, as the publishers of this installation keep them. */
function timesOf({ publishing }: Config) {
  return callTimes({
    leaseMs: publishing.leaseSeconds * 1_000,
    callTimeoutMs: publishing.timeoutSeconds * 1_000,
  })
}

async function findPost(db: Db, of: { workspaceId: string; postId: string }, baseUrl: string): Promise<Post> {
  const { providers } = await import('../providers/registry.ts')
  const post = await readPost(db, of, operator, { providers, baseUrl })
  if (isRefusal(post)) throw new CommandFault(`There is no post ${of.postId} in this workspace.`)
  return post
}

async function findDestination(
  db: Db,
  { channelId, ...of }: { workspaceId: string; postId: string; channelId: string },
  baseUrl: string,
): Promise<Destination> {
  const { destinations } = await findPost(db, of, baseUrl)
  const found = destinations.find((destination) => destination.channelId === channelId)
  if (found !== undefined) return found
  throw new CommandFault(
    `The post has no destination on the channel ${channelId}. \`postrider post show ${of.postId}\` shows where it goes.`,
  )
}

/** What the person says they found. Throws UsageError unless it is exactly one thing. */
function readFinding({
  published,
  absent,
  failed,
  remoteId,
  url,
}: Pick<ResolveOptions, 'published' | 'absent' | 'failed' | 'remoteId' | 'url'>): Finding {
  if (published === true) {
    if (remoteId === undefined || !/^[\x21-\x7e]{1,512}$/.test(remoteId)) {
      throw new UsageError(
        '--published needs --remote-id, the id of the post at the provider without spaces.',
      )
    }
    return { is: 'published', remoteId, url: url === undefined ? null : webAddress(url) }
  }
  if (remoteId !== undefined || url !== undefined) {
    throw new UsageError('--remote-id and --url go with --published only.')
  }
  if (absent === true) return { is: 'absent' }
  if (failed === true) return { is: 'failed' }
  throw new UsageError('Say what you found: --published --remote-id <id>, --absent or --failed.')
}

function webAddress(text: string): string {
  const { protocol } = URL.parse(text) ?? {}
  if (protocol === 'https:' || protocol === 'http:') return text
  throw new UsageError(`--url must be a web address, and "${text}" is not.`)
}

/** Why a person's word has done nothing. */
function unresolvedWords({ refused, detail }: Refusal, { status }: Pick<Destination, 'status'>): string {
  const hint =
    refused === 'stale_control_token'
      ? ' `postrider post show` has the new token.'
      : status === 'checking'
        ? ''
        : ` On this channel the post is \`${status}\`.`
  return `${detail}${hint} Nothing was changed.`
}

/** What a person's word has done, and what happens next. */
function consequenceOf(
  { outcome: { move }, restored }: { outcome: Outcome; restored: boolean },
  finding: Finding,
  { publishAt, expiresAt }: Destination,
  now: Date,
): string {
  const late = expiresAt !== null && new Date(expiresAt) <= now
  const ending = 'Its allowed time is over, so that nothing more is sent, and it ends as `expired`.'
  if (finding.is === 'published') {
    if (move === 'confirm') return 'It is `published`. There is nothing left to do.'
    if (move === null)
      return 'This part is out. The next one may be, too: look for it, and settle it in its turn.'
    return `This part is out, and the thread is not complete. ${late ? ending : 'The rest follows now.'}`
  }
  if (finding.is === 'absent' && move !== 'reject') {
    if (restored && publishAt !== null && new Date(publishAt) > now)
      return `It was not published, and is published at ${cell(publishAt)}.`
    return late ? ending : 'It was not published, so it is queued again, and is published within seconds.'
  }
  if (move === 'reject')
    return 'It is `failed`. Nothing more happens by itself; the retry command may send it.'
  return 'What is out stays out. The rest is not sent, and nothing more happens.'
}

const consequences: Record<Finding['is'], string> = {
  published: ' as out. Of a thread, the next part is held in its turn.',
  absent:
    ': what has its time to come is published then, and the rest within seconds. What waited for approval is `failed`.',
  failed:
    ': nothing more of them is sent by itself. The retry command may send what is `failed`; a thread of which a part is out stays as it is.',
}

function restoredWords({ settled, left, retryAfterSeconds }: SettledHolds, finding: Finding['is']): string {
  if (settled + left === 0) return 'No such post is held since a restore.'
  const count = `${settled} restored ${settled === 1 ? 'post is' : 'posts are'} settled`
  const early =
    retryAfterSeconds === null
      ? 'they are not held, another post has that id, or an address does not tell the id.'
      : `a call that the server before made may still come out until ${retryAfterSeconds} seconds from now. Look again then.`
  const rest =
    left === 0 ? '' : ` ${left} could not be: ${early} \`postrider post list --restored\` shows what is left.`
  return `${count}${consequences[finding]}${rest}`
}

function describe(post: Post): string {
  const { postId, createdBy, createdAt, approval, destinations } = post
  const lines = [`Post ${postId}, by "${escapeControlCharacters(createdBy.name)}" at ${cell(createdAt)}.`]
  if (approval !== null) lines.push(approvalLine(approval))
  for (const destination of destinations) lines.push('', ...destinationLines(post, destination))
  return lines.join('\n')
}

function approvalLine({ status, note }: NonNullable<Post['approval']>): string {
  if (status === 'pending') return 'It waits for a person to decide: see `postrider approval list`.'
  const why = note === null ? '' : `: ${escapeControlCharacters(note)}`
  return status === 'expired' ? 'It was not approved in time.' : `It was ${status}${why}.`
}

function destinationLines({ postId, media }: Post, destination: Destination): string[] {
  const { channelId, provider, displayName, status, controlToken, parts } = destination
  const facts: [string, string | null][] = [
    ['channel', channelId],
    ['publish at', cell(destination.publishAt)],
    ['published', cell(destination.publishedAt)],
    ['address', destination.releaseUrl],
    ['next try', cell(destination.checkAgainAt)],
    ['allowed until', isOver(status) ? null : cell(destination.expiresAt)],
    ['error', destination.error === null ? null : escapeControlCharacters(destination.error.message)],
  ]
  const rows = facts.flatMap(([name, value]) => (value === null ? [] : [`  ${name.padEnd(15)}${value}`]))
  const texts = parts.flatMap((part) => [
    ...(parts.length === 1 ? [] : [`  ${partName(part, parts.length)}: ${part.status}`]),
    quoted(part.text, '  '),
    ...part.mediaIds.map(
      (id) =>
        `  ${mediaLine(
          id,
          media.find(({ mediaId }) => mediaId === id),
        )}`,
    ),
  ])
  const doubt =
    status === 'checking'
      ? [
          '  If you know better than to wait for the next look:',
          `    postrider post resolve ${postId} --channel ${channelId} --token ${controlToken} --published --remote-id <id> | --absent | --failed`,
        ]
      : []
  return [`"${displayName}" (${provider}): ${status}`, ...rows, ...texts, ...doubt]
}

function isOver(status: Destination['status']): boolean {
  return status === 'published' || status === 'cancelled' || status === 'expired' || status === 'failed'
}

/** To the second in UTC, as everything here may happen within a minute. */
function cell(instant: string | null): string | null {
  return instant === null ? null : `${instant.slice(0, 19).replace('T', ' ')} UTC`
}

function partName({ index, kind }: Destination['parts'][number], of: number): string {
  return kind === 'first_comment' ? 'first comment' : `part ${index + 1} of ${of}`
}
