import { Link } from '../../navigation.tsx'
import type { ReactNode } from 'react'
import { useSession } from '../../session.tsx'
import styles from './attention.module.css'
import { AttentionList } from './attention-list.tsx'
import { useAttention } from './use-attention.ts'
import { words } from './words.ts'

const SHOWN = 5

/** On the first page: the first of what needs somebody, and the way to the rest; `calm` where all is well. */
export function AttentionSummary({ calm }: { calm: ReactNode }) {
  const { workspaceId } = useSession().workspace
  const { query, count } = useAttention(workspaceId)
  if (count === 0) return query.data !== undefined ? calm : null
  return (
    <section className={styles.summary} aria-labelledby="needs-attention">
      <h2 id="needs-attention">
        {words.title} <span className={styles.count}>{count}</span>
      </h2>
      <AttentionList most={SHOWN} />
      {count > SHOWN ? (
        <Link to="/w/$workspaceId/attention" params={{ workspaceId }}>
          {words.seeAll(count)}
        </Link>
      ) : null}
    </section>
  )
}
