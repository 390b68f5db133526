import type { Post } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { Navigate, navigate, useSearch } from '../../navigation.tsx'
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { fieldError, isAboutFields, isProblem } from '../../api/problem.ts'
import { read } from '../../api/queries.ts'
import { chooseTime } from '../../lib/chosen-time.ts'
import { wordsOfLocal } from '../../lib/read-time.ts'
import { localOf } from '../../lib/zone-clock.ts'
import { placeOf } from '../../lib/zones.ts'
import { useNow } from '../../lib/use-now.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Check } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { Loading, ProblemNotice, Unread } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import { useChannels } from '../channels/use-channels.ts'
import { usualRepeat } from '../series/rule.ts'
import { UseTemplate } from '../templates/use-template.tsx'
import { AiDraft } from './ai-draft.tsx'
import { LabelField } from '../labels/label-field.tsx'
import { ChannelPicker } from './channel-picker.tsx'
import styles from './composer.module.css'
import { Conflict } from './conflict.tsx'
import {
  activeOf,
  contentOf,
  type Draft,
  draftOfPost,
  emptyDraft,
  isBlank,
  isSameDraft,
  shownTab,
  tagsLinks,
  type TextTab,
  withLinkTags,
  write,
} from './draft.ts'
import { countsOf, reachedBy } from './counts.ts'
import { Issues } from './issues.tsx'
import { newDraftId, type Place, putBack } from './kept-drafts.ts'
import { PartsEditor } from './parts-editor.tsx'
import { Preview } from './preview.tsx'
import { firstOf, seriesPlanOf, useSeriesCheck } from './series-plan.ts'
import { changesNothing, type Revision, revisionOf, revisionWords } from './revision.ts'
import { TextTabs } from './text-tabs.tsx'
import { timesWords } from './time-words.ts'
import { EditTime, TimePicker } from './time-picker.tsx'
import { Unfinished } from './unfinished.tsx'
import { useKeptDraft, useRestored } from './use-kept-draft.ts'
import { useLinkTags } from './use-link-tags.ts'
import { publishTimes } from './publish-times.ts'
import { type Checked, usePostCheck } from './use-post-check.ts'
import { useSubmit } from './use-submit.ts'
import { noteUsed } from './last-used.ts'
import { words } from './words.ts'

const HERE = '/w/$workspaceId/compose'

// Few posts are repeated.
const RepeatFields = lazy(async () => {
  const { RepeatFields: fields } = await import('../series/repeat-fields.tsx')
  return { default: fields }
})

export function ComposerScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const { postId, day, slot, channel, template, draft: id, approve } = useSearch(HERE)
  const { query } = useChannels()
  const post = useQuery({
    ...read('appReadPost', { params: { workspaceId, postId: postId ?? '' } }),
    enabled: postId !== undefined,
    // What is being edited must not change under the writer: a newer version is told when this one is saved.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
  })
  // A draft that got another id while it was written stays on the screen.
  const screens = useRef(new Map<string, string>())
  if (id === undefined) return <BeginDraft key={postId ?? 'new'} />
  const isReady = postId === undefined || (post.data !== undefined && post.isFetchedAfterMount)
  if (query.data === undefined || !isReady)
    return (
      <Page title={postId === undefined ? words.screen.newPost : words.screen.editPost}>
        {query.isError || post.isError ? <Unread of={query.isError ? query : post} /> : <Loading />}
      </Page>
    )
  const screen = screens.current.get(id) ?? id
  return (
    <Composer
      key={screen}
      {...{ id }}
      opened={post.data ?? null}
      day={day ?? null}
      slot={slot === undefined ? null : { at: slot, channelIds: channel === undefined ? [] : [channel] }}
      template={template ?? null}
      approves={approve === true}
      onMoved={(moved) => screens.current.set(moved, screen)}
    />
  )
}

/** Each draft has an address of its own, so that several can be written side by side. */
function BeginDraft() {
  const [draft] = useState(newDraftId)
  return <Navigate to={HERE} search={(now) => ({ ...now, draft })} replace />
}

type ComposerProps = {
  id: string
  opened: Post | null
  day: string | null
  /** A posting time that it is to take, and the channels that have it. */
  slot: { at: string; channelIds: readonly string[] } | null
  /** A template that it begins with. */
  template: string | null
  /** Whether what is saved is approved at the same time. */
  approves: boolean
  onMoved: (id: string) => void
}

function Composer({ id, opened, day, slot, template, approves, onMoved }: ComposerProps) {
  const { workspace, me } = useSession()
  const { workspaceId, timeZone: zone } = workspace
  const { personId } = me.person
  const { nameOf, channels } = useChannels()
  const place = useMemo<Place>(
    () => ({ workspaceId, personId, postId: opened?.postId ?? null }),
    [workspaceId, personId, opened?.postId],
  )
  // The version that the writer began from. Whatever is refetched meanwhile changes nothing here.
  const [post, setPost] = useState(opened)
  const kept = useRestored(place, id)
  const [draft, setDraft] = useState<Draft>(
    () =>
      kept?.draft ??
      (slot === null || opened !== null
        ? firstDraft(opened, day, zone)
        : emptyDraft(slot.channelIds, { state: 'queued', queue: slot.at })),
  )
  const [chosen, setChosen] = useState<TextTab | undefined>()
  // A draft that was kept belongs to the version it was written on: saving on top of a newer one must be refused.
  const [token, setToken] = useState(kept?.editToken ?? post?.editToken ?? null)
  const tab = shownTab(draft, chosen)
  const { checked, state: checking } = usePostCheck(draft, zone, post?.postId ?? null)
  const series = useSeriesCheck(draft, zone)
  const now = useNow()
  const mayDecide = useMay('approvals:decide')
  const submit = useSubmit({
    workspaceId,
    zone,
    nameOf,
    post,
    draftId: id,
    editToken: token,
    approve: mayDecide && (post === null || approves),
  })
  const revision = post === null ? null : revisionOf(post, draft, zone, now)
  const began = post === null ? !isBlank(draft) : !isSameDraft(draftOfPost(post, zone), draft)
  const keeping = useKeptDraft(kept, {
    place,
    id,
    draft,
    editToken: token,
    worthKeeping: began,
    onOtherTab: () => announce(words.kept.otherTab),
    onMoved(moved) {
      onMoved(moved)
      void navigate({ to: HERE, search: (now) => ({ ...now, draft: moved }), replace: true })
    },
  })

  const writing = useRef<HTMLFieldSetElement>(null)
  // Who opens it is about to type.
  useEffect(() => {
    const text = writing.current?.querySelector('textarea')
    text?.focus()
    text?.setSelectionRange(text.value.length, text.value.length)
  }, [])

  function startOver(): void {
    const discarded = keeping.forget()
    const search = post === null ? {} : { postId: post.postId }
    void navigate({ to: '/w/$workspaceId/compose', params: { workspaceId }, search })
    if (discarded === null) return
    announce(words.unfinished.discarded, {
      label: words.unfinished.undo,
      run() {
        putBack(place, discarded)
        const draft = discarded.id
        void navigate({
          to: '/w/$workspaceId/compose',
          params: { workspaceId },
          search: { ...search, draft },
        })
      },
    })
  }

  function send(): void {
    submit.mutate(
      { draft, revision, times: publishTimes(draft, zone) },
      {
        onSuccess: (answer) => {
          keeping.forget()
          noteUsed(workspaceId, 'channels', draft.channelIds)
          announce(answer.words)
          // The way back leads to where the writer came from: this draft is over.
          if ('seriesId' in answer) {
            const { seriesId } = answer
            void navigate({
              to: '/w/$workspaceId/series/$seriesId',
              params: { workspaceId, seriesId },
              replace: true,
            })
            return
          }
          const { postId } = answer
          void navigate({
            to: '/w/$workspaceId/posts/$postId',
            params: { workspaceId, postId },
            replace: true,
          })
        },
      },
    )
  }

  const { rule, tag } = useLinkTags(draft.labels ?? post?.labels ?? [])
  const reached = channels.filter(({ channelId }) => reachedBy(draft, tab).includes(channelId))
  // What a network says of equal texts is known of a series alone; of its first post, the check of a post says some of it.
  const repeated = (series.checked?.issues ?? []).filter(
    ({ code, message, channelId }) =>
      code === 'text_repeated' &&
      !checked?.check.issues.some((one) => one.message === message && one.channelId === channelId),
  )
  const issues = [...(checked?.check.issues ?? []), ...repeated]
  const isSeries = draft.time.state === 'scheduled' && draft.repeat !== undefined
  const stale = isProblem(submit.error, 'stale_edit_token') || isProblem(submit.error, 'stale_control_token')
  // What was saved without an answer, and is opened again, can still be approved.
  const approvesAsIs =
    approves && mayDecide && post?.reviewStatus === 'pending' && revision !== null && changesNothing(revision)
  const obstacle =
    incomplete(draft, post === null ? publishTimes(draft, zone, now) !== null : !revision?.missesTime) ??
    (isSeries && seriesPlanOf(draft, zone) === null ? words.missing.repeat : null) ??
    (revision === null || post === null || approvesAsIs ? null : obstacleTo(revision, post))
  return (
    <Page
      title={post === null ? words.screen.newPost : words.screen.editPost}
      actions={
        began ? (
          <Button variant="quiet" disabled={submit.isPending} onClick={startOver}>
            {words.unfinished.discard}
          </Button>
        ) : null
      }
    >
      <Unfinished {...{ place, id }} blank={!began} />
      {stale && post !== null ? (
        <Conflict
          {...{ draft }}
          postId={post.postId}
          onTake={(theirs, next) => {
            setPost(theirs)
            setToken(theirs.editToken)
            setDraft(next)
            submit.reset()
          }}
        />
      ) : null}
      <div className={styles.columns}>
        {/* What is typed while it is sent would be in neither. */}
        <fieldset ref={writing} className={styles.main} disabled={submit.isPending}>
          <ChannelPicker {...{ draft, post }} onChange={setDraft} />
          <div>
            <TextTabs {...{ draft, tab }} onTab={setChosen} onChange={setDraft} />
            <PartsEditor
              key={tab ?? 'shared'}
              content={contentOf(draft, tab)}
              counts={countsOf({ draft, tab, checked, tag }, channels)}
              isChecking={checking === 'checking'}
              providers={reached.map(({ provider }) => provider)}
              mayComment={reached.some(({ capabilities }) => capabilities.firstComment)}
              onChange={(content) => setDraft(write(draft, tab, content))}
            />
          </div>
          {post === null ? (
            <LabelField
              addsWhenLeft
              labels={draft.labels ?? []}
              onChange={(labels) => setDraft({ ...draft, labels })}
            />
          ) : null}
          {rule === null ? null : (
            <Check
              label={words.linkTags}
              checked={tagsLinks(draft)}
              onChange={(isOn) => setDraft(withLinkTags(draft, isOn))}
            />
          )}
          {post === null ? <UseTemplate {...{ draft }} chosen={template} onChange={setDraft} /> : null}
          <AiDraft draft={draft} onChange={setDraft} />
          <Issues issues={issues.filter(({ pointer }) => pointer !== '/publishAt')} />
        </fieldset>
        <aside className={styles.side} aria-label={words.screen.publishing}>
          {post === null ? (
            <TimePicker
              {...{ draft, checked }}
              error={fieldError(submit.error, '/publishAt')}
              onChange={setDraft}
            />
          ) : (
            <EditTime {...{ post, draft }} error={null} onChange={setDraft} />
          )}
          {post === null && draft.time.state === 'scheduled' ? (
            <Check
              label={words.time.repeat}
              hint={words.time.repeatHint}
              checked={isSeries}
              onChange={(isOn) => setDraft(withRepeat(draft, isOn ? usualRepeat : null))}
            />
          ) : null}
          {isSeries && draft.repeat !== undefined ? (
            <Suspense fallback={<Loading lines={3} />}>
              <RepeatFields
                repeat={draft.repeat}
                first={firstOf(draft, zone)}
                checked={series.checked}
                error={series.error}
                onChange={(repeat) => setDraft(withRepeat(draft, repeat))}
              />
            </Suspense>
          ) : null}
          {submit.isError && !stale && !isAboutFields(submit.error, ['/publishAt']) ? (
            <ProblemNotice error={submit.error} />
          ) : null}
          <Button
            variant="primary"
            busy={submit.isPending}
            disabled={
              obstacle !== null ||
              issues.some(({ severity }) => severity === 'error') ||
              stale ||
              (isSeries && series.error !== null)
            }
            aria-describedby="submit-says"
            onClick={send}
          >
            {post === null
              ? submitWords(draft, mayDecide)
              : approves && mayDecide
                ? words.screen.saveAndApprove
                : words.screen.saveChanges}
          </Button>
          <p className={styles.saved} id="submit-says" role="status">
            {obstacle ??
              (approvesAsIs
                ? words.approvesAsIs
                : revision === null
                  ? plannedWords(draft, checked, { zone, nameOf })
                  : revisionWords(revision, { zone, nameOf, done: false }))}
          </p>
          <p className={styles.saved} role="status">
            {keeping.storable ? keptWords[checking] : words.kept.refused}
          </p>
          <Preview {...{ draft, tag }} />
        </aside>
      </div>
    </Page>
  )
}

const keptWords = { rest: words.kept.here, checking: words.kept.checking, away: words.kept.away } as const

/** What is still missing before it can be sent; null for nothing. */
function incomplete(draft: Draft, hasTimes: boolean): string | null {
  if (draft.channelIds.length === 0) return words.missing.channel
  if (isBlank(draft)) return words.missing.content
  return hasTimes ? null : words.missing.time
}

/** Why nothing of an edit can be saved; null for no reason. */
function obstacleTo(revision: Revision, post: Post): string | null {
  if (changesNothing(revision)) return words.missing.change
  const isPlanned = activeOf(post).some(({ publishAt }) => publishAt !== null)
  const { added, times } = revision
  return isPlanned && added.some((id) => !times.has(id)) ? words.missing.oneTime : null
}

/** The draft as the beginning of a series; null for a post of its own. */
function withRepeat({ repeat: _, ...draft }: Draft, repeat: Draft['repeat'] | null): Draft {
  return repeat == null ? draft : { ...draft, repeat }
}

function submitWords({ time, repeat }: Draft, mayDecide: boolean): string {
  if (time.state === 'scheduled' && repeat !== undefined) return words.time.createSeries
  if (time.state === 'immediate') return mayDecide ? words.time.publishNow : words.screen.askForApproval
  if (time.state === 'queued') return words.time.addToQueue
  return time.state === 'scheduled' ? words.time.schedule : words.screen.saveDraft
}

/** The times of a new post whose channels have different ones, as the server has just said. */
function plannedWords(draft: Draft, checked: Checked | undefined, naming: Parameters<typeof timesWords>[1]) {
  if (draft.time.state !== 'scheduled' || checked?.draft !== draft) return ''
  const times = checked.check.destinations.flatMap(({ channelId, publishAt: at }) =>
    at === undefined ? [] : [{ channelId, at }],
  )
  return new Set(times.map(({ at }) => at)).size > 1
    ? words.timeIn(timesWords(times, naming), placeOf(naming.zone))
    : ''
}

const HOUR_MS = 3_600_000

function firstDraft(post: Post | null, day: string | null, zone: string): Draft {
  if (post !== null) return draftOfPost(post, zone)
  if (day === null) return emptyDraft([], { state: 'scheduled', ...chooseTime() })
  // At nine, or on a day whose nine o'clock is over, soon.
  const soon = localOf(new Date(Date.now() + HOUR_MS), zone)
  const nine = `${day}T09:00`
  const local = nine > soon || !soon.startsWith(day) ? nine : soon
  return emptyDraft([], { state: 'scheduled', ...chooseTime(wordsOfLocal(local)) })
}
