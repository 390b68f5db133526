import type { Post } from '@postrider/contract'
import { Link } from '../../navigation.tsx'
import type { ReactNode } from 'react'
import { useWrite } from '../../api/queries.ts'
import { useMay, useSession } from '../../session.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import { LabelField } from './label-field.tsx'
import styles from './labels.module.css'
import { words } from './words.ts'

/** The labels of a post. They are changed at once, in whichever status it is: they are not published. */
export function PostLabels({ post: { postId, labels } }: { post: Post }): ReactNode {
  const { workspaceId } = useSession().workspace
  const mayWrite = useMay('posts:write')
  const write = useWrite('appLabelPosts')
  function change(next: readonly string[]): void {
    const add = next.filter((label) => !labels.includes(label))
    const remove = labels.filter((label) => !next.includes(label))
    const said = [...add.map(words.added), ...remove.map(words.removed)].join(' ')
    if (add.length + remove.length === 0) return
    write.mutate(
      { params: { workspaceId }, body: { confirmed: true, postIds: [postId], add, remove } },
      { onSuccess: () => announce(said) },
    )
  }
  if (mayWrite)
    return (
      <div className={styles.own}>
        <LabelField labels={labels} busy={write.isPending} onChange={change} />
        <WriteProblem error={write.error} />
      </div>
    )
  if (labels.length === 0) return null
  return (
    <ul className={styles.chips} aria-label={words.labels}>
      {labels.map((label) => (
        <li key={label}>
          <Link to="/w/$workspaceId/posts" params={{ workspaceId }} search={{ label }}>
            {label}
          </Link>
        </li>
      ))}
    </ul>
  )
}
