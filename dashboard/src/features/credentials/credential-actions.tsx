import type { CredentialLimits } from '@postrider/contract'
import { useState } from 'react'
import { isAboutFields } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import { LimitsFields } from './limits-fields.tsx'

type Running = { readonly isPending: boolean; readonly error: unknown }

/** A write on one credential; `done` is given what it answered. */
export type Act<Answer, Given extends unknown[] = []> = Running & {
  readonly run: (...given: [...Given, done: (answer: Answer) => void]) => void
}

type CredentialActionsProps = {
  name: string
  limits: CredentialLimits
  /** What ending it is called. */
  end: { readonly label: string; readonly act: string }
  limit: Act<unknown, [CredentialLimits]>
  revoke: Act<unknown>
  stop: Act<{ readonly cancelled: number; readonly underWay: number }>
}

/** What can be done with an agent key or a connected app that is not revoked. */
export function CredentialActions({ name, limits, end, limit, revoke, stop }: CredentialActionsProps) {
  const [asking, setAsking] = useState<'limit' | 'revoke' | 'stop' | null>(null)
  const close = () => setAsking(null)
  return (
    <>
      <Button variant="quiet" aria-label={`Limits of ${name}`} onClick={() => setAsking('limit')}>
        Limits
      </Button>
      <Button aria-label={`${end.label} ${name}`} onClick={() => setAsking('revoke')}>
        {end.label}
      </Button>
      <Button aria-label={`Stop ${name}`} onClick={() => setAsking('stop')}>
        Stop
      </Button>
      {asking === 'limit' ? <LimitsDialog {...{ name, limits, limit }} onClose={close} /> : null}
      {asking === 'revoke' ? (
        <ConfirmDialog
          title={`${end.label} “${name}”?`}
          act={end.act}
          busy={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.run(close)}
          onClose={close}
        >
          Its next request is refused. What it scheduled stays scheduled. This cannot be undone.
        </ConfirmDialog>
      ) : null}
      {asking === 'stop' ? (
        <ConfirmDialog
          title={`Stop everything of “${name}”?`}
          act="Stop everything"
          busy={stop.isPending}
          error={stop.error}
          onConfirm={() =>
            stop.run(({ cancelled, underWay }) => {
              announce(`${cancelled} cancelled; ${underWay} had begun to publish and go on.`)
              close()
            })
          }
          onClose={close}
        >
          Its next request is refused, and all that it gave a time or that waits for approval in its name is
          cancelled, unless it has begun to publish. This cannot be undone.
        </ConfirmDialog>
      ) : null}
    </>
  )
}

type LimitsDialogProps = Pick<CredentialActionsProps, 'name' | 'limits' | 'limit'> & { onClose: () => void }

function LimitsDialog({ name, limits, limit, onClose }: LimitsDialogProps) {
  const [wanted, setWanted] = useState(limits)
  const pointers = Object.keys(limits).map((member) => `/${member}`)
  return (
    <Dialog title={`Limits of “${name}”`} onClose={onClose}>
      <p>They hold from its next request on, and change nothing that it has planned.</p>
      <LimitsFields limits={wanted} error={limit.error} at="" onChange={setWanted} />
      {isAboutFields(limit.error, pointers) ? null : <WriteProblem error={limit.error} />}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button
          variant="primary"
          busy={limit.isPending}
          onClick={() =>
            limit.run(wanted, () => {
              announce('The limits are changed.')
              onClose()
            })
          }
        >
          Change the limits
        </Button>
      </DialogActions>
    </Dialog>
  )
}
