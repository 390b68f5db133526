import type { app } from '@postrider/contract'
import { firstCharacters } from '../../networks/providers/shared/characters.ts'
import type { ShownRun } from './bulk-run-store.ts'
import { isReversible } from './end-run.ts'

const EXCERPT = 80

export function viewRun(run: ShownRun, memberId: string): app.BulkRun {
  const { runId, action, minutes, startedBy, counts, refusals, reason, createdAt, endedAt } = run
  return {
    runId,
    action,
    minutes,
    status: statusOf(run),
    startedBy,
    isMine: run.memberId === memberId,
    posts: Object.values(counts).reduce((sum, count) => sum + count, 0),
    done: counts.done + counts.kept,
    undone: counts.undone,
    left: counts.waiting,
    unchanged: counts.refused + counts.kept,
    refusals: refusals.map(({ text, ...refusal }) => ({ ...refusal, text: firstCharacters(text, EXCERPT) })),
    canUndo: canUndo(run),
    reason,
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  }
}

function statusOf({ status, beginsAt, now, counts }: ShownRun): app.BulkRun['status'] {
  const hasBegun = counts.done + counts.refused > 0
  return status === 'running' && !hasBegun && beginsAt !== null && beginsAt > now ? 'waiting' : status
}

function canUndo({ action, status, counts }: ShownRun): boolean {
  return isReversible(action) && counts.done > 0 && status !== 'undoing' && status !== 'undone'
}
