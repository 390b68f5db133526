import type { app } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { CircleCheckBig } from '../../ui/icons.ts'
import { type ReactNode, useState } from 'react'
import { addressOf } from '../../api/client.ts'
import { read, useWrite } from '../../api/queries.ts'
import { showRelative } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loading, Notice, ProblemNotice } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import styles from './approvals.module.css'
import { Changes, previousWords } from './changes.tsx'

export function ApprovalsScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const approvals = useQuery(read('listApprovals', { params: { workspaceId }, query: {} }))
  return (
    <Page
      title="Approvals"
      lead="What goes out only if a person says so. Your decision counts for exactly what you see here."
    >
      {approvals.isPending ? <Loading /> : null}
      {approvals.isError ? (
        <ProblemNotice error={approvals.error} onRetry={() => void approvals.refetch()} />
      ) : null}
      {approvals.data?.length === 0 ? (
        <Empty icon={<CircleCheckBig aria-hidden />} title="Nothing waits for you">
          <p>Posts that need a person’s word appear here, the oldest first.</p>
        </Empty>
      ) : null}
      {approvals.data?.map(({ approvalId }) => (
        <Request key={approvalId} approvalId={approvalId} />
      ))}
    </Page>
  )
}

function Request({ approvalId }: { approvalId: string }) {
  const { workspaceId } = useSession().workspace
  const approval = useQuery(read('readApproval', { params: { workspaceId, approvalId } }))
  if (approval.isPending) return <Loading lines={3} />
  if (approval.isError)
    return <ProblemNotice error={approval.error} onRetry={() => void approval.refetch()} />
  return <RequestCard approval={approval.data} />
}

function RequestCard({ approval }: { approval: app.ApprovalView }) {
  const mayDecide = useMay('approvals:decide')
  const { previous } = approval
  return (
    <article className={styles.card} aria-label={`Request of ${approval.askedBy}`}>
      <p className={styles.meta}>
        {approval.askedBy} asked {showRelative(approval.requestedAt)} · ends{' '}
        {showRelative(approval.expiresAt)}
      </p>
      {previous === null ? null : <p className={styles.meta}>{previousWords(previous)}</p>}
      {approval.destinations.map((destination) => (
        <section key={destination.channelId} className={styles.preview}>
          <h2>
            {destination.displayName ?? 'A removed channel'}
            {destination.handle === null ? null : (
              <span className={styles.handle}> {destination.handle}</span>
            )}
          </h2>
          {destination.parts.map((part, index) => (
            <div key={index}>
              <p className={styles.text}>{part.text}</p>
              <Pictures mediaIds={part.mediaIds} />
            </div>
          ))}
          {previous === null ? null : (
            <Changes
              before={
                previous.destinations.find(({ channelId }) => channelId === destination.channelId)?.parts
              }
              after={destination.parts}
            />
          )}
        </section>
      ))}
      {approval.unchanged ? null : (
        <Notice tone="amber">
          <p>The post was changed since. Deciding about this version is no longer possible.</p>
        </Notice>
      )}
      {mayDecide ? (
        <Decision approval={approval} />
      ) : (
        <p className={styles.meta}>Your role may not decide.</p>
      )}
    </article>
  )
}

function Pictures({ mediaIds }: { mediaIds: readonly string[] }) {
  const { workspaceId } = useSession().workspace
  if (mediaIds.length === 0) return null
  return (
    <div className={styles.pictures}>
      {mediaIds.map((mediaId) => (
        <img
          key={mediaId}
          src={addressOf('appReadMediaContent', { params: { workspaceId, mediaId }, query: { width: 640 } })}
          alt="Part of the post"
          loading="lazy"
        />
      ))}
    </div>
  )
}

function Decision({ approval: { approvalId, digest } }: { approval: app.ApprovalView }) {
  const { workspaceId } = useSession().workspace
  const [rejecting, setRejecting] = useState(false)
  const [note, setNote] = useState('')
  const decide = useWrite('decideApproval')
  function say(verdict: 'approve' | 'reject'): void {
    const body = { verdict, digest, ...(note.trim() === '' ? {} : { note: note.trim() }) }
    const done = verdict === 'approve' ? 'Approved. It goes out now.' : 'Rejected. It stays a draft.'
    decide.mutate({ params: { workspaceId, approvalId }, body }, { onSuccess: () => announce(done) })
  }
  return (
    <div className={styles.decision}>
      {rejecting ? (
        <Field label="Why not" hint="The agent reads this.">
          {(control) => (
            <textarea {...control} rows={2} value={note} onChange={(event) => setNote(event.target.value)} />
          )}
        </Field>
      ) : null}
      {decide.isError ? <ProblemNotice error={decide.error} /> : null}
      <div className={styles.buttons}>
        {rejecting ? (
          <>
            <Button onClick={() => setRejecting(false)}>Back</Button>
            <Button variant="danger" busy={decide.isPending} onClick={() => say('reject')}>
              Reject
            </Button>
          </>
        ) : (
          <>
            <Button onClick={() => setRejecting(true)}>Reject…</Button>
            <Button variant="primary" busy={decide.isPending} onClick={() => say('approve')}>
              Approve and publish
            </Button>
          </>
        )}
      </div>
    </div>
  )
}
