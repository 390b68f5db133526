import type { ReactNode } from 'react'
import { useSession } from '../../session.tsx'
import { CircleCheckBig } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Unread } from '../../ui/states.tsx'
import { AttentionList } from './attention-list.tsx'
import { useAttention } from './use-attention.ts'
import { words } from './words.ts'

export function AttentionScreen(): ReactNode {
  const { query, count } = useAttention(useSession().workspace.workspaceId)
  return (
    <Page title={words.title} lead={words.lead}>
      <Unread of={query} />
      {query.data !== undefined && count === 0 ? (
        <Empty icon={<CircleCheckBig aria-hidden />} title={words.none}>
          <p>{words.noneHint}</p>
        </Empty>
      ) : null}
      {count > 0 ? <AttentionList /> : null}
    </Page>
  )
}
