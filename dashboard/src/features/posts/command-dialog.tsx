import type { Destination, Post } from '@postrider/contract'
import { useState } from 'react'
import type { AnswerOf } from '../../api/client.ts'
import { fieldError, isAboutFields } from '../../api/problem.ts'
import { useWrite } from '../../api/queries.ts'
import { chosenInstant, instantOf } from '../../lib/chosen-time.ts'
import { useNow } from '../../lib/use-now.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TimeField } from '../../ui/time-field.tsx'
import { ProblemNotice } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import { cancelLater, canUndo } from './cancel-later.ts'
import { moveBack } from './move-channels.ts'
import { goesOn } from './standing.ts'
import { words } from './words.ts'

export type CommandName = 'schedule' | 'reschedule' | 'retry' | 'cancel'

/** The commands that have a dialog of their own here. */
type Dialogs = Exclude<CommandName, 'retry'>

type Words = { title: string; explain: string; act: string; done: string }

const actionWords: Record<Dialogs, Words> = {
  schedule: {
    title: words.schedule,
    explain: words.scheduleHint,
    act: words.schedule,
    done: words.scheduled,
  },
  reschedule: {
    title: words.changeTime,
    explain: words.changeTimeHint,
    act: words.changeTime,
    done: words.timeChanged,
  },
  cancel: {
    title: words.cancelTitle,
    explain: words.cancelHint,
    act: words.cancelPost,
    done: words.cancelled,
  },
}

/** Of a thread of which some is live: only its rest waits. */
const cancelRestWords: Words = {
  title: words.cancelTitle,
  explain: words.cancelRestHint,
  act: words.cancelRest,
  done: words.cancelled,
}

const SOON_MS = 10 * 60_000

/** One command on one destination, under the token that was shown. */
export function CommandDialog(props: {
  command: Dialogs
  post: Post
  destination: Destination
  onClose: () => void
}) {
  const { command, post, destination, onClose } = props
  const { workspaceId, timeZone: zone } = useSession().workspace
  const isRest = command === 'cancel' && goesOn(destination)
  const { title, explain, act, done } = isRest ? cancelRestWords : actionWords[command]
  const [chosen, setChosen] = useState(() => chosenInstant(laterOf(destination.publishAt), zone))
  const instant = instantOf(chosen, zone, useNow())
  const timed = useWrite(command === 'schedule' ? 'appScheduleDestination' : 'appRescheduleDestination')
  const cancel = useWrite('appCancelDestination')
  const from = destination.publishAt ?? ''
  const undoable = !isRest && canUndo({ from })
  const running = command === 'cancel' ? cancel : timed

  function run(): void {
    const params = { workspaceId, postId: post.postId }
    const target = {
      confirmed: true,
      channelId: destination.channelId,
      controlToken: destination.controlToken,
    } as const
    const onSuccess = () => {
      announce(done)
      onClose()
    }
    if (command === 'cancel' && undoable) {
      const { channelId, controlToken, displayName } = destination
      const step = { postId: post.postId, channelId, controlToken, displayName, from }
      cancelLater(workspaceId, step, { soon: words.cancelsSoon(displayName), done })
      onClose()
    } else if (command === 'cancel') cancel.mutate({ params, body: target }, { onSuccess })
    else if (instant !== null)
      timed.mutate(
        { params, body: { ...target, publishAt: instant.toISOString() } },
        { onSuccess: (answer) => (command === 'reschedule' ? moved(answer) : onSuccess()) },
      )
  }

  /** Another command takes it back: to the time before, under the token that this one has answered. */
  function moved(answer: AnswerOf<'appRescheduleDestination' | 'appScheduleDestination'>): void {
    if ('controlToken' in answer && answer.publishAt !== null && from !== '') {
      const { channelId, controlToken, displayName } = answer
      const step = { postId: post.postId, channelId, controlToken, displayName, from }
      announce(done, { label: words.undo, run: () => void moveBack(workspaceId, step) })
    } else announce(done)
    onClose()
  }

  return (
    <Dialog title={`${title}: ${destination.displayName}`} onClose={onClose}>
      <p>{command === 'cancel' && undoable ? words.cancelHintUndo : explain}</p>
      {command === 'cancel' ? null : (
        <TimeField
          label={words.publishAt}
          {...{ zone, chosen }}
          error={fieldError(running.error, '/publishAt')}
          onChange={setChosen}
        />
      )}
      {running.isError && !isAboutFields(running.error, ['/publishAt']) ? (
        <ProblemNotice error={running.error} />
      ) : null}
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
        <Button
          variant={command === 'cancel' ? 'danger' : 'primary'}
          busy={running.isPending}
          disabled={command !== 'cancel' && instant === null}
          onClick={run}
        >
          {act}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function laterOf(publishAt: string | null): Date {
  return new Date(Math.max(publishAt === null ? 0 : Date.parse(publishAt), Date.now() + SOON_MS))
}
