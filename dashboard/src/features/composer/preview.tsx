import type { app } from '@postrider/contract'
import { useQueries } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'
import { networkName } from '../channels/network-name.ts'
import { useChannels } from '../channels/use-channels.ts'
import styles from './composer.module.css'
import { contentFor, type Draft, type DraftContent, isBlank } from './draft.ts'
import { Thumbnail } from './media-strip.tsx'

/** How the post reads on each channel: its own text, the thread in its order, the media. */
export function Preview({ draft }: { draft: Draft }) {
  const { channels } = useChannels()
  const shown = channels.filter(({ channelId }) => draft.channelIds.includes(channelId))
  if (shown.length === 0 || isBlank(draft)) return null
  return (
    <section className={styles.previews} aria-label="Preview">
      <h2>Preview</h2>
      {shown.map((channel) => (
        <ChannelPreview
          key={channel.channelId}
          channel={channel}
          content={contentFor(draft, channel.channelId)}
        />
      ))}
    </section>
  )
}

function ChannelPreview({ channel, content }: { channel: app.ManagedChannel; content: DraftContent }) {
  const { displayName, handle, provider } = channel
  return (
    <article className={styles.preview} aria-label={`On ${displayName}`}>
      {content.parts.map((part, index) => (
        <div key={index} className={styles.previewPart}>
          <span className={styles.avatar} aria-hidden>
            {displayName.slice(0, 1).toUpperCase()}
          </span>
          <div>
            <p className={styles.previewName}>
              <strong>{displayName}</strong> <span>@{handle}</span>
            </p>
            <p className={styles.previewText} data-testid="text" dir="auto">
              {part.text}
            </p>
            <PreviewMedia mediaIds={part.mediaIds} />
          </div>
        </div>
      ))}
      <p className={styles.previewNetwork}>{networkName(provider)}</p>
    </article>
  )
}

function PreviewMedia({ mediaIds }: { mediaIds: readonly string[] }) {
  const { workspaceId } = useSession().workspace
  const items = useQueries({
    queries: mediaIds.map((mediaId) => read('appReadMedia', { params: { workspaceId, mediaId } })),
  })
  if (mediaIds.length === 0) return null
  return (
    <div className={styles.previewMedia}>
      {items.map(({ data }) => (data === undefined ? null : <Thumbnail key={data.mediaId} item={data} />))}
    </div>
  )
}
