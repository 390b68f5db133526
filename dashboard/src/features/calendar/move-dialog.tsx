import type { CalendarEntry } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { isProblem } from '../../api/problem.ts'
import { read, useWrite } from '../../api/queries.ts'
import { instantsOf, localOf, showTime } from '../../lib/time.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Loading, Notice, ProblemNotice } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import type { Day } from './grid.ts'

/** An entry, and the day that it is moved to; the same day for a move by keyboard, where the person types it. */
export type Move = { readonly entry: CalendarEntry; readonly to: Day }

/** Moves a scheduled destination, under the token that its post has now: what somebody else moved meanwhile is told. */
export function MoveDialog({ move: { entry, to }, onClose }: { move: Move; onClose: () => void }) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const { postId, channelId, publishAt } = entry
  const [local, setLocal] = useState(`${to}T${localOf(new Date(publishAt ?? Date.now()), zone).slice(11)}`)
  const post = useQuery({ ...read('appReadPost', { params: { workspaceId, postId } }), staleTime: 0 })
  const reschedule = useWrite('appRescheduleDestination')
  const destination = post.data?.destinations.find((one) => one.channelId === channelId)
  const moved = destination !== undefined && destination.publishAt !== publishAt
  const stale = moved || isProblem(reschedule.error, 'stale_control_token')
  const instants = instantsOf(local, zone)
  const [instant] = instants

  function save(): void {
    if (destination === undefined || instant === undefined) return
    reschedule.mutate(
      {
        params: { workspaceId, postId },
        body: {
          confirmed: true,
          channelId,
          controlToken: destination.controlToken,
          publishAt: instant.toISOString(),
        },
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
      {stale && destination !== undefined ? (
        <Notice tone="amber" live>
          <p>
            Somebody moved this meanwhile: it is at{' '}
            <strong>
              {destination.publishAt === null ? 'no time' : showTime(destination.publishAt, zone)}
            </strong>{' '}
            now.
          </p>
        </Notice>
      ) : null}
      <Field
        label="New time"
        hint={`In the workspace's time zone, ${zone}.`}
        error={
          instants.length === 0
            ? 'This time does not exist on that day: the clocks are put forward. Choose another.'
            : null
        }
      >
        {(control) => (
          <input
            {...control}
            type="datetime-local"
            value={local}
            onChange={(event) => setLocal(event.target.value)}
          />
        )}
      </Field>
      {instants.length > 1 ? (
        <Notice>The clocks are put back in that hour, so that it comes twice: the first one is taken.</Notice>
      ) : null}
      {reschedule.isError && !stale ? <ProblemNotice error={reschedule.error} /> : null}
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
