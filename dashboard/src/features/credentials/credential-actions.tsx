import type { CredentialLimits } from '@postrider/contract'
import { useState } from 'react'
import { isAboutFields } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import { LimitsFields } from './limits-fields.tsx'
import { words } from './words.ts'

type Running = { readonly isPending: boolean; readonly error: unknown }

/** A write on one credential; `done` is given what it answered. */
export type Act<Answer, Given extends unknown[] = []> = Running & {
  readonly run: (...given: [...Given, done: (answer: Answer) => void]) => void
}

type CredentialActionsProps = {
  name: string
  limits: CredentialLimits
  /** What ending it is called. */
  end: string
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
      <Button variant="quiet" aria-label={words.limitsLabel(name)} onClick={() => setAsking('limit')}>
        {words.limits}
      </Button>
      <Button aria-label={words.revokeLabel(name)} onClick={() => setAsking('revoke')}>
        {end}
      </Button>
      <Button aria-label={words.stopLabel(name)} onClick={() => setAsking('stop')}>
        {words.stop}
      </Button>
      {asking === 'limit' ? <LimitsDialog {...{ name, limits, limit }} onClose={close} /> : null}
      {asking === 'revoke' ? (
        <ConfirmDialog
          title={words.revokeTitle(name)}
          act={end}
          busy={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.run(close)}
          onClose={close}
        >
          {words.revokeHint}
        </ConfirmDialog>
      ) : null}
      {asking === 'stop' ? (
        <ConfirmDialog
          title={words.stopTitle(name)}
          act={words.stopAct}
          busy={stop.isPending}
          error={stop.error}
          onConfirm={() =>
            stop.run(({ cancelled, underWay }) => {
              announce(words.stopped(cancelled, underWay))
              close()
            })
          }
          onClose={close}
        >
          {words.stopHint}
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
    <Dialog title={words.limitsTitle(name)} onClose={onClose}>
      <p>{words.limitsHint}</p>
      <LimitsFields limits={wanted} error={limit.error} at="" onChange={setWanted} />
      {isAboutFields(limit.error, pointers) ? null : <WriteProblem error={limit.error} />}
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
        <Button
          variant="primary"
          busy={limit.isPending}
          onClick={() =>
            limit.run(wanted, () => {
              announce(words.limitsChanged)
              onClose()
            })
          }
        >
          {words.changeLimits}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
