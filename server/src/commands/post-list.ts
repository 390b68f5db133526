import type { PostFilter } from '@postrider/contract'
import { statusFilters } from '@postrider/contract/names'
import { type Command, Option } from 'commander'
import type { DestinationCommand } from '../destinations/destination-store.ts'
import type { Member } from '../members/member-store.ts'
import type { Workspace } from '../members/workspace-store.ts'
import { isRefusal } from '../operations/refusal.ts'
import type { Db } from '../platform/db.ts'
import { heldToken, listDestinations, type ListedDestination } from '../listing/destination-list-store.ts'
import type { CallTimes } from '../publication/call-times.ts'
import { type Finding, resolveByPerson } from '../publication/resolve-by-person.ts'
import { parseId, parseTime, parseWhole } from './arguments.ts'
import type { CommandLine } from './command-line.ts'
import { recordOperator } from './operator.ts'
import { type Columns, escapeControlCharacters, instantCell, table } from './output.ts'
import { inWorkspace, type InWorkspace, workspaceOption } from './session.ts'

export type DestinationOptions = { channel?: string; from?: string; to?: string }
type ListOptions = DestinationOptions & InWorkspace & { status: PostFilter; restored: boolean; limit: string }

/** `postrider post list` */
export function addPostListCommand(
  post: Command,
  { config, output }: Pick<CommandLine, 'config' | 'output'>,
): void {
  post
    .command('list')
    .description('list posts with their status on each channel, the latest time first')
    .addOption(
      new Option(
        '--status <status>',
        'only what is so; `scheduled` includes delayed, `published` what is published in part',
      )
        .choices(['all', ...Object.keys(statusFilters)])
        .default('all'),
    )
    .option('--restored', 'only what is held since a restore, until it is settled', false)
    .option('--channel <id>', 'only on this channel')
    .option('--from <time>', 'only what is or was to be published from then on, such as 2026-11-22T09:00Z')
    .option('--to <time>', 'and before then')
    .option('--limit <count>', 'at most so many', '50')
    .addOption(workspaceOption())
    .action(async (options: ListOptions, command: Command) => {
      const limit = parseWhole('--limit', options.limit, 10_000)
      const filter = { ...readFilter(options), status: options.status, restored: options.restored }
      const found = await inWorkspace(config, options, ({ db, workspaceId }) =>
        listDestinations(db, workspaceId, filter, limit + 1),
      )
      const shown = found.slice(0, limit)
      const more = found.length > limit ? `\n\nThere are more: raise --limit, or narrow the list.` : ''
      output(command).answer(shown, shown.length === 0 ? 'No posts.' : table(columns, shown) + more)
    })
}

/** Which destinations are meant. */
export function readFilter({ channel, from, to }: DestinationOptions) {
  return {
    seen: null,
    channelId: channel === undefined ? null : parseId('--channel', channel),
    from: from === undefined ? null : parseTime('--from', from),
    to: to === undefined ? null : parseTime('--to', to),
  }
}

const columns: Columns<ListedDestination> = {
  POST: ({ postId }) => postId,
  STATUS: ({ status, restored }) => (restored ? `${status} (restored)` : status),
  TIME: ({ publishAt, publishedAt }) => instantCell(publishedAt ?? publishAt, '–'),
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

export type SettledHolds = {
  /** How many were settled. */
  readonly settled: number
  /** How many were not: they are not held any more, another post has that id, or it is too early. */
  readonly left: number
  /** When it is too early for some: from when on it counts for all that they are not out. */
  readonly retryAfterSeconds: number | null
}

const BATCH_SIZE = 200

/** Whose word it is, and how they know. */
export type Word = { readonly member: Member; readonly note: string | null }

/** Settles what is held since a restore, all of it that the filter means, each in a transaction with its entry in the audit log. */
export async function resolveRestored(
  db: Db,
  { workspaceId }: Workspace,
  times: CallTimes,
  said: Word & { readonly filter: ReturnType<typeof readFilter>; readonly finding: Finding },
): Promise<SettledHolds> {
  const filter = { ...said.filter, status: 'checking', restored: true } as const
  const done: Counted[] = []
  for (;;) {
    // What is left stands before what was not tried yet, in the same order.
    const left = done.filter((each) => each !== 'settled').length
    const page = (await listDestinations(db, workspaceId, filter, left + BATCH_SIZE)).slice(left)
    for (const { postId, channelId, controlToken } of page) {
      const key = { workspaceId, postId, channelId, controlToken }
      done.push(await settleOne(db, times, key, said, said.finding))
    }
    if (page.length < BATCH_SIZE) return sumOf(done)
  }
}

/** What became of one: `number` is for how many more seconds it is too early. */
type Counted = 'settled' | 'left' | number

function sumOf(done: readonly Counted[]): SettledHolds {
  const settled = done.filter((each) => each === 'settled').length
  const waits = done.filter((each) => typeof each === 'number')
  return {
    ...{ settled, left: done.length - settled },
    retryAfterSeconds: waits.length === 0 ? null : Math.max(...waits),
  }
}

/** One part that is out, as a line of a file says. */
export type FoundPart = { readonly postId: string; readonly channelId: string } & Extract<
  Finding,
  { is: 'published' }
>

/** Settles what was found to be out, in the order of the lines: the parts of a thread follow each other. */
export async function resolvePublished(
  db: Db,
  { workspaceId }: Workspace,
  times: CallTimes,
  word: Word,
  found: readonly FoundPart[],
): Promise<SettledHolds> {
  const done: Counted[] = []
  for (const { postId, channelId, ...finding } of found) {
    const key = { workspaceId, postId, channelId }
    const controlToken = await heldToken(db, key)
    done.push(
      controlToken === null ? 'left' : await settleOne(db, times, { ...key, controlToken }, word, finding),
    )
  }
  return sumOf(done)
}

async function settleOne(
  db: Db,
  times: CallTimes,
  of: DestinationCommand,
  { member, note }: Word,
  finding: Finding,
): Promise<Counted> {
  const { providers } = await import('../providers/registry.ts')
  const resolved = await db.begin(async (tx) => {
    const person = { memberName: member.name, note, finding }
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
