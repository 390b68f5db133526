import type { app } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { Link, navigate, useSearch } from '../../navigation.tsx'
import { type ReactNode, useState } from 'react'
import { read } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { CircleCheckBig } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Unread } from '../../ui/states.tsx'
import styles from './approvals.module.css'
import { BulkApproval } from './bulk-approval.tsx'
import { RequestList } from './request-list.tsx'
import { RequestView } from './request-view.tsx'
import { words } from './words.ts'

const HERE = '/w/$workspaceId/approvals'

export function ApprovalsScreen(): ReactNode {
  const { show } = useSearch(HERE)
  return show === 'decided' ? <Decided /> : <Waiting />
}

/** How many decided requests are listed. */
const DECIDED_SHOWN = 50

function Decided() {
  const { workspaceId } = useSession().workspace
  const all = useQuery(read('listApprovals', { params: { workspaceId }, query: { all: 'true' } }))
  const decided = (all.data ?? [])
    .filter(({ status }) => status !== 'pending')
    .toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)))
    .slice(0, DECIDED_SHOWN)
  return (
    <Page
      title={words.decidedTitle}
      lead={words.decidedLead}
      actions={
        <Link className={buttonClass()} to={HERE} search={{}}>
          {words.waiting}
        </Link>
      }
    >
      <Unread of={all} />
      {all.data !== undefined && decided.length === 0 ? (
        <Empty icon={<CircleCheckBig aria-hidden />} title={words.noneDecided} />
      ) : null}
      {decided.length > 0 ? <Desk requests={decided} /> : null}
    </Page>
  )
}

const timeOf = ({ decidedAt, requestedAt }: app.ApprovalSummary) => decidedAt ?? requestedAt

function Waiting() {
  const { workspaceId } = useSession().workspace
  const waiting = useQuery(read('listApprovals', { params: { workspaceId }, query: {} }))
  const { request } = useSearch(HERE)
  const requests = useKept(waiting.data ?? [])
  const count = waiting.data?.length ?? 0
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <Link className={buttonClass()} to={HERE} search={{ show: 'decided' }}>
          {words.decided}
        </Link>
      }
    >
      <Unread of={waiting} />
      {waiting.data !== undefined ? (
        <p className={styles.meta} role="status">
          {count === 0 ? words.noneLeft : words.left(count)}
        </p>
      ) : null}
      {waiting.data !== undefined && requests.length === 0 && request === undefined ? (
        <Empty icon={<CircleCheckBig aria-hidden />} title={words.none}>
          <p>{words.noneHint}</p>
        </Empty>
      ) : null}
      {requests.length > 0 || request !== undefined ? <Desk requests={requests} selectable /> : null}
    </Page>
  )
}

/**
 * The requests in the order in which they came, with those that were decided meanwhile: what was decided stays where it is as
 * its own receipt, and what is new joins at the end, so that nothing moves under the pointer.
 */
function useKept(waiting: readonly app.ApprovalSummary[]): readonly app.ApprovalSummary[] {
  const [kept, setKept] = useState<readonly app.ApprovalSummary[]>([])
  const added = waiting.filter(({ approvalId }) => !kept.some((one) => one.approvalId === approvalId))
  if (added.length > 0) setKept([...kept, ...added])
  return [...kept, ...added].map(
    (one) =>
      waiting.find(({ approvalId }) => approvalId === one.approvalId) ??
      (one.status === 'pending' ? { ...one, status: 'superseded' } : one),
  )
}

type DeskProps = { requests: readonly app.ApprovalSummary[]; selectable?: boolean }

/** The list beside what is open of it. Only the person opens another one. */
function Desk({ requests, selectable = false }: DeskProps) {
  const { request } = useSearch(HERE)
  const [first] = useState(() => requests[0]?.approvalId)
  const opened = request ?? first ?? requests[0]?.approvalId
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [looked, setLooked] = useState<ReadonlyMap<string, string>>(new Map())
  const pending = requests.filter(({ status }) => status === 'pending')
  const isBulk = selectable && pending.length > 1
  const open = (approvalId: string) =>
    void navigate({ to: HERE, search: (now) => ({ ...now, request: approvalId }), replace: true })
  return (
    <div className={styles.desk}>
      <div className={styles.side}>
        <RequestList
          {...{ requests, opened, selected }}
          onOpen={open}
          onSelect={
            isBulk
              ? (approvalId, isSelected) => setSelected(withOrWithout(selected, approvalId, isSelected))
              : null
          }
        />
        {isBulk ? (
          <BulkApproval
            {...{ looked }}
            selected={pending.filter(({ approvalId }) => selected.has(approvalId))}
            onOpen={open}
            onDone={() => setSelected(new Set())}
          />
        ) : null}
      </div>
      {opened === undefined ? null : (
        <RequestView
          key={opened}
          approvalId={opened}
          onLooked={(digest) => {
            if (looked.get(opened) !== digest) setLooked(new Map(looked).set(opened, digest))
          }}
          onOpen={open}
        />
      )}
    </div>
  )
}

function withOrWithout(set: ReadonlySet<string>, id: string, isIn: boolean): ReadonlySet<string> {
  return new Set(isIn ? [...set, id] : [...set].filter((one) => one !== id))
}
