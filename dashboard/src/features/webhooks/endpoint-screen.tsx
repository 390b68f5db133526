import type { app } from '@postrider/contract'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '../../navigation.tsx'
import { ArrowLeft, Ellipsis, Inbox } from '../../ui/icons.ts'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { read, useWrite } from '../../api/queries.ts'
import { saveFile } from '../../lib/save-file.ts'
import { showTime } from '../../lib/time.ts'
import { useSession } from '../../session.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Check } from '../../ui/field.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Page } from '../../ui/page.tsx'
import { ListedRows, Row } from '../../ui/rows.tsx'
import { Empty, Unread } from '../../ui/states.tsx'
import { Tag, type Tone } from '../../ui/status.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import { sentence } from '../../terms/problem-words.ts'
import { DeleteEndpoint, EditEndpoint } from './change-endpoint.tsx'
import { SigningSecret } from './signing-secret.tsx'
import { EndpointState } from './webhooks-screen.tsx'
import styles from './webhooks.module.css'
import { words } from './words.ts'

const HERE = '/w/$workspaceId/webhooks/$endpointId'
/** While a delivery is under way, its end is looked for. */
const WATCH_MS = 1_500

export function EndpointScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const { endpointId } = useParams(HERE)
  const endpoints = useQuery(read('listEndpoints', { params: { workspaceId } }))
  if (endpoints.data === undefined)
    return (
      <Page title={words.endpoint}>
        <Unread of={endpoints} />
      </Page>
    )
  const endpoint = endpoints.data.find((one) => one.endpointId === endpointId)
  if (endpoint === undefined)
    return (
      <Page title={words.endpoint}>
        <Empty title={words.notFound}>
          <Link className={buttonClass()} to="/w/$workspaceId/webhooks" params={{ workspaceId }}>
            {words.allEndpoints}
          </Link>
        </Empty>
      </Page>
    )
  return <EndpointView endpoint={endpoint} />
}

function EndpointView({ endpoint }: { endpoint: app.EndpointView }) {
  const { workspaceId } = useSession().workspace
  const { endpointId, url, description, status } = endpoint
  const params = { workspaceId, endpointId }
  const test = useWrite('testEndpoint')
  const toggle = useWrite(status === 'active' ? 'disableEndpoint' : 'enableEndpoint')
  const rotate = useWrite('rotateEndpointSecret')
  const replay = useWrite('replayDeliveries')
  const update = useWrite('updateEndpoint')
  const [asking, setAsking] = useState<'edit' | 'rotate' | 'replay' | 'delete' | null>(null)
  return (
    <Page
      title={description || new URL(url).host}
      lead={
        <>
          <code>{url}</code> <EndpointState endpoint={endpoint} />
        </>
      }
      actions={
        <>
          <Link className={buttonClass('quiet')} to="/w/$workspaceId/webhooks" params={{ workspaceId }}>
            <ArrowLeft aria-hidden />
            {words.allEndpoints}
          </Link>
          <Menu
            label={words.more}
            trigger={<Ellipsis aria-hidden />}
            items={[
              { label: words.edit, onSelect: () => setAsking('edit') },
              { label: words.rotate, onSelect: () => setAsking('rotate') },
              { label: words.replay, onSelect: () => setAsking('replay') },
              {
                label: status === 'active' ? words.disable : words.enable,
                onSelect: () => toggle.mutate({ params }),
              },
              { label: words.delete, danger: true, onSelect: () => setAsking('delete') },
            ]}
          />
          <Button
            variant="primary"
            busy={test.isPending}
            onClick={() =>
              test.mutate({ params, body: {} }, { onSuccess: ({ type }) => announce(words.testSent(type)) })
            }
          >
            {words.sendTest}
          </Button>
        </>
      }
    >
      <WriteProblem error={test.error ?? toggle.error ?? update.error} />
      <div className={styles.settings}>
        <Check
          label={words.replayAuto}
          hint={words.replayAutoHint}
          checked={(update.isPending ? update.variables.body.autoReplay : undefined) ?? endpoint.autoReplay}
          disabled={update.isPending}
          onChange={(autoReplay) => update.mutate({ params, body: { autoReplay } })}
        />
      </div>
      <Deliveries endpointId={endpointId} />
      {asking === 'edit' ? <EditEndpoint endpoint={endpoint} onClose={() => setAsking(null)} /> : null}
      {asking === 'delete' ? <DeleteEndpoint endpoint={endpoint} onClose={() => setAsking(null)} /> : null}
      {asking === 'rotate' && rotate.data === undefined ? (
        <ConfirmDialog
          title={words.rotateTitle}
          act={words.rotateAct}
          busy={rotate.isPending}
          error={rotate.error}
          onConfirm={() => rotate.mutate({ params, body: { atOnce: false } })}
          onClose={() => setAsking(null)}
        >
          {words.rotateHint}
        </ConfirmDialog>
      ) : null}
      {asking === 'rotate' && rotate.data !== undefined ? (
        <SigningSecret
          secret={rotate.data.secret}
          onClose={() => {
            rotate.reset()
            setAsking(null)
          }}
        />
      ) : null}
      {asking === 'replay' ? (
        <ConfirmDialog
          title={words.replayTitle}
          act={words.sendAgain}
          busy={replay.isPending}
          error={replay.error}
          onConfirm={() =>
            replay.mutate(
              {
                params,
                body: { since: new Date(Date.now() - 3 * 86_400_000).toISOString(), onlyFailed: true },
              },
              {
                onSuccess: ({ count }) => {
                  announce(words.pendingAgain(count))
                  setAsking(null)
                },
              },
            )
          }
          onClose={() => setAsking(null)}
        >
          {words.sameEvent}
        </ConfirmDialog>
      ) : null}
    </Page>
  )
}

/** As many as are read at once. */
const PAGE = 50

function Deliveries({ endpointId }: { endpointId: string }) {
  const { workspaceId } = useSession().workspace
  const [status, setStatus] = useState<app.DeliveryView['status'] | undefined>()
  const input = { params: { workspaceId, endpointId } }
  const filter = { limit: PAGE, ...(status === undefined ? {} : { status }) }
  const deliveries = useInfiniteQuery({
    queryKey: ['listDeliveries', input, filter],
    queryFn: ({ pageParam: before, signal }) =>
      call(
        'listDeliveries',
        { ...input, query: before === null ? filter : { ...filter, before } },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => (last.length < PAGE ? null : (last.at(-1)?.eventId ?? null)),
    placeholderData: (previous) => previous,
    refetchInterval: ({ state }) =>
      state.data?.pages.flat().some((one) => one.status === 'pending' || one.status === 'sending') === true
        ? WATCH_MS
        : false,
  })
  const shown = deliveries.data?.pages.flat() ?? []
  return (
    <>
      <div className={styles.filters}>
        <Choice
          label={words.status}
          all={words.allStatuses}
          options={Object.entries(statusWords)}
          value={status}
          onChange={(one) => setStatus(one as typeof status)}
        />
        {shown.length === 0 ? null : (
          <Button
            onClick={() => saveFile('deliveries.json', 'application/json', JSON.stringify(shown, null, 2))}
          >
            {words.export}
          </Button>
        )}
      </div>
      <ListedRows
        label={words.deliveries}
        list={{ ...deliveries, data: deliveries.data === undefined ? undefined : shown }}
        empty={
          status === undefined ? (
            <Empty icon={<Inbox aria-hidden />} title={words.noDeliveries}>
              <p>{words.noDeliveriesHint}</p>
            </Empty>
          ) : (
            <p>{words.noneWithStatus}</p>
          )
        }
      >
        {(delivery) => <DeliveryRow key={delivery.eventId} {...{ endpointId, delivery }} />}
      </ListedRows>
      {deliveries.hasNextPage ? (
        <Button busy={deliveries.isFetchingNextPage} onClick={() => void deliveries.fetchNextPage()}>
          {words.older}
        </Button>
      ) : null}
    </>
  )
}

const tones: Record<app.DeliveryView['status'], Tone> = {
  pending: 'gray',
  sending: 'blue',
  delivered: 'green',
  failed: 'red',
}
const statusWords: Record<app.DeliveryView['status'], string> = {
  pending: words.pending,
  sending: words.sending,
  delivered: words.delivered,
  failed: words.failed,
}

function DeliveryRow({ endpointId, delivery }: { endpointId: string; delivery: app.DeliveryView }) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const { eventId, eventType, postId, test, status, createdAt, httpStatus, error, attempts, nextAt } =
    delivery
  const resend = useWrite('resendDelivery')
  const [open, setOpen] = useState(false)
  return (
    <Row
      title={eventType}
      tags={
        <>
          <Tag tone={tones[status]}>{statusWords[status]}</Tag>
          {test ? <Tag>{words.test}</Tag> : null}
        </>
      }
      detail={
        <>
          <span>{showTime(createdAt, zone, 'seconds')}</span>
          {httpStatus === null ? null : <span>{words.http(httpStatus)}</span>}
          <span>{words.attempts(attempts)}</span>
          {error === null ? null : <span>{sentence(error)}</span>}
          {status === 'pending' && nextAt !== null ? (
            <span>{words.next(showTime(nextAt, zone, 'seconds'))}</span>
          ) : null}
        </>
      }
      actions={
        <>
          <Button variant="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
            {words.attemptsTitle}
          </Button>
          {postId === null ? null : (
            <Link
              className={buttonClass()}
              to="/w/$workspaceId/posts/$postId"
              params={{ workspaceId, postId }}
              aria-label={words.postOf(eventType, showTime(createdAt, zone, 'seconds'))}
            >
              {words.post}
            </Link>
          )}
          <Button
            busy={resend.isPending}
            onClick={() =>
              resend.mutate(
                { params: { workspaceId, endpointId, eventId } },
                { onSuccess: () => announce(words.isPending) },
              )
            }
          >
            {words.resend}
          </Button>
        </>
      }
    >
      {open ? <Attempts {...{ endpointId, eventId }} /> : null}
      <WriteProblem error={resend.error} />
    </Row>
  )
}

function Attempts({ endpointId, eventId }: { endpointId: string; eventId: string }) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const attempts = useQuery(read('listDeliveryAttempts', { params: { workspaceId, endpointId, eventId } }))
  if (attempts.data === undefined) return <Unread of={attempts} lines={2} />
  if (attempts.data.length === 0) return <p>{words.noAttempts}</p>
  return (
    <ol aria-label={words.attemptsTitle}>
      {attempts.data.map(({ round, number, endedAt, durationMs, httpStatus, error }) => (
        <li key={`${round} ${number}`}>
          {showTime(endedAt, zone, 'seconds')}:{' '}
          {httpStatus === null ? words.noAnswer : words.http(httpStatus)}
          {durationMs === null ? '' : ` ${words.after(Math.round(durationMs))}`}
          {error === null ? '' : ` (${sentence(error)})`}
        </li>
      ))}
    </ol>
  )
}
