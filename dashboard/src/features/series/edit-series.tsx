import type { Occurrence, Series } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '../../navigation.tsx'
import { type ReactNode, useState } from 'react'
import { call, type InputOf } from '../../api/client.ts'
import { fieldError, isAboutFields, OfflineError } from '../../api/problem.ts'
import { read, useWrite } from '../../api/queries.ts'
import { chosenInstant, instantOf } from '../../lib/chosen-time.ts'
import { listNames } from '../../lib/list-names.ts'
import { useNow } from '../../lib/use-now.ts'
import { usePaused } from '../../lib/use-paused.ts'
import { placeOf } from '../../lib/zones.ts'
import { useSession } from '../../session.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { TimeField } from '../../ui/time-field.tsx'
import { Unread } from '../../ui/states.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import { useChannels } from '../channels/use-channels.ts'
import { usePlaceName } from '../channels/use-place-name.ts'
import { Issues } from '../composer/issues.tsx'
import { clockDays, ClockProblem } from './clock-problem.tsx'
import { Effects } from './effects.tsx'
import { RepeatFields } from './repeat-fields.tsx'
import { type Repeat, repeatOf, ruleChange, ruleOf, ruleWords, showDate, usualRepeat } from './rule.ts'
import { SeriesChannels } from './series-channels.tsx'
import { channelsOf, contentChange, type SeriesText, textsOf, textsOn } from './series-texts.ts'
import styles from './series.module.css'
import { words } from './words.ts'

type EditSeriesProps = {
  series: Series
  /** From which it begins; null for all. */
  occurrence: Occurrence | null
  onDone: (answer: Series) => void
  onClose: () => void
}
type Scope = keyof typeof words.scopes
type Body = InputOf<'appEditSeries'>['body']
type Change = Omit<Body, 'confirmed' | 'editToken'>

/** Changes texts or time of one occurrence; of it and later ones, or of all that are still to come, also channels and rule. */
export function EditSeries({ series, occurrence, onDone, onClose }: EditSeriesProps): ReactNode {
  const { workspaceId } = useSession().workspace
  const { nameOf } = useChannels()
  const placeName = usePlaceName()
  const { seriesId, editToken, startsAt } = series
  const zone = startsAt.timeZone
  const [scope, setScope] = useState<Scope>(occurrence === null ? 'all' : 'later')
  const [chosenChannels, setChannels] = useState(() => channelsOf(series))
  const [shared, setShared] = useState<Readonly<Record<string, string>>>({})
  const [own, setOwn] = useState<Readonly<Record<string, string>>>({})
  const [clock, setClock] = useState(startsAt.local.slice(11, 16))
  const [repeat, setRepeat] = useState<Repeat | null>(null)
  const before = chosenInstant(occurrence?.publishAt ?? new Date(), zone)
  const [chosen, setChosen] = useState(before)
  const now = useNow()
  const edit = useWrite('appEditSeries')
  const isOne = scope === 'only' && occurrence !== null
  const isMade = isOne && occurrence.status === 'made'
  const whole = useContentOf(seriesId, isOne && !isMade ? occurrence.date : null)
  const content = isOne ? whole.data : series
  const texts = content === undefined ? [] : isOne ? textsOf(content) : textsOn(content, chosenChannels)
  const typed = texts.map(({ text }, at) => (isOne ? own : shared)[keyOf(texts, at)] ?? text)
  const instant = instantOf(chosen, zone, now)
  const isMoved = chosen.words !== before.words || chosen.zone !== null
  const isRepeatWhole = repeat === null || ruleOf(repeat, startsAt.local) !== null

  function setTyped(at: number, next: string): void {
    const change = isOne ? setOwn : setShared
    change((before) => ({ ...before, [keyOf(texts, at)]: next }))
  }

  /** What is other than it was; left out for nothing. */
  function changes(except?: readonly string[]): Change {
    if (isOne) {
      const text = content === undefined ? {} : contentChange(content, channelsOf(content), typed)
      return { ...text, ...(isMoved && instant !== null ? { publishAt: instant.toISOString() } : {}) }
    }
    const isRetimed = clock !== startsAt.local.slice(11, 16)
    const local = `${startsAt.local.slice(0, 10)}T${clock}`
    return {
      ...contentChange(series, chosenChannels, typed),
      ...(isRetimed ? { startsAt: { local, timeZone: zone } } : {}),
      ...(repeat === null ? {} : ruleChange(series, repeat)),
      ...(except === undefined ? {} : { except: [...except] }),
    }
  }

  const where = isOne
    ? { only: occurrence.date }
    : scope === 'later' && occurrence !== null
      ? { from: occurrence.date }
      : {}
  const bodyOf = (except?: readonly string[]) =>
    ({ confirmed: true, editToken, ...where, ...changes(except) }) as const
  const isNothing =
    Object.keys(changes()).length === 0 || (isOne ? isMoved && instant === null : clock === '')
  const isWhole = isOne || (chosenChannels.length > 0 && isRepeatWhole)
  // Once it is saved, the token is another.
  const isSaved = edit.isPending || edit.isSuccess
  const check = useEditCheck(seriesId, isNothing || isOne || !isWhole || isSaved ? null : bodyOf())

  function send(except?: readonly string[]): void {
    edit.mutate({ params: { workspaceId, seriesId }, body: bodyOf(except) }, { onSuccess: onDone })
  }

  const error = edit.error ?? check.error
  const isClock = clockDays(error, zone).length > 0
  const timeError = fieldError(edit.error, '/publishAt')
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
          {isOne && content === undefined ? <Unread of={whole} /> : null}
          {typed.map((text, at) => (
            <TextArea
              key={keyOf(texts, at)}
              label={labelOf(texts[at]?.channelId ?? null, at, typed.length, nameOf)}
              rows={4}
              value={text}
              onChange={(next) => setTyped(at, next)}
            />
          ))}
          {isOne ? (
            <TimeField label={words.publishAt} {...{ zone, chosen }} error={timeError} onChange={setChosen} />
          ) : (
            <>
              <TextField
                label={words.timeOfDay(placeOf(zone))}
                type="time"
                value={clock}
                onChange={setClock}
              />
              <details className={styles.more}>
                <summary>{words.onChannels(listNames(chosenChannels.map(placeName)))}</summary>
                <SeriesChannels known={channelsOf(series)} chosen={chosenChannels} onChange={setChannels} />
              </details>
              <EditRule
                {...{ series, repeat }}
                checked={check.data}
                error={isClock || fieldError(error, '/rule') === null ? null : error}
                onChange={setRepeat}
              />
            </>
          )}
        </>
      )}
      <ClockProblem
        {...{ zone }}
        error={error}
        onLeaveOut={(days) => send([...(repeat ?? series).except, ...days])}
      />
      {isClock || isAboutFields(error, ['/publishAt', '/rule']) ? null : <WriteProblem error={error} />}
      <div role="status">
        {chosenChannels.length === 0 && !isOne ? <p>{words.noChannel}</p> : null}
        {check.data === undefined ? null : <Effects of={check.data} isAhead />}
      </div>
      <Issues issues={check.data?.issues ?? []} />
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
          <Button
            variant="primary"
            busy={edit.isPending}
            disabled={isNothing || !isWhole}
            onClick={() => send()}
          >
            {words.save}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

/** The whole content that the post of an occurrence will have; of null, none. */
function useContentOf(seriesId: string, date: string | null) {
  const { workspaceId } = useSession().workspace
  const query = read('appReadSeries', { params: { workspaceId, seriesId }, query: { only: date ?? '' } })
  return useQuery({
    ...query,
    enabled: date !== null,
    select: ({ occurrences }: Series) => occurrences[0]?.content ?? {},
  })
}

const CHECK_MS = 400

/** What an edit would do, as the server says, a moment after the typing pauses; of null, nothing. */
function useEditCheck(
  seriesId: string,
  body: Body | null,
): { data: Series | undefined; error: Error | null } {
  const { workspaceId } = useSession().workspace
  const now = JSON.stringify(body)
  const asked = usePaused(now, CHECK_MS)
  const { data, error } = useQuery({
    queryKey: ['appEditSeries', workspaceId, seriesId, asked],
    queryFn: ({ signal }) => {
      const dry = { ...(JSON.parse(asked) as Body), dryRun: true }
      const options = { signal, idempotencyKey: crypto.randomUUID() }
      return call('appEditSeries', { params: { workspaceId, seriesId }, body: dry }, options)
    },
    enabled: asked === now && asked !== 'null',
    retry: (_tries, failed) => failed instanceof OfflineError,
  })
  return asked === now && asked !== 'null' ? { data, error } : { data: undefined, error: null }
}

type EditRuleProps = {
  series: Series
  /** Null as long as it stays. */
  repeat: Repeat | null
  checked: Series | undefined
  error: unknown
  onChange: (repeat: Repeat) => void
}

/** How often it repeats, to be opened on wish. */
function EditRule({ series, repeat, checked, error, onChange }: EditRuleProps) {
  const known = repeatOf(series)
  const { startsAt } = series
  return (
    <details className={styles.more}>
      <summary>{ruleWords(series)}</summary>
      {known === null ? <p>{words.otherRule}</p> : null}
      <RepeatFields
        repeat={repeat ?? known ?? { ...usualRepeat, except: series.except }}
        kept={series.except}
        first={startsAt}
        {...{ checked, error }}
        onChange={onChange}
      />
      <p className={styles.muted}>{words.countedFrom(showDate(startsAt.local.slice(0, 10)))}</p>
    </details>
  )
}

const keyOf = (texts: readonly SeriesText[], at: number) => texts[at]?.channelId ?? String(at)

function labelOf(
  channelId: string | null,
  at: number,
  count: number,
  nameOf: (id: string) => string,
): string {
  if (channelId !== null) return words.textFor(nameOf(channelId))
  return count === 1 ? words.text : words.contentTurn(at + 1)
}
