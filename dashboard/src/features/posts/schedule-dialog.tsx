import type { Post, TimeInput } from '@postrider/contract'
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
import { useChannels } from '../channels/use-channels.ts'
import { TimeDialog } from '../calendar/time-dialog.tsx'
import styles from './posts.module.css'
import { words } from './words.ts'

type ScheduleDialogProps = {
  postId: string
  text: string
  proposed: ChosenTime
  /** A posting time that is proposed, with the channels on which it is free. */
  slot?: { readonly at: string; readonly channelIds: readonly string[] } | null
  onClose: () => void
}

/** Gives a time to all channels of a post that have none, at once: all of them get it, or none. */
export function ScheduleDialog({ postId, text, proposed, slot = null, onClose }: ScheduleDialogProps) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const params = { workspaceId, postId }
  const post = useQuery({ ...read('appReadPost', { params }), staleTime: 0 })
  const schedule = useWrite('revisePost')
  const open = post.data === undefined ? [] : schedulable(post.data)

  const { channels } = useChannels()
  const taking = open.filter(({ channelId }) => slot?.channelIds.includes(channelId))
  const hasQueues =
    open.length > 0 &&
    open.every(({ channelId }) =>
      channels.some((one) => one.channelId === channelId && one.postingTimes.length > 0),
    )

  function send(publishAtOf: (channelId: string) => TimeInput): void {
    if (post.data === undefined) return
    const targets = open.map(({ channelId, controlToken }) => ({
      channelId,
      controlToken,
      publishAt: publishAtOf(channelId),
    }))
    schedule.mutate(
      { params, body: { confirmed: true, editToken: post.data.editToken, targets } },
      {
        onSuccess: ({ destinations }) => {
          const ids = new Set(open.map(({ channelId }) => channelId))
          const times = destinations.flatMap(({ channelId, publishAt }) =>
            ids.has(channelId) && publishAt !== null ? [showMoment(publishAt, zone)] : [],
          )
          announce(words.scheduledAt(listNames([...new Set(times)]), placeOf(zone)))
          onClose()
        },
      },
    )
  }

  /** Where it is the posting time that was proposed, that is taken; so that nobody else has it. */
  function save(at: Date): void {
    const isSlot = slot !== null && Date.parse(slot.at) === at.getTime()
    send((channelId) =>
      isSlot && slot.channelIds.includes(channelId) ? { queue: slot.at } : at.toISOString(),
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
      onQueue={hasQueues ? () => send(() => ({ queue: 'next' })) : null}
      onClose={onClose}
    >
      <Unread of={post} lines={2} />
      <p className={styles.excerpt}>{text}</p>
      {post.data === undefined ? null : <p>{whereWords(post.data)}</p>}
      {taking.length === 0 ? null : (
        <p>{words.takesPostingTime(listNames(taking.map(({ displayName }) => displayName)))}</p>
      )}
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
