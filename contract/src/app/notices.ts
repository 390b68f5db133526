import Type, { type Static } from 'typebox'
import { noticeKindNames } from '../notice-kinds.ts'
import { operation } from '../operation.ts'
import { exact } from '../schemas.ts'
import { InWorkspace } from './app-schemas.ts'

export const NoticeSettings = exact(
  {
    hasMail: Type.Boolean({ description: 'Whether the server sends email.' }),
    kinds: Type.Array(
      exact({
        kind: Type.Enum(noticeKindNames),
        mail: Type.Boolean({ description: 'Whether you get an email.' }),
      }),
      { description: 'What your role can be notified of.' },
    ),
  },
  { $id: 'NoticeSettings', description: 'What a member is notified of by email.' },
)
export type NoticeSettings = Static<typeof NoticeSettings>

const own = { tag: 'Person', permission: 'workspace:read', asks: 'member', params: InWorkspace } as const

export const readMyNotices = operation({
  ...own,
  id: 'readMyNotices',
  at: 'GET /app/api/workspaces/{workspaceId}/notices',
  summary: 'Read your email notifications',
  description: 'In this workspace, about what needs attention (`readAttention`).',
  answer: { status: 200, schema: NoticeSettings, description: 'Your email notifications.' },
  problems: [],
})

export const changeMyNotices = operation({
  ...own,
  id: 'changeMyNotices',
  at: 'POST /app/api/workspaces/{workspaceId}/notices',
  summary: 'Change your email notifications',
  description: 'One kind, in this workspace. Others stay as they are.',
  body: exact({ kind: Type.Enum(noticeKindNames), mail: Type.Boolean() }),
  idempotency: 'none',
  answer: { status: 200, schema: NoticeSettings, description: 'Your email notifications as they are now.' },
  problems: ['missing_permission'],
  example: { kind: 'posts_failed', mail: true },
})
