import type { app } from '@postrider/contract'
import { Link } from '../../navigation.tsx'
import { useEffect, useState } from 'react'
import { explainProblem } from '../../api/problem.ts'
import { useWrite } from '../../api/queries.ts'
import { showMoment, showTime, withMoreTimes } from '../../lib/time.ts'
import { useNow } from '../../lib/use-now.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { CircleCheck, CircleX } from '../../ui/icons.ts'
import { ProblemNotice } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import styles from './approvals.module.css'
import { approvedWords, isImmediate } from './when.ts'
import { sentence } from '../../terms/problem-words.ts'
import { words } from './words.ts'

type Props = { approval: app.ApprovalView }

/** The buttons of a request, or what was decided. Whatever has just appeared takes no click that was meant for what was there before. */
export function Decision({ approval }: Props) {
  const { status } = approval
  const mayDecide = useMay('approvals:decide')
  if (status === 'approved' || status === 'rejected') return <Receipt key={status} approval={approval} />
  if (status !== 'pending') return null
  return mayDecide ? (
    <Verdict key={status} approval={approval} />
  ) : (
    <p className={styles.meta}>{words.mayNot}</p>
  )
}

const GUARD_MS = 700

/** Whether what is on the screen has been there long enough to be meant by a click. */
function useGuard(): boolean {
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), GUARD_MS)
    return () => clearTimeout(timer)
  }, [])
  return isReady
}

function Verdict({ approval }: Props) {
  const { approvalId, postId, digest, unchanged, publishAt, moreTimes } = approval
  const { workspaceId, timeZone: zone } = useSession().workspace
  const mayWrite = useMay('posts:write')
  const isReady = useGuard()
  const now = useNow()
  const [rejecting, setRejecting] = useState(false)
  const [note, setNote] = useState('')
  const decide = useWrite('decideApproval')
  const undo = useUndo(approvalId)
  function say(verdict: 'approve' | 'reject'): void {
    const body = { verdict, digest, ...(note.trim() === '' ? {} : { note: note.trim() }) }
    const done = verdict === 'approve' ? approvedWords(approval, zone) : words.rejectedNow
    // Told by the promise: what is refetched may take this card away before a callback of it is called.
    void decide
      .mutateAsync({ params: { workspaceId, approvalId }, body })
      .then(() => announce(done, { label: words.undo, run: undo.run }), noted)
  }
  const approveWords = isImmediate(publishAt, now)
    ? words.approveNow(moreTimes > 0)
    : words.approveFor(withMoreTimes(showMoment(publishAt ?? now, zone, now), moreTimes))
  return (
    <div className={styles.decision}>
      {rejecting ? (
        <Field label={words.reason}>
          {(control) => (
            <textarea {...control} rows={2} value={note} onChange={(event) => setNote(event.target.value)} />
          )}
        </Field>
      ) : null}
      {decide.isError ? <ProblemNotice error={decide.error} /> : null}
      <div className={styles.buttons}>
        {rejecting ? (
          <>
            <Button onClick={() => setRejecting(false)}>{words.back}</Button>
            <Button variant="danger" busy={decide.isPending} onClick={() => say('reject')}>
              {words.reject}
            </Button>
          </>
        ) : (
          <>
            <Button disabled={!isReady} onClick={() => setRejecting(true)}>
              {words.rejectMore}
            </Button>
            {mayWrite ? (
              <Link
                className={buttonClass()}
                to="/w/$workspaceId/compose"
                params={{ workspaceId }}
                search={{ postId, approve: true }}
              >
                {words.editAndApprove}
              </Link>
            ) : null}
            <Button
              variant="primary"
              busy={decide.isPending}
              disabled={!isReady || !unchanged}
              onClick={() => say('approve')}
            >
              {approveWords}
            </Button>
          </>
        )}
      </div>
    </div>
  )
}

/** The card says what went wrong. */
const noted = () => undefined

/** Takes the decision about a request back. */
function useUndo(approvalId: string) {
  const { workspaceId } = useSession().workspace
  const undo = useWrite('undoDecision')
  const run = () =>
    void undo
      .mutateAsync({ params: { workspaceId, approvalId } })
      .then(() => announce(words.undone))
      .catch((error: unknown) => announce(words.notUndone(explainProblem(error).detail)))
  return { run, isPending: undo.isPending }
}

function Receipt({ approval }: Props) {
  const { timeZone: zone } = useSession().workspace
  const mayDecide = useMay('approvals:decide')
  const isReady = useGuard()
  const undo = useUndo(approval.approvalId)
  const { status, decidedBy, decidedAt, note } = approval
  const isApproved = status === 'approved'
  const Icon = isApproved ? CircleCheck : CircleX
  return (
    <div className={styles.decision}>
      <p className={isApproved ? styles.approved : styles.rejected} role="status">
        <Icon aria-hidden />
        {isApproved
          ? words.approvedBy(decidedBy ?? words.formerMember)
          : words.rejectedBy(decidedBy ?? words.formerMember)}
        {decidedAt === null ? '' : `, ${showTime(decidedAt, zone)}`}. {note === null ? '' : `“${note}”`}
      </p>
      <p className={styles.meta}>{nowWords(approval, zone)}</p>
      {mayDecide && approval.undo.allowed ? (
        <div className={styles.buttons}>
          <Button disabled={!isReady} busy={undo.isPending} onClick={undo.run}>
            {words.undo}
          </Button>
        </div>
      ) : (
        <p className={styles.meta}>
          {approval.undo.reason === null ? '' : words.cantUndo(sentence(approval.undo.reason))}
        </p>
      )}
    </div>
  )
}

/** Where the post stands now. */
function nowWords({ status, publishAt, moreTimes, destinations }: app.ApprovalView, zone: string): string {
  if (status === 'rejected') return words.staysDraft
  const planned = destinations.some((one) => one.status === 'scheduled')
  return planned && publishAt !== null && new Date(publishAt) > new Date()
    ? words.publishesAt(withMoreTimes(showTime(publishAt, zone), moreTimes))
    : words.seePost
}
