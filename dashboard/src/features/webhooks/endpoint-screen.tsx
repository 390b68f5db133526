import type { app } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft, Ellipsis, Inbox } from '../../ui/icons.ts'
import { type ReactNode, useState } from 'react'
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
import { Empty, Loading, ProblemNotice } from '../../ui/states.tsx'
import { Tag, type Tone } from '../../ui/status.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import { DeleteEndpoint, EditEndpoint } from './change-endpoint.tsx'
import { SigningSecret } from './signing-secret.tsx'
import { EndpointState } from './webhooks-screen.tsx'
import styles from './webhooks.module.css'
import { words } from './words.ts'

const route = getRouteApi('/w/$workspaceId/webhooks/$endpointId')
/** While a delivery is under way, its end is looked for. */
const WATCH_MS = 1_500

export function EndpointScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const { endpointId } = route.useParams()
  const endpoints = useQuery(read('listEndpoints', { params: { workspaceId } }))
  if (endpoints.isPending) return <Loading />
  if (endpoints.isError)
    return <ProblemNotice error={endpoints.error} onRetry={() => void endpoints.refetch()} />
  const endpoint = endpoints.data.find((one) => one.endpointId === endpointId)
  if (endpoint === undefined)
    return (
      <Page title="Endpoint">
        <Empty title="There is no such endpoint">
          <Link className={buttonClass()} to="/w/$workspaceId/webhooks" params={{ workspaceId }}>
            All endpoints
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
      title={description || 'Endpoint'}
      lead={
        <>
          <code>{url}</code> <EndpointState endpoint={endpoint} />
        </>
      }
      actions={
        <>
          <Link className={buttonClass('quiet')} to="/w/$workspaceId/webhooks" params={{ workspaceId }}>
            <ArrowLeft aria-hidden />
            All endpoints
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
              test.mutate(
                { params, body: {} },
                { onSuccess: ({ type }) => announce(`A test ${type} is on its way.`) },
              )
            }
          >
            Send a test
          </Button>
        </>
      }
    >
      <WriteProblem error={test.error ?? toggle.error ?? update.error} />
      <div className={styles.settings}>
        <Check
          label="Replay by itself"
          hint="What failed in the last 24 hours is sent again once the endpoint answers."
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
          title="Rotate the signing secret?"
          act="Rotate"
          busy={rotate.isPending}
          error={rotate.error}
          onConfirm={() => rotate.mutate({ params, body: { atOnce: false } })}
          onClose={() => setAsking(null)}
        >
          A new secret is shown once. The one before signs beside it for 24 hours, so that your receiver can
          change over.
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
          title="Send everything again that failed in the last three days?"
          act="Send again"
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
                  announce(`${count} deliveries are pending again.`)
                  setAsking(null)
                },
              },
            )
          }
          onClose={() => setAsking(null)}
        >
          Each is the same event with the same id and bytes, so that a receiver that knows it can leave it
          out.
        </ConfirmDialog>
      ) : null}
    </Page>
  )
}

/** As many as are read at once, and how many more each time that older ones are asked for; the server gives at most 100. */
const SHOWN = 50
const SHOWN_MOST = 100

function Deliveries({ endpointId }: { endpointId: string }) {
  const { workspaceId } = useSession().workspace
  const [status, setStatus] = useState<app.DeliveryView['status'] | undefined>()
  const [limit, setLimit] = useState(SHOWN)
  const query = { limit, ...(status === undefined ? {} : { status }) }
  const deliveries = useQuery({
    ...read('listDeliveries', { params: { workspaceId, endpointId }, query }),
    placeholderData: (previous) => previous,
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === 'pending' || status === 'sending') === true
        ? WATCH_MS
        : false,
  })
  const shown = deliveries.data ?? []
  return (
    <>
      <div className={styles.filters}>
        <Choice
          label="Status"
          all="Every status"
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
        label="Deliveries"
        list={deliveries}
        empty={
          status === undefined ? (
            <Empty icon={<Inbox aria-hidden />} title="Nothing was delivered yet">
              <p>Send a test, and see here what your receiver answers.</p>
            </Empty>
          ) : (
            <p>No delivery has this status.</p>
          )
        }
      >
        {(delivery) => <DeliveryRow key={delivery.eventId} {...{ endpointId, delivery }} />}
      </ListedRows>
      {shown.length === limit && limit < SHOWN_MOST ? (
        <Button busy={deliveries.isFetching} onClick={() => setLimit(SHOWN_MOST)}>
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
  pending: 'Pending',
  sending: 'Sending',
  delivered: 'Delivered',
  failed: 'Failed',
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
          {test ? <Tag>Test</Tag> : null}
        </>
      }
      detail={
        <>
          <span>{showTime(createdAt, zone, 'seconds')}</span>
          {httpStatus === null ? null : <span>HTTP {httpStatus}</span>}
          <span>{attempts === 1 ? '1 attempt' : `${attempts} attempts`}</span>
          {error === null ? null : <span>{error}</span>}
          {status === 'pending' && nextAt !== null ? (
            <span>next {showTime(nextAt, zone, 'seconds')}</span>
          ) : null}
        </>
      }
      actions={
        <>
          <Button variant="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
            Attempts
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
                { onSuccess: () => announce('It is pending again.') },
              )
            }
          >
            Resend
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
  if (attempts.isPending) return <Loading lines={2} />
  if (attempts.isError) return <ProblemNotice error={attempts.error} />
  if (attempts.data.length === 0) return <p>None yet.</p>
  return (
    <ol aria-label="Attempts">
      {attempts.data.map(({ round, number, endedAt, durationMs, httpStatus, error }) => (
        <li key={`${round} ${number}`}>
          {showTime(endedAt, zone, 'seconds')}: {httpStatus === null ? 'no answer' : `HTTP ${httpStatus}`}
          {durationMs === null ? '' : ` after ${Math.round(durationMs)} ms`}
          {error === null ? '' : ` (${error})`}
        </li>
      ))}
    </ol>
  )
}
