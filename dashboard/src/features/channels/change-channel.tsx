import { useId, useState } from 'react'
import type { app } from '@postrider/contract'
import { useWrite } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import styles from './channels.module.css'
import { networkName, shownHandle } from './network-name.ts'
import { words } from './words.ts'

type DialogProps = { channel: app.ManagedChannel; onClose: () => void }

/** What a channel is called in this workspace; left empty, what its account is called. */
export function RenameDialog({ channel, onClose }: DialogProps) {
  const { workspaceId } = useSession().workspace
  const { channelId, displayName, handle } = channel
  const [name, setName] = useState(displayName)
  const rename = useWrite('renameChannel')
  const wanted = name.trim() === '' ? null : name.trim()
  return (
    <Dialog title={words.renameTitle(displayName)} onClose={onClose}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          rename.mutate(
            { params: { workspaceId, channelId }, body: { name: wanted } },
            {
              onSuccess: () => {
                announce(wanted === null ? words.ownName : words.renamed(wanted))
                onClose()
              },
            },
          )
        }}
      >
        <TextField
          label={words.name}
          hint={words.nameHint(shownHandle(channel.provider, handle))}
          maxLength={100}
          autoComplete="off"
          value={name}
          onChange={setName}
        />
        <WriteProblem error={rename.error} />
        <DialogActions>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button
            type="submit"
            variant="primary"
            busy={rename.isPending}
            disabled={wanted === displayName || (wanted === null && !channel.renamed)}
          >
            {words.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** Says what becomes of what was published and of what is planned, before the channel goes. */
export function RemoveDialog({ channel, onClose }: DialogProps) {
  const { workspaceId } = useSession().workspace
  const { channelId, displayName, planned, provider } = channel
  const [posts, setPosts] = useState<'cancel' | 'keep'>('keep')
  const remove = useWrite('removeChannel')
  const said = ({ cancelled }: { cancelled: number }) => {
    announce(cancelled === 0 ? words.removed(displayName) : words.removedAndCancelled(displayName, cancelled))
    onClose()
  }
  return (
    <ConfirmDialog
      title={words.removeTitle(displayName)}
      act={words.removeIt}
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      // Told by the promise: what is refetched takes this row away before a callback of it is called.
      onConfirm={() =>
        void remove
          .mutateAsync({ params: { workspaceId, channelId }, body: { posts } })
          .then(said, () => undefined)
      }
    >
      {words.removeHint(networkName(provider))}
      {planned === 0 ? (
        ` ${words.nothingPlanned}`
      ) : (
        <PlannedChoice {...{ planned, posts }} onChange={setPosts} />
      )}
    </ConfirmDialog>
  )
}

type PlannedChoiceProps = {
  planned: number
  posts: 'cancel' | 'keep'
  onChange: (posts: 'cancel' | 'keep') => void
}

function PlannedChoice({ planned, posts, onChange }: PlannedChoiceProps) {
  const name = useId()
  const choices = [
    ['keep', words.keepThem, words.keepHint],
    ['cancel', words.cancelThem, words.cancelHint],
  ] as const
  return (
    <fieldset className={styles.choices}>
      <legend>{words.whatOfPlanned(planned)}</legend>
      {choices.map(([value, label, hint]) => (
        <label key={value}>
          <input
            type="radio"
            {...{ name, value }}
            checked={posts === value}
            onChange={() => onChange(value)}
          />
          <span>
            {label}
            <span className={styles.hint}>{hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
