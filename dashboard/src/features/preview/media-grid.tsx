import type { MediaItem } from '@postrider/contract'
import type { ReactNode } from 'react'
import { Thumbnail } from '../media/thumbnail.tsx'
import { CutPicture } from './cut-picture.tsx'
import styles from './part-preview.module.css'

type MediaGridProps = {
  provider: string
  /** Those that have been read. */
  items: readonly MediaItem[]
  /** How many there are. */
  count: number
  /** Whether what a network cuts off is said in words, too. */
  isSaid?: boolean
}

/** The media of a part in the order and the arrangement in which networks show them: one whole, several side by side. */
export function MediaGrid({ provider, items, count, isSaid = false }: MediaGridProps): ReactNode {
  if (count === 0) return null
  const [only] = items
  return (
    <div className={styles.media} data-count={Math.min(count, 4)}>
      {count === 1 && only !== undefined ? (
        <CutPicture {...{ provider, isSaid }} item={only}>
          <Thumbnail item={only} />
        </CutPicture>
      ) : (
        items.map((item) => <Thumbnail key={item.mediaId} item={item} />)
      )}
    </div>
  )
}
