import type { app } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { read, readAnew, useWrite } from '../../api/queries.ts'
import { Link } from '../../navigation.tsx'
import { useSession } from '../../session.tsx'
import { sentence } from '../../terms/problem-words.ts'
import { Button } from '../../ui/button.tsx'
import { ProblemNotice } from '../../ui/states.tsx'
import styles from './bulk.module.css'
import { words } from './words.ts'

type Run = app.BulkRun

/** How soon the progress of a run is read again: what is refused is no event that the page is told of. */
const AGAIN_MS = 1_000

const goesOn = ({ endedAt }: Run) => endedAt === null

/** What is being done with several posts, and what this person has just had done: on every screen, after a reload, too. */
export function BulkRuns({ workspaceId }: { workspaceId: string }): ReactNode {
  const { data = [] } = useQuery({
    ...read('listBulkRuns', { params: { workspaceId } }),
    refetchInterval: ({ state }) => (state.data?.some(goesOn) === true ? AGAIN_MS : false),
  })
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  useReadAtEnd(data)
  const shown = data.filter((run) => goesOn(run) || (run.isMine && !hidden.has(run.runId)))
  if (shown.length === 0) return null
  return (
    <ul className={styles.runs} aria-label={words.runs}>
      {shown.map((run) => (
        <RunLine
          key={run.runId}
          {...{ workspaceId, run }}
          onHide={() => setHidden(new Set([...hidden, run.runId]))}
        />
      ))}
    </ul>
  )
}

/** What is shown of posts is read anew once a run has ended. */
function useReadAtEnd(runs: readonly Run[]): void {
  const before = useRef<readonly string[]>([])
  const open = runs.filter(goesOn).map(({ runId }) => runId)
  const hasEnded = before.current.some((runId) => !open.includes(runId))
  useEffect(() => {
    before.current = open
    if (hasEnded) void readAnew()
  })
}

type LineProps = { workspaceId: string; run: Run; onHide: () => void }

function RunLine({ workspaceId, run, onHide }: LineProps) {
  const { workspace } = useSession()
  const mayEnd = workspace.rights.includes(isDecision(run) ? 'approvals:decide' : 'posts:write')
  const stop = useWrite('stopBulkRun')
  const undo = useWrite('undoBulkRun')
  const params = { workspaceId, runId: run.runId }
  const { status } = run
  const isBusy = stop.isPending || undo.isPending
  // Before it has begun, stopping it undoes it.
  const isStoppable = mayEnd && (status === 'running' || status === 'undoing' || status === 'waiting')
  return (
    <li className={styles.run}>
      <span className={styles.said} role="status">
        {run.isMine ? said(run) : words.by(run.startedBy, said(run))}
        {run.reason === null ? null : ` ${sentence(run.reason)}`}
      </span>
      {status === 'running' || status === 'undoing' ? (
        <progress aria-label={said(run)} max={run.posts} value={progressOf(run)} />
      ) : null}
      {isStoppable ? (
        <Button busy={isBusy} onClick={() => stop.mutate({ params })}>
          {status === 'waiting' ? words.undo : words.stop}
        </Button>
      ) : null}
      {mayEnd && run.canUndo ? (
        <Button busy={isBusy} onClick={() => undo.mutate({ params })}>
          {words.undo}
        </Button>
      ) : null}
      {goesOn(run) ? null : (
        <Button variant="quiet" onClick={onHide}>
          {words.hide}
        </Button>
      )}
      {stop.error === null ? null : <ProblemNotice error={stop.error} />}
      {undo.error === null ? null : <ProblemNotice error={undo.error} />}
      {run.unchanged === 0 ? null : <Refusals {...{ workspaceId, run }} />}
    </li>
  )
}

const isDecision = ({ action }: Pick<Run, 'action'>) => action === 'approve' || action === 'reject'

function said(run: Run): string {
  const { action, status, posts, done, undone, left, unchanged } = run
  const back = isDecision(run) ? words.decided : words.moved
  if (status === 'waiting') return words.waiting[action](posts)
  if (status === 'running') return words.running[action](done + unchanged, posts)
  if (status === 'undoing') return back.undoing(undone, done + undone)
  if (status === 'undone') return back.undone(undone)
  const ended = undone === 0 ? words.ended[action](done) : back.undone(undone)
  return status === 'stopped' && left > 0 ? `${ended} ${words.stopped(left)}` : ended
}

const progressOf = ({ status, done, undone, unchanged }: Run) =>
  status === 'undoing' ? undone : done + unchanged

/** Which posts were not changed, and why. */
function Refusals({ workspaceId, run: { unchanged, refusals } }: Omit<LineProps, 'onHide'>) {
  const more = unchanged - refusals.length
  return (
    <details>
      <summary>{words.notChanged(unchanged)}</summary>
      <ul>
        {refusals.map(({ postId, text, detail }) => (
          <li key={postId}>
            {text === '' ? (
              words.postWithout
            ) : (
              <Link to="/w/$workspaceId/posts/$postId" params={{ workspaceId, postId }}>
                {text}
              </Link>
            )}
            {`: ${sentence(detail)}`}
          </li>
        ))}
        {more > 0 ? <li>{words.andMore(more)}</li> : null}
      </ul>
    </details>
  )
}
