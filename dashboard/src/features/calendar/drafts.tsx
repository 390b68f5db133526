import type { Post, PostSummary } from '@postrider/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call } from '../../api/client.ts'
import { read } from '../../api/queries.ts'
import { showTime } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { Loading, ProblemNotice } from '../../ui/states.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { announce } from '../../ui/toast.tsx'
import { useChannels } from '../channels/use-channels.ts'
import styles from './calendar.module.css'
import type { Day } from './grid.ts'
import { TimeDialog } from './time-dialog.tsx'
import { useDraggable } from './use-drag.ts'

const SHOWN = 30

/** Posts without a time, to be dragged to a day; those that wait for approval get theirs by the decision. */
export function DraftsTray() {
  const { workspaceId } = useSession().workspace
  const query = { status: 'draft', limit: SHOWN } as const
  const drafts = useQuery(read('appListPosts', { params: { workspaceId }, query }))
  if (drafts.isError) return <ProblemNotice error={drafts.error} onRetry={() => void drafts.refetch()} />
  const items = (drafts.data?.items ?? []).filter(({ reviewStatus }) => reviewStatus !== 'pending')
  if (items.length === 0) return null
  return (
    <section className={styles.tray} aria-labelledby="drafts">
      <h2 id="drafts">Drafts</h2>
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
        from="/w/$workspaceId"
        params={{ postId: post.postId }}
        title={post.text}
      >
        <StatusMark status="draft" />
        <span className={styles.text}>{post.text || 'Media without text'}</span>
      </Link>
    </li>
  )
}

type ScheduleDialogProps = { draft: PostSummary; on: Day; onClose: () => void }

/** Gives a time to all channels of a post that have none. */
export function ScheduleDialog({ draft: { postId, text }, on, onClose }: ScheduleDialogProps) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const { nameOf } = useChannels()
  const client = useQueryClient()
  const post = useQuery({ ...read('appReadPost', { params: { workspaceId, postId } }), staleTime: 0 })
  const open = post.data === undefined ? [] : schedulable(post.data)
  const schedule = useMutation({
    // One after the other: what is refused leaves those before it scheduled, and the next try goes on with the rest.
    mutationFn: async (publishAt: Date) => {
      for (const { channelId, controlToken } of open) {
        await call(
          'appScheduleDestination',
          {
            params: { workspaceId, postId },
            body: { confirmed: true, channelId, controlToken, publishAt: publishAt.toISOString() },
          },
          { idempotencyKey: crypto.randomUUID() },
        )
      }
    },
    onSettled: () => client.invalidateQueries(),
    onSuccess: (_, publishAt) => {
      announce(`Scheduled for ${showTime(publishAt, zone)}.`)
      onClose()
    },
  })
  return (
    <TimeDialog
      title="Schedule a draft"
      act="Schedule"
      proposed={`${on}T09:00`}
      ready={open.length > 0}
      busy={schedule.isPending}
      error={schedule.error}
      onSave={(publishAt) => schedule.mutate(publishAt)}
      onClose={onClose}
    >
      {post.isPending ? <Loading lines={2} /> : null}
      {post.isError ? <ProblemNotice error={post.error} /> : null}
      <p className={styles.excerpt}>{text}</p>
      {post.data === undefined ? null : <p>{goesOutOn(post.data, nameOf)}</p>}
    </TimeDialog>
  )
}

function schedulable({ destinations }: Post) {
  return destinations.filter(({ allowedActions }) => allowedActions.schedule.allowed)
}

function goesOutOn(post: Post, nameOf: (channelId: string) => string): string {
  const names = schedulable(post).map(({ channelId }) => nameOf(channelId))
  if (names.length > 0) return `It goes out on ${names.join(', ')}.`
  return post.destinations[0]?.allowedActions.schedule.reason ?? 'Nothing of it can be scheduled.'
}
