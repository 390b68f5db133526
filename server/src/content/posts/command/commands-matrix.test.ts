import {
  commandNames,
  Destination,
  destinationStatuses,
  destinationStatusNames,
  Post,
  problems,
  type CommandName,
  type DestinationStatus,
  type ProblemCode,
} from '@postrider/contract'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import {
  anApproval,
  anAttempt,
  announced,
  aPost,
  aWorkspace,
  snapshotOf,
  type Answered,
  type APost,
  type AWorkspace,
} from '../../../../test/rigs/fixtures.ts'
import { hoursAhead, openFileWorld } from '../../../../test/rigs/file-world.ts'
import { statusesFor } from '../../../engine/destinations/destination-commands.ts'
import { moves } from '../../../engine/destinations/destination-states.ts'

/*
 * Every command in every status with every kind of token, made from the tables of statuses and moves and run against
 * the API over a database. What is refused changes nothing at all; what is allowed makes the one move, writes the one
 * event, and replaces the token of the post, and that of the one destination that it moves.
 */

const { world, api, changingNothing } = await openFileWorld()

const active = (status: DestinationStatus) => status !== 'cancelled' && status !== 'expired'
const editable: DestinationStatus[] = ['draft', 'scheduled']

type Scene = { workspace: AWorkspace; post: APost; before: Post; stranger: AWorkspace; strange: Post }

/** A post with two destinations: one in the status, and a draft beside it. And a stranger's post. */
async function aScene(status: DestinationStatus): Promise<Scene> {
  const { db } = world
  const [workspace, stranger] = [await aWorkspace(db), await aWorkspace(db)]
  const post = await aPost(db, workspace.workspaceId, { states: [status, 'draft'] })
  const verdict = { publishing: null, checking: 'unknown', failed: 'rejected' } as const
  if (status in verdict) {
    await anAttempt(
      db,
      workspace.workspaceId,
      post.destinationIds[0]!,
      verdict[status as keyof typeof verdict],
    )
  }
  const other = await aPost(db, stranger.workspaceId, { states: [status, 'draft'] })
  return {
    workspace,
    post,
    stranger,
    before: await api.read(workspace, post.postId),
    strange: await api.read(stranger, other.postId),
  }
}

/** The body of a command on the first destination, without its token. */
function bodyOf(command: CommandName, { channelId }: { channelId: string }) {
  if (command === 'edit') return { content: { text: 'Other words' } }
  return command === 'cancel' ? { channelId } : { channelId, publishAt: hoursAhead(2) }
}

const tokenField = (command: CommandName) => (command === 'edit' ? 'editToken' : 'controlToken')
const staleCode = (command: CommandName): ProblemCode =>
  command === 'edit' ? 'stale_edit_token' : 'stale_control_token'
const rightToken = (command: CommandName, post: Post) =>
  command === 'edit' ? post.editToken : post.destinations[0]!.controlToken

/** What the tables say of a command in a status; null when it is allowed. */
function refusalOf(command: CommandName, status: DestinationStatus) {
  if (command === 'edit') {
    if (!active(status) || editable.includes(status)) return null
    return { code: 'invalid_state', currentStatus: status, allowedStatuses: editable } as const
  }
  const { from } = moves[command]
  if (from.some((one) => one === status)) return null
  return { code: 'invalid_state', currentStatus: status, allowedStatuses: statusesFor(command) } as const
}

const cells = destinationStatusNames.flatMap((status) => commandNames.map((command) => ({ status, command })))

test('the matrix has 11 statuses and 5 commands', () => {
  expect(cells).toHaveLength(55)
})

describe.each(cells)('$command of $status', ({ status, command }) => {
  const refused = refusalOf(command, status)

  test('with the right token does what the tables say', async () => {
    const { workspace, post, before } = await aScene(status)
    const first = before.destinations[0]!
    expect(first.allowedActions[command]).toEqual(
      refused === null
        ? { allowed: true, reason: null }
        : { allowed: false, reason: expect.stringContaining(`\`${status}\``) },
    )
    const body = { ...bodyOf(command, first), [tokenField(command)]: rightToken(command, before) }
    if (refused === null) await expectDone(workspace, post, before, command, body)
    else await expectRefused(workspace, post.postId, command, body, refused)
  })

  test('is refused with any other token, and nothing changes', async () => {
    const { workspace, post, before, stranger, strange } = await aScene(status)
    const [first, sibling] = before.destinations
    const body = bodyOf(command, first!)
    const field = tokenField(command)
    const expected = refused ?? { code: staleCode(command) }

    const wrong = {
      'of another destination of the post': sibling!.controlToken,
      'of the other kind': command === 'edit' ? first!.controlToken : before.editToken,
      "of another workspace's post": rightToken(command, strange),
      'never given': 'A'.repeat(24),
      'in other letters': rightToken(command, before).toUpperCase() + 'x',
      'as long as may be': 'x'.repeat(128),
    }
    for (const token of Object.values(wrong)) {
      await expectRefused(workspace, post.postId, command, { ...body, [field]: token }, expected)
    }
    const invalid = { code: 'validation_failed' as const }
    for (const token of ['', 'x'.repeat(129), 7, null, ['a'], { a: 1 }]) {
      await expectRefused(workspace, post.postId, command, { ...body, [field]: token }, invalid)
    }
    await expectRefused(workspace, post.postId, command, body, invalid)

    // Somebody else's post is not there, whatever is known of it.
    const strangeBody = {
      ...bodyOf(command, strange.destinations[0]!),
      [field]: rightToken(command, strange),
    }
    await changingNothing(stranger, () =>
      expectRefused(workspace, strange.postId, command, strangeBody, { code: 'not_found' }),
    )
  })

  test('is refused with the token from before a change', async () => {
    const { workspace, post, before } = await aScene(status)
    const token = rightToken(command, before)
    if (command === 'edit') await world.db`update post set edit_token = 'new' where id = ${post.postId}`
    else await world.db`update destination set control_token = 'new' where id = ${post.destinationIds[0]!}`
    const body = { ...bodyOf(command, before.destinations[0]!), [tokenField(command)]: token }
    await expectRefused(workspace, post.postId, command, body, refused ?? { code: staleCode(command) })
  })
})

type Expected = { code: ProblemCode; currentStatus?: string; allowedStatuses?: readonly string[] }

async function expectRefused(
  as: AWorkspace,
  postId: string,
  command: string,
  body: Record<string, unknown>,
  expected: Expected,
  key?: string | null,
): Promise<Answered> {
  const answer = await changingNothing(as, () => api.command(as, postId, command, body, key))
  const { code, currentStatus, allowedStatuses } = answer.body as Expected
  const stale = { changedAt: expect.any(String), changedBy: expect.any(Object), changed: expect.any(Array) }
  if (expected.code.startsWith('stale')) expect(answer.body).toMatchObject(stale)
  const status = expected.currentStatus === undefined ? undefined : currentStatus
  expect({ status: answer.status, code, currentStatus: status, allowedStatuses }).toEqual({
    status: problems[expected.code].status,
    currentStatus: undefined,
    allowedStatuses: undefined,
    ...expected,
  })
  return answer
}

async function expectDone(
  as: AWorkspace,
  { postId }: APost,
  before: Post,
  command: CommandName,
  body: Record<string, unknown>,
): Promise<void> {
  const answer = await api.command(as, postId, command, body, 'the-key')
  expect([answer.status, answer.headers['idempotent-replayed']]).toEqual([200, undefined])
  const after = await api.read(as, postId)
  const done = await snapshotOf(world.db, as.workspaceId)

  const [first, sibling] = after.destinations
  if (command === 'edit') {
    expect(Check(Post, answer.body)).toBe(true)
    expect(answer.body).toEqual(after)
    expect(first!.status).toBe(before.destinations[0]!.status)
    expect(first!.controlToken).toBe(before.destinations[0]!.controlToken)
  } else {
    expect(Check(Destination, answer.body)).toBe(true)
    expect(answer.body).toEqual(first)
    expect(first!.status).toBe(moves[command].to)
    if ('publishAt' in body) {
      expect(first).toMatchObject({ publishAt: body['publishAt'], error: null, checkAgainAt: null })
      expect(Date.parse(first!.expiresAt!) - Date.parse(first!.publishAt!)).toBe(24 * 3_600_000)
    }
    expect(first!.controlToken).not.toBe(before.destinations[0]!.controlToken)
  }
  expect(after.editToken).not.toBe(before.editToken)
  expect(sibling!.controlToken).toBe(before.destinations[1]!.controlToken)
  expect(sibling!.status).toBe('draft')

  const event = command === 'edit' ? null : destinationStatuses[first!.status].event
  expect(await announced(world.db, as.workspaceId)).toEqual(
    event === null
      ? []
      : [
          {
            id: expect.any(String),
            type: event,
            createdAt: expect.any(String),
            data: {
              post: { postId },
              destination: {
                channelId: first!.channelId,
                provider: first!.provider,
                publishAt: first!.publishAt,
                releaseUrl: null,
                status: first!.status,
              },
            },
          },
        ],
  )

  const again = await api.command(as, postId, command, body, '"the-key"')
  expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([200, answer.text, 'true'])
  expect(await snapshotOf(world.db, as.workspaceId)).toEqual(done)
  const changed = {
    ...body,
    ...(command === 'edit' ? { content: { text: 'And other' } } : { channelId: postId }),
  }
  await expectRefused(as, postId, command, changed, { code: 'idempotency_key_reused' }, 'the-key')
  // The token was for once; and most commands cannot be given twice.
  await expectRefused(
    ...([as, postId, command, body] as const),
    refusalOf(command, first!.status) ?? { code: staleCode(command) },
  )
}

const evidence = {
  'a call without a known end': async (workspaceId: string, destinationId: string) =>
    void (await anAttempt(world.db, workspaceId, destinationId, 'unknown')),
  'a call under way': async (workspaceId: string, destinationId: string) =>
    void (await anAttempt(world.db, workspaceId, destinationId, null)),
  'a part that is out': async (workspaceId: string, destinationId: string) =>
    void (await world.db`
      update part set status = 'published', remote_id = 'r', published_at = now()
      where  workspace_id = ${workspaceId} and destination_id = ${destinationId} and index = 0`),
}

describe.each(Object.entries(evidence))('with %s', (_name, leave) => {
  test('a failed destination is not retried', async () => {
    const workspace = await aWorkspace(world.db)
    const post = await aPost(world.db, workspace.workspaceId, { states: ['failed'], texts: ['a', 'b'] })
    await leave(workspace.workspaceId, post.destinationIds[0]!)
    const [destination] = (await api.read(workspace, post.postId)).destinations
    const { controlToken } = destination!

    expect(destination!.allowedActions.retry).toEqual({
      allowed: false,
      reason: expect.stringContaining('twice'),
    })
    const allowedStatuses = statusesFor('retry')
    const refusal = { code: 'unsafe_retry', currentStatus: 'failed', allowedStatuses } as const
    const body = { ...bodyOf('retry', destination!), controlToken }
    await expectRefused(workspace, post.postId, 'retry', body, refusal)
  })

  test.each(moves.cancel.from)('%s is not cancelled', async (status) => {
    const workspace = await aWorkspace(world.db)
    const post = await aPost(world.db, workspace.workspaceId, { states: [status], texts: ['a', 'b'] })
    await leave(workspace.workspaceId, post.destinationIds[0]!)
    const [destination] = (await api.read(workspace, post.postId)).destinations
    const { controlToken, channelId } = destination!

    expect(destination!.allowedActions.cancel.allowed).toBe(false)
    const refusal = {
      code: 'invalid_state',
      currentStatus: status,
      allowedStatuses: statusesFor('cancel'),
    } as const
    await expectRefused(workspace, post.postId, 'cancel', { channelId, controlToken }, refusal)
  })
})

test('a retry after a refused thread begins again with every part', async () => {
  const workspace = await aWorkspace(world.db)
  const post = await aPost(world.db, workspace.workspaceId, { states: ['failed'], texts: ['a', 'b'] })
  await anAttempt(world.db, workspace.workspaceId, post.destinationIds[0]!, 'rejected')
  const error = { code: 'content_refused', message: 'No.', provider: 'sandbox-short', retryable: true }
  await world.db`
    update destination set error = ${world.db.json(error)}, tries = 3 where id = ${post.destinationIds[0]!}`
  await world.db`update part set status = 'skipped' where destination_id = ${post.destinationIds[0]!} and index = 1`
  const before = await api.read(workspace, post.postId)
  const [{ channelId, controlToken }] = before.destinations as [Post['destinations'][0]]

  const body = { channelId, controlToken, publishAt: hoursAhead(2) }
  expect((await api.command(workspace, post.postId, 'retry', body)).body).toMatchObject({
    status: 'scheduled',
    error: null,
    parts: [{ status: 'pending' }, { status: 'pending' }],
  })
  const [row] = await world.db`select tries from destination where id = ${post.destinationIds[0]!}`
  expect(row).toEqual({ tries: 0 })
})

test.each([
  ['pending', true],
  ['rejected', true],
  ['expired', true],
  ['approved', false],
  ['superseded', true],
] as const)('scheduling a draft whose approval is %s', async (approval, refused) => {
  const workspace = await aWorkspace(world.db)
  const post = await aPost(world.db, workspace.workspaceId)
  const approvalId = await anApproval(world.db, workspace.workspaceId, post.postId, approval)
  const [destination] = (await api.read(workspace, post.postId)).destinations
  const { channelId, controlToken, allowedActions } = destination!
  expect(allowedActions.schedule.allowed).toBe(!refused)
  expect(allowedActions.cancel.allowed).toBe(true)

  const body = { channelId, controlToken, publishAt: hoursAhead(2) }
  if (!refused) {
    expect((await api.command(workspace, post.postId, 'schedule', body)).status).toBe(200)
    return
  }
  const answer = await expectRefused(workspace, post.postId, 'schedule', body, {
    code: 'invalid_state',
    currentStatus: 'draft',
    allowedStatuses: ['draft'],
  })
  expect(answer.body.detail).toBe(allowedActions.schedule.reason)
  expect(answer.body.reviewUrl).toBe(
    approval === 'pending' ? `https://postrider.test/review/${approvalId}` : undefined,
  )
})

const statusFor = {
  edit: 'draft',
  schedule: 'draft',
  reschedule: 'scheduled',
  cancel: 'scheduled',
  retry: 'failed',
} as const

/** A post on which the command is allowed, and the body that does it. */
async function ready(command: CommandName) {
  const scene = await aScene(statusFor[command])
  const first = scene.before.destinations[0]!
  const body = { ...bodyOf(command, first), [tokenField(command)]: rightToken(command, scene.before) }
  return { ...scene, postId: scene.post.postId, body }
}

describe.each(commandNames)('%s, in the right status with the right token', (command) => {
  test.each([false, 'true', 1, null])('is refused when confirmed is %j', async (confirmed) => {
    const { workspace, postId, body } = await ready(command)
    await expectRefused(workspace, postId, command, { ...body, confirmed }, { code: 'confirmation_required' })
  })

  test('is refused without confirmation', async () => {
    const { workspace, postId, body } = await ready(command)
    const confirmed = undefined
    await expectRefused(workspace, postId, command, { ...body, confirmed }, { code: 'confirmation_required' })
  })

  test.each([null, '', '""'])('is refused with the idempotency key %j', async (key) => {
    const { workspace, postId, body } = await ready(command)
    await expectRefused(workspace, postId, command, body, { code: 'idempotency_key_required' }, key)
  })

  test('is refused with a field that it does not know', async () => {
    const { workspace, postId, body } = await ready(command)
    const answer = await expectRefused(
      workspace,
      postId,
      command,
      { ...body, publish_at: 'now' },
      { code: 'validation_failed' },
    )
    expect(answer.body.errors[0].pointer).toBe('/publish_at')
  })

  test('is refused to a credential that may only read', async () => {
    const { workspace, postId, body } = await ready(command)
    const credential = { ...workspace.caller.credential, permissions: ['posts:read'] as const }
    const reader = { ...workspace, caller: { ...workspace.caller, credential } }
    await expectRefused(reader, postId, command, body, { code: 'missing_permission' })
  })

  test('is refused for a post that does not exist', async () => {
    const { workspace, body } = await ready(command)
    const nobody = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'
    await expectRefused(workspace, nobody, command, body, { code: 'not_found' })
    await expectRefused(workspace, 'nobody', command, body, { code: 'not_found' })
  })

  test('goes by the same key in another workspace', async () => {
    const [one, two] = [await ready(command), await ready(command)]
    for (const { workspace, postId, body } of [one, two]) {
      const answer = await api.command(workspace, postId, command, body, 'shared')
      expect([answer.status, answer.headers['idempotent-replayed']]).toEqual([200, undefined])
    }
  })
})

describe.each(['schedule', 'reschedule', 'cancel', 'retry'] as const)('%s of one channel', (command) => {
  test('is refused for a channel that the post does not have', async () => {
    const { workspace, postId, body, strange } = await ready(command)
    for (const channelId of [strange.destinations[0]!.channelId, postId]) {
      await expectRefused(workspace, postId, command, { ...body, channelId }, { code: 'not_found' })
    }
    await expectRefused(
      workspace,
      postId,
      command,
      { ...body, channelId: 'x' },
      { code: 'validation_failed' },
    )
  })
})

test('cancel is allowed on a channel that is switched off', async () => {
  const { workspace, postId, body } = await ready('cancel')
  await world.db`update channel set enabled = false where workspace_id = ${workspace.workspaceId}`
  expect((await api.command(workspace, postId, 'cancel', body)).status).toBe(200)
})

describe.each(['schedule', 'reschedule', 'retry'] as const)('%s at a time', (command) => {
  test('is refused on a channel that is switched off, and not on one to reconnect', async () => {
    const { workspace, postId, body } = await ready(command)
    await world.db`update channel set enabled = false where workspace_id = ${workspace.workspaceId}`
    await expectRefused(workspace, postId, command, body, { code: 'channel_unavailable' })
    await world.db`
      update channel set enabled = true, connection_status = 'reconnect_required'
      where  workspace_id = ${workspace.workspaceId}`
    expect((await api.command(workspace, postId, command, body)).status).toBe(200)
  })

  test.each([
    ['past', () => new Date(Date.now() - 1), 'publish_time_in_past'],
    ['long past', () => new Date(0), 'publish_time_in_past'],
    ['more than two years ahead', () => new Date(Date.now() + 3 * 366 * 86_400_000), 'post_not_publishable'],
  ] as const)('is refused at a time that is %s', async (_when, time, code) => {
    const { workspace, postId, body } = await ready(command)
    const answer = await expectRefused(
      workspace,
      postId,
      command,
      { ...body, publishAt: time().toISOString() },
      { code },
    )
    expect(answer.body.issues).toMatchObject([{ severity: 'error', pointer: '/publishAt' }])
  })

  test.each(['2027-01-01T09:00:00', '2027-01-01', 'tomorrow', '2027-02-30T09:00:00Z', 1_800_000_000, null])(
    'is refused at the time %j',
    async (publishAt) => {
      const { workspace, postId, body } = await ready(command)
      const answer = await expectRefused(
        workspace,
        postId,
        command,
        { ...body, publishAt },
        { code: 'validation_failed' },
      )
      expect(answer.body.errors[0].pointer).toBe('/publishAt')
    },
  )

  test('says that the token is stale before it says that the time is past', async () => {
    const { workspace, postId, body } = await ready(command)
    const wrong = { ...body, controlToken: 'stale', publishAt: new Date(0).toISOString() }
    await expectRefused(workspace, postId, command, wrong, { code: 'stale_control_token' })
  })
})

test('a reschedule to a time of its own takes a destination out of the queue, and says so', async () => {
  const workspace = await aWorkspace(world.db)
  const post = await aPost(world.db, workspace.workspaceId, { states: ['scheduled'] })
  await world.db`update destination set queued = true where id = ${post.destinationIds[0]!}`
  const [{ channelId, controlToken, queued }] = (await api.read(workspace, post.postId)).destinations as [
    Post['destinations'][0],
  ]
  expect(queued).toBe(true)

  const body = { channelId, controlToken, publishAt: hoursAhead(2) }
  const answer = await api.command(workspace, post.postId, 'reschedule', body)

  expect(answer.body).toMatchObject({ status: 'scheduled', queued: false })
  expect((await api.read(workspace, post.postId)).destinations[0]).toEqual(answer.body)
})
