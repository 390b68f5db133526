import Type from 'typebox'
import { ChannelContentChange, ContentChange, namedChange, TargetChange } from './content.ts'
import { operation } from './operation.ts'
import { Destination, Post } from './posts.ts'
import { Confirmed, exact, Id, TimeInput } from './schemas.ts'

export const ControlToken = Type.String({
  minLength: 1,
  maxLength: 128,
  description: "The destination's current `controlToken`. Every change replaces it.",
})

export const EditToken = Type.String({
  minLength: 1,
  maxLength: 128,
  description:
    'The current `editToken`. Every change of content, review or a time replaces it, also that of one channel.',
})

const params = exact({ postId: Id })

const oneDestination = { confirmed: Confirmed, channelId: Id, controlToken: ControlToken }

const moved = {
  status: 200,
  schema: Destination,
  description: 'The destination, with a new `controlToken`.',
} as const

const ids = {
  channelId: '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11',
  controlToken: 'dGhpcyBpcyBhbiBleGFtcGxl',
} as const

export const editPost = operation({
  id: 'editPost',
  at: 'POST /agent/v1/posts/{postId}/edit',
  asks: 'agent or member',
  tag: 'Commands',
  summary: 'Edit a post',
  description:
    'Changes the content for all channels, or for some (`targets`; others keep theirs). `{"text": "…"}` keeps thread and media. Channels with content of their own keep what the edit does not name. The result must pass the same check as a new post. Allowed while every active destination is a draft or scheduled. A post that needs approval asks for it again.',
  permission: 'posts:write',
  params,
  body: exact({
    confirmed: Confirmed,
    editToken: EditToken,
    content: Type.Union([
      ContentChange,
      exact({ targets: Type.Array(TargetChange, { minItems: 1, maxItems: 50 }) }),
    ]),
    keepOwn: Type.Optional(Type.Boolean({ description: 'Refuses the edit if it would have `warnings`.' })),
  }),
  idempotency: 'header',
  answer: { status: 200, schema: Post, description: 'The post, with a new `editToken`.' },
  problems: [
    'validation_failed',
    'not_found',
    'credential_limit',
    'stale_edit_token',
    'invalid_state',
    'channel_unavailable',
    'post_not_publishable',
  ],
  example: { confirmed: true, editToken: ids.controlToken, content: { text: 'Hello again' } },
})

/** What may be wrong with channels, content and times that are changed together. */
export const changeProblems = [
  'validation_failed',
  'not_found',
  'credential_limit',
  'stale_edit_token',
  'stale_control_token',
  'invalid_state',
  'channel_unavailable',
  'post_not_publishable',
  'publish_time_in_past',
] as const

export const changeChannels = operation({
  id: 'changeChannels',
  at: 'POST /agent/v1/posts/{postId}/channels',
  asks: 'agent or member',
  tag: 'Commands',
  summary: 'Add or remove channels of a post',
  description:
    'All or nothing, while every active destination is a draft or scheduled. An added channel gets the shared content, except what is given here, and is a draft unless it has a `publishAt`. A removed channel is cancelled and cannot come back. A post that needs approval asks for it again when channels are added.',
  permission: 'posts:write',
  params,
  body: exact({
    confirmed: Confirmed,
    editToken: EditToken,
    add: Type.Optional(
      Type.Array(exact({ ...namedChange, publishAt: Type.Optional(TimeInput) }), {
        minItems: 1,
        maxItems: 50,
      }),
    ),
    remove: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 50, uniqueItems: true })),
  }),
  idempotency: 'header',
  answer: { status: 200, schema: Post, description: 'The post as it is now.' },
  problems: changeProblems,
  example: { confirmed: true, editToken: ids.controlToken, add: [{ channelId: ids.channelId }] },
})

/** What is the same in every command that gives one destination a time. */
const timed = {
  tag: 'Commands',
  permission: 'posts:write',
  params,
  body: exact({ ...oneDestination, publishAt: TimeInput }, { $id: 'TimedCommand' }),
  idempotency: 'header',
  answer: moved,
  example: { confirmed: true, ...ids, publishAt: '2027-01-01T09:00:00.000Z' },
} as const

const timedProblems = [
  'validation_failed',
  'not_found',
  'credential_limit',
  'stale_control_token',
  'invalid_state',
  'channel_unavailable',
  'publish_time_in_past',
  'post_not_publishable',
] as const

/** What may be wrong with the times of a whole post. */
export const moveProblems = [...timedProblems, 'stale_edit_token'] as const

/** What names all of a post, or one channel of it: the operation itself refuses anything else. */
const scope = {
  channelId: Type.Optional(Id),
  controlToken: Type.Optional(ControlToken),
  editToken: Type.Optional(EditToken),
}

const scopes = [['channelId', 'controlToken'], ['editToken']] as const

const Shift = Type.String({
  pattern: '^-?P(?=\\d|T\\d)(\\d{1,3}W)?(\\d{1,4}D)?(T(?=\\d)(\\d{1,5}H)?(\\d{1,6}M)?)?$',
  maxLength: 30,
  description:
    'Instead of `publishAt`, with `editToken`: an ISO 8601 duration of weeks, days, hours and minutes, such as `P1D`, or `-PT90M` for earlier. A day is 24 hours.',
  examples: ['P1D', '-PT90M'],
})

const wholeOrChannel = {
  status: 200,
  schema: Type.Union([Destination, Post]),
  description:
    'The destination, with a new `controlToken`; or the post, with a new `editToken` and those of its destinations.',
} as const

export const scheduleDestination = operation({
  ...timed,
  body: exact({ confirmed: Confirmed, ...scope, publishAt: TimeInput }),
  answer: wholeOrChannel,
  id: 'scheduleDestination',
  at: 'POST /agent/v1/posts/{postId}/schedule',
  asks: 'agent or member',
  summary: 'Give a draft a time',
  description:
    'With `channelId` and `controlToken`, schedules one draft and returns it. With `editToken` alone, schedules all drafts of the post, or none, and returns the post; channels that are scheduled keep their times. A post that waits for approval cannot be scheduled.',
  problems: moveProblems,
  oneOf: [
    ['channelId', 'controlToken', 'publishAt'],
    ['editToken', 'publishAt'],
  ],
  examples: {
    'The whole post': {
      confirmed: true,
      editToken: ids.controlToken,
      publishAt: '2027-01-01T09:00:00.000Z',
    },
  },
})

export const rescheduleDestination = operation({
  ...timed,
  body: exact({
    confirmed: Confirmed,
    ...scope,
    publishAt: Type.Optional(TimeInput),
    shift: Type.Optional(Shift),
  }),
  answer: wholeOrChannel,
  id: 'rescheduleDestination',
  at: 'POST /agent/v1/posts/{postId}/reschedule',
  asks: 'agent or member',
  summary: 'Give a scheduled destination, or the post, another time',
  description:
    'With `channelId` and `controlToken`, moves one `scheduled` destination and returns it. With `editToken` alone, moves all `scheduled` destinations of the post, or none, to `publishAt` or by `shift`, and returns the post. The rest of a thread that waits for the time of a retry moves, too. `expiresAt` follows the new time.',
  problems: moveProblems,
  oneOf: [
    ['channelId', 'controlToken', 'publishAt'],
    ['editToken', 'publishAt'],
    ['editToken', 'shift'],
  ],
  examples: {
    'The whole post': {
      confirmed: true,
      editToken: ids.controlToken,
      publishAt: '2027-01-01T09:00:00.000Z',
    },
    'The whole post, a day later': { confirmed: true, editToken: ids.controlToken, shift: 'P1D' },
  },
})

export const cancelDestination = operation({
  id: 'cancelDestination',
  at: 'POST /agent/v1/posts/{postId}/cancel',
  asks: 'agent or member',
  tag: 'Commands',
  summary: 'Cancel a destination, or the post',
  description:
    'With `channelId` and `controlToken`, cancels one destination and returns it. With `editToken` alone, cancels every destination that still can be, and returns the post. Allowed until publishing has started: never once a part is or may be out. A cancelled destination is never published. Of a thread whose refused rest waits for the time of a retry, the rest is cancelled: it is `partially_published` as before.',
  permission: 'posts:write',
  params,
  body: exact({ confirmed: Confirmed, ...scope }),
  idempotency: 'header',
  answer: wholeOrChannel,
  problems: [
    'validation_failed',
    'not_found',
    'credential_limit',
    'stale_control_token',
    'stale_edit_token',
    'invalid_state',
  ],
  oneOf: scopes,
  example: { confirmed: true, ...ids },
  examples: { 'The whole post': { confirmed: true, editToken: ids.controlToken } },
})

export const retryDestination = operation({
  ...timed,
  body: exact({ ...timed.body.properties, content: Type.Optional(ChannelContentChange) }),
  id: 'retryDestination',
  at: 'POST /agent/v1/posts/{postId}/retry',
  asks: 'agent or member',
  summary: 'Retry a failed destination',
  description:
    'Schedules a `failed` destination again, or continues a thread whose rest was refused for good (`partially_published` without `expiresAt`) from the refused part: nothing that is out is sent again or changed. `content` changes it for this channel. Refused while the result of a call is unknown. Changed content of a post that needed approval waits for it again, as a `draft`.',
  problems: [...timedProblems, 'unsafe_retry'],
})

export const requestApproval = operation({
  id: 'requestApproval',
  at: 'POST /agent/v1/posts/{postId}/approval',
  asks: 'agent or member',
  tag: 'Commands',
  summary: 'Ask for the approval of a draft',
  description:
    'A person decides at `approval.reviewUrl`. Once approved, each channel is published at its time, or immediately if it has none.',
  permission: 'posts:write',
  params,
  body: exact({ confirmed: Confirmed, editToken: EditToken }),
  idempotency: 'header',
  answer: { status: 200, schema: Post, description: 'The post, waiting for approval.' },
  problems: ['validation_failed', 'not_found', 'credential_limit', 'stale_edit_token', 'invalid_state'],
  example: { confirmed: true, editToken: ids.controlToken },
})
