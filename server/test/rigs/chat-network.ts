import { describe, expect, test } from 'vitest'
import type { Provider } from '../../src/networks/providers/port/port.ts'
import { callTimes } from '../../src/engine/publication/call-times.ts'
import { resolveByPerson } from '../../src/engine/publication/resolve-by-person.ts'
import { wireFaults } from './fault-proxy.ts'
import { snapshotOf } from './fixtures.ts'
import type { FormRig } from './form-channel.ts'
import type { HttpDouble } from '../doubles/http-double.ts'
import type { ConnectedChannel } from './publishing-rig.ts'

/* What holds at every network of channels that cannot be asked what became of a call. */

export type ChatNetwork = {
  readonly provider: Provider
  readonly rig: FormRig
  readonly network: HttpDouble & {
    readonly messages: readonly { readonly text: string }[]
    /** How many calls to post there were. */
    readonly calls: number
  }
  /** What is filled in for its one account, at this address. */
  readonly fieldsAt: (url: string) => Readonly<Record<string, string>>
  /** What nobody may ever see. */
  readonly secret: string
  /** From now on the next message is stored, and its answer says nothing of it. */
  readonly loseNextAnswer: () => void
  /** From now on the next message is refused for a rate limit. */
  readonly limitNextCall: () => void
}

export function testUnprovenCalls(options: ChatNetwork): void {
  const { provider, rig, network, fieldsAt, secret, loseNextAnswer, limitNextCall } = options
  const { proxy } = rig
  const times = callTimes({ leaseMs: 3_000, callTimeoutMs: 1_500 })
  const providers = new Map([[provider.provider, provider]])
  const sentWith = (text: string) => network.messages.filter((message) => message.text === text).length

  /** A person looked, and found the message. */
  async function resolve(channel: ConnectedChannel, postId: string) {
    const { controlToken } = await rig.destinationOf(channel, postId)
    const { workspaceId } = channel.workspace
    return resolveByPerson(rig.world.db, times, providers, {
      workspaceId,
      postId,
      channelId: channel.channelId,
      controlToken,
      memberName: 'Ada',
      note: null,
      finding: { is: 'published', remoteId: '77', url: null },
    })
  }

  test('a message whose answer was lost is sent once, and a person says what became of it', async () => {
    const channel = await rig.aChannel(fieldsAt(network.url))
    loseNextAnswer()
    const postId = await rig.publish(channel, { text: 'Sent, and lost' })
    await rig.until(channel, postId, 'checking')
    await rig.until(channel, await rig.publish(channel, { text: 'The next one' }), 'published')
    expect(await rig.destinationOf(channel, postId)).toMatchObject({ status: 'checking' })
    expect(await resolve(channel, postId)).toMatchObject({ outcome: { move: 'confirm' } })
    expect(await rig.destinationOf(channel, postId)).toMatchObject({ status: 'published' })
    expect(sentWith('Sent, and lost')).toBe(1)
  })

  test('a rate limit pauses the channel for the time that the network names', async () => {
    const channel = await rig.aChannel(fieldsAt(network.url))
    const before = network.calls
    limitNextCall()
    const postId = await rig.publish(channel, { text: 'Later' })
    await rig.until(channel, postId, 'published')
    expect(await rig.eventsOf(channel)).toContain('post.delayed')
    expect(network.calls - before).toBe(2)
    expect(sentWith('Later')).toBe(1)
  })

  test('the same account keeps its channel', async () => {
    const { workspace, channelId } = await rig.aChannel(fieldsAt(network.url))
    expect(await rig.connectForm(workspace, fieldsAt(network.url), channelId)).toMatchObject({
      is: 'connected',
      channelId,
      reconnected: true,
    })
  })

  describe('over a broken wire', () => {
    test.each(wireFaults)('%s: it is sent once at most, and stays in doubt', async (fault) => {
      const channel = await rig.aChannel(fieldsAt(proxy.url.origin))
      const text = `Under ${fault}`
      proxy.fault = fault
      const postId = await rig.publish(channel, { text })
      await rig.until(channel, postId, 'checking')
      proxy.fault = null
      await rig.until(channel, await rig.publish(channel, { text: `After ${fault}` }), 'published')
      expect(await rig.destinationOf(channel, postId)).toMatchObject({ status: 'checking' })
      expect(sentWith(text)).toBeLessThanOrEqual(1)
    })
  })

  test('the secret is in nothing that is stored in the clear or logged', async () => {
    const channel = await rig.aChannel(fieldsAt(network.url))
    loseNextAnswer()
    await rig.until(channel, await rig.publish(channel, { text: 'In doubt' }), 'checking')
    await rig.until(channel, await rig.publish(channel, { text: 'Out' }), 'published')
    const stored = await snapshotOf(rig.world.db, channel.workspace.workspaceId)
    expect(JSON.stringify(stored)).toContain('In doubt')
    expect(JSON.stringify(stored)).not.toContain(secret)
    const log = rig.logged.join('')
    expect(log).toContain(channel.channelId)
    expect(log).not.toContain(secret)
  })
}
