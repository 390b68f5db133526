import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { enabledChannels } from '../../src/networks/channels/channel-store.ts'
import type { Provider } from '../../src/networks/providers/port/port.ts'
import type { HttpDouble } from '../doubles/http-double.ts'
import { connectInBrowser } from './connect-browser.ts'
import { openFileWorld, type FileWorld } from './file-world.ts'
import { aWorkspace, type AWorkspace } from './fixtures.ts'
import {
  type ConnectedChannel,
  openPublishingRig,
  OPERATOR,
  type PublishingRig,
  type RigOptions,
} from './publishing-rig.ts'

/** What the owner does at the address that they are sent to. Gives the query of the way back. */
export type Consent = (address: URL) => URLSearchParams

type Fields = Readonly<Record<string, string>>

/** A double of a network whose accounts are connected by OAuth. */
export type OauthDouble = HttpDouble & {
  readonly posts: { readonly id: string }[]
  /** What becomes of the next posts, in this order; these two are known to each. */
  readonly orders: { length: number; push: (...orders: ('500 after storing' | 'rate limit')[]) => number }
  calls: number
  readonly allow: (address: URL, scope?: string) => URLSearchParams
}

export type OauthRig = PublishingRig &
  Pick<FileWorld, 'world' | 'api'> & {
    /** Goes through the network's pages to the last one of ours. */
    readonly signIn: (
      workspaceId: string,
      fields?: Fields,
      consent?: Consent,
    ) => ReturnType<typeof connectInBrowser>
    /** A channel of its one account, in a workspace of its own unless another is named. */
    readonly aChannel: (fields?: Fields, workspace?: AWorkspace) => Promise<ConnectedChannel>
  }

/** The publisher of production on such a network. */
export async function openOauthRig(
  provider: Provider,
  app: { readonly clientId: string; readonly clientSecret: string },
  network: OauthDouble,
  more: Pick<RigOptions, 'readCard'> = {},
): Promise<OauthRig> {
  const { world, api } = await openFileWorld()
  const trustedOrigins = network.origins
  const given = { world, api, provider, app, trustedOrigins, callTimeoutMs: 1_500 }
  const rig = await openPublishingRig({ ...given, ...more })
  beforeEach(async () => {
    await rig.abandon()
    network.posts.length = 0
    network.orders.length = 0
    network.calls = 0
  })
  afterAll(async () => {
    await rig.close()
    await network[Symbol.asyncDispose]()
  })

  const signIn: OauthRig['signIn'] = (workspaceId, fields = {}, consent = network.allow) => {
    const target = { workspaceId, channelId: null, actor: OPERATOR }
    return connectInBrowser(rig.connect, provider.provider, target, consent, fields)
  }
  async function aChannel(fields?: Fields, named?: AWorkspace): Promise<ConnectedChannel> {
    const workspace = named ?? (await aWorkspace(world.db))
    const { statusCode, body } = await signIn(workspace.workspaceId, fields)
    expect([statusCode, body]).toEqual([200, expect.stringMatching(/is (?:re)?connected/)])
    const [channel] = await enabledChannels(world.db, workspace.workspaceId)
    return { workspace, channelId: channel?.channelId ?? '' }
  }
  return { ...rig, world, api, signIn, aChannel }
}

/** A way back with this query, besides the state that was sent. */
export const backWith =
  (query: Fields): Consent =>
  ({ searchParams }) =>
    new URLSearchParams({ state: searchParams.get('state') ?? '', ...query })

/** Ways through the network that connect nothing, and what the page says then. */
export function testRefusedConsents(
  { world: { db }, signIn }: OauthRig,
  consents: readonly (readonly [what: string, words: RegExp, consent: Consent, fields?: Fields])[],
): void {
  const cases = consents.map(([what, words, consent, fields = {}]) => ({ what, words, consent, fields }))
  test.each(cases)('$what makes no channel, and says what to do', async ({ words, consent, fields }) => {
    const { workspaceId } = await aWorkspace(db)
    const page = await signIn(workspaceId, fields, consent)
    expect(page.statusCode).toBe(422)
    expect(page.body).toMatch(words)
    expect(await enabledChannels(db, workspaceId)).toEqual([])
  })
}

/** What holds at every such network that can be asked what became of a call. */
export function testProvenCalls(rig: OauthRig, network: OauthDouble, fields?: Fields): void {
  describe('a call of which no answer came', () => {
    test.each([
      ['a text', { text: 'Stored & <lost> (and #found): https://example.com/a?b=1&c=2' }],
      ['a picture alone', { text: '' }],
    ])('%s, stored before the network failed, is found and not sent again', async (what, content) => {
      const channel = await rig.aChannel(fields)
      network.orders.push('500 after storing')
      const mediaIds = what === 'a text' ? [] : [await rig.anImage(channel.workspace, 'Alone')]
      const postId = await rig.publish(channel, { ...content, mediaIds })
      const { releaseUrl } = await rig.until(channel, postId, 'published')
      expect(network.calls).toBe(1)
      expect(network.posts).toHaveLength(1)
      expect(releaseUrl).toContain(network.posts[0]?.id)
    })
  })

  test('a rate limit pauses the channel until the time that the network names', async () => {
    const channel = await rig.aChannel(fields)
    network.orders.push('rate limit')
    await rig.until(channel, await rig.publish(channel, { text: 'Later' }), 'published')
    expect(network.calls).toBe(2)
    expect(network.posts).toHaveLength(1)
  })

  test('a text that the network has already is refused as one', async () => {
    const channel = await rig.aChannel(fields)
    await rig.until(channel, await rig.publish(channel, { text: 'Twice' }), 'published')
    const { error } = await rig.until(channel, await rig.publish(channel, { text: 'Twice' }), 'failed')
    expect(error).toMatchObject({ code: 'duplicate_refused' })
  })
}
