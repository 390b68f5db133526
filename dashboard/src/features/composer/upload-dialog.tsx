import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '../../api/client.ts'
import { fieldError } from '../../api/problem.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextArea } from '../../ui/field.tsx'
import { Notice, ProblemNotice } from '../../ui/states.tsx'
import styles from './composer.module.css'

type UploadDialogProps = { file: File; onDone: (mediaId: string) => void; onClose: () => void }

/** Asks what a file shows, then uploads it: an alt text belongs to its file and cannot be changed later. */
export function UploadDialog({ file, onDone, onClose }: UploadDialogProps) {
  const { workspaceId } = useSession().workspace
  const client = useQueryClient()
  const [altText, setAltText] = useState('')
  const [key] = useState(() => crypto.randomUUID())
  const preview = usePreview(file)
  const upload = useMutation({
    mutationFn: () => {
      const form = new FormData()
      form.set('confirmed', 'true')
      if (altText.trim() !== '') form.set('altText', altText.trim())
      form.set('file', file)
      const input = { params: { workspaceId }, body: undefined } as never
      return call('appUploadMedia', input, { idempotencyKey: key, form })
    },
    onSuccess: async ({ mediaId }) => {
      await client.invalidateQueries({ queryKey: ['appListMedia'] })
      onDone(mediaId)
    },
  })
  return (
    <Dialog title="Add media" onClose={onClose}>
      {preview === null ? <p>{file.name}</p> : <img className={styles.uploading} src={preview} alt="" />}
      <TextArea
        label="Alt text"
        hint="What it shows, for those who cannot see it. It cannot be changed later."
        error={fieldError(upload.error, '/altText')}
        rows={3}
        maxLength={2_000}
        value={altText}
        onChange={setAltText}
      />
      {altText.trim() === '' ? (
        <Notice tone="amber">
          <p>Without an alt text, people who use a screen reader do not learn what is in it.</p>
        </Notice>
      ) : null}
      {upload.isError ? <ProblemNotice error={upload.error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="primary" busy={upload.isPending} onClick={() => upload.mutate()}>
          {altText.trim() === '' ? 'Upload without alt text' : 'Upload'}
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
