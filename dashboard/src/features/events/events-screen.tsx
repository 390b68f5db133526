import type { Event } from '@postrider/contract'
import { Link } from '@tanstack/react-router'
import { Activity } from '../../ui/icons.ts'
import { type ReactNode, useState } from 'react'
import { usePages } from '../../api/use-pages.ts'
import { showTime } from '../../lib/time.ts'
import { useSession } from '../../session.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { Page } from '../../ui/page.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { Empty, Loading, ProblemNotice } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { useChannels } from '../channels/use-channels.ts'
import { curlOf } from '../developers/curl.ts'
import { ReferenceLink } from '../developers/reference-link.tsx'

const PAGE = 30

/** What happened, as webhooks carry it and programs fetch it, the latest first. */
export function EventsScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const { pages, items } = usePages('listEventLog', { params: { workspaceId }, query: {} }, { limit: PAGE })
  return (
    <Page
      title="Events"
      lead="Each change of a post on a channel, as webhooks carry it and programs fetch it."
      actions={<ReferenceLink />}
    >
      {pages.isPending ? <Loading /> : null}
      {pages.isError ? <ProblemNotice error={pages.error} onRetry={() => void pages.refetch()} /> : null}
      {pages.isSuccess && items.length === 0 ? (
        <Empty icon={<Activity aria-hidden />} title="Nothing has happened yet">
          <p>Schedule or publish a post, and its events appear here.</p>
        </Empty>
      ) : null}
      {items.length === 0 ? null : (
        <Rows label="Events">
          {items.map((event) => (
            <EventRow key={event.id} event={event} />
          ))}
        </Rows>
      )}
      {pages.hasNextPage ? (
        <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          Show older events
        </Button>
      ) : null}
    </Page>
  )
}

function EventRow({ event }: { event: Event }) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const { nameOf } = useChannels()
  const [open, setOpen] = useState(false)
  const { id, type, createdAt, data } = event
  const { postId } = data.post
  return (
    <Row
      title={type}
      tags={<StatusBadge status={data.destination.status} />}
      detail={
        <>
          <span>{showTime(createdAt, zone, 'seconds')}</span>
          <span>{nameOf(data.destination.channelId)}</span>
          <code>{id}</code>
        </>
      }
      actions={
        <>
          <Button variant="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
            Details
          </Button>
          <Link
            className={buttonClass()}
            to="/w/$workspaceId/posts/$postId"
            params={{ workspaceId, postId }}
            aria-label={`Post of event ${id}`}
          >
            Post
          </Link>
        </>
      }
    >
      {open ? (
        <>
          <Code label="Event" text={JSON.stringify(event, null, 2)} />
          <Code label="Read its post" text={curlOf({ path: `posts/${postId}` })} />
        </>
      ) : null}
    </Row>
  )
}
