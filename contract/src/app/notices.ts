import Type, { type Static } from 'typebox'
import { noticeKindNames } from '../notice-kinds.ts'
import { operation } from '../operation.ts'
import { exact } from '../schemas.ts'
import { InWorkspace } from './app-schemas.ts'

export const NoticeSettings = exact(
  {
    hasMail: Type.Boolean({ description: 'Whether the server sends mail at all.' }),
    kinds: Type.Array(
      exact({
        kind: Type.Enum(noticeKindNames),
        mail: Type.Boolean({ description: 'Whether it is mailed to you.' }),
      }),
      { description: 'What your role may be told of.' },
    ),
  },
  { $id: 'NoticeSettings', description: 'Of what that needs attention a member is told by mail.' },
)
export type NoticeSettings = Static<typeof NoticeSettings>

const own = { tag: 'Person', permission: 'workspace:read', asks: 'member', params: InWorkspace } as const

export const readMyNotices = operation({
  ...own,
  id: 'readMyNotices',
  at: 'GET /app/api/workspaces/{workspaceId}/notices',
  summary: 'Read what you are mailed about',
  description: 'In this workspace, by what needs attention there (`readAttention`).',
  answer: { status: 200, schema: NoticeSettings, description: 'What you are mailed about.' },
  problems: [],
})

export const changeMyNotices = operation({
  ...own,
  id: 'changeMyNotices',
  at: 'POST /app/api/workspaces/{workspaceId}/notices',
  summary: 'Change what you are mailed about',
  description: 'One kind, in this workspace. Others stay as they are.',
  body: exact({ kind: Type.Enum(noticeKindNames), mail: Type.Boolean() }),
  idempotency: 'none',
  answer: { status: 200, schema: NoticeSettings, description: 'What you are mailed about from now on.' },
  problems: ['missing_permission'],
  example: { kind: 'posts_failed', mail: true },
})
