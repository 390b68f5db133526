import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { CopyButton } from './copy.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { Field } from './field.tsx'
import { Notice } from './states.tsx'
import { words } from './words.ts'

type SecretDialogProps = {
  title: string
  /** What it is called in its field and on the button that copies it. */
  name: string
  secret: string
  /** That it is shown only once, and what it is for. */
  warning: ReactNode
  /** A text that uses it, to copy as well. */
  example?: { readonly label: string; readonly name: string; readonly text: string }
  onClose: () => void
}

/** A secret that is shown only once. */
export function SecretDialog({ title, name, secret, warning, example, onClose }: SecretDialogProps) {
  return (
    <Dialog title={title} onClose={onClose} wide={example !== undefined}>
      <Notice tone="amber">
        <p>{warning}</p>
      </Notice>
      <Field label={name}>{(control) => <input {...control} readOnly value={secret} />}</Field>
      {example === undefined ? null : (
        <Field label={example.label}>
          {(control) => <textarea {...control} readOnly rows={3} value={example.text} />}
        </Field>
      )}
      <DialogActions>
        <CopyButton text={secret} label={words.copyOf(name)} />
        {example === undefined ? null : (
          <CopyButton text={example.text} label={words.copyExample(example.name)} />
        )}
        <Button variant="primary" onClick={onClose}>
          {words.done}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
