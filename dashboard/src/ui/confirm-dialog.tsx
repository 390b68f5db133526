import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { WriteProblem } from './write-problem.tsx'
import { words } from './words.ts'

type ConfirmDialogProps = {
  title: string
  /** What follows from it. */
  children: ReactNode
  act: string
  busy: boolean
  error: unknown
  onConfirm: () => void
  onClose: () => void
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ title, children, act, busy, error, onConfirm, onClose }: ConfirmDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div>{children}</div>
      <WriteProblem error={error} />
      <DialogActions>
        <Button onClick={onClose}>{words.goBack}</Button>
        <Button variant="danger" busy={busy} onClick={onConfirm}>
          {act}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
