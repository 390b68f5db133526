import type { Occurrence, Series } from '@postrider/contract'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { InputOf } from '../../api/client.ts'
import { fieldError, isAboutFields } from '../../api/problem.ts'
import { useWrite } from '../../api/queries.ts'
import { chosenInstant, instantOf } from '../../lib/chosen-time.ts'
import { useNow } from '../../lib/use-now.ts'
import { placeOf } from '../../lib/zones.ts'
import { useSession } from '../../session.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { TimeField } from '../../ui/time-field.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import { useChannels } from '../channels/use-channels.ts'
import { clockDays, ClockProblem } from './clock-problem.tsx'
import type { SeriesText } from './series-screen.tsx'
import styles from './series.module.css'
import { words } from './words.ts'

type EditSeriesProps = {
  series: Series
  texts: readonly SeriesText[]
  /** From which it begins; null for all. */
  occurrence: Occurrence | null
  onDone: (answer: Series) => void
  onClose: () => void
}
type Scope = keyof typeof words.scopes
type Body = InputOf<'appEditSeries'>['body']

/** Changes texts or time of one occurrence, of it and later ones, or of all that are still to come. */
export function EditSeries({ series, texts, occurrence, onDone, onClose }: EditSeriesProps): ReactNode {
  const { workspaceId } = useSession().workspace
  const { nameOf } = useChannels()
  const { seriesId, editToken, startsAt } = series
  const zone = startsAt.timeZone
  const [scope, setScope] = useState<Scope>(occurrence === null ? 'all' : 'later')
  const [shared, setShared] = useState(() => texts.map(({ text }) => text))
  const [own, setOwn] = useState(() => ownTexts(texts, occurrence))
  const [clock, setClock] = useState(startsAt.local.slice(11, 16))
  const before = chosenInstant(occurrence?.publishAt ?? new Date(), zone)
  const [chosen, setChosen] = useState(before)
  const now = useNow()
  const edit = useWrite('appEditSeries')
  const isOne = scope === 'only' && occurrence !== null
  const typed = isOne ? own : shared
  const setTyped = isOne ? setOwn : setShared
  const instant = instantOf(chosen, zone, now)
  const isMoved = chosen.words !== before.words || chosen.zone !== null
  const isMade = isOne && occurrence.status === 'made'

  /** What is other than it was; left out for nothing. */
  function changes(except?: readonly string[]): Omit<Body, 'confirmed' | 'editToken'> {
    const old = isOne ? ownTexts(texts, occurrence) : texts.map(({ text }) => text)
    const text = typed.some((one, at) => one !== old[at]) ? textChange(series, typed, isOne) : {}
    if (isOne)
      return { ...text, ...(isMoved && instant !== null ? { publishAt: instant.toISOString() } : {}) }
    const isRetimed = clock !== startsAt.local.slice(11, 16)
    const local = `${startsAt.local.slice(0, 10)}T${clock}`
    return {
      ...text,
      ...(isRetimed ? { startsAt: { local, timeZone: zone } } : {}),
      ...(except === undefined ? {} : { except: [...except] }),
    }
  }

  function send(except?: readonly string[]): void {
    const where = isOne
      ? { only: occurrence.date }
      : scope === 'later' && occurrence !== null
        ? { from: occurrence.date }
        : {}
    const body = { confirmed: true, editToken, ...where, ...changes(except) } as const
    edit.mutate({ params: { workspaceId, seriesId }, body }, { onSuccess: onDone })
  }

  const isClock = clockDays(edit.error, zone).length > 0
  const timeError = fieldError(edit.error, '/publishAt')
  const isNothing =
    Object.keys(changes()).length === 0 || (isOne ? isMoved && instant === null : clock === '')
  return (
    <Dialog title={words.editTitle} onClose={onClose}>
      {occurrence === null ? null : (
        <fieldset className={styles.scopes}>
          <legend>{words.scope}</legend>
          {(['only', 'later', 'all'] as const).map((one) => (
            <label key={one}>
              <input type="radio" name="scope" checked={scope === one} onChange={() => setScope(one)} />
              {words.scopes[one]}
            </label>
          ))}
        </fieldset>
      )}
      {isMade ? (
        <p>{words.isMade}</p>
      ) : (
        <>
          {typed.map((text, at) => (
            <TextArea
              key={texts[at]?.channelId ?? at}
              label={labelOf(texts[at]?.channelId ?? null, at, typed.length, nameOf)}
              rows={4}
              value={text}
              onChange={(next) => setTyped(typed.map((each, place) => (place === at ? next : each)))}
            />
          ))}
          {isOne ? (
            <TimeField label={words.publishAt} {...{ zone, chosen }} error={timeError} onChange={setChosen} />
          ) : (
            <TextField label={words.timeOfDay(placeOf(zone))} type="time" value={clock} onChange={setClock} />
          )}
        </>
      )}
      <ClockProblem
        {...{ zone }}
        error={edit.error}
        onLeaveOut={(days) => send([...series.except, ...days])}
      />
      {isClock || isAboutFields(edit.error, ['/publishAt']) ? null : <WriteProblem error={edit.error} />}
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
        {isMade ? (
          <Link
            className={buttonClass('primary')}
            to="/w/$workspaceId/compose"
            params={{ workspaceId }}
            search={{ postId: occurrence.postId ?? undefined }}
          >
            {words.editPost}
          </Link>
        ) : (
          <Button variant="primary" busy={edit.isPending} disabled={isNothing} onClick={() => send()}>
            {words.save}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

/** What one occurrence says: the turn that it has, or what was written for it alone. An answer carries the beginning only. */
function ownTexts(texts: readonly SeriesText[], occurrence: Occurrence | null): string[] {
  if (texts.some(({ channelId }) => channelId !== null)) return texts.map(({ text }) => text)
  const begins = occurrence?.text ?? ''
  return [texts.find(({ text }) => text.startsWith(begins))?.text ?? begins]
}

function textChange({ contents, targets }: Series, typed: readonly string[], isOne: boolean) {
  if (targets !== undefined) return { targets: targets.map((one, at) => ({ ...one, text: typed[at] ?? '' })) }
  if (contents !== undefined && !isOne)
    return { contents: contents.map((one, at) => ({ ...one, text: typed[at] ?? '' })) }
  return { text: typed[0] ?? '' }
}

function labelOf(
  channelId: string | null,
  at: number,
  count: number,
  nameOf: (id: string) => string,
): string {
  if (channelId !== null) return words.textFor(nameOf(channelId))
  return count === 1 ? words.text : words.contentTurn(at + 1)
}
