import type { MediaItem } from '@postrider/contract'
import { addressOf } from '../../api/address.ts'
import { useSession } from '../../session.tsx'
import { Picture, useAgain } from '../../ui/picture.tsx'
import { CutPicture } from '../preview/cut-picture.tsx'
import styles from './approvals.module.css'
import { words } from './words.ts'

/** The media of a part as they are published, to be seen and heard, each with its alt text. */
export function PlayableMedia({ items, provider }: { items: readonly MediaItem[]; provider: string }) {
  return items.map((item) => (
    <figure key={item.mediaId} className={styles.medium}>
      {items.length === 1 ? (
        <CutPicture {...{ provider, item }} isSaid>
          <Medium item={item} />
        </CutPicture>
      ) : (
        <Medium item={item} />
      )}
      <figcaption>
        {item.altText === null ? (
          <span className={styles.meta}>{words.noAlt}</span>
        ) : (
          <>
            <span className={styles.meta}>{words.alt}</span> <span dir="auto">{item.altText}</span>
          </>
        )}
      </figcaption>
    </figure>
  ))
}

const kinds = {
  image: words.image,
  video: words.video,
  audio: words.audio,
  document: words.document,
} as const

function Medium({ item: { mediaId, kind, altText } }: { item: MediaItem }) {
  const { workspaceId } = useSession().workspace
  const params = { workspaceId, mediaId }
  const src = addressOf('playMedia', { params })
  const label = altText ?? kinds[kind]
  const { again, onError } = useAgain(src)
  switch (kind) {
    case 'image':
      return (
        <Picture
          src={addressOf('appReadMediaContent', { params, query: { width: 640 } })}
          alt={label}
          loading="lazy"
        />
      )
    case 'video':
      // What goes out has no captions of its own.
      return <video key={again} src={src} onError={onError} controls preload="metadata" aria-label={label} />
    case 'audio':
      return <audio key={again} src={src} onError={onError} controls preload="metadata" aria-label={label} />
    case 'document':
      return (
        <a href={src} download>
          {words.download}
        </a>
      )
    default:
      return kind satisfies never
  }
}
