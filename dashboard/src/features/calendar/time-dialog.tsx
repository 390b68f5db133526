import { type ReactNode, useState } from 'react'
import { fieldError, isAboutFields } from '../../api/problem.ts'
import { instantsOf } from '../../lib/time.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { LocalTimeField } from '../../ui/local-time-field.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'

type TimeDialogProps = {
  title: string
  act: string
  /** The time that is proposed, as a minute of the workspace's clock. */
  proposed: string
  /** Whether what the command needs is there. */
  ready: boolean
  busy: boolean
  error: unknown
  onSave: (publishAt: Date) => void
  onClose: () => void
  /** Above the time. */
  children: ReactNode
}

/** Asks for the time of a command, and shows next to it what the server says of that time. */
export function TimeDialog(props: TimeDialogProps) {
  const { title, act, proposed, ready, busy, error, onSave, onClose, children } = props
  const { timeZone: zone } = useSession().workspace
  const [local, setLocal] = useState(proposed)
  const [instant] = instantsOf(local, zone)
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <LocalTimeField
        label="New time"
        {...{ zone, local }}
        error={fieldError(error, '/publishAt')}
        onChange={setLocal}
      />
      {isAboutFields(error, ['/publishAt']) ? null : <WriteProblem error={error} />}
      <DialogActions>
        <Button onClick={onClose}>Leave it</Button>
        <Button
          variant="primary"
          busy={busy}
          disabled={!ready || instant === undefined}
          onClick={() => instant !== undefined && onSave(instant)}
        >
          {act}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
