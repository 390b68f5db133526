import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { ImagePlus } from '../../ui/icons.ts'
import { Unread } from '../../ui/states.tsx'
import { LibraryFilters } from './library-filters.tsx'
import styles from './media.module.css'
import { Thumbnail } from './thumbnail.tsx'
import { useLibrary } from './use-library.ts'
import { words } from './words.ts'

type LibraryDialogProps = {
  /** What is there already, and cannot be chosen again. */
  present: readonly string[]
  onUpload: () => void
  onChoose: (mediaIds: readonly string[]) => void
  onClose: () => void
}

/** The workspace's media to choose from, in the order in which they are chosen. */
export function LibraryDialog({ present, onUpload, onChoose, onClose }: LibraryDialogProps) {
  const { search, setSearch, pages, items, isSearched } = useLibrary()
  const [chosen, setChosen] = useState<readonly string[]>([])
  return (
    <Dialog title={words.library} wide onClose={onClose}>
      <LibraryFilters search={search} onChange={setSearch} />
      <div className={styles.scroll}>
        <Unread of={pages} lines={4} />
        {pages.data !== undefined && items.length === 0 ? (
          <p>{isSearched ? words.nothingFound : words.none}</p>
        ) : null}
        <ul className={styles.picks} aria-label={words.title}>
          {items.map((item) => {
            const { mediaId, altText } = item
            const isPresent = present.includes(mediaId)
            const at = chosen.indexOf(mediaId)
            return (
              <li key={mediaId}>
                <label className={styles.pick}>
                  <input
                    type="checkbox"
                    disabled={isPresent}
                    checked={isPresent || at >= 0}
                    onChange={({ target }) =>
                      setChosen(target.checked ? [...chosen, mediaId] : chosen.filter((id) => id !== mediaId))
                    }
                  />
                  <Thumbnail item={{ ...item, altText: null }} />
                  <span className={altText === null ? styles.noAlt : styles.caption}>
                    {at >= 0 && chosen.length > 1 ? `${at + 1}. ` : ''}
                    {altText ?? words.noAlt}
                    {isPresent ? ` (${words.inPart})` : ''}
                  </span>
                </label>
              </li>
            )
          })}
        </ul>
        {pages.hasNextPage ? (
          <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            {words.older}
          </Button>
        ) : null}
      </div>
      <DialogActions>
        <Button onClick={onUpload}>
          <ImagePlus aria-hidden />
          {words.uploadNew}
        </Button>
        <Button
          variant="primary"
          disabled={chosen.length === 0}
          onClick={() => {
            onChoose(chosen)
            onClose()
          }}
        >
          {words.addChosen(chosen.length)}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
