import type { MediaItem } from '@postrider/contract'
import { useQueries } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { read } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { GripVertical, Pencil, X } from '../../ui/icons.ts'
import { networkName } from '../channels/network-name.ts'
import { AltDialog } from '../media/alt-dialog.tsx'
import { Thumbnail } from '../media/thumbnail.tsx'
import { CropDialog } from './crop-dialog.tsx'
import { nameOfRatio, type OutOfRatio, outOfRatio } from '../preview/shown-ratio.ts'
import { words as previewWords } from '../preview/words.ts'
import styles from './media-strip.module.css'
import { movedTo, useOrderByDrag } from './use-order-by-drag.ts'
import { words } from './words.ts'

type MediaStripProps = {
  mediaIds: readonly string[]
  /** The networks that this goes to. */
  providers: readonly string[]
  onChange: (mediaIds: readonly string[]) => void
}

/** The media of a part, in their order, which is changed by dragging or by the arrow keys. */
export function MediaStrip({ mediaIds, providers, onChange }: MediaStripProps) {
  const { workspaceId } = useSession().workspace
  const items = useQueries({
    queries: mediaIds.map((mediaId) => read('appReadMedia', { params: { workspaceId, mediaId } })),
  })
  const [said, setSaid] = useState('')
  const list = useRef<HTMLUListElement>(null)
  const moved = useRef<string | null>(null)
  // What was moved by a key keeps the focus.
  useEffect(() => {
    const place = moved.current === null ? -1 : mediaIds.indexOf(moved.current)
    moved.current = null
    if (place >= 0) list.current?.querySelectorAll<HTMLElement>('[data-handle]')[place]?.focus()
  }, [mediaIds])
  if (mediaIds.length === 0) return null

  function move(mediaId: string, to: number, byKey: boolean): void {
    if (to < 0 || to >= mediaIds.length) return
    moved.current = byKey ? mediaId : null
    setSaid(words.media.moved(to + 1, mediaIds.length))
    onChange(movedTo(mediaIds, mediaId, to))
  }

  return (
    <>
      <ul ref={list} className={styles.strip} aria-label={words.media.list}>
        {mediaIds.map((mediaId, at) => (
          <Entry
            key={mediaId}
            {...{ mediaId, at, providers }}
            count={mediaIds.length}
            item={items[at]?.data}
            onMove={(id, to, byKey) => move(id, to, byKey)}
            onReplace={(other) => onChange(mediaIds.map((id) => (id === mediaId ? other : id)))}
            onRemove={() => onChange(mediaIds.filter((id) => id !== mediaId))}
          />
        ))}
      </ul>
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </>
  )
}

type EntryProps = {
  mediaId: string
  item: MediaItem | undefined
  at: number
  count: number
  providers: readonly string[]
  onMove: (mediaId: string, to: number, byKey: boolean) => void
  onReplace: (mediaId: string) => void
  onRemove: () => void
}

function Entry({ mediaId, item, at, count, providers, onMove, onReplace, onRemove }: EntryProps) {
  const [open, setOpen] = useState<'alt' | 'crop' | null>(null)
  const { ref, isOver } = useOrderByDrag({ mediaId, at, count, onMove: (id, to) => onMove(id, to, false) })
  const name = item?.altText ?? words.media.noAlt
  const beyond = item === undefined ? [] : cutBy(item, providers)
  const close = () => setOpen(null)

  function press(event: KeyboardEvent): void {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    onMove(mediaId, at + step, true)
  }

  return (
    <li ref={ref} className={isOver ? styles.over : styles.entry}>
      <div className={styles.row}>
        {count > 1 ? (
          <IconButton
            label={words.media.move(at + 1, count)}
            data-handle
            className={styles.handle}
            onKeyDown={press}
          >
            <GripVertical aria-hidden />
          </IconButton>
        ) : null}
        {item === undefined ? (
          <span className={styles.blank} />
        ) : (
          <Thumbnail item={{ ...item, altText: null }} />
        )}
        <button
          type="button"
          className={item?.altText == null ? styles.noAlt : styles.alt}
          aria-label={words.media.editAlt(name)}
          disabled={item === undefined}
          onClick={() => setOpen('alt')}
        >
          <span>{name}</span>
          <Pencil aria-hidden />
        </button>
        {item?.kind === 'image' && !item.animated ? (
          <Button variant="quiet" aria-label={words.media.cropOf(name)} onClick={() => setOpen('crop')}>
            {words.media.crop}
          </Button>
        ) : null}
        <IconButton label={words.media.remove(name)} onClick={onRemove}>
          <X aria-hidden />
        </IconButton>
      </div>
      {beyond.map(({ provider, is, limit }) => (
        <p key={provider} className={styles.beyond}>
          {(is === 'wide' ? previewWords.tooWide : previewWords.tooTall)(
            networkName(provider),
            nameOfRatio(limit),
          )}
        </p>
      ))}
      {open === 'alt' && item !== undefined ? <AltDialog item={item} onClose={close} /> : null}
      {open === 'crop' && item !== undefined ? (
        <CropDialog
          item={item}
          ratio={beyond[0]?.limit ?? [1, 1]}
          onDone={(other) => {
            close()
            onReplace(other)
          }}
          onClose={close}
        />
      ) : null}
    </li>
  )
}

/** The networks that show only a part of a picture. */
function cutBy(item: MediaItem, providers: readonly string[]): (OutOfRatio & { provider: string })[] {
  const { kind, width, height } = item
  if (kind !== 'image' || width === null || height === null) return []
  return [...new Set(providers)].flatMap((provider) => {
    const found = outOfRatio(provider, { width, height })
    // A ratio that nothing can be cropped to is none to begin with.
    return found === null ? [] : [{ ...found, provider }]
  })
}
