import type { Post } from '@postrider/contract'
import { Link } from '@tanstack/react-router'
import { useSession } from '../../session.tsx'
import { Notice } from '../../ui/states.tsx'
import { useChannels } from '../channels/use-channels.ts'
import styles from './composer.module.css'
import { activeOf, type Draft } from './draft.ts'

type ChannelPickerProps = {
  draft: Draft
  /** The post that is edited. */
  post: Post | null
  onChange: (draft: Draft) => void
}

export function ChannelPicker({ draft, post, onChange }: ChannelPickerProps) {
  const { workspaceId } = useSession().workspace
  const { channels } = useChannels()
  const there = new Set(post?.destinations.map(({ channelId }) => channelId))
  const active = new Set(post === null ? [] : activeOf(post).map(({ channelId }) => channelId))
  const enabled = channels.filter((channel) => channel.enabled || active.has(channel.channelId))
  function toggle(channelId: string, on: boolean): void {
    const rest = draft.channelIds.filter((id) => id !== channelId)
    onChange({ ...draft, channelIds: on ? [...rest, channelId] : rest })
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
              // A post that is over on a channel does not come back there.
              disabled={there.has(channelId) && !active.has(channelId)}
              checked={draft.channelIds.includes(channelId)}
              onChange={(event) => toggle(channelId, event.target.checked)}
            />
            {displayName}
            {there.has(channelId) && !active.has(channelId) ? ' (over)' : ''}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
