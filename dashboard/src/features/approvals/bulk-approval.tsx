import type { app } from '@postrider/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { ProblemNotice } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import styles from './approvals.module.css'

type BulkApprovalProps = {
  /** Those that wait. */
  selected: readonly app.ApprovalSummary[]
  /** The digest of each that was on the screen. */
  looked: ReadonlyMap<string, string>
  onOpen: (approvalId: string) => void
  onDone: () => void
}

/** Approves several at once, each for exactly what was looked at; what was not looked at is shown first. */
export function BulkApproval({ selected, looked, onOpen, onDone }: BulkApprovalProps) {
  const { workspaceId } = useSession().workspace
  const client = useQueryClient()
  const approve = useMutation({
    mutationFn: async () => {
      for (const { approvalId } of selected) {
        const digest = looked.get(approvalId) ?? ''
        await call('decideApproval', {
          params: { workspaceId, approvalId },
          body: { verdict: 'approve', digest },
        })
      }
      return selected.length
    },
    onSettled: () => client.invalidateQueries(),
    onSuccess: (count) => {
      announce(`${count} approved. Each can be undone until publishing starts.`)
      onDone()
    },
  })
  if (selected.length === 0)
    return <p className={styles.meta}>Select several to approve them together. You look at each first.</p>
  const unseen = selected.find(({ approvalId }) => !looked.has(approvalId))
  const seen = selected.filter(({ approvalId }) => looked.has(approvalId)).length
  return (
    <div className={styles.bulk}>
      <p role="status">
        {selected.length} selected, {seen} looked at.
      </p>
      {approve.isError ? <ProblemNotice error={approve.error} /> : null}
      <div className={styles.buttons}>
        {unseen === undefined ? (
          <Button variant="primary" busy={approve.isPending} onClick={() => approve.mutate()}>
            Approve {selected.length} selected
          </Button>
        ) : (
          <Button onClick={() => onOpen(unseen.approvalId)}>Look at the next one</Button>
        )}
      </div>
    </div>
  )
}
