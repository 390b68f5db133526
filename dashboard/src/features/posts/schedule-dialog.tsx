import type { Post } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { read, useWrite } from '../../api/queries.ts'
import type { ChosenTime } from '../../lib/chosen-time.ts'
import { listNames } from '../../lib/list-names.ts'
import { showMoment } from '../../lib/time.ts'
import { placeOf } from '../../lib/zones.ts'
import { useSession } from '../../session.tsx'
import { Unread } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import { sentence } from '../../terms/problem-words.ts'
import { TimeDialog } from '../calendar/time-dialog.tsx'
import styles from './posts.module.css'
import { words } from './words.ts'

type ScheduleDialogProps = { postId: string; text: string; proposed: ChosenTime; onClose: () => void }

/** Gives a time to all channels of a post that have none, at once: all of them get it, or none. */
export function ScheduleDialog({ postId, text, proposed, onClose }: ScheduleDialogProps) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const params = { workspaceId, postId }
  const post = useQuery({ ...read('appReadPost', { params }), staleTime: 0 })
  const schedule = useWrite('revisePost')
  const open = post.data === undefined ? [] : schedulable(post.data)

  function save(at: Date): void {
    if (post.data === undefined) return
    const publishAt = at.toISOString()
    const targets = open.map(({ channelId, controlToken }) => ({ channelId, controlToken, publishAt }))
    schedule.mutate(
      { params, body: { confirmed: true, editToken: post.data.editToken, targets } },
      {
        onSuccess: () => {
          announce(words.scheduledAt(showMoment(at, zone), placeOf(zone)))
          onClose()
        },
      },
    )
  }

  return (
    <TimeDialog
      title={words.scheduleDraft}
      act={words.scheduleAct}
      proposed={proposed}
      ready={open.length > 0}
      busy={schedule.isPending}
      error={schedule.error}
      onSave={save}
      onClose={onClose}
    >
      <Unread of={post} lines={2} />
      <p className={styles.excerpt}>{text}</p>
      {post.data === undefined ? null : <p>{whereWords(post.data)}</p>}
    </TimeDialog>
  )
}

/** The channels of a post that have no time yet. */
export function schedulable({ destinations }: Post) {
  return destinations.filter(({ allowedActions }) => allowedActions.schedule.allowed)
}

function whereWords(post: Post): string {
  const names = schedulable(post).map(({ displayName }) => displayName)
  if (names.length > 0) return words.publishedOn(listNames(names))
  return sentence(post.destinations[0]?.allowedActions.schedule.reason ?? words.nothingSchedulable)
}
