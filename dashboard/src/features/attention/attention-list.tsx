import type { app } from '@postrider/contract'
import { Link } from '../../navigation.tsx'
import { showMoment, showRelative } from '../../lib/time.ts'
import { useSession } from '../../session.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Copy, Plug, Repeat, Webhook } from '../../ui/icons.ts'
import { Row, Rows } from '../../ui/rows.tsx'
import { StatusBadge, StatusMark, Tag } from '../../ui/status.tsx'
import { announce } from '../../ui/toast.tsx'
import { sentence } from '../../terms/problem-words.ts'
import { networkName } from '../channels/network-name.ts'
import { leaveAlone } from './left-alone.ts'
import { keyOfPost, keyOfSecond, useAttention } from './use-attention.ts'
import { words } from './words.ts'

/** What needs somebody, each with the way to its remedy; `most` of them. */
export function AttentionList({ most = Number.POSITIVE_INFINITY }: { most?: number }) {
  const { workspaceId } = useSession().workspace
  const { posts, secondPosts, channels, series, endpoints } = useAttention(workspaceId)
  const rows = [
    ...secondPosts.map((post) => <SecondPostRow key={keyOfSecond(post)} post={post} />),
    ...channels.map((channel) => <ChannelRow key={channel.channelId} channel={channel} />),
    ...posts.map((post) => <PostRow key={keyOfPost(post)} post={post} />),
    ...series.map((one) => <SeriesRow key={one.seriesId} series={one} />),
    ...endpoints.map((endpoint) => <EndpointRow key={endpoint.endpointId} endpoint={endpoint} />),
  ]
  return <Rows label={words.title}>{rows.slice(0, most)}</Rows>
}

const acts: Partial<Record<app.Attention['posts'][number]['status'], string>> = {
  failed: words.editAndRetry,
  partially_published: words.seeMissing,
  checking: words.seeWhy,
}

function PostRow({ post }: { post: app.Attention['posts'][number] }) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const { postId, channel, status, since, text, reason } = post
  const key = keyOfPost(post)
  const title = text === '' ? words.withoutText : text
  return (
    <Row
      icon={<StatusMark status={status} />}
      title={<span dir="auto">{title}</span>}
      tags={<StatusBadge status={status} />}
      detail={
        <>
          <span>{channel}</span>
          <span>{showRelative(since, zone)}</span>
        </>
      }
      actions={
        <>
          {status === 'checking' ? null : <Dismiss of={key} title={title} />}
          <Link className={buttonClass()} to="/w/$workspaceId/posts/$postId" params={{ workspaceId, postId }}>
            {acts[status] ?? words.open}
          </Link>
        </>
      }
    >
      {reason === null ? null : <p>{sentence(reason)}</p>}
    </Row>
  )
}

function Dismiss({ of, title }: { of: string; title: string }) {
  return (
    <Button
      variant="quiet"
      aria-label={words.dismissLabel(title.slice(0, 40))}
      onClick={() => {
        leaveAlone(of, true)
        announce(words.dismissed, { label: words.undo, run: () => leaveAlone(of, false) })
      }}
    >
      {words.dismiss}
    </Button>
  )
}

function SecondPostRow({ post }: { post: app.Attention['secondPosts'][number] }) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const { postId, channel, since, text, remoteId, releaseUrl } = post
  const title = text === '' ? words.withoutText : text
  return (
    <Row
      icon={<Copy aria-hidden />}
      title={<span dir="auto">{title}</span>}
      tags={<Tag tone="red">{words.liveTwice}</Tag>}
      detail={
        <>
          <span>{channel}</span>
          <span>{showRelative(since, zone)}</span>
        </>
      }
      actions={
        <>
          <Dismiss of={keyOfSecond(post)} title={title} />
          <Link className={buttonClass()} to="/w/$workspaceId/posts/$postId" params={{ workspaceId, postId }}>
            {words.open}
          </Link>
          {releaseUrl === null ? null : (
            <a className={buttonClass()} href={releaseUrl} target="_blank" rel="noreferrer">
              {words.openSecond}
            </a>
          )}
        </>
      }
    >
      <p>{words.liveTwiceHint}</p>
      <p>{words.secondId(remoteId)}</p>
    </Row>
  )
}

function ChannelRow({ channel }: { channel: app.Attention['channels'][number] }) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const { displayName, provider, problem, accessEndsAt, apiVersion, waiting } = channel
  if (problem === 'version_ending' && apiVersion !== null)
    return (
      <Row
        icon={<Plug aria-hidden />}
        title={displayName}
        tags={<Tag tone="amber">{words.versionEndsSoon}</Tag>}
        detail={
          <span>
            {words.versionEnds(networkName(provider), apiVersion.name, showMoment(apiVersion.endsAt, zone))}
          </span>
        }
        actions={null}
      />
    )
  const isEnding = problem === 'access_ending'
  const waits = words.waiting(waiting)
  return (
    <Row
      icon={<Plug aria-hidden />}
      title={displayName}
      tags={<Tag tone={isEnding ? 'amber' : 'red'}>{isEnding ? words.endsSoon : words.reconnectNeeded}</Tag>}
      detail={
        <span>
          {isEnding && accessEndsAt !== null
            ? words.endsAt(showMoment(accessEndsAt, zone))
            : words.noAccess(waiting === 0 ? '' : waits)}
        </span>
      }
      actions={
        <Link className={buttonClass()} to="/w/$workspaceId/channels" params={{ workspaceId }}>
          {words.reconnect}
        </Link>
      }
    />
  )
}

function SeriesRow({ series }: { series: app.Attention['series'][number] }) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const { seriesId, text, problem, nextAt, reason } = series
  const isPaused = problem === 'paused'
  return (
    <Row
      icon={<Repeat aria-hidden />}
      title={<span dir="auto">{text === '' ? words.withoutText : text}</span>}
      tags={
        <Tag tone={isPaused ? 'red' : 'amber'}>{isPaused ? words.seriesPaused : words.seriesWaiting}</Tag>
      }
      detail={nextAt === null ? null : <span>{showMoment(nextAt, zone)}</span>}
      actions={
        <Link
          className={buttonClass()}
          to="/w/$workspaceId/series/$seriesId"
          params={{ workspaceId, seriesId }}
        >
          {words.open}
        </Link>
      }
    >
      {reason === null ? null : <p>{sentence(reason)}</p>}
    </Row>
  )
}

function EndpointRow({ endpoint }: { endpoint: app.Attention['endpoints'][number] }) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const { endpointId, url, problem, since } = endpoint
  return (
    <Row
      icon={<Webhook aria-hidden />}
      title={url}
      tags={<Tag tone="red">{problem === 'disabled' ? words.disabled : words.failing}</Tag>}
      detail={<span>{words.since(showRelative(since, zone))}</span>}
      actions={
        <Link
          className={buttonClass()}
          to="/w/$workspaceId/webhooks/$endpointId"
          params={{ workspaceId, endpointId }}
        >
          {words.seeDeliveries}
        </Link>
      }
    />
  )
}
