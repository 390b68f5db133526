import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/states.tsx'

/** A signing secret; it is shown only once. */
export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog title="Signing secret" onClose={onClose}>
      <Notice tone="amber">
        <p>This secret is shown only once. Your receiver verifies with it that an event came from here.</p>
      </Notice>
      <Field label="Secret">{(control) => <input {...control} readOnly value={secret} />}</Field>
      <DialogActions>
        <CopyButton text={secret} label="Copy the secret" />
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
