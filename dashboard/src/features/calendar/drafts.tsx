import type { PostSummary } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '../../navigation.tsx'
import { read } from '../../api/queries.ts'
import { useMay, useSession } from '../../session.tsx'
import { Unread } from '../../ui/states.tsx'
import { StatusMark } from '../../ui/status.tsx'
import styles from './calendar.module.css'
import { useDraggable } from './use-drag.ts'
import { words } from './words.ts'

const SHOWN = 30

/** Posts without a time, to be dragged to a day; those that wait for approval get theirs by the decision. */
export function DraftsTray() {
  const { workspaceId } = useSession().workspace
  const query = { status: 'draft', limit: SHOWN } as const
  const drafts = useQuery(read('appListPosts', { params: { workspaceId }, query }))
  if (drafts.isLoadingError) return <Unread of={drafts} />
  const items = (drafts.data?.items ?? []).filter(({ reviewStatus }) => reviewStatus !== 'pending')
  if (items.length === 0) return null
  return (
    <section className={styles.tray} aria-labelledby="drafts">
      <h2 id="drafts">{words.drafts}</h2>
      <ul>
        {items.map((post) => (
          <DraftTile key={post.postId} post={post} />
        ))}
      </ul>
    </section>
  )
}

function DraftTile({ post }: { post: PostSummary }) {
  const mayWrite = useMay('posts:write')
  const { ref, dragging } = useDraggable({ draft: post }, mayWrite)
  const classes = [styles.tile, mayWrite ? styles.movable : '', dragging ? styles.dragging : '']
  return (
    <li>
      <Link
        ref={ref}
        className={classes.filter(Boolean).join(' ')}
        to="/w/$workspaceId/posts/$postId"

        params={{ postId: post.postId }}
        title={post.text}
      >
        <StatusMark status="draft" />
        <span className={styles.text}>{post.text || words.withoutText}</span>
      </Link>
    </li>
  )
}
