import type { app } from '@postrider/contract'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { readAnew } from '../../api/queries.ts'
import { untilOf } from '../../api/write-limit.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { ProblemNotice } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
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

/** Approves or rejects several at once, each for exactly what was looked at; what was not looked at is shown first. */
export function BulkApproval({ selected, looked, onOpen, onDone }: BulkApprovalProps) {
  const { workspaceId } = useSession().workspace
  const [rejecting, setRejecting] = useState(false)
  const [note, setNote] = useState('')
  const decide = useMutation({
    mutationFn: async (verdict: 'approve' | 'reject') => {
      const reason = verdict === 'reject' && note.trim() !== '' ? { note: note.trim() } : {}
      const until = untilOf()
      for (const { approvalId } of selected) {
        const digest = looked.get(approvalId) ?? ''
        const body = { verdict, digest, ...reason }
        await call('decideApproval', { params: { workspaceId, approvalId }, body }, { until })
      }
      return selected.length
    },
    onSettled: (_answer, error) => readAnew({ failed: error !== null }),
    onSuccess: (count, verdict) => {
      announce(verdict === 'approve' ? words.bulkApproved(count) : words.bulkRejected(count))
      setRejecting(false)
      setNote('')
      onDone()
    },
  })
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
            <Button variant="danger" busy={decide.isPending} onClick={() => decide.mutate('reject')}>
              {words.bulkReject(selected.length)}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={() => setRejecting(true)}>{words.bulkRejectAsk}</Button>
            <Button variant="primary" busy={decide.isPending} onClick={() => decide.mutate('approve')}>
              {words.bulkApprove(selected.length)}
            </Button>
          </>
        )}
      </div>
    </div>
  )
}
