import type { ChannelRow } from '../../src/networks/channels/channel-store.ts'
import { checkPlan, type Issue } from '../../src/content/posts/create/plan-issues.ts'
import type { MediaFacts } from '../../src/networks/providers/port/check-media.ts'
import type { Provider } from '../../src/networks/providers/port/port.ts'

/** A post of one part, as its author has written it. */
export type Draft = {
  readonly text: string
  readonly settings?: Readonly<Record<string, unknown>>
  readonly media?: readonly MediaFacts[]
}

const CHANNEL = 'cha_1'

/** What the check of posts says of it on a channel of this network. */
export function issuesOf(provider: Provider, { text, settings = {}, media = [] }: Draft): readonly Issue[] {
  const channel: ChannelRow = {
    channelId: CHANNEL,
    provider: provider.provider,
    displayName: 'Alice',
    handle: 'alice',
    avatarUrl: null,
    enabled: true,
    connectionStatus: 'connected',
    authorizationLost: false,
    subscription: null,
    limits: null,
    authorizationEndsAt: null,
    postingTimes: [],
  }
  const items = new Map(
    media.map((item, at) => [`med_${at}`, { ...item, mediaId: `med_${at}`, storageKey: `${at}` }]),
  )
  const pointers = { channel: '/targets/0/channelId', content: '/targets/0' }
  const content = { text, mediaIds: [...items.keys()] }
  const destination = { channelId: CHANNEL, content, settings, time: null, queueRequest: null, pointers }
  const plan = { state: 'draft', shared: null, destinations: [destination] } as const
  const { issues } = checkPlan(
    plan,
    new Map([[CHANNEL, channel]]),
    new Map([[provider.provider, provider]]),
    new Date('2026-11-29T09:00:00Z'),
    items,
  )
  return issues
}

/** Those of it that keep a post from being published. */
export function errorsOf(provider: Provider, draft: Draft): readonly Issue[] {
  return issuesOf(provider, draft).filter(({ severity }) => severity === 'error')
}
