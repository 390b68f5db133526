import type { MediaItem } from '@postrider/contract'
import { addressOf } from '../../api/address.ts'
import { useSession } from '../../session.tsx'
import { FileText, Film, Music } from '../../ui/icons.ts'
import { Picture } from '../../ui/picture.tsx'
import styles from './thumbnail.module.css'

const icons = { video: Film, audio: Music, document: FileText } as const

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
  return (
    <Picture className={styles.thumbnail} src={src} alt={altText ?? ''} loading="lazy" draggable={false} />
  )
}
