import type { app } from '@postrider/contract'
import { useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { ProblemNotice } from '../../ui/states.tsx'
import styles from './approvals.module.css'
import { words } from './words.ts'

type BulkApprovalProps = {
  /** Those that wait. */
  selected: readonly app.ApprovalSummary[]
  /** The digest of each that was on the screen. */
  looked: ReadonlyMap<string, string>
  onOpen: (approvalId: string) => void
  onDone: () => void
}

/** Has several approved or rejected, each for exactly what was looked at; what was not looked at is shown first. The server goes on with it. */
export function BulkApproval({ selected, looked, onOpen, onDone }: BulkApprovalProps) {
  const { workspaceId } = useSession().workspace
  const [rejecting, setRejecting] = useState(false)
  const [note, setNote] = useState('')
  const decide = useWrite('decideApprovals')
  const send = (verdict: 'approve' | 'reject') => {
    const reason = verdict === 'reject' && note.trim() !== '' ? { note: note.trim() } : {}
    const requests = selected.map(({ approvalId }) => ({
      approvalId,
      digest: looked.get(approvalId) ?? '',
    }))
    const onSuccess = () => {
      setRejecting(false)
      setNote('')
      onDone()
    }
    decide.mutate({ params: { workspaceId }, body: { verdict, requests, ...reason } }, { onSuccess })
  }
  if (selected.length === 0) return <p className={styles.meta}>{words.bulkHint}</p>
  const unseen = selected.find(({ approvalId }) => !looked.has(approvalId))
  const seen = selected.filter(({ approvalId }) => looked.has(approvalId)).length
  return (
    <div className={styles.bulk}>
      <p role="status">{words.bulkSeen(selected.length, seen)}</p>
      {decide.isError ? <ProblemNotice error={decide.error} /> : null}
      {rejecting ? (
        <Field label={words.bulkReason}>
          {(control) => (
            <textarea {...control} rows={2} value={note} onChange={(event) => setNote(event.target.value)} />
          )}
        </Field>
      ) : null}
      <div className={styles.buttons}>
        {unseen !== undefined ? (
          <Button onClick={() => onOpen(unseen.approvalId)}>{words.bulkLook}</Button>
        ) : rejecting ? (
          <>
            <Button onClick={() => setRejecting(false)}>{words.bulkBack}</Button>
            <Button variant="danger" busy={decide.isPending} onClick={() => send('reject')}>
              {words.bulkReject(selected.length)}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={() => setRejecting(true)}>{words.bulkRejectAsk}</Button>
            <Button variant="primary" busy={decide.isPending} onClick={() => send('approve')}>
              {words.bulkApprove(selected.length)}
            </Button>
          </>
        )}
      </div>
    </div>
  )
}
