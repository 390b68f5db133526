import type { PostFilter, PostSummary } from '@postrider/contract'
import { getRouteApi, Link } from '@tanstack/react-router'
import { FileText } from '../../ui/icons.ts'
import { type ReactNode, useEffect, useState } from 'react'
import { usePages } from '../../api/use-pages.ts'
import { showTime } from '../../lib/time.ts'
import { useSession } from '../../session.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loading, ProblemNotice } from '../../ui/states.tsx'
import { StatusBadge, statusLooks, Tag } from '../../ui/status.tsx'
import { useChannels } from '../channels/use-channels.ts'
import styles from './posts.module.css'

const route = getRouteApi('/w/$workspaceId/posts')
const TYPING_MS = 250
const PAGE = 30

export function PostsScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { q, status } = search
  const query = {
    ...(q === undefined ? {} : { q }),
    ...(status === undefined ? {} : { status: status as PostFilter }),
  }
  const { pages: posts, items } = usePages(
    'appListPosts',
    { params: { workspaceId }, query },
    { limit: PAGE },
  )

  return (
    <Page title="Posts">
      <div className={styles.filters}>
        <SearchBox
          value={search.q ?? ''}
          onChange={(q) => void navigate({ search: (now) => ({ ...now, q: q || undefined }), replace: true })}
        />
        <select
          aria-label="Status"
          value={search.status ?? 'all'}
          onChange={(event) => void navigate({ search: (now) => ({ ...now, status: event.target.value }) })}
        >
          <option value="all">Every status</option>
          {Object.entries(statusLooks).map(([status, { label }]) => (
            <option key={status} value={status}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {posts.isPending ? <Loading /> : null}
      {posts.isError ? <ProblemNotice error={posts.error} onRetry={() => void posts.refetch()} /> : null}
      {posts.isSuccess && items.length === 0 ? (
        <NoPosts filtered={search.q !== undefined || search.status !== undefined} />
      ) : null}
      <ul className={styles.list}>
        {items.map((post) => (
          <PostRow key={post.postId} post={post} />
        ))}
      </ul>
      {posts.hasNextPage ? (
        <div className={styles.more}>
          <Button busy={posts.isFetchingNextPage} onClick={() => void posts.fetchNextPage()}>
            Show older posts
          </Button>
        </div>
      ) : null}
    </Page>
  )
}

/** What is typed is looked for when the typing pauses. */
function SearchBox({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [typed, setTyped] = useState(value)
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => onChange(typed), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed, value, onChange])
  return (
    <input
      type="search"
      aria-label="Search posts"
      placeholder="Search in the text of posts"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  )
}

function NoPosts({ filtered }: { filtered: boolean }) {
  const { workspaceId } = useSession().workspace
  if (filtered)
    return (
      <Empty icon={<FileText aria-hidden />} title="No post matches">
        <p>Change the search or the status.</p>
      </Empty>
    )
  return (
    <Empty icon={<FileText aria-hidden />} title="No posts yet">
      <p>What you and your agents write appears here, with what became of it on every channel.</p>
      <Link className={buttonClass('primary')} to="/w/$workspaceId/compose" params={{ workspaceId }}>
        Write the first post
      </Link>
    </Empty>
  )
}

const reviewTags = {
  not_required: null,
  approved: null,
  pending: 'Waits for approval',
  rejected: 'Rejected',
} as const

function PostRow({ post }: { post: PostSummary }) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const { nameOf } = useChannels()
  const review = reviewTags[post.reviewStatus]
  return (
    <li>
      <Link
        className={styles.row}
        to="/w/$workspaceId/posts/$postId"
        params={{ workspaceId, postId: post.postId }}
      >
        <span className={styles.text}>{post.text || 'Media without text'}</span>
        <span className={styles.when}>
          {post.publishAt === null ? 'No time' : showTime(post.publishAt, zone)}
        </span>
        <span className={styles.meta}>
          {post.destinations.map(({ channelId, status }) => (
            <span key={channelId}>
              {nameOf(channelId)} <StatusBadge status={status} />
            </span>
          ))}
          {review === null ? null : <Tag tone="amber">{review}</Tag>}
        </span>
      </Link>
    </li>
  )
}
