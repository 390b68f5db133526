import type { app } from '@postrider/contract'
import { allEventTypeNames, eventTypeNames } from '@postrider/contract/names'
import { useQuery } from '@tanstack/react-query'
import { Link } from '../../navigation.tsx'
import { Webhook } from '../../ui/icons.ts'
import { type ReactNode, useState } from 'react'
import { fieldError } from '../../api/problem.ts'
import { read, useWrite } from '../../api/queries.ts'
import { showRelative } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { ListedRows, Row } from '../../ui/rows.tsx'
import { Empty } from '../../ui/states.tsx'
import { Tag } from '../../ui/status.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import { EventChoice } from './change-endpoint.tsx'
import { SigningSecret } from './signing-secret.tsx'
import { words } from './words.ts'

export function WebhooksScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const mayManage = useMay('webhooks:manage')
  const endpoints = useQuery({ ...read('listEndpoints', { params: { workspaceId } }), enabled: mayManage })
  const [creating, setCreating] = useState(false)
  if (!mayManage) return <Page title={words.title}>{words.hidden}</Page>
  const create = (
    <Button variant="primary" onClick={() => setCreating(true)}>
      {words.newEndpoint}
    </Button>
  )
  return (
    <Page title={words.title} lead={words.lead} actions={create}>
      <ListedRows
        label={words.endpoints}
        list={endpoints}
        empty={
          <Empty icon={<Webhook aria-hidden />} title={words.none}>
            <p>{words.noneHint}</p>
          </Empty>
        }
      >
        {(endpoint) => <EndpointRow key={endpoint.endpointId} endpoint={endpoint} />}
      </ListedRows>
      {creating ? <CreateEndpoint onClose={() => setCreating(false)} /> : null}
    </Page>
  )
}

export function EndpointState({ endpoint }: { endpoint: app.EndpointView }) {
  const { timeZone: zone } = useSession().workspace
  if (endpoint.status === 'disabled') return <Tag>{disabledWords[endpoint.disabledReason ?? 'by_hand']}</Tag>
  return endpoint.failingSince === null ? (
    <Tag tone="green">{words.active}</Tag>
  ) : (
    <Tag tone="amber">{words.failingSince(showRelative(endpoint.failingSince, zone))}</Tag>
  )
}

const disabledWords = {
  by_hand: words.disabled,
  failing: words.disabledFailing,
  secret_lost: words.disabledLost,
  credential_ended: words.disabledEnded,
  right_lost: words.disabledWithoutRight,
} as const

function EndpointRow({ endpoint }: { endpoint: app.EndpointView }) {
  const { workspaceId } = useSession().workspace
  const { endpointId, url, description, eventTypes } = endpoint
  return (
    <Row
      icon={<Webhook aria-hidden />}
      title={description || url}
      tags={<EndpointState endpoint={endpoint} />}
      detail={
        <>
          {description === '' ? null : <span>{url}</span>}
          <span>{namesOf(eventTypes)}</span>
        </>
      }
      actions={
        <Link
          className={buttonClass()}
          to="/w/$workspaceId/webhooks/$endpointId"
          params={{ workspaceId, endpointId }}
          aria-label={words.deliveriesOf(description || url)}
        >
          {words.deliveriesLink}
        </Link>
      }
    />
  )
}

function namesOf(types: app.EndpointView['eventTypes']): string {
  if (types.length === allEventTypeNames.length) return words.everyEvent
  const isOfChannels =
    types.length === eventTypeNames.length && eventTypeNames.every((type) => types.includes(type))
  return isOfChannels ? words.everyChannelEvent : types.join(', ')
}

function CreateEndpoint({ onClose }: { onClose: () => void }) {
  const { workspaceId } = useSession().workspace
  const [url, setUrl] = useState('')
  const [description, setDescription] = useState('')
  const [types, setTypes] = useState<readonly app.EndpointView['eventTypes'][number][]>(eventTypeNames)
  const create = useWrite('createEndpoint')
  if (create.data !== undefined) return <SigningSecret secret={create.data.secret} onClose={onClose} />
  return (
    <Dialog title={words.newEndpoint} onClose={onClose}>
      <TextField
        label={words.url}
        hint={words.urlHint}
        error={fieldError(create.error, '/url')}
        type="url"
        placeholder="https://example.com/postrider"
        value={url}
        onChange={setUrl}
      />
      <TextField
        label={words.name}
        error={fieldError(create.error, '/description')}
        maxLength={200}
        value={description}
        onChange={setDescription}
      />
      <EventChoice eventTypes={[...types]} onChange={setTypes} />
      {fieldError(create.error, '/url') === null ? <WriteProblem error={create.error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
        <Button
          variant="primary"
          busy={create.isPending}
          disabled={url.trim() === '' || types.length === 0}
          onClick={() =>
            create.mutate({
              params: { workspaceId },
              body: { url: url.trim(), eventTypes: [...types], description: description.trim() },
            })
          }
        >
          {words.create}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
