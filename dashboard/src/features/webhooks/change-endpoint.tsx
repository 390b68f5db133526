import type { app } from '@postrider/contract'
import { allEventTypeNames } from '@postrider/contract/names'
import { navigate } from '../../navigation.tsx'
import { useState } from 'react'
import { fieldError } from '../../api/problem.ts'
import { queryClient, useWrite } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Check, TextField } from '../../ui/field.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import styles from './webhooks.module.css'
import { words } from './words.ts'

type EventTypes = app.EndpointView['eventTypes']
type DialogProps = { endpoint: app.EndpointView; onClose: () => void }

/** Where events go, which ones, and under what name. */
export function EditEndpoint({ endpoint, onClose }: DialogProps) {
  const { workspaceId } = useSession().workspace
  const { endpointId } = endpoint
  const [url, setUrl] = useState(endpoint.url)
  const [description, setDescription] = useState(endpoint.description)
  const [eventTypes, setEventTypes] = useState(endpoint.eventTypes)
  const update = useWrite('updateEndpoint')
  // An address is shown without what may be secret in it: only another one is sent.
  const changedUrl = url.trim() === endpoint.url ? {} : { url: url.trim() }
  return (
    <Dialog title={words.editTitle} onClose={onClose}>
      <TextField
        label={words.address}
        hint={words.editHint}
        error={fieldError(update.error, '/url')}
        type="url"
        value={url}
        onChange={setUrl}
      />
      <TextField
        label={words.nameOptional}
        error={fieldError(update.error, '/description')}
        maxLength={200}
        value={description}
        onChange={setDescription}
      />
      <EventChoice {...{ eventTypes }} onChange={setEventTypes} />
      {fieldError(update.error, '/url') === null ? <WriteProblem error={update.error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
        <Button
          variant="primary"
          busy={update.isPending}
          disabled={url.trim() === '' || eventTypes.length === 0}
          onClick={() =>
            update.mutate(
              {
                params: { workspaceId, endpointId },
                body: { ...changedUrl, eventTypes: [...eventTypes], description: description.trim() },
              },
              {
                onSuccess: () => {
                  announce(words.saved)
                  onClose()
                },
              },
            )
          }
        >
          {words.save}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

type EventChoiceProps = { eventTypes: EventTypes; onChange: (eventTypes: EventTypes) => void }

export function EventChoice({ eventTypes, onChange }: EventChoiceProps) {
  return (
    <fieldset className={styles.events}>
      <legend>{words.events}</legend>
      {allEventTypeNames.map((type) => (
        <Check
          key={type}
          label={type}
          checked={eventTypes.includes(type)}
          onChange={(on) => onChange(on ? [...eventTypes, type] : eventTypes.filter((one) => one !== type))}
        />
      ))}
    </fieldset>
  )
}

/** Says what goes with it. */
export function DeleteEndpoint({ endpoint, onClose }: DialogProps) {
  const { workspaceId } = useSession().workspace
  const { endpointId, url, description } = endpoint
  const remove = useWrite('deleteEndpoint', { leadsAway: true })
  return (
    <ConfirmDialog
      title={words.deleteTitle(description || url)}
      act={words.deleteIt}
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(
          { params: { workspaceId, endpointId } },
          {
            onSuccess: () => {
              announce(words.deleted)
              // Not before: its own page would say that it is gone.
              void navigate({ to: '/w/$workspaceId/webhooks', params: { workspaceId } }).then(() =>
                queryClient.invalidateQueries({ queryKey: ['listEndpoints'] }),
              )
            },
          },
        )
      }
    >
      {words.deleteHint}
    </ConfirmDialog>
  )
}
