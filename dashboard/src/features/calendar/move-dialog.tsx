import type { CalendarEntry, Destination } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { fieldError, isAboutFields, isProblem } from '../../api/problem.ts'
import { read, useWrite } from '../../api/queries.ts'
import { instantsOf, localOf, showTime } from '../../lib/time.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { LocalTimeField } from '../../ui/local-time-field.tsx'
import { Loading, Notice, ProblemNotice } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import type { Day } from './grid.ts'

/** An entry, and the day that it is moved to. */
export type Move = { readonly entry: CalendarEntry; readonly to: Day }

/** Moves a scheduled destination, under the token that its post has now: what somebody else moved meanwhile is told. */
export function MoveDialog({ move: { entry, to }, onClose }: { move: Move; onClose: () => void }) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const { postId, channelId, publishAt } = entry
  const [local, setLocal] = useState(`${to}T${localOf(new Date(publishAt ?? Date.now()), zone).slice(11)}`)
  const post = useQuery({ ...read('appReadPost', { params: { workspaceId, postId } }), staleTime: 0 })
  const reschedule = useWrite('appRescheduleDestination')
  const destination = post.data?.destinations.find((one) => one.channelId === channelId)
  const stale = isProblem(reschedule.error, 'stale_control_token')
  const moved = destination !== undefined && (destination.publishAt !== publishAt || stale)
  const [instant] = instantsOf(local, zone)

  function save(): void {
    if (destination === undefined || instant === undefined) return
    const { controlToken } = destination
    reschedule.mutate(
      {
        params: { workspaceId, postId },
        body: { confirmed: true, channelId, controlToken, publishAt: instant.toISOString() },
      },
      {
        onSuccess: () => {
          announce(`Moved to ${showTime(instant, zone)}.`)
          onClose()
        },
      },
    )
  }

  return (
    <Dialog title="Move to another time" onClose={onClose}>
      {post.isPending ? <Loading lines={2} /> : null}
      {post.isError ? <ProblemNotice error={post.error} /> : null}
      {moved ? <MovedMeanwhile destination={destination} zone={zone} /> : null}
      <LocalTimeField
        label="New time"
        {...{ zone, local }}
        error={fieldError(reschedule.error, '/publishAt')}
        onChange={setLocal}
      />
      {reschedule.isError && !stale && !isAboutFields(reschedule.error, ['/publishAt']) ? (
        <ProblemNotice error={reschedule.error} />
      ) : null}
      <DialogActions>
        <Button onClick={onClose}>Leave it</Button>
        <Button
          variant="primary"
          busy={reschedule.isPending}
          disabled={destination === undefined || instant === undefined}
          onClick={save}
        >
          Move it
        </Button>
      </DialogActions>
    </Dialog>
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
