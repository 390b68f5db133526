import { useQueries } from '@tanstack/react-query'
import { FileText, Film, Music, X } from '../../ui/icons.ts'
import type { MediaItem } from '@postrider/contract'
import { addressOf } from '../../api/client.ts'
import { read } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'
import { IconButton } from '../../ui/button.tsx'
import styles from './composer.module.css'

const icons = { video: Film, audio: Music, document: FileText } as const

type MediaStripProps = { mediaIds: readonly string[]; onRemove: (mediaId: string) => void }

/** The media of a part, in their order. */
export function MediaStrip({ mediaIds, onRemove }: MediaStripProps) {
  const { workspaceId } = useSession().workspace
  const items = useQueries({
    queries: mediaIds.map((mediaId) => read('appReadMedia', { params: { workspaceId, mediaId } })),
  })
  if (mediaIds.length === 0) return null
  return (
    <ul className={styles.strip} aria-label="Media">
      {mediaIds.map((mediaId, at) => {
        const item = items[at]?.data
        return (
          <li key={mediaId}>
            {item === undefined ? <span className={styles.file} /> : <Thumbnail item={item} />}
            <span className={item?.altText == null ? styles.noAlt : styles.alt}>
              {item?.altText ?? 'No alt text'}
            </span>
            <IconButton label="Remove it from the post" onClick={() => onRemove(mediaId)}>
              <X aria-hidden />
            </IconButton>
          </li>
        )
      })}
    </ul>
  )
}

/** A small picture of a media item, or the sign of its kind. */
export function Thumbnail({ item: { mediaId, kind, altText } }: { item: MediaItem }) {
  const { workspaceId } = useSession().workspace
  if (kind !== 'image') {
    const Icon = icons[kind]
    return (
      <span className={styles.file}>
        <Icon aria-label={kind} />
      </span>
    )
  }
  const src = addressOf('appReadMediaContent', { params: { workspaceId, mediaId }, query: { width: 320 } })
  return <img className={styles.thumbnail} src={src} alt={altText ?? ''} loading="lazy" />
}
