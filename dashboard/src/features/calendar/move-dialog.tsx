import type { CalendarEntry, Destination } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { isProblem } from '../../api/problem.ts'
import { read, useWrite } from '../../api/queries.ts'
import { chooseTime } from '../../lib/chosen-time.ts'
import { wordsOfLocal } from '../../lib/read-time.ts'
import { localOf, showMoment, showTime } from '../../lib/time.ts'
import { placeOf } from '../../lib/zones.ts'
import { useSession } from '../../session.tsx'
import { Loading, Notice, ProblemNotice } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import type { Day } from './grid.ts'
import { TimeDialog } from './time-dialog.tsx'

type MoveDialogProps = { entry: CalendarEntry; to: Day; onClose: () => void }

/** Moves a scheduled destination, under the token that its post has now: what another person moved meanwhile is shown. */
export function MoveDialog({ entry, to, onClose }: MoveDialogProps) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const { postId, channelId, publishAt } = entry
  const params = { workspaceId, postId }
  const post = useQuery({ ...read('appReadPost', { params }), staleTime: 0 })
  const reschedule = useWrite('appRescheduleDestination')
  const destination = post.data?.destinations.find((one) => one.channelId === channelId)
  const stale = isProblem(reschedule.error, 'stale_control_token')
  const moved = destination !== undefined && (destination.publishAt !== publishAt || stale)

  function save(time: Date): void {
    if (destination === undefined) return
    const { controlToken } = destination
    reschedule.mutate(
      { params, body: { confirmed: true, channelId, controlToken, publishAt: time.toISOString() } },
      {
        onSuccess: () => {
          announce(`Moved to ${showMoment(time, zone)} in ${placeOf(zone)}.`)
          onClose()
        },
      },
    )
  }

  return (
    <TimeDialog
      title="Move to another time"
      act="Move it"
      proposed={chooseTime(
        wordsOfLocal(`${to}T${localOf(new Date(publishAt ?? Date.now()), zone).slice(11)}`),
      )}
      ready={destination !== undefined}
      busy={reschedule.isPending}
      error={stale ? null : reschedule.error}
      onSave={save}
      onClose={onClose}
    >
      {post.isPending ? <Loading lines={2} /> : null}
      {post.isError ? <ProblemNotice error={post.error} /> : null}
      {moved ? <MovedMeanwhile destination={destination} zone={zone} /> : null}
    </TimeDialog>
  )
}

function MovedMeanwhile({ destination, zone }: { destination: Destination; zone: string }) {
  const { latestChange, publishAt } = destination
  return (
    <Notice tone="amber" live>
      <p>
        {latestChange?.by.name ?? 'Somebody'} moved this meanwhile: it is at{' '}
        <strong>{publishAt === null ? 'no time' : showTime(publishAt, zone)}</strong> now.
      </p>
    </Notice>
  )
}
