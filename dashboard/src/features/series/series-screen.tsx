import type { Occurrence, Series } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '../../navigation.tsx'
import { type ReactNode, useState } from 'react'
import { read, useWrite } from '../../api/queries.ts'
import { listNames } from '../../lib/list-names.ts'
import { showMoment } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { sentence } from '../../terms/problem-words.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Page } from '../../ui/page.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { Notice, Unread } from '../../ui/states.tsx'
import { StatusBadge, Tag } from '../../ui/status.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import { useChannels } from '../channels/use-channels.ts'
import { usePlaceName } from '../channels/use-place-name.ts'
import { EditSeries } from './edit-series.tsx'
import { Effects } from './effects.tsx'
import { ruleWords, showDate } from './rule.ts'
import { channelsOf, type SeriesText, textsOf } from './series-texts.ts'
import { SeriesStatus } from './series-status.tsx'
import styles from './series.module.css'
import { words } from './words.ts'

const HERE = '/w/$workspaceId/series/$seriesId'

export function SeriesScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const { seriesId } = useParams(HERE)
  const series = useQuery(read('appReadSeries', { params: { workspaceId, seriesId } }))
  if (series.data === undefined)
    return (
      <Page title={words.title}>
        <Unread of={series} />
      </Page>
    )
  return <SeriesView series={series.data} />
}

const TITLE_LENGTH = 60

/** What is being edited: all of it, or from an occurrence. */
type Editing = { readonly occurrence: Occurrence | null }

function SeriesView({ series }: { series: Series }) {
  const { workspaceId } = useSession().workspace
  const mayWrite = useMay('posts:write')
  const { seriesId, status, reason, editToken, except, postsBy, occurrences } = series
  const [editing, setEditing] = useState<Editing | null>(null)
  const [ending, setEnding] = useState(false)
  const [done, setDone] = useState<Series | null>(null)
  const setStatus = useWrite('appSetSeriesStatus')
  const skip = useWrite('appSkipOccurrence')
  const params = { workspaceId, seriesId }

  function say(text: string, answer: Series): void {
    announce(text)
    setDone(answer)
  }
  function move(to: Series['status'], said: string, then?: () => void): void {
    setStatus.mutate(
      { params, body: { confirmed: true, editToken, status: to } },
      {
        onSuccess(answer) {
          say(said, answer)
          then?.()
        },
      },
    )
  }
  function setSkipped({ date }: Occurrence, leaves: boolean, said: string): void {
    skip.mutate(
      { params, body: { confirmed: true, editToken, date, skip: leaves } },
      { onSuccess: (answer) => say(said, answer) },
    )
  }

  // One that ended with its last occurrence goes on with another rule; one that a person ended does not.
  const isOpen = mayWrite && status !== 'ended'
  const texts = textsOf(series)
  return (
    <Page
      title={(texts[0]?.text ?? '').slice(0, TITLE_LENGTH) || words.withoutText}
      lead={ruleWords(series)}
      actions={
        isOpen ? (
          <>
            <Button onClick={() => setEditing({ occurrence: null })}>{words.edit}</Button>
            {status === 'active' ? (
              <Button busy={setStatus.isPending} onClick={() => move('paused', words.paused)}>
                {words.pause}
              </Button>
            ) : (
              <Button busy={setStatus.isPending} onClick={() => move('active', words.resumed)}>
                {words.resume}
              </Button>
            )}
            <Button onClick={() => setEnding(true)}>{words.end}</Button>
          </>
        ) : null
      }
    >
      <p>
        <SeriesStatus status={status} /> {reason === null ? '' : sentence(reason)}
      </p>
      <p className={styles.muted}>
        {words.postsBy(postsBy.name)}
        {except.length === 0 ? '' : ` ${words.leftOut(listNames(except.map(showDate), except.length))}`}
      </p>
      {ending ? null : <WriteProblem error={setStatus.error ?? skip.error} />}
      <div role="status">{done === null ? null : <Effects of={done} />}</div>
      <section className={styles.part} aria-labelledby="series-content">
        <h2 id="series-content">{words.content}</h2>
        <Contents texts={texts} series={series} />
      </section>
      <section className={styles.part} aria-labelledby="series-occurrences">
        <h2 id="series-occurrences">{words.occurrences}</h2>
        {occurrences.length === 0 ? (
          <p>{words.noOccurrences}</p>
        ) : (
          <Rows label={words.occurrences}>
            {occurrences.map((occurrence) => (
              <OccurrenceRow
                key={occurrence.date}
                {...{ occurrence, series }}
                busy={skip.isPending}
                onSkip={isOpen ? setSkipped : null}
                onEdit={isOpen ? () => setEditing({ occurrence }) : null}
              />
            ))}
          </Rows>
        )}
      </section>
      {editing === null ? null : (
        <EditSeries
          {...{ series }}
          occurrence={editing.occurrence}
          onDone={(answer) => {
            say(words.saved, answer)
            setEditing(null)
          }}
          onClose={() => setEditing(null)}
        />
      )}
      {ending ? (
        <ConfirmDialog
          title={words.endTitle}
          act={words.endAct}
          busy={setStatus.isPending}
          error={setStatus.error}
          onConfirm={() => move('ended', words.ended, () => setEnding(false))}
          onClose={() => setEnding(false)}
        >
          {words.endHint}
        </ConfirmDialog>
      ) : null}
    </Page>
  )
}

function Contents({ texts, series }: { texts: readonly SeriesText[]; series: Series }) {
  const { nameOf } = useChannels()
  const placeName = usePlaceName()
  const { thread = [], labels = [] } = series
  return (
    <>
      <p className={styles.muted}>{listNames(channelsOf(series).map(placeName))}</p>
      {texts.map(({ text, channelId }, at) => (
        <div key={channelId ?? at}>
          {texts.length === 1 && channelId === null ? null : (
            <h3>{channelId === null ? words.contentTurn(at + 1) : nameOf(channelId)}</h3>
          )}
          <p className={styles.text} dir="auto">
            {text || words.withoutText}
          </p>
        </div>
      ))}
      {thread.map(({ text }, at) => (
        <p key={`${at} ${text}`} className={styles.text} dir="auto">
          {text}
        </p>
      ))}
      {labels.length === 0 ? null : (
        <p>
          {labels.map((label) => (
            <Tag key={label}>{label}</Tag>
          ))}
        </p>
      )}
    </>
  )
}

type OccurrenceRowProps = {
  occurrence: Occurrence
  series: Series
  busy: boolean
  /** Null where this person changes nothing. */
  onSkip: ((occurrence: Occurrence, leaves: boolean, said: string) => void) | null
  onEdit: (() => void) | null
}

const stateTones = {
  planned: 'gray',
  waiting: 'amber',
  missed: 'red',
  skipped: 'gray',
  made: 'blue',
} as const

function OccurrenceRow({ occurrence, series, busy, onSkip, onEdit }: OccurrenceRowProps) {
  const { workspaceId } = useSession().workspace
  const { channelOf } = useChannels()
  const { publishAt, status, reason, postId, changed, text, channels } = occurrence
  const when = showMoment(publishAt, series.startsAt.timeZone)
  const isAhead = Date.parse(publishAt) > Date.now()
  const canChange = isAhead && status !== 'missed'
  const waits = [...new Set(channels.flatMap(({ waitReason }) => waitReason ?? []))]
  return (
    <Row
      title={<time dateTime={publishAt}>{when}</time>}
      tags={
        <>
          {status === 'made' && channels.length > 0 ? null : (
            <Tag tone={stateTones[status]}>{words.states[status]}</Tag>
          )}
          {changed ? <Tag>{words.changed}</Tag> : null}
        </>
      }
      detail={<span dir="auto">{text || words.withoutText}</span>}
      actions={
        <>
          {postId === null ? null : (
            <Link
              aria-label={words.openPostOf(when)}
              to="/w/$workspaceId/posts/$postId"
              params={{ workspaceId, postId }}
            >
              {words.openPost}
            </Link>
          )}
          {onEdit === null || !canChange || status === 'skipped' ? null : (
            <Button aria-label={words.editOf(when)} onClick={onEdit}>
              {words.edit}
            </Button>
          )}
          {onSkip === null || !canChange ? null : status === 'skipped' ? (
            <Button
              aria-label={words.takeUpOf(when)}
              disabled={busy}
              onClick={() => onSkip(occurrence, false, words.takenUp(when))}
            >
              {words.takeUp}
            </Button>
          ) : (
            <Button
              aria-label={words.skipOf(when)}
              disabled={busy}
              onClick={() => onSkip(occurrence, true, words.skipped(when))}
            >
              {words.skip}
            </Button>
          )}
        </>
      }
    >
      {channels.length === 0 ? null : (
        <p className={styles.channels}>
          {channels.map((one) => (
            <span key={one.channelId} className={styles.channel}>
              {channelOf(one).displayName} <StatusBadge status={one.status} />
            </span>
          ))}
        </p>
      )}
      {reason === null ? null : (
        <Notice tone={status === 'missed' ? 'red' : 'amber'}>
          <p>{sentence(reason)}</p>
        </Notice>
      )}
      {waits.map((wait) => (
        <Notice key={wait} tone="amber">
          <p>{sentence(wait)}</p>
        </Notice>
      ))}
    </Row>
  )
}
