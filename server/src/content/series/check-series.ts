import { partNames, type PostIssue } from '@postrider/contract'
import { findGroups } from '../../networks/channels/group-store.ts'
import { findMediaToCarry } from '../../media/media-store.ts'
import { isRefusal, type Refusal } from '../../edge/operations/refusal.ts'
import { refuseBeyond } from '../../edge/operations/credential-limits.ts'
import type { Caller } from '../../edge/operations/route.ts'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import type { ProviderFacts, Providers } from '../../networks/providers/port/port.ts'
import { findToCreate } from '../posts/plan/find-planned.ts'
import { checkPlan, isError, isInvisible, type Issue, repetitionIssues } from '../posts/create/plan-issues.ts'
import { findRepeated } from '../posts/post-store.ts'
import { withTags } from '../posts/create/tagged-parts.ts'
import {
  channelIdsOf,
  mediaIdsOf,
  type Plan,
  type PlannedDestination,
  plannedParts,
  readPlan,
} from '../posts/plan/plan.ts'
import { refuseIssues, refuseShape } from '../posts/plan/refuse-plan.ts'
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

/** What is still to be published: when next, when last, and the times of the content that is checked, in order. */
export type Upcoming = {
  readonly first: Date
  readonly last: Date
  readonly times: readonly { readonly index: number; readonly at: Date }[]
}

/** So many times of each content are compared with other posts: a post that is far away is seen by a later edit or check. */
const MOST_COMPARED = 50

type Options = { readonly providers: Providers; readonly now: Date; readonly seriesId: string | null }

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
  options: Options,
): Promise<Checked | Refused> {
  const { now } = options
  const wrong = refuseContent(content)
  if (wrong !== null) return wrong
  const soon = new Date(Math.min(upcoming.first.getTime(), now.getTime() + DAY_MS))
  const warnings: Issue[] = []
  const channelIds = new Set<string>()
  for (let index = 0; index < contentCount(content); index++) {
    const checked = await checkContentAt(tx, caller, { content, index, soon, upcoming }, options)
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
  { providers, now, seriesId }: Options,
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
  const tagged = withTags(plan, found)
  const { issues } = checkPlan(tagged, found.channels, providers, now, media)
  const located = issues.map((issue) => ({ ...issue, pointer: pointerOf(issue.pointer) }))
  if (located.some(isError)) return refuseIssues(located)
  const refusing = refusingEqualTexts(tagged, (channelId) =>
    providers.get(found.channels.get(channelId)?.provider ?? ''),
  )
  const within = repetitions(refusing, { content, index, count: upcoming.times.length })
  const times = timesOfContent(upcoming, content, index).slice(0, MOST_COMPARED)
  const elsewhere = await findRepeated(
    tx,
    { workspaceId, exceptSeriesId: seriesId },
    refusing.flatMap(({ planned, text }) => times.map((at) => ({ channelId: planned.channelId, text, at }))),
  )
  const repeated = [
    ...within,
    ...repetitionIssues({ destinations: refusing.map(({ planned }) => planned) }, elsewhere),
  ]
  return {
    warnings: [...located, ...repeated.map((issue) => ({ ...issue, pointer: pointerOf(issue.pointer) }))],
    channelIds,
  }
}

type Refusing = {
  readonly planned: PlannedDestination
  readonly displayName: string
  /** The first text as it is published. */
  readonly text: string
}

/** What goes to networks that refuse a text that the account has posted lately. */
function refusingEqualTexts(
  { destinations }: Plan,
  factsOf: (channelId: string) => ProviderFacts | undefined,
): Refusing[] {
  return destinations.flatMap((planned) => {
    const facts = factsOf(planned.channelId)
    const text = plannedParts(planned)[0]?.text ?? ''
    return facts?.refusesEqualTexts === true && !isInvisible(text)
      ? [{ planned, displayName: facts.displayName, text }]
      : []
  })
}

/** When the content with this index is published. */
function timesOfContent({ times }: Upcoming, content: SeriesContent, index: number): Date[] {
  return times.filter((one) => one.index % contentCount(content) === index).map(({ at }) => at)
}

/** Warnings for what the series itself says more than once. */
function repetitions(
  refusing: readonly Refusing[],
  { content, index, count }: { content: SeriesContent; index: number; count: number },
): Issue[] {
  return refusing.flatMap(({ planned, displayName }): Issue[] => {
    const { channelId, pointers } = planned
    const { text } = planned.content
    const contents = content.contents ?? []
    const first = contents.findIndex((one) => one.text === text)
    if (contents.length > 0 && first !== index) return []
    const times = contents.length === 0 ? count : timesOf(contents, text, count)
    if (times < 2) return []
    return [
      {
        code: 'text_repeated',
        severity: 'warning',
        channelId,
        partIndex: 0,
        pointer: `${pointers.content}/text`,
        message: `${displayName} refuses a text that the account published recently, and this series publishes it ${times} times.`,
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
  const isOfContent = pointer === '' || partNames.some((name) => name === pointer.split('/')[1])
  return contents !== undefined && isOfContent ? `/contents/${index}${pointer}` : pointer
}

/** The channels that a content names, those of its groups included. */
export async function channelsOf(sql: Sql, workspaceId: string, content: SeriesContent): Promise<string[]> {
  const named = content.channelIds ?? content.targets?.map(({ channelId }) => channelId) ?? []
  const groups = await findGroups(sql, workspaceId, named)
  return [...new Set(named.flatMap((id) => groups.get(id)?.channelIds ?? [id]))]
}
