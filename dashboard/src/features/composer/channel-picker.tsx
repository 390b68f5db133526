import { Link } from '@tanstack/react-router'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/states.tsx'
import { useChannels } from '../channels/use-channels.ts'
import styles from './composer.module.css'
import { addVariant, type Draft, removeVariant } from './draft.ts'

type Change = { draft: Draft; onChange: (draft: Draft) => void }

export function ChannelPicker({ draft, onChange }: Change) {
  const { workspaceId } = useSession().workspace
  const { channels } = useChannels()
  const enabled = channels.filter((channel) => channel.enabled)
  function toggle(channelId: string, on: boolean): void {
    const rest = draft.channelIds.filter((id) => id !== channelId)
    onChange({ ...removeVariant(draft, channelId), channelIds: on ? [...rest, channelId] : rest })
  }
  if (enabled.length === 0)
    return (
      <Notice tone="amber">
        <p>
          No channel is connected that posts could go out on.{' '}
          <Link to="/w/$workspaceId/channels" params={{ workspaceId }}>
            Connect one
          </Link>
        </p>
      </Notice>
    )
  return (
    <fieldset className={styles.group}>
      <legend>Channels</legend>
      <div className={styles.channels}>
        {enabled.map(({ channelId, displayName }) => (
          <label key={channelId} className={styles.channel}>
            <input
              type="checkbox"
              checked={draft.channelIds.includes(channelId)}
              onChange={(event) => toggle(channelId, event.target.checked)}
            />
            {displayName}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

type VariantsProps = Change & { tab: string | null; onTab: (tab: string | null) => void }

/** Which text is shown: the one that channels share, or a channel's own. */
export function Variants({ draft, tab, onTab, onChange }: VariantsProps) {
  const { nameOf } = useChannels()
  if (draft.channelIds.length < 2) return null
  function open(channelId: string): void {
    if (draft.variants[channelId] === undefined) onChange(addVariant(draft, channelId))
    onTab(channelId)
  }
  return (
    <div className={styles.tabs} role="group" aria-label="Text for">
      <button type="button" className={styles.tab} aria-pressed={tab === null} onClick={() => onTab(null)}>
        Shared text
      </button>
      {draft.channelIds.map((id) => (
        <button
          key={id}
          type="button"
          className={styles.tab}
          aria-pressed={tab === id}
          onClick={() => open(id)}
        >
          {nameOf(id)}
          {draft.variants[id] === undefined ? '' : ' · own text'}
        </button>
      ))}
      {tab === null ? null : (
        <Button
          variant="quiet"
          onClick={() => {
            onChange(removeVariant(draft, tab))
            onTab(null)
          }}
        >
          Use the shared text
        </Button>
      )}
    </div>
  )
}
