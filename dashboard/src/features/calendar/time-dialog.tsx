import { type ReactNode, useState } from 'react'
import { fieldError, isAboutFields } from '../../api/problem.ts'
import { type ChosenTime, instantOf } from '../../lib/chosen-time.ts'
import { useNow } from '../../lib/use-now.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TimeField } from '../../ui/time-field.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import { words } from './words.ts'

type TimeDialogProps = {
  title: string
  act: string
  /** The time that is proposed. */
  proposed: ChosenTime
  /** Whether what the command needs is there. */
  ready: boolean
  busy: boolean
  error: unknown
  onSave: (publishAt: Date) => void
  /** Takes the next posting time instead; null where there is none. */
  onQueue?: (() => void) | null
  onClose: () => void
  /** Above the time. */
  children: ReactNode
}

/** Asks for the time of a command, and shows next to it what the server says of that time. */
export function TimeDialog(props: TimeDialogProps) {
  const { title, act, proposed, ready, busy, error, onSave, onQueue = null, onClose, children } = props
  const { timeZone: zone } = useSession().workspace
  const [chosen, setChosen] = useState(proposed)
  const instant = instantOf(chosen, zone, useNow())
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <TimeField
        label={words.publishAt}
        {...{ zone, chosen }}
        error={fieldError(error, '/publishAt')}
        onChange={setChosen}
      />
      {isAboutFields(error, ['/publishAt']) ? null : <WriteProblem error={error} />}
      <DialogActions>
        <Button onClick={onClose}>{words.goBack}</Button>
        {onQueue === null ? null : (
          <Button busy={busy} disabled={!ready} onClick={onQueue}>
            {words.addToQueue}
          </Button>
        )}
        <Button
          variant="primary"
          busy={busy}
          disabled={!ready || instant === null}
          onClick={() => instant !== null && onSave(instant)}
        >
          {act}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
