import { randomBytes } from 'node:crypto'
import { app, type DestinationStatus, operations } from '@postrider/contract'
import type { FastifyInstance } from 'fastify'
import { v7 as uuidv7 } from 'uuid'
import { splitAddress } from '../../src/edge/api/operation/operation-route.ts'
import { cancel } from '../../src/engine/destinations/destination-store.ts'
import { createKey } from '../../src/people/keys/key-store.ts'
import { putGrant } from '../../src/people/apps/app-grant-store.ts'
import { insertEndpoint } from '../../src/engine/webhooks/endpoint-store.ts'
import { announce } from '../../src/engine/outbox/outbox-store.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import { decideApproval } from '../../src/attention/reviews/decide-approval.ts'
import { aChannel, aGroup, anApproval, anAttempt, aPicture, aPost, aWorkspace } from './fixtures.ts'
import { aUser, join } from './people-world.ts'

/** A workspace with its owner in a browser, and ways to put into it what a request is about. */
export async function openScene(db: Db, server: FastifyInstance) {
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  const owner = await aUser(db, server, 'Olga')
  const memberId = await join(db, workspaceId, owner, 'owner')
  const ask = (path: string, body?: unknown, method = 'POST') =>
    owner.ask(`${method} /workspaces/${workspaceId}${path}`, body, {
      'idempotency-key': randomBytes(9).toString('hex'),
    })
  const read = async (path: string) => (await owner.ask(`GET /workspaces/${workspaceId}${path}`)).body
  const channelId = await aChannel(db, workspaceId)
  const post = async (state: DestinationStatus) => {
    const { postId, destinationIds } = await aPost(db, workspaceId, {
      states: [state],
      channelIds: [channelId],
    })
    const { editToken, destinations } = await read(`/posts/${postId}`)
    return {
      postId,
      destinationIds,
      editToken,
      on: { channelId, controlToken: destinations[0].controlToken },
    }
  }
  const series = async () =>
    (await ask('/series', { ...aSeries, channelIds: [channelId] })).body as {
      seriesId: string
      editToken: string
    }
  const template = async () =>
    (await ask('/templates', aTemplate())).body as { templateId: string; editToken: string }
  const member = async () => join(db, workspaceId, await aUser(db, server), 'editor')
  const key = async () =>
    (await createKey(db, workspaceId, { memberId, name: 'k', permissions: [], expiresAt: null })).keyId
  const grant = async () => {
    const named = { clientId: 'c', clientName: 'An app', clientOrigin: 'app.example', permissions: [] }
    const artifactGrantId = randomBytes(9).toString('hex')
    return (await putGrant(db, { workspaceId, memberId, artifactGrantId, ...named })).grantId
  }
  const url = 'https://example.com/hook'
  const endpoint = async () =>
    (await ask('/endpoints', { url, eventTypes: ['post.cancelled'] })).body.endpointId as string
  const invitation = async () =>
    (await ask('/invitations', { email: 'new@example.com', role: 'viewer', deliverBy: 'link' })).body
      .invitationId
  const bulkRun = async () => {
    const { postId, editToken } = await post('scheduled')
    const body = { confirmed, action: 'move', minutes: 60, posts: [{ postId, editToken }] }
    return (await ask('/bulk-runs', body)).body.runId as string
  }
  const group = async () => aGroup(db, workspaceId, [channelId])
  const acts = () => db<{ action: string; by: string }[]>`
    select action, actor_type as by from audit_entry where workspace_id = ${workspaceId} order by seq`
  /** One that the agent of the scene has created. */
  const ownEndpoint = async () => {
    const endpointId = uuidv7()
    const wanted = { url, description: '', eventTypes: ['post.cancelled'], autoReplay: false } as const
    const credentialId = workspace.caller.credential.id
    await insertEndpoint(db, { workspaceId, endpointId }, { ...wanted }, credentialId)
    return endpointId
  }
  /** An event that its active endpoints want. */
  const cancelled = async () => {
    const { destinationIds } = await post('scheduled')
    await db.begin(async (tx) =>
      announce(tx, await cancel(tx, workspaceId, destinationIds, { type: 'person', name: 'Ada' })),
    )
    const [event] = await db<{ id: string }[]>`
      select id from outbox_event where workspace_id = ${workspaceId} order by seq desc limit 1`
    return event!.id
  }
  return {
    db,
    owner,
    workspace,
    workspaceId,
    ask,
    read,
    channelId,
    post,
    series,
    template,
    member,
    key,
    grant,
    endpoint,
    ownEndpoint,
    cancelled,
    invitation,
    bulkRun,
    group,
    acts,
  }
}

type Scene = Awaited<ReturnType<typeof openScene>>
type Request = readonly [path: string, body?: unknown]

const publishAt = '2027-12-01T09:00:00.000Z'
const confirmed = true

/** How each operation on posts is asked for, by people and by agents. */
export const onPosts: Record<string, (scene: Scene) => Promise<Request>> = {
  createPost: async ({ channelId }) => [
    '/posts',
    { confirmed, state: 'draft', channelIds: [channelId], text: 'x' },
  ],
  editPost: async ({ post }) => {
    const { postId, editToken } = await post('draft')
    return [`/posts/${postId}/edit`, { confirmed, editToken, content: { text: 'y' } }]
  },
  scheduleDestination: async ({ post }) => {
    const { postId, on } = await post('draft')
    return [`/posts/${postId}/schedule`, { confirmed, ...on, publishAt }]
  },
  rescheduleDestination: async ({ post }) => {
    const { postId, on } = await post('scheduled')
    return [`/posts/${postId}/reschedule`, { confirmed, ...on, publishAt }]
  },
  cancelDestination: async ({ post }) => {
    const { postId, on } = await post('scheduled')
    return [`/posts/${postId}/cancel`, { confirmed, ...on }]
  },
  retryDestination: async ({ post }) => {
    const { postId, on } = await post('failed')
    return [`/posts/${postId}/retry`, { confirmed, ...on, publishAt }]
  },
  labelPosts: async ({ post }) => [
    '/posts/labels',
    { confirmed, postIds: [(await post('published')).postId], add: ['Spring sale'] },
  ],
  createSeries: async ({ channelId }) => ['/series', { ...aSeries, channelIds: [channelId] }],
  editSeries: async ({ series }) => {
    const { seriesId, editToken } = await series()
    return [`/series/${seriesId}/edit`, { confirmed, editToken, text: 'y' }]
  },
  skipOccurrence: async ({ series }) => {
    const { seriesId, editToken } = await series()
    return [`/series/${seriesId}/skip`, { confirmed, editToken, date: '2099-01-04' }]
  },
  setSeriesStatus: async ({ series }) => {
    const { seriesId, editToken } = await series()
    return [`/series/${seriesId}/status`, { confirmed, editToken, status: 'paused' }]
  },
}

const aTemplate = () => ({ confirmed, name: randomBytes(9).toString('hex'), text: '{{product}} is out.' })

/** Of which nothing is made soon. */
const aSeries = {
  confirmed: true,
  rule: 'FREQ=DAILY;COUNT=5',
  text: 'x',
  startsAt: { local: '2099-01-04T09:00', timeZone: 'UTC' },
}

/** How each operation on media, and others that no tool asks for, are asked for by people and by agents; uploads need files. */
export const onMedia: Record<string, (scene: Scene) => Promise<Request>> = {
  updateMedia: async ({ db, workspaceId }) => [
    `/media/${await aPicture(db, workspaceId)}`,
    { confirmed, altText: 'y' },
  ],
  deleteMedia: async ({ db, workspaceId }) => [`/media/${await aPicture(db, workspaceId)}`],
  requestApproval: async ({ post }) => {
    const { postId, editToken } = await post('draft')
    return [`/posts/${postId}/approval`, { confirmed, editToken }]
  },
  createTemplate: async () => ['/templates', aTemplate()],
  changeTemplate: async ({ template }) => {
    const { templateId, editToken } = await template()
    return [`/templates/${templateId}`, { ...aTemplate(), editToken }]
  },
  deleteTemplate: async ({ template }) => [`/templates/${(await template()).templateId}`],
}

/** Of agents and people, and without a tool. */
const importPosts = async ({ channelId }: Scene): Promise<Request> => [
  '/posts/import',
  { confirmed, format: 'csv', name: `file-${uuidv7()}`, file: 'id,text\na,Hello\n', channelIds: [channelId] },
]

/** Of agents and people, and without a tool. */
const changeChannels = async ({ post, db, workspaceId }: Scene): Promise<Request> => {
  const { postId, editToken } = await post('draft')
  const add = [{ channelId: await aChannel(db, workspaceId) }]
  return [`/posts/${postId}/channels`, { confirmed, editToken, add }]
}

/** The method of an operation, of either API. */
export function methodOf(id: string) {
  const found = [...operations, ...app.appOperations].find((one) => one.id === id)
  return found === undefined ? 'POST' : splitAddress(found.at)[0]
}

/** How each operation is asked for that agents have and tools do not, or people in another way. */
export const byAgents: Record<string, (scene: Scene) => Promise<Request>> = {
  createUploadAddress: async () => [
    '/media/uploads',
    { confirmed: true, idempotencyKey: 'handed-over', altText: 'A rider.' },
  ],
  createPosts: async ({ channelId }) => [
    '/posts/batch',
    {
      confirmed,
      posts: [{ idempotencyKey: uuidv7(), state: 'draft', channelIds: [channelId], text: 'x' }],
    },
  ],
  changeChannels,
  importPosts,
  createOwnEndpoint: async () => [
    '/webhook-endpoints',
    { url: 'https://example.com/x', eventTypes: ['post.published'] },
  ],
  rotateOwnEndpointSecret: async ({ ownEndpoint }) => [
    `/webhook-endpoints/${await ownEndpoint()}/rotate`,
    { atOnce: true },
  ],
  testOwnEndpoint: async ({ ownEndpoint }) => [`/webhook-endpoints/${await ownEndpoint()}/test`, {}],
  resendOwnDelivery: async ({ ownEndpoint, cancelled }) => {
    const endpointId = await ownEndpoint()
    return [`/webhook-endpoints/${endpointId}/deliveries/${await cancelled()}/resend`]
  },
  replayOwnDeliveries: async ({ ownEndpoint }) => {
    const since = new Date(Date.now() - 60_000).toISOString()
    return [`/webhook-endpoints/${await ownEndpoint()}/replay`, { since, onlyFailed: false }]
  },
  deleteOwnEndpoint: async ({ ownEndpoint }) => [`/webhook-endpoints/${await ownEndpoint()}`],
}

/** How each operation that changes a workspace is asked for by its people. */
export const byPeople: Record<string, (scene: Scene) => Promise<Request>> = {
  ...Object.fromEntries(
    Object.entries({ ...onPosts, ...onMedia }).map(([id, request]) => [app.appIdOf({ id }), request]),
  ),
  appChangeChannels: changeChannels,
  appImportPosts: importPosts,
  updateWorkspace: async () => ['', { name: 'Renamed' }],
  changeMemberRole: async ({ member }) => [`/members/${await member()}/role`, { role: 'viewer' }],
  removeMember: async ({ member }) => [`/members/${await member()}/remove`],
  leaveWorkspace: async () => ['/leave'],
  transferOwnership: async ({ member }) => ['/ownership', { memberId: await member() }],
  inviteMember: async () => ['/invitations', { email: 'a@example.com', role: 'viewer', deliverBy: 'link' }],
  revokeInvitation: async ({ invitation }) => [`/invitations/${await invitation()}/revoke`],
  createKey: async () => ['/keys', { name: 'bot', permissions: ['posts:read'] }],
  limitKey: async ({ key }) => [`/keys/${await key()}/limits`, { draftsOnly: true }],
  revokeKey: async ({ key }) => [`/keys/${await key()}/revoke`],
  stopKey: async ({ key }) => [`/keys/${await key()}/stop`],
  limitApp: async ({ grant }) => [`/apps/${await grant()}/limits`, { draftsOnly: true }],
  revokeApp: async ({ grant }) => [`/apps/${await grant()}/revoke`],
  stopApp: async ({ grant }) => [`/apps/${await grant()}/stop`],
  createEndpoint: async () => [
    '/endpoints',
    { url: 'https://example.com/x', eventTypes: ['post.published'] },
  ],
  updateEndpoint: async ({ endpoint }) => [`/endpoints/${await endpoint()}`, { description: 'new' }],
  rotateEndpointSecret: async ({ endpoint }) => [`/endpoints/${await endpoint()}/rotate`, { atOnce: false }],
  disableEndpoint: async ({ endpoint }) => [`/endpoints/${await endpoint()}/disable`],
  enableEndpoint: async ({ endpoint }) => [`/endpoints/${await endpoint()}/enable`],
  testEndpoint: async ({ endpoint }) => [`/endpoints/${await endpoint()}/test`, {}],
  resendDelivery: async ({ endpoint, cancelled }) => {
    const endpointId = await endpoint()
    return [`/endpoints/${endpointId}/deliveries/${await cancelled()}/resend`]
  },
  replayDeliveries: async ({ endpoint }) => {
    const since = new Date(Date.now() - 60_000).toISOString()
    return [`/endpoints/${await endpoint()}/replay`, { since, onlyFailed: false }]
  },
  changeMyNotices: async () => ['/notices', { kind: 'posts_failed', mail: false }],
  decideApproval: async ({ db, post, read, workspaceId }) => {
    const approvalId = await anApproval(db, workspaceId, (await post('draft')).postId)
    const { digest } = await read(`/approvals/${approvalId}`)
    return [`/approvals/${approvalId}/decide`, { verdict: 'approve', digest }]
  },
  decideApprovals: async ({ db, post, read, workspaceId }) => {
    const approvalId = await anApproval(db, workspaceId, (await post('draft')).postId)
    const { digest } = await read(`/approvals/${approvalId}`)
    return ['/approvals/decide', { verdict: 'approve', requests: [{ approvalId, digest }] }]
  },
  undoDecision: async ({ db, post, workspaceId, workspace: { memberId } }) => {
    const { postId } = await post('draft')
    const approvalId = await anApproval(db, workspaceId, postId)
    const decision = {
      workspaceId,
      approvalId,
      verdict: 'reject',
      memberId,
      memberName: 'Ada',
      note: null,
    } as const
    await db.begin((tx) => decideApproval(tx, decision))
    return [`/approvals/${approvalId}/undo`]
  },
  deleteEndpoint: async ({ endpoint }) => [`/endpoints/${await endpoint()}/delete`],
  revisePost: async ({ post }) => {
    const { postId, editToken, on } = await post('draft')
    return [`/posts/${postId}/revise`, { confirmed, editToken, targets: [{ ...on, text: 'y', publishAt }] }]
  },
  movePost: async ({ post }) => {
    const { postId, editToken, on } = await post('scheduled')
    return [
      `/posts/${postId}/move`,
      { confirmed, editToken, times: [{ channelId: on.channelId, publishAt }] },
    ]
  },
  startBulkRun: async ({ post }) => {
    const { postId, editToken } = await post('scheduled')
    return ['/bulk-runs', { confirmed, action: 'cancel', posts: [{ postId, editToken }] }]
  },
  stopBulkRun: async ({ bulkRun }) => [`/bulk-runs/${await bulkRun()}/stop`],
  undoBulkRun: async ({ bulkRun }) => [`/bulk-runs/${await bulkRun()}/undo`],
  createConnectLink: async () => ['/channels/link', { provider: 'bluesky' }],
  disableChannel: async ({ channelId }) => [`/channels/${channelId}/disable`],
  enableChannel: async ({ channelId }) => [`/channels/${channelId}/enable`],
  renameChannel: async ({ channelId }) => [`/channels/${channelId}`, { name: 'Our main account' }],
  setPostingTimes: async ({ channelId }) => [
    `/channels/${channelId}/posting-times`,
    { postingTimes: [{ weekday: 'monday', time: '09:00' }] },
  ],
  removeChannel: async ({ db, workspaceId }) => [
    `/channels/${await aChannel(db, workspaceId)}/remove`,
    { posts: 'cancel' },
  ],
  createChannelGroup: async ({ channelId }) => [
    '/channel-groups',
    { name: 'Brand A', channelIds: [channelId] },
  ],
  changeChannelGroup: async ({ group }) => [`/channel-groups/${await group()}`, { name: 'Brand B' }],
  deleteChannelGroup: async ({ group }) => [`/channel-groups/${await group()}/delete`],
  resolveDestination: async ({ db, post, workspaceId }) => {
    const { postId, destinationIds, on } = await post('checking')
    await anAttempt(db, workspaceId, destinationIds[0]!, 'unknown')
    return [`/posts/${postId}/resolve`, { ...on, finding: 'published', remoteId: 'r-1' }]
  },
}
