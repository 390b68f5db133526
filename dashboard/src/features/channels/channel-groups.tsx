import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { app } from '@postrider/contract'
import { read, useWrite } from '../../api/queries.ts'
import { listNames } from '../../lib/list-names.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { ChannelMark } from '../../ui/channel-mark.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Ellipsis } from '../../ui/icons.ts'
import { Menu } from '../../ui/menu.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { Unread } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import styles from './channels.module.css'
import { useChannels } from './use-channels.ts'
import { words } from './words.ts'

type Opened = { readonly is: 'new' } | { readonly is: 'change' | 'delete'; readonly group: app.ChannelGroup }

/** The groups of channels: named sets that posts, filters and agents can name as one. */
export function ChannelGroups(): ReactNode {
  const { workspaceId } = useSession().workspace
  const mayManage = useMay('channels:manage')
  const { nameOf } = useChannels()
  const query = useQuery(read('listChannelGroups', { params: { workspaceId } }))
  const [opened, setOpened] = useState<Opened | null>(null)
  const groups = query.data ?? []
  const close = () => setOpened(null)
  if (!mayManage && groups.length === 0) return null
  return (
    <section className={styles.groups} aria-labelledby="channel-groups">
      <div className={styles.groupsHead}>
        <h2 id="channel-groups">{words.groups}</h2>
        {mayManage ? <Button onClick={() => setOpened({ is: 'new' })}>{words.newGroup}</Button> : null}
      </div>
      <p className={styles.hint}>{words.groupsHint}</p>
      <Unread of={query} lines={2} />
      {groups.length === 0 ? null : (
        <Rows label={words.groups}>
          {groups.map((group) => (
            <Row
              key={group.groupId}
              title={group.name}
              detail={
                <span>
                  {group.channelIds.length === 0
                    ? words.groupEmpty
                    : listNames(group.channelIds.map((id) => nameOf(id)))}
                </span>
              }
              actions={
                mayManage ? (
                  <Menu
                    label={words.more(group.name)}
                    trigger={<Ellipsis aria-hidden />}
                    items={[
                      { label: words.changeGroup, onSelect: () => setOpened({ is: 'change', group }) },
                      {
                        label: words.deleteGroup,
                        danger: true,
                        onSelect: () => setOpened({ is: 'delete', group }),
                      },
                    ]}
                  />
                ) : undefined
              }
            />
          ))}
        </Rows>
      )}
      {opened?.is === 'new' ? <GroupDialog group={null} onClose={close} /> : null}
      {opened?.is === 'change' ? <GroupDialog group={opened.group} onClose={close} /> : null}
      {opened?.is === 'delete' ? <DeleteDialog group={opened.group} onClose={close} /> : null}
    </section>
  )
}

type GroupDialogProps = { group: app.ChannelGroup | null; onClose: () => void }

/** A new group, or another name and other channels for one. */
function GroupDialog({ group, onClose }: GroupDialogProps) {
  const { workspaceId } = useSession().workspace
  const { channels } = useChannels()
  const [name, setName] = useState(group?.name ?? '')
  const [chosen, setChosen] = useState<readonly string[]>(group?.channelIds ?? [])
  const create = useWrite('createChannelGroup')
  const change = useWrite('changeChannelGroup')
  const body = { name: name.trim(), channelIds: [...chosen] }
  const saved = () => {
    announce(words.groupSaved(body.name))
    onClose()
  }
  const save = () =>
    group === null
      ? create.mutate({ params: { workspaceId }, body }, { onSuccess: saved })
      : change.mutate({ params: { workspaceId, groupId: group.groupId }, body }, { onSuccess: saved })
  return (
    <Dialog title={group === null ? words.newGroup : words.changeGroupTitle(group.name)} onClose={onClose}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <TextField label={words.name} maxLength={60} autoComplete="off" value={name} onChange={setName} />
        <fieldset className={styles.members}>
          <legend>{words.title}</legend>
          {channels.map((channel) => (
            <label key={channel.channelId}>
              <input
                type="checkbox"
                checked={chosen.includes(channel.channelId)}
                onChange={({ target }) =>
                  setChosen(
                    target.checked
                      ? [...chosen, channel.channelId]
                      : chosen.filter((id) => id !== channel.channelId),
                  )
                }
              />
              <ChannelMark channel={channel} />
              {channel.displayName}
            </label>
          ))}
        </fieldset>
        <WriteProblem error={create.error ?? change.error} />
        <DialogActions>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button
            type="submit"
            variant="primary"
            busy={create.isPending || change.isPending}
            disabled={body.name === ''}
          >
            {words.saveGroup}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

function DeleteDialog({ group, onClose }: { group: app.ChannelGroup; onClose: () => void }) {
  const { workspaceId } = useSession().workspace
  const remove = useWrite('deleteChannelGroup')
  const { groupId, name } = group
  return (
    <ConfirmDialog
      title={words.deleteGroupTitle(name)}
      act={words.deleteGroupAct}
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      // Told by the promise: what is refetched takes this row away before a callback of it is called.
      onConfirm={() =>
        void remove.mutateAsync({ params: { workspaceId, groupId } }).then(
          () => {
            announce(words.groupDeleted(name))
            onClose()
          },
          () => undefined,
        )
      }
    >
      {words.deleteGroupHint}
    </ConfirmDialog>
  )
}
