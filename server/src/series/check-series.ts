import type { PostIssue } from '@postrider/contract'
import { findGroups } from '../channels/group-store.ts'
import { findMediaToCarry } from '../media/media-store.ts'
import { isRefusal, type Refusal } from '../operations/refusal.ts'
import { refuseBeyond } from '../operations/credential-limits.ts'
import type { Caller } from '../operations/route.ts'
import type { Sql, Tx } from '../platform/db.ts'
import type { Providers } from '../providers/port.ts'
import { findToCreate } from '../posts/find-planned.ts'
import { checkPlan, isError, type Issue } from '../posts/plan-issues.ts'
import { withTags } from '../posts/tagged-parts.ts'
import { channelIdsOf, mediaIdsOf, type Plan, readPlan } from '../posts/plan.ts'
import { refuseIssues, refuseShape } from '../posts/refuse-plan.ts'
import { contentAt, refuseContent, type SeriesContent, contentCount } from './definition.ts'

type Refused = Refusal<
  | 'validation_failed'
  | 'credential_limit'
  | 'post_not_publishable'
  | 'publish_time_in_past'
  | 'channel_unavailable'
>

export type Checked = {
  /** What a network may refuse later, and what creates warn of. */
  readonly warnings: readonly PostIssue[]
  /** The channels that it names, those of its groups included. */
  readonly channelIds: readonly string[]
}

/** Of what there is to be published: how often, when next, and when last. */
export type Upcoming = { readonly count: number; readonly first: Date; readonly last: Date }

/** A post is checked for at most this long ahead: a series may go on for longer. */
const DAY_MS = 86_400_000

/**
 * Checks each content of a series as a create checks a post, with the pointers of the request. What may change until an occurrence is
 * made is checked again then.
 */
export async function checkSeries(
  tx: Tx,
  caller: Pick<Caller, 'workspaceId' | 'credential'>,
  content: SeriesContent,
  upcoming: Upcoming,
  { providers, now }: { readonly providers: Providers; readonly now: Date },
): Promise<Checked | Refused> {
  const wrong = refuseContent(content)
  if (wrong !== null) return wrong
  const soon = new Date(Math.min(upcoming.first.getTime(), now.getTime() + DAY_MS))
  const warnings: Issue[] = []
  const channelIds = new Set<string>()
  for (let index = 0; index < contentCount(content); index++) {
    const checked = await checkContentAt(tx, caller, { content, index, soon, upcoming }, { providers, now })
    if (isRefusal(checked)) return checked
    warnings.push(...checked.warnings)
    for (const id of checked.channelIds) channelIds.add(id)
  }
  return { warnings, channelIds: [...channelIds] }
}

async function checkContentAt(
  tx: Tx,
  { workspaceId, credential }: Pick<Caller, 'workspaceId' | 'credential'>,
  {
    content,
    index,
    soon,
    upcoming,
  }: { content: SeriesContent; index: number; soon: Date; upcoming: Upcoming },
  { providers, now }: { readonly providers: Providers; readonly now: Date },
): Promise<Checked | Refused> {
  const pointerOf = (pointer: string) => requestPointer(content, index, pointer)
  const publishAt = soon.toISOString()
  const read = readPlan({ ...contentAt(content, index), state: 'scheduled', publishAt })
  if ('errors' in read)
    return refuseShape(read.errors.map((error) => ({ ...error, pointer: pointerOf(error.pointer) })))
  const { plan, found } = await findToCreate(tx, workspaceId, read.plan)
  const channelIds = channelIdsOf(plan)
  const beyond = refuseBeyond(
    credential.limits,
    { channelIds, labels: plan.labels ?? [], publishes: true, publishAt: upcoming.last },
    now,
  )
  if (beyond !== null) return beyond
  const media = await findMediaToCarry(tx, workspaceId, mediaIdsOf(plan))
  const { issues } = checkPlan(withTags(plan, found), found.channels, providers, now, media)
  const located = issues.map((issue) => ({ ...issue, pointer: pointerOf(issue.pointer) }))
  if (located.some(isError)) return refuseIssues(located)
  const repeated = repetitions(
    plan,
    { content, index, count: upcoming.count },
    providers,
    (id) => found.channels.get(id)?.provider,
  )
  return {
    warnings: [...located, ...repeated.map((issue) => ({ ...issue, pointer: pointerOf(issue.pointer) }))],
    channelIds,
  }
}

/** Warnings for networks that refuse a text that the account has posted lately, where the series says one more than once. */
function repetitions(
  { destinations }: Plan,
  { content, index, count }: { content: SeriesContent; index: number; count: number },
  providers: Providers,
  providerOf: (channelId: string) => string | undefined,
): Issue[] {
  return destinations.flatMap(({ channelId, content: { text }, pointers }): Issue[] => {
    const facts = providers.get(providerOf(channelId) ?? '')
    if (facts?.refusesEqualTexts !== true || text.trim() === '') return []
    const contents = content.contents ?? []
    const first = contents.findIndex((one) => one.text === text)
    if (contents.length > 0 && first !== index) return []
    const times = contents.length === 0 ? count : timesOf(contents, text, count)
    if (times < 2) return []
    return [
      {
        ...{ code: 'text_repeated', severity: 'warning', channelId, partIndex: 0 },
        pointer: `${pointers.content}/text`,
        message: `${facts.displayName} refuses a text that the account published recently, and this series publishes it ${times} times.`,
        fix: 'Add more `contents`, so that each is repeated later, or plan fewer occurrences.',
      },
    ]
  })
}

/** How often a text is posted when so many occurrences go through these contents. */
function timesOf(contents: readonly { readonly text: string }[], text: string, count: number): number {
  const rounds = Math.floor(count / contents.length)
  const inOne = (among: readonly { readonly text: string }[]) =>
    among.filter((one) => one.text === text).length
  return rounds * inOne(contents) + inOne(contents.slice(0, count % contents.length))
}

/** The pointer into the request of a series for a pointer into one of its posts. */
function requestPointer({ contents }: SeriesContent, index: number, pointer: string): string {
  if (pointer.startsWith('/publishAt')) return '/startsAt'
  const isOfContent = /^\/(text|mediaIds|thread|firstComment)(\/|$)/.test(pointer) || pointer === ''
  return contents !== undefined && isOfContent ? `/contents/${index}${pointer}` : pointer
}

/** The channels that a content names, those of its groups included. */
export async function channelsOf(sql: Sql, workspaceId: string, content: SeriesContent): Promise<string[]> {
  const named = content.channelIds ?? content.targets?.map(({ channelId }) => channelId) ?? []
  const groups = await findGroups(sql, workspaceId, named)
  return [...new Set(named.flatMap((id) => groups.get(id)?.channelIds ?? [id]))]
}
