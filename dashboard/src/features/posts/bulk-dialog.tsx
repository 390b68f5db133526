import { useQueries } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { explainProblem } from '../../api/problem.ts'
import { read, readAnew } from '../../api/queries.ts'
import { useNow } from '../../lib/use-now.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Loading, Notice, ProblemNotice } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import { type BulkAction, type BulkPlan, planBulk } from './bulk.ts'
import { cancelAll, cancelLater, canUndo } from './cancel-later.ts'
import { countOf, moveBack, moveChannels, type Moved, type Step } from './move-channels.ts'
import styles from './posts.module.css'
import { words } from './words.ts'

type Words = { title: string; act: string; will: string; done: string }

const actionWords: Record<BulkAction, Words> = {
  move: { title: words.movePosts, act: words.movePosts, will: words.moves, done: words.moved },
  submit: {
    title: words.submitPosts,
    act: words.submitPosts,
    will: words.submits,
    done: words.submitted,
  },
  cancel: {
    title: words.cancelPosts,
    act: words.cancelPosts,
    will: words.cancels,
    done: words.cancelledMany,
  },
  discard: {
    title: words.discardDrafts,
    act: words.discardDrafts,
    will: words.discards,
    done: words.discarded,
  },
}

const units = [
  ['minutes', 1],
  ['hours', 60],
  ['days', 24 * 60],
] as const

type BulkDialogProps = {
  action: BulkAction
  postIds: readonly string[]
  onClose: () => void
  onDone: () => void
}

/** One action on several posts: what it will do and what it cannot is said before, and what it did afterwards. */
export function BulkDialog({ action, postIds, onClose, onDone }: BulkDialogProps) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const [by, setBy] = useState({ count: 1, unit: 24 * 60, sign: 1 })
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState<readonly string[]>([])
  const now = useNow()
  const posts = useQueries({
    queries: postIds.map((postId) => ({
      ...read('appReadPost', { params: { workspaceId, postId } }),
      staleTime: 0,
    })),
  })
  const failed = posts.find(({ isError }) => isError)
  const known = posts.flatMap(({ data }) => data ?? [])
  const minutes = by.count * by.unit * by.sign
  const plan = known.length < postIds.length ? null : planBulk(action, known, { minutes, zone, now })
  const { title, act, done } = actionWords[action]

  async function run(steps: readonly Step[]): Promise<void> {
    const said = (changed: Parameters<typeof countOf>[0]) => `${done} ${countOf(changed)}.`
    if ((action === 'cancel' || action === 'discard') && canUndo(steps)) {
      cancelLater(workspaceId, steps, { soon: words.cancelsSoon(countOf(steps)), done: said })
      return onDone()
    }
    setBusy(true)
    const changed =
      action === 'move'
        ? await moveChannels(workspaceId, steps)
        : action === 'submit'
          ? { ...(await submitAll(workspaceId, steps)), moved: [] }
          : { ...(await cancelAll(workspaceId, steps)), moved: [] }
    await readAnew()
    setBusy(false)
    const back = 'moved' in changed ? [] : changed.done
    if (changed.done.length > 0) say(said(changed.done), back)
    setRefused(changed.refused)
    if (changed.refused.length === 0) onDone()
  }

  function say(text: string, back: readonly Step[]): void {
    if (back.length === 0) return announce(text)
    announce(text, { label: words.undo, run: () => void moveBack(workspaceId, back) })
  }

  return (
    <Dialog title={title} onClose={onClose}>
      {action === 'move' ? <MoveBy by={by} onChange={setBy} /> : null}
      {failed === undefined ? null : <ProblemNotice error={failed.error} />}
      {plan === null ? (
        failed === undefined ? (
          <Loading lines={2} />
        ) : null
      ) : (
        <Says plan={plan} action={action} />
      )}
      {refused.length === 0 ? null : (
        <Notice tone="red" live>
          <p>{words.restRefused}</p>
          <Names names={refused} />
        </Notice>
      )}
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
        <Button
          variant={action === 'move' || action === 'submit' ? 'primary' : 'danger'}
          busy={busy}
          disabled={plan === null || plan.steps.length === 0 || (action === 'move' && minutes === 0)}
          onClick={() => plan !== null && void run(plan.steps)}
        >
          {act}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

type By = { count: number; unit: number; sign: number }

function MoveBy({ by, onChange }: { by: By; onChange: (by: By) => void }) {
  return (
    <Field label={words.moveBy}>
      {(control) => (
        <div className={styles.by}>
          <input
            {...control}
            type="number"
            min={1}
            step={1}
            value={by.count || ''}
            onChange={({ target }) =>
              onChange({ ...by, count: Number.isInteger(target.valueAsNumber) ? target.valueAsNumber : 0 })
            }
          />
          <select
            aria-label={words.unit}
            value={by.unit}
            onChange={({ target }) => onChange({ ...by, unit: Number(target.value) })}
          >
            {units.map(([name, unit]) => (
              <option key={name} value={unit}>
                {name}
              </option>
            ))}
          </select>
          <select
            aria-label={words.direction}
            value={by.sign}
            onChange={({ target }) => onChange({ ...by, sign: Number(target.value) })}
          >
            <option value={1}>{words.later}</option>
            <option value={-1}>{words.earlier}</option>
          </select>
        </div>
      )}
    </Field>
  )
}

function Says({ plan, action }: { plan: BulkPlan; action: BulkAction }): ReactNode {
  return (
    <>
      <p role="status">
        {plan.steps.length === 0 ? words.nothingToDo : `${actionWords[action].will}: ${countOf(plan.steps)}.`}
      </p>
      {plan.left.length === 0 ? null : (
        <Notice tone="amber">
          <p>{words.stayAsIs}</p>
          <Names names={plan.left} />
        </Notice>
      )}
    </>
  )
}

const NAMED = 8

function Names({ names }: { names: readonly string[] }) {
  return (
    <ul className={styles.names}>
      {names.slice(0, NAMED).map((name) => (
        <li key={name}>{name}</li>
      ))}
      {names.length > NAMED ? <li>{words.andMore(names.length - NAMED)}</li> : null}
    </ul>
  )
}

/** Each post once, under the token that it was read with; what is refused is told, and the others go on. */
async function submitAll(workspaceId: string, steps: readonly Step[]): Promise<Moved> {
  const done: Step[] = []
  const refused: string[] = []
  for (const [postId, ofPost] of Map.groupBy(steps, (step) => step.postId)) {
    const { controlToken: editToken = '', displayName = '' } = ofPost[0] ?? {}
    try {
      await call(
        'appRequestApproval',
        { params: { workspaceId, postId }, body: { confirmed: true, editToken } },
        { idempotencyKey: crypto.randomUUID() },
      )
      done.push(...ofPost)
    } catch (error) {
      refused.push(`${displayName}: ${explainProblem(error).detail}`)
    }
  }
  return { done, refused }
}
