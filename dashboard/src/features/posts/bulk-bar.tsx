import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { LabelDialog } from '../labels/label-dialog.tsx'
import type { BulkAction } from './bulk.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import styles from './posts.module.css'
import { words } from './words.ts'

type Selected = { readonly postId: string; readonly labels: readonly string[] }

type BulkBarProps = {
  posts: readonly Selected[]
  /** What stands before the actions. */
  children: ReactNode
  /** Once something was done with them. */
  onDone: () => void
}

/** What can be done with the posts that are selected. */
export function BulkBar({ posts, children, onDone }: BulkBarProps): ReactNode {
  const [action, setAction] = useState<BulkAction | 'label' | null>(null)
  const close = () => setAction(null)
  const done = () => {
    close()
    onDone()
  }
  return (
    <>
      <div className={styles.bulk} role="group" aria-label={words.selectedPosts}>
        {children}
        {posts.length === 0 ? null : (
          <>
            <Button onClick={() => setAction('move')}>{words.moveByMore}</Button>
            <Button onClick={() => setAction('submit')}>{words.submitMore}</Button>
            <Button onClick={() => setAction('label')}>{words.labelMore}</Button>
            <Button onClick={() => setAction('cancel')}>{words.cancelMore}</Button>
            <Button onClick={() => setAction('discard')}>{words.discardMore}</Button>
          </>
        )}
      </div>
      {action === 'label' ? <LabelDialog posts={posts} onClose={close} onDone={done} /> : null}
      {action === null || action === 'label' ? null : (
        <BulkDialog
          action={action}
          postIds={posts.map(({ postId }) => postId)}
          onClose={close}
          onDone={done}
        />
      )}
    </>
  )
}
