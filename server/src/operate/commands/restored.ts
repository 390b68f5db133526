import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import type { Config } from '../../platform/config/config.ts'
import type { DestinationCommand } from '../../engine/destinations/destination-store.ts'
import { heldToken, listHeld, type ListedDestination } from '../../content/listing/destination-list-store.ts'
import type { Member } from '../../people/members/member-store.ts'
import type { Workspace } from '../../people/members/workspace-store.ts'
import { isRefusal } from '../../edge/operations/refusal.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { codeOf } from '../../platform/process/error-code.ts'
import { renewEditTokens } from '../../content/posts/post-store.ts'
import { type CallTimes, callTimes } from '../../engine/publication/call-times.ts'
import { type Finding, resolveByPerson } from '../../engine/publication/resolve-by-person.ts'
import { parseId, parseTime, parseWhole } from './arguments.ts'
import { CommandFault, UsageError } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { recordOperator } from './operator.ts'
import { type Columns, escapeControlCharacters, instantCell, table } from './output.ts'
import { inWorkspace, type InWorkspace, memberOf, workspaceOption } from './session.ts'

type HeldOptions = { channel?: string; from?: string; to?: string }
type ListOptions = HeldOptions & InWorkspace & { limit: string }
type ResolveOptions = HeldOptions &
  InWorkspace & { published?: string; absent?: true; failed?: true; note?: string; as?: string }

/** `postrider restored …` */
export function addRestoredCommands(program: Command, commandLine: CommandLine): void {
  const restored = program
    .command('restored')
    .description('posts held since a restore, even before the server starts')
  addList(restored, commandLine)
  addResolve(restored, commandLine)
}

function addList(restored: Command, { config, output }: CommandLine): void {
  narrowed(restored.command('list'))
    .description('list what is held since a restore and not resolved yet, the latest time first')
    .option('--limit <count>', 'maximum number', '50')
    .addOption(workspaceOption())
    .action(async (options: ListOptions, command: Command) => {
      const limit = parseWhole('--limit', options.limit, 10_000)
      const filter = readFilter(options)
      const found = await inWorkspace(config, options, ({ db, workspaceId }) =>
        listHeld(db, workspaceId, filter, limit + 1),
      )
      const shown = found.slice(0, limit)
      const more = found.length > limit ? `\n\nThere are more: raise --limit, or narrow the list.` : ''
      output(command).answer(
        shown,
        shown.length === 0 ? 'No post is held since a restore.' : table(columns, shown) + more,
      )
    })
}

function addResolve(restored: Command, { config, output }: CommandLine): void {
  narrowed(restored.command('resolve'))
    .description(
      'record the results of posts held since a restore, as your evidence. `postrider resolve` does it for one post while the server runs',
    )
    .addOption(
      new Option(
        '--published <file>',
        'what is out: a line for each part, with the ids of post and channel, its id at the provider, and its address if it has one',
      ).conflicts(['absent', 'failed', 'channel', 'from', 'to']),
    )
    .addOption(
      new Option(
        '--absent',
        'it is not out, and was not cancelled since the backup: all that is held, as --channel, --from and --to narrow it, is published as it was in the backup, at its time, or now',
      ).conflicts('failed'),
    )
    .option('--failed', 'the same, and it is not published automatically')
    .option('--note <text>', 'how you know')
    .option('--as <member id or email>', 'who checked (default: the owner)')
    .addOption(workspaceOption())
    .action(async (options: ResolveOptions, command: Command) => {
      const filter = readFilter(options)
      const finding = readFinding(options)
      const parts = options.published === undefined ? [] : await readParts(options.published)
      const settled = await inWorkspace(config, options, async ({ db, settings, workspace }) => {
        const member = await memberOf(db, workspace, options.as)
        const word = { member, note: options.note?.trim() || null, times: timesOf(settings) }
        return finding === 'published'
          ? resolvePublished(db, workspace, word, parts)
          : resolveHeld(db, workspace, word, filter, { is: finding })
      })
      output(command).answer(settled, consequenceOf(settled, finding))
    })
}

/** With the options that say which of what is held is meant. */
function narrowed(command: Command): Command {
  return command
    .option('--channel <id>', 'only on this channel')
    .option('--from <time>', 'only posts due from this time, such as 2026-11-22T09:00Z')
    .option('--to <time>', 'only posts due before this time')
}

function readFilter({ channel, from, to }: HeldOptions) {
  return {
    channelId: channel === undefined ? null : parseId('--channel', channel),
    from: from === undefined ? null : parseTime('--from', from),
    to: to === undefined ? null : parseTime('--to', to),
  }
}

function readFinding({ published, absent, failed }: ResolveOptions): Finding['is'] {
  if (published !== undefined) return 'published'
  if (absent === true) return 'absent'
  if (failed === true) return 'failed'
  throw new UsageError('Say what you found: --published <file>, --absent or --failed.')
}

const columns: Columns<ListedDestination> = {
  POST: ({ postId }) => postId,
  TIME: ({ publishAt }) => instantCell(publishAt, '–'),
  CHANNEL: ({ channelId }) => channelId,
  NAME: ({ channel }) => channel,
  TEXT: ({ text }) => excerptOf(text),
}

const EXCERPT_CHARACTERS = 40

function excerptOf(text: string): string {
  const line = escapeControlCharacters(text).replaceAll('\n', ' ')
  const characters = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment)
  return characters.length <= EXCERPT_CHARACTERS
    ? line
    : `${characters.slice(0, EXCERPT_CHARACTERS - 1).join('')}…`
}

type SettledHolds = {
  /** How many were settled. */
  readonly settled: number
  /** How many were not: they are not held any more, another post has that id, or it is too early. */
  readonly left: number
  /** When it is too early for some: from when on it counts for all that they are not out. */
  readonly retryAfterSeconds: number | null
}

const BATCH_SIZE = 200

/** Whose word it is, how they know, and for how long calls of before may still arrive. */
type Word = { readonly member: Member; readonly note: string | null; readonly times: CallTimes }

/** The times of calls, as the publishers of this installation keep them. */
function timesOf({ publishing }: Config): CallTimes {
  return callTimes({
    leaseMs: publishing.leaseSeconds * 1_000,
    callTimeoutMs: publishing.timeoutSeconds * 1_000,
  })
}

/** Settles all that the filter means, each in a transaction with its entry in the audit log. */
async function resolveHeld(
  db: Db,
  { workspaceId }: Workspace,
  word: Word,
  filter: ReturnType<typeof readFilter>,
  finding: Finding,
): Promise<SettledHolds> {
  const done: Counted[] = []
  for (;;) {
    // What is left stands before what was not tried yet, in the same order.
    const left = done.filter((each) => each !== 'settled').length
    const page = (await listHeld(db, workspaceId, filter, left + BATCH_SIZE)).slice(left)
    for (const { postId, channelId, controlToken } of page)
      done.push(await settleOne(db, { workspaceId, postId, channelId, controlToken }, word, finding))
    if (page.length < BATCH_SIZE) return sumOf(done)
  }
}

/** What became of one: `number` is for how many more seconds it is too early. */
type Counted = 'settled' | 'left' | number

function sumOf(done: readonly Counted[]): SettledHolds {
  const settled = done.filter((each) => each === 'settled').length
  const waits = done.filter((each) => typeof each === 'number')
  return {
    settled,
    left: done.length - settled,
    retryAfterSeconds: waits.length === 0 ? null : Math.max(...waits),
  }
}

/** One part that is out, as a line of a file says. */
type FoundPart = { readonly postId: string; readonly channelId: string } & Extract<
  Finding,
  { is: 'published' }
>

async function readParts(file: string): Promise<FoundPart[]> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CommandFault(`${file} cannot be read: ${codeOf(cause) ?? String(cause)}.`)
  })
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '').map((line) => readPart(line))
}

function readPart(line: string): FoundPart {
  const [postId = '', channelId = '', remoteId = '', url = null, ...more] = line.split(/\s+/)
  if (more.length > 0)
    throw new UsageError(`A line has three or four words, and "${line}" has ${more.length + 4}.`)
  if (!/^[\x21-\x7e]{1,512}$/.test(remoteId))
    throw new UsageError(`A line names the id of the part at the provider, and "${line}" does not.`)
  return {
    is: 'published',
    remoteId,
    url: url === null ? null : webAddress(url),
    postId: parseId('postId', postId),
    channelId: parseId('channelId', channelId),
  }
}

function webAddress(text: string): string {
  const { protocol } = URL.parse(text) ?? {}
  if (protocol === 'https:' || protocol === 'http:') return text
  throw new UsageError(`The address of a post must be a web address, and "${text}" is not.`)
}

/** Settles what was found to be out, in the order of the lines: the parts of a thread follow each other. */
async function resolvePublished(
  db: Db,
  { workspaceId }: Workspace,
  word: Word,
  found: readonly FoundPart[],
): Promise<SettledHolds> {
  const done: Counted[] = []
  for (const { postId, channelId, ...finding } of found) {
    const key = { workspaceId, postId, channelId }
    const controlToken = await heldToken(db, key)
    done.push(controlToken === null ? 'left' : await settleOne(db, { ...key, controlToken }, word, finding))
  }
  return sumOf(done)
}

async function settleOne(
  db: Db,
  of: DestinationCommand,
  { member, note, times }: Word,
  finding: Finding,
): Promise<Counted> {
  const { providers } = await import('../../networks/providers/registry.ts')
  const resolved = await db.begin(async (tx) => {
    const person = { memberName: member.name, note, finding }
    const by = { type: 'person', name: member.name } as const
    await renewEditTokens(tx, of.workspaceId, [of.postId], by, ['status'])
    const resolved = await resolveByPerson(tx, times, providers, { ...of, ...person })
    if (isRefusal(resolved)) return resolved
    await recordOperator(tx, of.workspaceId, 'resolveDestination', {
      subject: { postId: of.postId, channelId: of.channelId },
      before: { status: 'checking' },
      after: { finding: finding.is, note, decidedBy: member.name },
    })
    return resolved
  })
  if (!isRefusal(resolved)) return 'settled'
  return resolved.facts.retryAfterSeconds ?? 'left'
}

const consequences: Record<Finding['is'], string> = {
  published: ' as out. Of a thread, the next part is held in its turn.',
  absent:
    ': what has its time to come is published then, and the rest within seconds. What waited for approval is `failed`.',
  failed:
    ': nothing more of them is sent by itself. The retry command may send what is `failed`; a thread of which a part is out stays as it is.',
}

/** What a person's word has done, and what happens next. */
function consequenceOf({ settled, left, retryAfterSeconds }: SettledHolds, finding: Finding['is']): string {
  if (settled + left === 0) return 'No such post is held since a restore.'
  const count = `${settled} restored ${settled === 1 ? 'post is' : 'posts are'} settled`
  const early =
    retryAfterSeconds === null
      ? 'they are not held, another post has that id, or an address does not tell the id.'
      : `a call that the server before made may still come out until ${retryAfterSeconds} seconds from now. Look again then.`
  const rest =
    left === 0 ? '' : ` ${left} could not be: ${early} \`postrider restored list\` shows what is left.`
  return `${count}${consequences[finding]}${rest}`
}
