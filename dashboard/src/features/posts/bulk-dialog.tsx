import { useQueries } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { read, useWrite } from '../../api/queries.ts'
import { useNow } from '../../lib/use-now.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Loading, Notice, ProblemNotice } from '../../ui/states.tsx'
import { type BulkAction, type BulkPlan, planBulk } from './bulk.ts'
import styles from './posts.module.css'
import { words } from './words.ts'

type Words = { title: string; act: string; will: string }

const actionWords: Record<BulkAction, Words> = {
  move: { title: words.movePosts, act: words.movePosts, will: words.moves },
  submit: {
    title: words.submitPosts,
    act: words.submitPosts,
    will: words.submits,
  },
  cancel: {
    title: words.cancelPosts,
    act: words.cancelPosts,
    will: words.cancels,
  },
  discard: {
    title: words.discardDrafts,
    act: words.discardDrafts,
    will: words.discards,
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

/** One action on several posts: what it will do and what it cannot is said before. The server goes on with it, and says what it did. */
export function BulkDialog({ action, postIds, onClose, onDone }: BulkDialogProps) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const [by, setBy] = useState({ count: 1, unit: 24 * 60, sign: 1 })
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
  const { title, act } = actionWords[action]
  const start = useWrite('startBulkRun')

  function run({ posts }: BulkPlan): void {
    const body = {
      confirmed: true as const,
      action,
      ...(action === 'move' ? { minutes } : {}),
      posts: [...posts],
    }
    start.mutate({ params: { workspaceId }, body }, { onSuccess: onDone })
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
      {start.error === null ? null : <ProblemNotice error={start.error} />}
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
        <Button
          variant={action === 'move' || action === 'submit' ? 'primary' : 'danger'}
          busy={start.isPending}
          disabled={plan === null || plan.posts.length === 0 || (action === 'move' && minutes === 0)}
          onClick={() => plan !== null && run(plan)}
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
        {plan.posts.length === 0
          ? words.nothingToDo
          : `${actionWords[action].will}: ${words.counted(plan.posts.length, plan.channels)}.`}
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
