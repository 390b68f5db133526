import type { AnyEvent } from '@postrider/contract'
import { allEventTypeNames } from '@postrider/contract/names'
import { Link } from '../../navigation.tsx'
import { Activity } from '../../ui/icons.ts'
import { type ReactNode, useState } from 'react'
import { usePages } from '../../api/use-pages.ts'
import { saveFile } from '../../lib/save-file.ts'
import { showTime } from '../../lib/time.ts'
import { useSession } from '../../session.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Code } from '../../ui/code.tsx'
import { Page } from '../../ui/page.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { Empty, Unread } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { useChannels } from '../channels/use-channels.ts'
import { curlOf } from '../developers/curl.ts'
import styles from '../settings/settings.module.css'
import { ReferenceLink } from '../developers/reference-link.tsx'
import { words } from './words.ts'

const PAGE = 50

/** What happened, as webhooks carry it and programs fetch it, the latest first. */
export function EventsScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const { channels } = useChannels()
  const [type, setType] = useState<AnyEvent['type'] | undefined>()
  const [channelId, setChannelId] = useState<string | undefined>()
  const { pages, items } = usePages(
    'listEventLog',
    {
      params: { workspaceId },
      query: { ...(type === undefined ? {} : { type }), ...(channelId === undefined ? {} : { channelId }) },
    },
    { limit: PAGE },
  )
  const isFiltered = type !== undefined || channelId !== undefined
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <>
          {items.length === 0 ? null : (
            <Button
              onClick={() => saveFile('events.json', 'application/json', JSON.stringify(items, null, 2))}
            >
              {words.export}
            </Button>
          )}
          <ReferenceLink />
        </>
      }
    >
      {items.length === 0 && !isFiltered ? null : (
        <div className={styles.filters}>
          <Choice
            label={words.event}
            all={words.allEvents}
            options={allEventTypeNames.map((one) => [one, one])}
            value={type}
            onChange={(one) => setType(one as typeof type)}
          />
          <Choice
            label={words.channel}
            all={words.allChannels}
            options={channels.map((channel) => [channel.channelId, channel.displayName])}
            value={channelId}
            onChange={setChannelId}
          />
        </div>
      )}
      <Unread of={pages} />
      {pages.data !== undefined && items.length === 0 && !isFiltered ? (
        <Empty icon={<Activity aria-hidden />} title={words.none}>
          <p>{words.noneHint}</p>
        </Empty>
      ) : null}
      {pages.data !== undefined && items.length === 0 && isFiltered ? <p>{words.noneFiltered}</p> : null}
      {items.length === 0 ? null : (
        <Rows label={words.title}>
          {items.map((event) => (
            <EventRow key={event.id} event={event} />
          ))}
        </Rows>
      )}
      {pages.hasNextPage ? (
        <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          {words.older}
        </Button>
      ) : null}
    </Page>
  )
}

function channelsOf({ data }: AnyEvent): readonly string[] {
  return 'destination' in data ? [data.destination.channelId] : data.channelIds
}

function EventRow({ event }: { event: AnyEvent }) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const { nameOf } = useChannels()
  const [open, setOpen] = useState(false)
  const { id, type, createdAt, data } = event
  const { postId } = data.post
  return (
    <Row
      title={type}
      tags={'destination' in data ? <StatusBadge status={data.destination.status} /> : null}
      detail={
        <>
          <span>{showTime(createdAt, zone, 'seconds')}</span>
          <span>{channelsOf(event).map(nameOf).join(', ')}</span>
          {'by' in data ? <span>{data.by.name}</span> : null}
          <code>{id}</code>
        </>
      }
      actions={
        <>
          <Button variant="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
            {words.details}
          </Button>
          <Link
            className={buttonClass()}
            to="/w/$workspaceId/posts/$postId"
            params={{ workspaceId, postId }}
            aria-label={words.postOf(id)}
          >
            {words.post}
          </Link>
        </>
      }
    >
      {open ? (
        <>
          <Code label={words.event} text={JSON.stringify(event, null, 2)} />
          <Code label={words.readPost} text={curlOf({ path: `posts/${postId}` })} />
        </>
      ) : null}
    </Row>
  )
}
