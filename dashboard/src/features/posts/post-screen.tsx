import type { Post } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '../../navigation.tsx'
import { type ReactNode, useState } from 'react'
import { read } from '../../api/queries.ts'
import { chooseTime } from '../../lib/chosen-time.ts'
import { showTime } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { Page } from '../../ui/page.tsx'
import { Notice, Unread } from '../../ui/states.tsx'
import { curlOf } from '../developers/curl.ts'
import { PostLabels } from '../labels/post-labels.tsx'
import { DestinationCard } from './destination-card.tsx'
import styles from './posts.module.css'
import { schedulable, ScheduleDialog } from './schedule-dialog.tsx'
import { titleOf } from './standing.ts'
import { useDuplicate } from './use-duplicate.ts'
import { words } from './words.ts'

const HERE = '/w/$workspaceId/posts/$postId'
/** While something is under way, its end is looked for; changes that have events are told sooner. */
const WATCH_MS = 20_000

export function PostScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const { postId } = useParams(HERE)
  const post = useQuery({
    ...read('appReadPost', { params: { workspaceId, postId } }),
    refetchInterval: ({ state }) => (state.data !== undefined && isMoving(state.data) ? WATCH_MS : false),
  })
  if (post.data === undefined)
    return (
      <Page title={words.post}>
        <Unread of={post} />
      </Page>
    )
  return <PostView post={post.data} />
}

function isMoving({ destinations }: Post): boolean {
  return destinations.some(({ status }) =>
    ['scheduled', 'publishing', 'delayed', 'checking'].includes(status),
  )
}

function PostView({ post }: { post: Post }) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const mayWrite = useMay('posts:write')
  const [scheduling, setScheduling] = useState(false)
  const { duplicate } = useDuplicate(post)
  const edit = post.destinations[0]?.allowedActions.edit
  const isOver = post.destinations.every(({ status }) => status === 'cancelled' || status === 'expired')
  return (
    <Page
      title={titleOf(post)}
      lead={words.writtenBy(post.createdBy.name, showTime(post.createdAt, zone))}
      actions={
        <>
          {mayWrite ? <Button onClick={() => duplicate()}>{words.duplicate}</Button> : null}
          {mayWrite ? (
            <Link
              className={buttonClass()}
              to="/w/$workspaceId/templates/$templateId"
              params={{ workspaceId, templateId: 'new' }}
              search={{ postId: post.postId }}
            >
              {words.saveAsTemplate}
            </Link>
          ) : null}
          {mayWrite && schedulable(post).length > 1 ? (
            <Button onClick={() => setScheduling(true)}>{words.scheduleAll}</Button>
          ) : null}
          {mayWrite && edit?.allowed === true && !isOver ? (
            <Link
              className={buttonClass()}
              to="/w/$workspaceId/compose"
              params={{ workspaceId }}
              search={{ postId: post.postId }}
            >
              {words.edit}
            </Link>
          ) : null}
        </>
      }
    >
      {post.approval?.status === 'pending' ? (
        <div className={styles.waits}>
          <Notice tone="amber">
            <p>
              {words.waitsUntil(showTime(post.approval.expiresAt, zone))}{' '}
              <Link
                to="/w/$workspaceId/approvals"
                params={{ workspaceId }}
                search={{ request: post.approval.reviewUrl.split('/').at(-1) }}
              >
                {words.review}
              </Link>
            </p>
          </Notice>
        </div>
      ) : null}
      {post.seriesId === null ? null : (
        <p>
          <Link to="/w/$workspaceId/series/$seriesId" params={{ workspaceId, seriesId: post.seriesId }}>
            {words.ofSeries}
          </Link>
        </p>
      )}
      {post.destinations.map((destination) => (
        <DestinationCard key={destination.channelId} {...{ post, destination }} />
      ))}
      <PostLabels post={post} />
      {scheduling ? (
        <ScheduleDialog
          postId={post.postId}
          text={post.destinations[0]?.parts[0]?.text ?? ''}
          proposed={chooseTime()}
          onClose={() => setScheduling(false)}
        />
      ) : null}
      <details className={styles.developers}>
        <summary>{words.api}</summary>
        <Code label={words.readPost} text={curlOf({ path: `posts/${post.postId}` })} />
      </details>
    </Page>
  )
}
