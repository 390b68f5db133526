import type { MediaItem } from '@postrider/contract'
import type { ReactNode } from 'react'
import { networkName } from '../channels/network-name.ts'
import styles from './part-preview.module.css'
import { nameOfRatio, outOfRatio, shownShare } from './shown-ratio.ts'
import { words } from './words.ts'

type CutPictureProps = {
  provider: string
  item: MediaItem
  /** Whether it is said in words, too. */
  isSaid?: boolean
  /** The whole picture. */
  children: ReactNode
}

/** A picture that stands alone in its part, with what the feed of the network cuts off dimmed; the whole of it stays to be seen. */
export function CutPicture({ provider, item, isSaid = false, children }: CutPictureProps): ReactNode {
  const { width, height, kind } = item
  const size = kind === 'image' && width !== null && height !== null ? { width, height } : null
  const cut = size === null ? null : outOfRatio(provider, size)
  if (size === null || cut === null) return children
  const { is, limit } = cut
  const hidden = `${(100 * (1 - shownShare(size, cut))) / 2}%`
  const say = is === 'wide' ? words.tooWide : words.tooTall
  const side = is === 'wide' ? { width: hidden } : { height: hidden }
  return (
    <>
      <span className={styles.cut} data-cut={is}>
        {children}
        <span aria-hidden className={styles.before} style={side} />
        <span aria-hidden className={styles.after} style={side} />
      </span>
      {isSaid ? <span className={styles.note}>{say(networkName(provider), nameOfRatio(limit))}</span> : null}
    </>
  )
}
