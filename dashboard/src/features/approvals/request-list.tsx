import type { app } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { useMay, useSession } from '../../session.tsx'
import { Tag, type Tone } from '../../ui/status.tsx'
import styles from './approvals.module.css'
import { whenWords } from './when.ts'
import { words } from './words.ts'

type RequestListProps = {
  requests: readonly app.ApprovalSummary[]
  opened: string | undefined
  selected: ReadonlySet<string>
  onOpen: (approvalId: string) => void
  /** Null where nothing is selected. */
  onSelect: ((approvalId: string, isSelected: boolean) => void) | null
}

export function RequestList({ requests, opened, selected, onOpen, onSelect }: RequestListProps) {
  const mayDecide = useMay('approvals:decide')
  return (
    <ul className={styles.list} aria-label={words.requests}>
      {requests.map((request) => (
        <Row
          key={request.approvalId}
          request={request}
          isOpen={request.approvalId === opened}
          isSelected={selected.has(request.approvalId)}
          onOpen={() => onOpen(request.approvalId)}
          onSelect={
            onSelect !== null && mayDecide && request.status === 'pending'
              ? (isSelected) => onSelect(request.approvalId, isSelected)
              : null
          }
        />
      ))}
    </ul>
  )
}

type RowProps = {
  request: app.ApprovalSummary
  isOpen: boolean
  isSelected: boolean
  onOpen: () => void
  onSelect: ((isSelected: boolean) => void) | null
}

function Row({ request, isOpen, isSelected, onOpen, onSelect }: RowProps) {
  const { timeZone: zone, workspaceId } = useSession().workspace
  const { approvalId } = request
  // A request that waits no longer is read again: the list says only that.
  const reading = useQuery({
    ...read('readApproval', { params: { workspaceId, approvalId } }),
    enabled: request.status !== 'pending',
  })
  const shown = request.status === 'pending' ? request : (reading.data ?? request)
  const { status, text } = shown
  const title = text === '' ? words.withoutText : text
  return (
    <li className={styles.row} data-open={isOpen}>
      {onSelect === null ? null : (
        <input
          type="checkbox"
          aria-label={words.select(title.slice(0, 60))}
          checked={isSelected}
          onChange={({ target }) => onSelect(target.checked)}
        />
      )}
      <button type="button" aria-current={isOpen || undefined} onClick={onOpen}>
        <strong dir="auto">{title}</strong>
        <span className={styles.meta}>{whenWords(shown, zone)}</span>
        {status === 'pending' ? null : <Tag tone={tones[status]}>{statusWords[status]}</Tag>}
      </button>
    </li>
  )
}

type Status = app.ApprovalSummary['status']

export const statusWords: Record<Status, string> = {
  pending: words.waiting,
  approved: words.approved,
  rejected: words.rejected,
  superseded: words.replaced,
  expired: words.expired,
}

const tones: Record<Status, Tone> = {
  pending: 'amber',
  approved: 'green',
  rejected: 'red',
  superseded: 'gray',
  expired: 'gray',
}
