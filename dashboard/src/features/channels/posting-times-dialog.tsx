import type { app, PostingTimes } from '@postrider/contract'
import { MOST_POSTING_TIMES } from '@postrider/contract/names'
import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { type AnswerOf, call } from '../../api/client.ts'
import { useWrite } from '../../api/queries.ts'
import { showDay, showMoment } from '../../lib/time.ts'
import { placeOf } from '../../lib/zones.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import styles from './channels.module.css'
import { readTyped, typedOf } from './posting-times.ts'
import { words } from './words.ts'

type DialogProps = { channel: app.ManagedChannel; onClose: () => void }
type Moves = AnswerOf<'previewPostingTimes'>
/** What was typed, and what it would move: asked about before it is saved. */
type Asked = Moves & { readonly times: PostingTimes }

/** Monday, 5 January 1970, and the days after it. */
const dayName = (day: number) =>
  showDay(`1970-01-${String(day + 5).padStart(2, '0')}T12:00Z`, 'UTC').split(/[ ,]/)[0] ?? ''

/** The weekly posting times of a channel. Where posts are in its queue, it is asked whether they move, and shown where to. */
export function PostingTimesDialog({ channel, onClose }: DialogProps) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const { channelId, displayName } = channel
  const params = { workspaceId, channelId }
  const [typed, setTyped] = useState(() => typedOf(channel.postingTimes))
  const [asked, setAsked] = useState<Asked | null>(null)
  const preview = useMutation<Moves, Error, PostingTimes>({
    mutationFn: (postingTimes) => call('previewPostingTimes', { params, body: { postingTimes } }),
  })
  const set = useWrite('setPostingTimes')
  const { times, wrong } = readTyped(typed)
  const isOver = times.length > MOST_POSTING_TIMES
  const isSame = JSON.stringify(times) === JSON.stringify(channel.postingTimes)

  function save(postingTimes: PostingTimes, movesToken: string | null): void {
    const body = { postingTimes, ...(movesToken === null ? {} : { movesToken }) }
    set.mutate(
      { params, body },
      {
        onSuccess: () => {
          announce(words.postingTimesSaved(displayName))
          onClose()
        },
      },
    )
  }

  if (asked !== null) {
    return (
      <MoveDialog
        {...{ channel, asked, onClose }}
        busy={set.isPending}
        error={set.error}
        onBack={() => {
          set.reset()
          setAsked(null)
        }}
        onSave={(moves) => save(asked.times, moves ? asked.movesToken : null)}
      />
    )
  }
  return (
    <Dialog title={words.postingTimesTitle(displayName)} onClose={onClose}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          preview.mutate(times, {
            onSuccess: (moves) =>
              moves.moves.length === 0 ? save(times, null) : setAsked({ ...moves, times }),
          })
        }}
      >
        <p>{words.postingTimesHint(placeOf(zone))}</p>
        <div className={styles.days}>
          {typed.map((line, day) => {
            const fault = wrong[day] ?? null
            return (
              <TextField
                key={day}
                label={dayName(day)}
                autoComplete="off"
                placeholder="09:00, 18:00"
                value={line}
                error={fault === null ? null : words.noSuchClock(fault)}
                onChange={(text) => setTyped(typed.map((one, at) => (at === day ? text : one)))}
              />
            )
          })}
        </div>
        {isOver ? <p role="alert">{words.tooManyTimes(MOST_POSTING_TIMES)}</p> : null}
        <WriteProblem error={preview.error ?? set.error} />
        <DialogActions>
          <Button onClick={onClose}>{words.cancel}</Button>
          {preview.isError ? (
            <Button busy={set.isPending} onClick={() => save(times, null)}>
              {words.saveWithoutMoving}
            </Button>
          ) : null}
          <Button
            type="submit"
            variant="primary"
            busy={preview.isPending || set.isPending}
            disabled={isSame || isOver || wrong.some((one) => one !== null)}
          >
            {words.savePostingTimes}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

type MoveDialogProps = DialogProps & {
  asked: Asked
  busy: boolean
  error: unknown
  onBack: () => void
  onSave: (moves: boolean) => void
}

/** Whether what is queued moves to the new posting times, and from where to where. */
function MoveDialog({ channel, asked, busy, error, onBack, onSave, onClose }: MoveDialogProps) {
  const { timeZone: zone } = useSession().workspace
  const [moves, setMoves] = useState(false)
  const name = useId()
  const choices = [
    [false, words.leaveQueue, words.leaveQueueHint],
    [true, words.moveQueue, words.moveQueueHint],
  ] as const
  return (
    <Dialog title={words.postingTimesTitle(channel.displayName)} onClose={onClose}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          onSave(moves)
        }}
      >
        <fieldset className={styles.choices}>
          <legend>{words.whatOfQueue(asked.moves.length)}</legend>
          {choices.map(([value, label, hint]) => (
            <label key={String(value)}>
              <input type="radio" name={name} checked={moves === value} onChange={() => setMoves(value)} />
              <span>
                {label}
                <span className={styles.hint}>{hint}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <ul className={styles.moves} aria-label={words.whatMoves} tabIndex={0}>
          {asked.moves.map(({ postId, text, from, to }) => (
            <li key={postId}>
              <span className={styles.moved}>{text}</span>
              <span>{words.fromTo(showMoment(from, zone), showMoment(to, zone))}</span>
            </li>
          ))}
        </ul>
        <WriteProblem error={error} />
        <DialogActions>
          <Button onClick={onBack}>{words.back}</Button>
          <Button type="submit" variant="primary" busy={busy}>
            {words.savePostingTimes}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
