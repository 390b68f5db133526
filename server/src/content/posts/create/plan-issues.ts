import type { Content, PostCheck, PostIssue } from '@postrider/contract'
import { Check, Errors } from 'typebox/value'
import type { ChannelRow } from '../../../networks/channels/channel-store.ts'
import { limitsOf, obstacleOf } from '../../../networks/channels/channel.ts'
import { kindOfPart } from '../../../engine/destinations/part-order.ts'
import { escapePointer } from '../../../platform/text/json-pointer.ts'
import { faultOfLine } from '../../../platform/outbound/line-fault.ts'
import { characterCounter } from '../../../networks/providers/shared/characters.ts'
import type { MediaRow } from '../../../media/media-store.ts'
import { mediaIssues } from '../../../networks/providers/port/check-media.ts'
import { lengthFault } from '../../../networks/providers/port/check-text.ts'
import type { ProviderFacts, Providers } from '../../../networks/providers/port/port.ts'
import {
  partPath,
  partPointer,
  partsOf,
  type Plan,
  plannedParts,
  type PlannedDestination,
} from '../plan/plan.ts'

export type Issue = PostIssue

export type PlanCheck = {
  readonly destinations: PostCheck['destinations']
  readonly issues: readonly Issue[]
}

/** How many years ahead a post may be scheduled. */
export const MAX_YEARS_AHEAD = 2

/** How many channels a post may have. */
const MAX_CHANNELS = 50

type CheckContext = {
  readonly channels: ReadonlyMap<string, ChannelRow>
  readonly media: KnownMedia
  readonly providers: Providers
  readonly now: Date
  /** Whether it is to go out now, and can go out nowhere. */
  readonly isStuck: boolean
}
type Found = Pick<Issue, 'code' | 'message' | 'fix'>

/** The media items of the workspace that a plan may carry, by id. */
type KnownMedia = ReadonlyMap<string, Omit<MediaRow, 'createdAt'>>

/**
 * The one check of a plan: post-check shows it and create obeys it. `channels` and `media` hold those of the plan
 * that the workspace has. Issues stand in the order of the request; a plan is publishable when
 * none of them is an error.
 */
export function checkPlan(
  plan: Plan,
  channels: ReadonlyMap<string, ChannelRow>,
  providers: Providers,
  now: Date,
  media: KnownMedia = new Map(),
): PlanCheck {
  const context = { channels, media, providers, now, isStuck: isStuck(plan, channels, providers) }
  const isDueNow = plan.state === 'immediate'
  const count = characterCounter()
  const shared =
    plan.shared === null
      ? []
      : contentIssues(plan.shared, plan.destinations[0]?.pointers.content ?? '', media)
  const checked = plan.destinations.map((planned, index) => {
    const first = plan.destinations.findIndex(({ channelId }) => channelId === planned.channelId)
    const own = plan.shared === null ? contentIssues(planned.content, planned.pointers.content, media) : []
    const mine = [
      ...channelIssues(planned, isDueNow ? now : (planned.time?.at ?? null), context, first < index),
      ...own.map((issue) => ({ ...issue, channelId: planned.channelId })),
      ...limitIssues(planned, context, count),
    ]
    return { planned, issues: mine, ready: !mine.concat(shared).some(isError) }
  })

  return {
    destinations: checked.flatMap(({ planned, ready }) => viewDestination(planned, context, ready, count)),
    issues: [
      ...plannedTimeIssues(plan, now),
      ...tooManyChannels(plan),
      ...shared,
      ...checked.flatMap(({ issues }) => issues),
    ],
  }
}

/** A plan that has time may wait for its channels to be reconnected, and one that has not goes out where it can. */
function isStuck(
  { state, destinations }: Plan,
  channels: ReadonlyMap<string, ChannelRow>,
  providers: Providers,
): boolean {
  const lapsed = ({ channelId }: PlannedDestination) => {
    const channel = channels.get(channelId)
    return channel !== undefined && obstacleOf(channel, providers)?.is === 'reconnect_required'
  }
  return state === 'immediate' && destinations.every(lapsed)
}

/** The same first text on the same channel, near the same time. `at` is when it was or is to be published. */
export type Repeated = { readonly channelId: string; readonly text: string; readonly at: Date }

/** Warnings for what says on a channel what another post says there within a day. It may be meant. */
export function repetitionIssues(
  { destinations }: Pick<Plan, 'destinations'>,
  repeated: readonly Repeated[],
): Issue[] {
  return destinations.flatMap((planned): Issue[] => {
    const { channelId, pointers } = planned
    const text = plannedParts(planned)[0]?.text
    const same = repeated.find((one) => one.channelId === channelId && one.text === text)
    if (same === undefined) return []
    return [
      {
        code: 'text_repeated',
        severity: 'warning',
        channelId,
        partIndex: 0,
        pointer: `${pointers.content}/text`,
        message: `Another post with the same text is on this channel within 24 hours (${same.at.toISOString()}).`,
        fix: 'Change the text unless you mean to repeat it. Some networks refuse repetitions.',
      },
    ]
  })
}

export function isError({ severity }: Pick<Issue, 'severity'>): boolean {
  return severity === 'error'
}

type Count = ReturnType<typeof characterCounter>

function viewDestination(
  planned: PlannedDestination,
  { channels, providers }: CheckContext,
  ready: boolean,
  count: Count,
): PostCheck['destinations'] {
  const { channelId, content, time } = planned
  const channel = channels.get(channelId)
  if (channel === undefined) return []
  const { maxCharacters, characterCounting } = limitsOf(channel, providers)
  const written = partsOf(content)
  const parts = plannedParts(planned).map(({ text }, index) => ({
    index,
    characters: count(text, characterCounting),
    ...(text === written[index]?.text ? {} : { text }),
  }))
  const publishAt = time === null ? {} : { publishAt: time.at.toISOString() }
  return [{ channelId, provider: channel.provider, ready, ...publishAt, maxCharacters, parts }]
}

/** Only groups lead to more channels than a request may name. */
function tooManyChannels({ destinations }: Plan): Issue[] {
  const beyond = destinations[MAX_CHANNELS]
  if (beyond === undefined) return []
  return [
    {
      code: 'channels_too_many',
      severity: 'error',
      pointer: beyond.pointers.channel,
      message: `These are ${destinations.length} channels. A post can have up to ${MAX_CHANNELS}.`,
      fix: 'Create several posts, each with fewer channels.',
    },
  ]
}

/** What is wrong with the times of a plan: with that of all once. */
function plannedTimeIssues({ destinations }: Plan, now: Date): Issue[] {
  const byPointer = new Map(
    destinations.flatMap(({ time }) => (time === null ? [] : [[time.pointer, time.at] as const])),
  )
  return [...byPointer].flatMap(([pointer, publishAt]) => timeIssues(publishAt, now, pointer))
}

/** What is wrong with a time to publish at. */
export function timeIssues(publishAt: Date | null, now: Date, pointer = '/publishAt'): Issue[] {
  if (publishAt === null) return []
  const at = (found: Found): Issue[] => [{ ...found, severity: 'error', pointer }]
  if (publishAt <= now) {
    return at({
      code: 'publish_at_in_past',
      message: `\`publishAt\` (${publishAt.toISOString()}) is not in the future; it is ${now.toISOString()} now.`,
      fix: 'Choose a later time.',
    })
  }
  const latest = latestTime(now)
  if (publishAt <= latest) return []
  return at({
    code: 'publish_at_too_far',
    message: `\`publishAt\` is more than ${MAX_YEARS_AHEAD} years ahead.`,
    fix: `Choose a time before ${latest.toISOString()}.`,
  })
}

/** The latest time that a post may be given now. */
export function latestTime(now: Date): Date {
  const latest = new Date(now)
  latest.setUTCFullYear(latest.getUTCFullYear() + MAX_YEARS_AHEAD)
  return latest
}

function channelIssues(
  { channelId, pointers, emptyGroup }: PlannedDestination,
  dueAt: Date | null,
  { channels, providers, isStuck }: CheckContext,
  repeated: boolean,
): Issue[] {
  const at = (found: Found, severity: Issue['severity'] = 'error'): Issue[] => [
    { ...found, severity, channelId, pointer: pointers.channel },
  ]
  if (repeated) {
    return at({
      code: 'channel_duplicate',
      message: 'The channel is listed twice. A post has one destination per channel.',
      fix: 'Keep one of them, or combine them into one thread.',
    })
  }
  const channel = channels.get(channelId)
  if (emptyGroup === true) {
    const fix = 'Put channels into the group, or name the channels themselves.'
    return at({ code: 'group_empty', message: 'The channel group has no channel.', fix })
  }
  if (channel === undefined) {
    return at({
      code: 'channel_unknown',
      message: 'Channel not found in this workspace.',
      fix: 'Take the `channelId` from the list of channels.',
    })
  }
  const obstacle = obstacleOf(channel, providers)
  if (obstacle === null) {
    const { authorizationEndsAt } = channel
    if (authorizationEndsAt === null || dueAt === null || dueAt < authorizationEndsAt) return []
    // No error, as below: the owner may reconnect the channel in time.
    return at(authorizationEnds(authorizationEndsAt), 'warning')
  }
  if (obstacle.is === 'reconnect_required') {
    // What is due before the channel is reconnected waits for it, and goes out if that comes in time.
    const fix = 'Reconnect the channel before the post is due.'
    const found = { code: 'channel_reconnect_required', message: obstacle.reason, fix } as const
    return at(found, isStuck ? 'error' : 'warning')
  }
  const fix = 'Leave the channel out, or enable it again.'
  return at({ code: 'channel_disabled', message: obstacle.reason, fix })
}

function authorizationEnds(endsAt: Date): Found {
  return {
    code: 'channel_authorization_ends',
    message: `The channel's access ends at ${endsAt.toISOString()}, before the post is due.`,
    fix: 'Reconnect the channel before the post is due, or choose an earlier time.',
  }
}

// The blank Braille pattern is no white space to Unicode, and nothing to the eye.
const INVISIBLE = /^[\s\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]*$/u

/** Whether a reader would see nothing of this text. */
export function isInvisible(text: string): boolean {
  return INVISIBLE.test(text)
}

/** What no provider would take, whatever its limits. */
function contentIssues(content: Content, pointer: string, media: KnownMedia): Issue[] {
  return [...textIssues(content, pointer), ...unknownMedia(content, pointer, media)]
}

function unknownMedia(content: Content, pointer: string, media: KnownMedia): Issue[] {
  return partsOf(content).flatMap((part, partIndex) =>
    part.mediaIds.flatMap((mediaId, place): Issue[] => {
      if (media.has(mediaId)) return []
      return [
        {
          code: 'media_unknown',
          severity: 'error',
          partIndex,
          mediaId,
          pointer: `${pointer}${partPath(part, partIndex)}/mediaIds/${place}`,
          message: 'Media item not found in this workspace.',
          fix: 'Upload the file and use the `mediaId` from the answer.',
        },
      ]
    }),
  )
}

function textIssues(content: Content, pointer: string): Issue[] {
  return partsOf(content).flatMap((part, partIndex): Issue[] => {
    const { text, mediaIds } = part
    const at = (found: Found): Issue[] => [
      { ...found, severity: 'error', partIndex, pointer: `${pointer}${partPointer(part, partIndex)}` },
    ]
    if (!isInvisible(text) || mediaIds.length > 0) return []
    return at({
      code: 'text_empty',
      message: 'The post has no visible text and no media.',
      fix: `Add text or media${partIndex === 0 ? '' : ', or leave the follow-up out'}.`,
    })
  })
}

/** What this channel would not take. */
function limitIssues(
  planned: PlannedDestination,
  { channels, media, providers }: CheckContext,
  count: Count,
): Issue[] {
  const { channelId, content, settings, pointers } = planned
  const channel = channels.get(channelId)
  const provider = channel && providers.get(channel.provider)
  if (channel === undefined || provider === undefined) return []
  const { displayName, check, cannotFetch, bounds } = provider
  const fetching = cannotFetch === undefined ? {} : { cannotFetch }
  const limits = limitsOf(channel, providers)

  const issue = (found: Found, path: string): Issue => ({
    ...found,
    severity: 'error',
    channelId,
    pointer: `${pointers.content}${path}`,
  })
  const ofParts = plannedParts(planned).flatMap((part, index): Issue[] => {
    const { text, mediaIds, firstComment } = part
    const pointer = partPointer(part, index)
    const tooLong = lengthFault(text, displayName, limits, count)
    const kind = kindOfPart({ index, firstComment })
    const mediaSizes = mediaIds.flatMap((id) => media.get(id) ?? [])
    const mediaKinds = mediaSizes.map((item) => item.kind)
    const mediaCount = mediaIds.length
    const asked = { kind, text, index, settings, limits, mediaCount, mediaKinds, mediaSizes }
    const faults = check?.(asked) ?? []
    return [
      ...(tooLong === null ? [] : [issue({ code: 'text_too_long', ...tooLong }, pointer)]),
      ...faults.map(({ severity, message, fix }) => ({
        ...issue({ code: 'provider_rule', message, fix }, pointer),
        severity,
      })),
    ].map((found) => ({ ...found, partIndex: index }))
  })
  const ofMedia = partsOf(content).flatMap((part, partIndex): Issue[] => {
    const items = part.mediaIds.map((id) => media.get(id) ?? null)
    return mediaIssues(items, { displayName, limits, bounds, settings, ...fetching }).map(
      ({ place, severity, ...found }) => {
        const item = place === null ? null : (items[place] ?? null)
        const path = `${partPath(part, partIndex)}/mediaIds${place === null ? '' : `/${place}`}`
        return {
          ...issue(found, path),
          severity,
          partIndex,
          ...(item === null ? {} : { mediaId: item.mediaId }),
        }
      },
    )
  })
  const threads = provider.supports.threads || content.thread === undefined
  const comments = provider.supports.firstComment === true || content.firstComment === undefined
  return [
    ...ofParts,
    ...ofMedia,
    ...(threads ? [] : [issue(noThreads(provider), '/thread')]),
    ...(comments ? [] : [issue(noFirstComment(provider), '/firstComment')]),
    ...settingsIssues(settings, provider).map(({ path, ...found }) => issue(found, `/settings${path}`)),
  ]
}

function noThreads({ displayName }: ProviderFacts): Found {
  return {
    code: 'thread_unsupported',
    message: `${displayName} has no threads.`,
    fix: 'Leave `thread` out for this channel, or give the channel its own content in `targets`.',
  }
}

function noFirstComment({ displayName }: ProviderFacts): Found {
  return {
    code: 'first_comment_unsupported',
    message: `${displayName} gets no first comment from Postrider.`,
    fix: 'Leave `firstComment` out for this channel, or give the channel its own content in `targets`.',
  }
}

type SettingsSchema = {
  readonly properties?: Readonly<Record<string, { format?: string; items?: { format?: string } }>>
}

/** Settings that their schema wants in one line: TypeBox does not know that format. */
function unfitLines(
  { properties = {} }: SettingsSchema,
  settings: PlannedDestination['settings'],
): (Found & { path: string })[] {
  return Object.entries(settings).flatMap(([name, set]) =>
    [set].flat().flatMap((value, index) => {
      const isLine = (Array.isArray(set) ? properties[name]?.items : properties[name])?.format === 'line'
      const message = isLine ? faultOfLine('The setting', String(value)) : null
      if (message === null) return []
      const path = Array.isArray(set) ? `/${name}/${index}` : `/${name}`
      return [{ path, code: 'settings_invalid' as const, message, fix: 'Change this setting.' }]
    }),
  )
}

/** At most this many issues of one channel's settings: the first ones say what is wrong. */
const MAX_SETTINGS_ISSUES = 10

function settingsIssues(
  settings: PlannedDestination['settings'],
  { settings: schema, displayName }: ProviderFacts,
): (Found & { path: string })[] {
  if (Check(schema, settings)) return unfitLines(schema, settings)
  const fix = `Use only settings that ${displayName} knows, with values that it allows.`
  const errors = Errors(schema, settings).filter(({ keyword }) => keyword !== 'boolean')
  return errors.slice(0, MAX_SETTINGS_ISSUES).map((error) => {
    const unknown =
      error.keyword === 'additionalProperties' ? error.params.additionalProperties[0] : undefined
    const path =
      unknown === undefined ? error.instancePath : `${error.instancePath}/${escapePointer(unknown)}`
    const message =
      unknown === undefined ? `The setting ${error.message}.` : `${displayName} has no such setting.`
    return { path, code: 'settings_invalid', message, fix }
  })
}
