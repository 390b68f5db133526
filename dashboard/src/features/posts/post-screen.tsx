import type { Destination, Post } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Ellipsis, ExternalLink } from '../../ui/icons.ts'
import { type ReactNode, useState } from 'react'
import { addressOf, call } from '../../api/client.ts'
import { read } from '../../api/queries.ts'
import { chooseTime } from '../../lib/chosen-time.ts'
import { differs, showTime, viewerZone } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Page } from '../../ui/page.tsx'
import { Loading, Notice, ProblemNotice } from '../../ui/states.tsx'
import { StatusBadge, statusLooks } from '../../ui/status.tsx'
import { curlOf } from '../developers/curl.ts'
import { type CommandName, CommandDialog } from './command-dialog.tsx'
import styles from './posts.module.css'
import { ResolveDialog } from './resolve-dialog.tsx'
import { schedulable, ScheduleDialog } from './schedule-dialog.tsx'
import { Timeline } from './timeline.tsx'

const route = getRouteApi('/w/$workspaceId/posts/$postId')
/** While something is under way, its end is looked for; changes that have events are told sooner. */
const WATCH_MS = 20_000

export function PostScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const { postId } = route.useParams()
  const post = useQuery({
    ...read('appReadPost', { params: { workspaceId, postId } }),
    refetchInterval: ({ state }) => (state.data !== undefined && isMoving(state.data) ? WATCH_MS : false),
  })
  if (post.isPending) return <Loading />
  if (post.isError) return <ProblemNotice error={post.error} onRetry={() => void post.refetch()} />
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
  const edit = post.destinations[0]?.allowedActions.edit
  const isOver = post.destinations.every(({ status }) => status === 'cancelled' || status === 'expired')
  return (
    <Page
      title="Post"
      lead={`Written by ${post.createdBy.name}, ${showTime(post.createdAt, zone)}`}
      actions={
        <>
          {mayWrite && schedulable(post).length > 1 ? (
            <Button onClick={() => setScheduling(true)}>Schedule on all channels</Button>
          ) : null}
          {mayWrite && edit?.allowed === true && !isOver ? (
            <Link
              className={buttonClass()}
              to="/w/$workspaceId/compose"
              params={{ workspaceId }}
              search={{ postId: post.postId }}
            >
              Edit
            </Link>
          ) : null}
        </>
      }
    >
      {post.approval?.status === 'pending' ? (
        <Notice tone="amber">
          <p>
            It waits for approval until {showTime(post.approval.expiresAt, zone)}.{' '}
            <Link to="/w/$workspaceId/approvals" params={{ workspaceId }}>
              Go to the queue
            </Link>
          </p>
        </Notice>
      ) : null}
      {post.destinations.map((destination) => (
        <DestinationCard key={destination.channelId} {...{ post, destination }} />
      ))}
      {scheduling ? (
        <ScheduleDialog
          postId={post.postId}
          text={post.destinations[0]?.parts[0]?.text ?? ''}
          proposed={chooseTime()}
          onClose={() => setScheduling(false)}
        />
      ) : null}
      <details className={styles.developers}>
        <summary>For programs</summary>
        <Code label="Read this post" text={curlOf({ path: `posts/${post.postId}` })} />
      </details>
    </Page>
  )
}

/** What happened to the post; refetched whenever a destination has another status. */
function useTimeline({ postId, destinations, updatedAt }: Post) {
  const { workspaceId } = useSession().workspace
  const state = [updatedAt, ...destinations.map(({ status }) => status)].join(' ')
  return useQuery({
    queryKey: ['readTimeline', postId, state],
    queryFn: ({ signal }) => call('readTimeline', { params: { workspaceId, postId } }, { signal }),
    placeholderData: (previous) => previous,
  })
}

function History({ post, destination }: { post: Post; destination: Destination }) {
  const timeline = useTimeline(post)
  const { channelId, displayName } = destination
  return (
    <div className={styles.history}>
      <h3>What happened</h3>
      {timeline.isPending ? <Loading lines={3} /> : null}
      {timeline.isError ? (
        <ProblemNotice error={timeline.error} onRetry={() => void timeline.refetch()} />
      ) : null}
      <Timeline
        label={`What happened on ${displayName}`}
        entries={(timeline.data ?? []).filter(
          (entry) => entry.channelId === null || entry.channelId === channelId,
        )}
      />
    </div>
  )
}

const commandLabels: Record<CommandName, string> = {
  schedule: 'Schedule',
  reschedule: 'Change time',
  retry: 'Retry',
  cancel: 'Cancel',
}

function DestinationCard({ post, destination }: { post: Post; destination: Destination }) {
  const [open, setOpen] = useState<CommandName | 'resolve' | null>(null)
  const [mayWrite, mayResolve] = [useMay('posts:write'), useMay('posts:resolve')]
  const { status, error, releaseUrl, allowedActions } = destination
  const close = () => setOpen(null)
  const names = Object.keys(commandLabels) as CommandName[]
  const commands = names.filter((name) => allowedActions[name].allowed)
  const blocked = names.filter((name) => !allowedActions[name].allowed)
  return (
    <section className={styles.card} aria-label={destination.displayName}>
      <div className={styles.cardHead}>
        <h2>{destination.displayName}</h2>
        <StatusBadge status={status} />
        {mayWrite && blocked.length > 0 ? (
          <Menu
            label={`What is not possible now on ${destination.displayName}`}
            trigger={<Ellipsis aria-hidden />}
            items={blocked.map((name) => ({
              label: commandLabels[name],
              blocked: allowedActions[name].reason,
              onSelect: () => undefined,
            }))}
          />
        ) : null}
      </div>
      <div className={styles.halves}>
        <div className={styles.half}>
          <p>{statusLooks[status].explain}</p>
          {error === null ? null : (
            <Notice tone={status === 'failed' || status === 'reconnect_required' ? 'red' : 'amber'}>
              <p>{error.message}</p>
            </Notice>
          )}
          {destination.parts.map((part) => (
            <div key={part.index}>
              <p className={styles.part}>{part.text}</p>
              <Pictures post={post} mediaIds={part.mediaIds} />
            </div>
          ))}
          <Facts destination={destination} />
          <div className={styles.actions}>
            {releaseUrl === null ? null : (
              <a className={buttonClass()} href={releaseUrl} target="_blank" rel="noreferrer">
                <ExternalLink aria-hidden />
                Open on the network
              </a>
            )}
            {mayWrite
              ? commands.map((name) => (
                  <Button
                    key={name}
                    variant={name === 'cancel' ? 'quiet' : 'default'}
                    onClick={() => setOpen(name)}
                  >
                    {commandLabels[name]}
                  </Button>
                ))
              : null}
            {mayResolve && status === 'checking' ? (
              <Button variant="primary" onClick={() => setOpen('resolve')}>
                Settle what happened
              </Button>
            ) : null}
          </div>
        </div>
        <History {...{ post, destination }} />
      </div>
      {open === null || open === 'resolve' ? null : (
        <CommandDialog command={open} {...{ post, destination }} onClose={close} />
      )}
      {open === 'resolve' ? <ResolveDialog {...{ post, destination }} onClose={close} /> : null}
    </section>
  )
}

function Facts({ destination }: { destination: Destination }) {
  const facts: [string, string | null][] = [
    ['Goes out', destination.publishedAt === null ? destination.publishAt : null],
    ['Published', destination.publishedAt],
    ['Looked at again', destination.checkAgainAt],
    ['Given up after', destination.publishedAt === null ? destination.expiresAt : null],
  ]
  return (
    <dl className={styles.facts}>
      {facts.map(([label, at]) =>
        at === null ? null : (
          <div key={label} style={{ display: 'contents' }}>
            <dt>{label}</dt>
            <dd>
              <When at={at} />
            </dd>
          </div>
        ),
      )}
    </dl>
  )
}

/** A time in the workspace's zone and, where the reader's clock shows another, in theirs. */
function When({ at }: { at: string }) {
  const { timeZone: zone } = useSession().workspace
  const own = viewerZone()
  return (
    <time dateTime={at}>
      {showTime(at, zone)} ({zone}){differs(at, zone, own) ? `, ${showTime(at, own)} for you` : ''}
    </time>
  )
}

function Pictures({ post, mediaIds }: { post: Post; mediaIds: readonly string[] }) {
  const { workspaceId } = useSession().workspace
  const shown = mediaIds.flatMap((id) => post.media.filter(({ mediaId }) => mediaId === id))
  if (shown.length === 0) return null
  return (
    <div className={styles.media}>
      {shown.map(({ mediaId, kind, altText }) =>
        kind === 'image' ? (
          <img
            key={mediaId}
            src={addressOf('appReadMediaContent', {
              params: { workspaceId, mediaId },
              query: { width: 320 },
            })}
            alt={altText ?? ''}
            loading="lazy"
          />
        ) : (
          <span key={mediaId}>{kind}</span>
        ),
      )}
    </div>
  )
}
