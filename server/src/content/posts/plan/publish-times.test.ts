import { noApprovalPolicy, noLimits } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { openFileWorld } from '../../../../test/rigs/file-world.ts'
import { aChannel, aGroup, announced, aWorkspace } from '../../../../test/rigs/fixtures.ts'

const {
  world: { db },
  api,
} = await openFileWorld()

describe('a time for each channel', () => {
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  async function aScene() {
    const workspace = await aWorkspace(db)
    const short = await aChannel(db, workspace.workspaceId)
    const long = await aChannel(db, workspace.workspaceId, { provider: 'sandbox-professional' })
    const times = async (targets: object[], more: object = {}, as = workspace) => {
      const body = { confirmed: true, state: 'scheduled', targets, ...more }
      const { status, body: answer } = await api.call(as, 'POST', '/posts', body)
      const byChannel = new Map<string, string>(
        answer.destinations?.map((one: { channelId: string; publishAt: string }) => [
          one.channelId,
          one.publishAt,
        ]),
      )
      return { status, answer, times: [byChannel.get(short), byChannel.get(long)] }
    }
    return { workspace, short, long, times }
  }

  test('is its own, or else that of all; each has its own deadline and event', async () => {
    const { workspace, short, long, times } = await aScene()
    const [one, other] = [at(2), at(5)]
    const targets = [
      { channelId: short, text: 'a', publishAt: one },
      { channelId: long, text: 'b' },
    ]
    expect((await times(targets, { publishAt: other })).times).toEqual([one, other])
    const both = await times([targets[0]!, { ...targets[1]!, publishAt: other }])
    expect(both).toMatchObject({ status: 201, times: [one, other] })
    const expiries = both.answer.destinations.map(
      (d: { publishAt: string; expiresAt: string }) => Date.parse(d.expiresAt) - Date.parse(d.publishAt),
    )
    expect(new Set(expiries)).toEqual(new Set([24 * 3_600_000]))
    const events = await announced(db, workspace.workspaceId)
    const told = events.slice(-2).map((event: any) => event.data.destination.publishAt)
    expect(new Set(told)).toEqual(new Set([one, other]))
  })

  test('is missing, past, unreadable or not allowed where it stands', async () => {
    const { short, long, times } = await aScene()
    const pair = (first?: unknown, second?: unknown) => [
      { channelId: short, text: 'a', ...(first === undefined ? {} : { publishAt: first }) },
      { channelId: long, text: 'b', ...(second === undefined ? {} : { publishAt: second }) },
    ]
    const refused = async (targets: object[], more = {}) => {
      const { answer } = await times(targets, more)
      const [found] = answer.errors ?? answer.issues
      return [answer.code, found.pointer]
    }
    expect(await refused(pair())).toEqual(['validation_failed', '/publishAt'])
    expect(await refused(pair(at(1)))).toEqual(['validation_failed', '/targets/1/publishAt'])
    expect(await refused(pair(at(1), at(-1)))).toEqual(['publish_time_in_past', '/targets/1/publishAt'])
    expect(await refused(pair(at(1), { local: '2027-03-28T02:30', timeZone: 'Europe/Berlin' }))).toEqual([
      'validation_failed',
      '/targets/1/publishAt/local',
    ])
    expect(await refused(pair(at(1)), { state: 'draft' })).toEqual([
      'validation_failed',
      '/targets/0/publishAt',
    ])
  })

  test('is what limits and policies look at, each of them', async () => {
    const { workspace, short, long, times } = await aScene()
    const { caller } = workspace
    const as = (more: Partial<typeof caller.credential>) => ({
      ...workspace,
      caller: { ...caller, credential: { ...caller.credential, ...more } },
    })
    const targets = [
      { channelId: short, text: 'a', publishAt: at(48) },
      { channelId: long, text: 'b', publishAt: at(1) },
    ]
    const limited = as({ limits: { ...noLimits, publishWithinHours: 24 } })
    expect((await times(targets, {}, limited)).answer).toMatchObject({ code: 'credential_limit' })
    const soon = as({ approval: { ...noApprovalPolicy, withinMinutes: 90 } })
    const waiting = await times(targets, {}, soon)
    expect(waiting.answer.reviewStatus).toBe('pending')
    expect(waiting.times).toEqual(targets.map(({ publishAt }) => publishAt))
  })
})

describe('channels that are spread', () => {
  const publishAt = '2027-01-10T08:00:00.000Z'
  const minute = (n: number) => new Date(Date.parse(publishAt) + n * 60_000).toISOString()
  async function aScene() {
    const workspace = await aWorkspace(db)
    const channelIds: string[] = []
    while (channelIds.length < 3) channelIds.push(await aChannel(db, workspace.workspaceId))
    const body = {
      confirmed: true,
      state: 'scheduled',
      publishAt,
      text: 'Spread',
      channelIds,
      spreadMinutes: 31,
    }
    const send = (more: object = {}, path = '/posts', key?: string) =>
      api.call(workspace, 'POST', path, { ...body, ...more }, key)
    const timesOf = ({ body }: { body: any }) =>
      channelIds.map((id) => body.destinations.find((one: any) => one.channelId === id)?.publishAt)
    return { workspace, channelIds, send, timesOf }
  }

  test('are published from the time of all on, the last so many minutes later, and the same by a repeat', async () => {
    const { send, timesOf } = await aScene()
    const expected = [minute(0), minute(15.5), minute(31)]
    const made = await send({}, '/posts', 'spread-once')
    expect(timesOf(made)).toEqual(expected)
    expect((await send({}, '/posts', 'spread-once')).body.postId).toBe(made.body.postId)
    expect(timesOf(await send({ confirmed: undefined, text: 'S' }, '/post-checks'))).toEqual(expected)
  })

  test('of a group are those that it has; one with a time of its own keeps it; one alone is at the time of all', async () => {
    const { send, timesOf, workspace, channelIds } = await aScene()
    const group = await aGroup(db, workspace.workspaceId, channelIds)
    expect(timesOf(await send({ channelIds: [group] }))).toEqual([minute(0), minute(15.5), minute(31)])
    const targets = channelIds.map((channelId, place) => ({
      channelId,
      text: 'T',
      ...(place === 1 ? { publishAt: minute(90) } : {}),
    }))
    const own = await send({ targets, channelIds: undefined, text: undefined })
    expect(timesOf(own)).toEqual([minute(0), minute(90), minute(31)])
    expect(timesOf(await send({ channelIds: [channelIds[0]] }))[0]).toBe(minute(0))
  })

  test.each<[string, object, object]>([
    [
      'without a time',
      { state: 'draft', publishAt: undefined },
      { pointer: '/spreadMinutes', code: 'not_allowed' },
    ],
    ['with the queue', { publishAt: { queue: 'next' } }, { pointer: '/spreadMinutes', code: 'not_allowed' }],
    ['over no time', { spreadMinutes: 0 }, { pointer: '/spreadMinutes' }],
  ])('%s are refused', async (_, more, error) => {
    const { send } = await aScene()
    expect(await send(more)).toMatchObject({ status: 400, body: { errors: [error] } })
  })

  test('are held to the limit of how far ahead a key plans, the last of them included', async () => {
    const { workspace, channelIds } = await aScene()
    const soon = new Date(Date.now() + 50 * 60_000).toISOString()
    const limits = { ...noLimits, publishWithinHours: 1 }
    const limited = {
      ...workspace,
      caller: { ...workspace.caller, credential: { ...workspace.caller.credential, limits } },
    }
    const body = {
      confirmed: true,
      state: 'scheduled',
      publishAt: soon,
      text: 'S',
      channelIds,
      spreadMinutes: 30,
    }
    expect(await api.call(limited, 'POST', '/posts', body)).toMatchObject({
      status: 403,
      body: { limit: 'publishWithinHours' },
    })
  })
})
