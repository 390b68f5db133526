import { type ReactNode, useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Check } from '../../ui/field.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import { labelKey, withLabel } from './label-key.ts'
import { LabelField } from './label-field.tsx'
import styles from './labels.module.css'
import { words } from './words.ts'

type Labelled = { readonly postId: string; readonly labels: readonly string[] }

type LabelDialogProps = { posts: readonly Labelled[]; onClose: () => void; onDone: () => void }

/** The labels of several posts, changed at once: of all or, where the server refuses one, of none. Says before what it will do. */
export function LabelDialog({ posts, onClose, onDone }: LabelDialogProps): ReactNode {
  const { workspaceId } = useSession().workspace
  const [add, setAdd] = useState<readonly string[]>([])
  const [remove, setRemove] = useState<readonly string[]>([])
  const write = useWrite('appLabelPosts')
  const had = posts.flatMap(({ labels }) => labels).reduce(withLabel, [] as readonly string[])
  const isNothing = add.length + remove.length === 0
  const postIds = posts.map(({ postId }) => postId)
  const save = () =>
    write.mutate(
      { params: { workspaceId }, body: { confirmed: true, postIds, add: [...add], remove: [...remove] } },
      {
        onSuccess: () => {
          announce(words.saved(posts.length))
          onDone()
        },
      },
    )
  return (
    <Dialog title={words.labelPosts} onClose={onClose}>
      <LabelField addsWhenLeft labels={add} busy={write.isPending} onChange={setAdd} />
      {had.length === 0 ? null : (
        <fieldset className={styles.remove}>
          <legend>{words.removeThese}</legend>
          {had.map((label) => (
            <Check
              key={label}
              label={label}
              checked={remove.includes(label)}
              onChange={(on) => setRemove(on ? [...remove, label] : remove.filter((one) => one !== label))}
            />
          ))}
        </fieldset>
      )}
      <div role="status">
        {isNothing ? <p>{words.nothing}</p> : null}
        {add.map((label) => (
          <p key={label}>{words.willAdd(label, posts.length, countWith(posts, label))}</p>
        ))}
        {remove.map((label) => (
          <p key={label}>{words.willRemove(label, countWith(posts, label))}</p>
        ))}
      </div>
      <WriteProblem error={write.error} />
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
        <Button variant="primary" busy={write.isPending} disabled={isNothing} onClick={save}>
          {words.save}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function countWith(posts: readonly Labelled[], label: string): number {
  return posts.filter(({ labels }) => labels.some((one) => labelKey(one) === labelKey(label))).length
}
