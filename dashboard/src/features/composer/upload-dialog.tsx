import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { fieldError } from '../../api/problem.ts'
import { useSession } from '../../session.tsx'
import { readAnew } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextArea } from '../../ui/field.tsx'
import { Notice, ProblemNotice } from '../../ui/states.tsx'
import styles from './composer.module.css'
import { uploadFile } from './upload-file.ts'
import { words } from './words.ts'

type UploadDialogProps = { file: File; onDone: (mediaId: string) => void; onClose: () => void }

/** Asks what a file shows, then uploads it. */
export function UploadDialog({ file, onDone, onClose }: UploadDialogProps) {
  const { workspaceId } = useSession().workspace
  const [altText, setAltText] = useState('')
  const [key] = useState(() => crypto.randomUUID())
  const preview = usePreview(file)
  const upload = useMutation({
    mutationFn: () => uploadFile(workspaceId, { file, altText, idempotencyKey: key }),
    onSuccess: async ({ mediaId }) => {
      await readAnew({ queryKey: ['findMedia'] })
      onDone(mediaId)
    },
  })
  return (
    <Dialog title={words.upload.title} onClose={onClose}>
      {preview === null ? <p>{file.name}</p> : <img className={styles.uploading} src={preview} alt="" />}
      <TextArea
        label={words.upload.altText}
        hint={words.media.altHint}
        dir="auto"
        error={fieldError(upload.error, '/altText')}
        rows={3}
        maxLength={2_000}
        value={altText}
        onChange={setAltText}
      />
      {altText.trim() === '' ? (
        <Notice tone="amber">
          <p>{words.upload.noAltHint}</p>
        </Notice>
      ) : null}
      {upload.isError ? <ProblemNotice error={upload.error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>{words.media.cancel}</Button>
        <Button variant="primary" busy={upload.isPending} onClick={() => upload.mutate()}>
          {altText.trim() === '' ? words.upload.withoutAlt : words.upload.upload}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** The file as a picture of this browser; null for what is none. */
function usePreview(file: File): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!file.type.startsWith('image/')) return
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return url
}
