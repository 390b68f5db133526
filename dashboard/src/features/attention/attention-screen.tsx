import type { ReactNode } from 'react'
import { useSession } from '../../session.tsx'
import { CircleCheckBig } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Loading, ProblemNotice } from '../../ui/states.tsx'
import { AttentionList } from './attention-list.tsx'
import { useAttention } from './use-attention.ts'

export function AttentionScreen(): ReactNode {
  const { query, count } = useAttention(useSession().workspace.workspaceId)
  return (
    <Page title="Needs attention" lead="What will not get well by itself, and what you can do about it.">
      {query.isPending ? <Loading /> : null}
      {query.isError ? <ProblemNotice error={query.error} onRetry={() => void query.refetch()} /> : null}
      {query.isSuccess && count === 0 ? (
        <Empty icon={<CircleCheckBig aria-hidden />} title="Nothing needs you">
          <p>Posts that failed, channels without access and failing webhooks appear here.</p>
        </Empty>
      ) : null}
      {count > 0 ? <AttentionList /> : null}
    </Page>
  )
}
