import type { MediaItem } from '@postrider/contract'
import { useState } from 'react'
import { fieldError, isAboutFields } from '../../api/problem.ts'
import { useWrite } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextArea } from '../../ui/field.tsx'
import { ProblemNotice } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import { Thumbnail } from './thumbnail.tsx'
import { words } from './words.ts'
import styles from './media.module.css'

const MAX_CHARACTERS = 2_000

/** Changes what is said of a file, for every post that carries it; the server refuses it once one is published. */
export function AltDialog({ item, onClose }: { item: MediaItem; onClose: () => void }) {
  const { workspaceId } = useSession().workspace
  const { mediaId } = item
  const [altText, setAltText] = useState(item.altText ?? '')
  const update = useWrite('appUpdateMedia')
  const isSame = altText.trim() === (item.altText ?? '')

  function save(): void {
    const body = { confirmed: true, altText: altText.trim() === '' ? null : altText.trim() } as const
    update.mutate(
      { params: { workspaceId, mediaId }, body },
      {
        onSuccess() {
          announce(words.altSaved)
          onClose()
        },
      },
    )
  }

  return (
    <Dialog title={words.altTitle} onClose={onClose}>
      <div className={styles.large}>
        <Thumbnail item={item} />
      </div>
      <TextArea
        label={words.altLabel}
        hint={words.altHint}
        error={fieldError(update.error, '/altText')}
        rows={3}
        dir="auto"
        maxLength={MAX_CHARACTERS}
        autoFocus
        value={altText}
        onChange={setAltText}
      />
      <p>{words.altReach}</p>
      {update.isError && !isAboutFields(update.error, ['/altText']) ? (
        <ProblemNotice error={update.error} />
      ) : null}
      <DialogActions>
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button variant="primary" busy={update.isPending} disabled={isSame} onClick={save}>
          {words.altSave}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
