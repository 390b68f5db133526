import type { Post, PostIssue } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { call } from '../../api/client.ts'
import { isProblem } from '../../api/problem.ts'
import { read, useWrite } from '../../api/queries.ts'
import { instantsOf, showTime } from '../../lib/time.ts'
import { useSession } from '../../session.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { Loading, Notice, ProblemNotice } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import { useChannels } from '../channels/use-channels.ts'
import { discard, keyOf, restore, save } from './autosave.ts'
import styles from './composer.module.css'
import {
  addVariant,
  contentFor,
  type Draft,
  type DraftContent,
  draftOfPost,
  emptyDraft,
  insertPart,
  isBlank,
  planOf,
  removePart,
  removeVariant,
  withContent,
  withPart,
} from './draft.ts'
import { readTimeWords } from './time-words.ts'

const route = getRouteApi('/w/$workspaceId/compose')
const CHECK_MS = 400

export function ComposerScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const { postId, day } = route.useSearch()
  const { query } = useChannels()
  const post = useQuery({
    ...read('appReadPost', { params: { workspaceId, postId: postId ?? '' } }),
    enabled: postId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (query.isPending || (postId !== undefined && post.isPending)) return <Loading />
  if (query.isError) return <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />
  if (post.isError) return <ProblemNotice error={post.error} onRetry={() => void post.refetch()} />
  return <Composer key={postId ?? 'new'} post={post.data ?? null} day={day ?? null} />
}

function Composer({ post, day }: { post: Post | null; day: string | null }) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const navigate = useNavigate()
  const key = keyOf(workspaceId, post?.postId ?? null)
  const [kept] = useState(() => restore(key))
  const [draft, setDraft] = useState<Draft>(() => kept?.draft ?? firstDraft(post, day))
  const [storable, setStorable] = useState(true)
  const [tab, setTab] = useState<string | null>(null)
  const { check, checking } = usePostCheck(workspaceId, draft, zone)
  const create = useWrite('appCreatePost')
  const edit = useWrite('appEditPost')
  const writing = post === null ? create : edit
  const changed = useRef(false)

  useEffect(() => {
    if (changed.current) setStorable(save(key, draft, post?.editToken ?? null))
  }, [key, draft, post])

  function change(next: Draft): void {
    changed.current = true
    setDraft(next)
  }

  function startOver(): void {
    discard(key)
    changed.current = false
    setDraft(firstDraft(post, day))
  }

  function done(postId: string, words: string): void {
    discard(key)
    announce(words)
    void navigate({ to: '/w/$workspaceId/posts/$postId', params: { workspaceId, postId } })
  }

  function submit(): void {
    const plan = planOf(draft, publishTime(draft, zone))
    if (post === null) {
      const body = { ...plan, confirmed: true, idempotencyKey: crypto.randomUUID() } as const
      create.mutate({ params: { workspaceId }, body }, { onSuccess: ({ postId }) => done(postId, doneWords[draft.time.state]) })
      return
    }
    const { state: _state, publishAt: _at, channelIds: _ids, ...content } = plan
    const body = { confirmed: true, editToken: post.editToken, content } as const
    edit.mutate(
      { params: { workspaceId, postId: post.postId }, body },
      { onSuccess: ({ postId }) => done(postId, 'Saved.') },
    )
  }

  const errors = check?.issues.filter(({ severity }) => severity === 'error') ?? []
  const missing = draft.time.state === 'scheduled' && publishTime(draft, zone) === null
  return (
    <Page title={post === null ? 'New post' : 'Edit post'}>
      {kept === null ? null : (
        <Notice>
          <p>
            This is what you were writing {showTime(kept.savedAt, zone)}.{' '}
            <Button variant="quiet" onClick={startOver}>
              Discard it
            </Button>
          </p>
        </Notice>
      )}
      <div className={styles.columns}>
        <div className={styles.main}>
          {post === null ? <ChannelPicker draft={draft} onChange={change} /> : null}
          <Variants {...{ draft, tab }} onTab={setTab} onChange={change} />
          <Parts
            content={tab === null ? draft.shared : contentFor(draft, tab)}
            counts={countsOf(check, tab, draft)}
            onChange={(content) => change(withContent(draft, tab, content))}
          />
          <Issues issues={check?.issues ?? []} />
        </div>
        <aside className={styles.side} aria-label="When">
          {post === null ? <TimePicker draft={draft} onChange={change} /> : null}
          {writing.isError ? <SubmitProblem error={writing.error} /> : null}
          <div className={styles.actions}>
            <Button
              variant="primary"
              busy={writing.isPending}
              disabled={isBlank(draft) || draft.channelIds.length === 0 || missing || errors.length > 0}
              onClick={submit}
            >
              {post === null ? submitWords[draft.time.state] : 'Save changes'}
            </Button>
          </div>
          <p className={styles.saved} role="status">
            {storable
              ? checking
                ? 'Checking…'
                : 'What you type is kept in this browser.'
              : 'This browser refuses to keep what you type: save before you leave.'}
          </p>
        </aside>
      </div>
    </Page>
  )
}

const submitWords = { draft: 'Save draft', scheduled: 'Schedule', immediate: 'Ask for approval' } as const
const doneWords = {
  draft: 'The draft is saved.',
  scheduled: 'It is scheduled.',
  immediate: 'It waits for approval, and goes out at once when it is given.',
} as const

function firstDraft(post: Post | null, day: string | null): Draft {
  if (post !== null) return draftOfPost(post, { state: 'draft' })
  return emptyDraft([], day === null ? { state: 'draft' } : { state: 'scheduled', local: `${day}T09:00` })
}

function publishTime({ time }: Draft, zone: string): Date | null {
  return time.state === 'scheduled' ? (instantsOf(time.local, zone)[0] ?? null) : null
}

/** The server's own check of what stands there now; a moment after the typing pauses. */
function usePostCheck(workspaceId: string, draft: Draft, zone: string) {
  const settled = usePaused(draft, CHECK_MS)
  const plan = useMemo(() => planOf(settled, publishTime(settled, zone)), [settled, zone])
  const complete = settled.channelIds.length > 0 && !isBlank(settled) && (plan.state !== 'scheduled' || plan.publishAt !== undefined)
  const query = useQuery({
    queryKey: ['appCheckPost', workspaceId, plan],
    queryFn: ({ signal }) => call('appCheckPost', { params: { workspaceId }, body: plan }, { signal }),
    enabled: complete,
    placeholderData: (previous) => previous,
  })
  return { check: complete ? query.data : undefined, checking: query.isFetching }
}

function usePaused<Value>(value: Value, ms: number): Value {
  const [paused, setPaused] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return paused
}

type Change = { draft: Draft; onChange: (draft: Draft) => void }

function ChannelPicker({ draft, onChange }: Change) {
  const { channels } = useChannels()
  const enabled = channels.filter((channel) => channel.enabled)
  function toggle(channelId: string, on: boolean): void {
    const rest = draft.channelIds.filter((id) => id !== channelId)
    onChange({ ...removeVariant(draft, channelId), channelIds: on ? [...rest, channelId] : rest })
  }
  return (
    <fieldset style={{ border: 0, padding: 0, margin: 0 }}>
      <legend className="visually-hidden">Channels</legend>
      <div className={styles.channels}>
        {enabled.map(({ channelId, displayName }) => (
          <label key={channelId} className={styles.channel}>
            <input
              type="checkbox"
              checked={draft.channelIds.includes(channelId)}
              onChange={(event) => toggle(channelId, event.target.checked)}
            />
            {displayName}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

type VariantsProps = Change & { tab: string | null; onTab: (tab: string | null) => void }

/** Which text is shown: the one that channels share, or a channel's own. */
function Variants({ draft, tab, onTab, onChange }: VariantsProps) {
  const { nameOf } = useChannels()
  if (draft.channelIds.length < 2) return null
  function open(channelId: string): void {
    if (draft.variants[channelId] === undefined) onChange(addVariant(draft, channelId))
    onTab(channelId)
  }
  return (
    <div className={styles.tabs} role="tablist" aria-label="Text for">
      <button type="button" role="tab" className={styles.tab} aria-selected={tab === null} onClick={() => onTab(null)}>
        All channels
      </button>
      {draft.channelIds.map((id) => (
        <button key={id} type="button" role="tab" className={styles.tab} aria-selected={tab === id} onClick={() => open(id)}>
          {nameOf(id)}
          {draft.variants[id] === undefined ? '' : ' (own text)'}
        </button>
      ))}
      {tab === null ? null : (
        <Button
          variant="quiet"
          onClick={() => {
            onChange(removeVariant(draft, tab))
            onTab(null)
          }}
        >
          Use the shared text
        </Button>
      )}
    </div>
  )
}

/** What each network counts of a part, and how many it takes. */
type Count = { name: string; characters: number; max: number }

function countsOf(
  check: { destinations: readonly { channelId: string; provider: string; maxCharacters: number; parts: readonly { index: number; characters: number }[] }[] } | undefined,
  tab: string | null,
  draft: Draft,
): (index: number) => Count[] {
  const shown = (check?.destinations ?? []).filter(({ channelId }) =>
    tab === null ? draft.variants[channelId] === undefined : channelId === tab,
  )
  return (index) =>
    shown.flatMap(({ provider, maxCharacters, parts }) => {
      const part = parts.find((one) => one.index === index)
      return part === undefined ? [] : [{ name: provider, characters: part.characters, max: maxCharacters }]
    })
}

type PartsProps = { content: DraftContent; counts: (index: number) => Count[]; onChange: (content: DraftContent) => void }

function Parts({ content, counts, onChange }: PartsProps) {
  return (
    <>
      {content.parts.map((part, index) => (
        <div key={index} className={styles.part}>
          <textarea
            aria-label={index === 0 ? 'Text' : `Follow-up ${index}`}
            rows={index === 0 ? 8 : 4}
            value={part.text}
            placeholder={index === 0 ? 'What do you want to say?' : 'Published as a reply to the part before'}
            onChange={(event) => onChange(withPart(content, index, { ...part, text: event.target.value }))}
          />
          <div className={styles.partFoot}>
            <Button variant="quiet" onClick={() => onChange(insertPart(content, index))}>
              <Plus aria-hidden />
              Add a follow-up
            </Button>
            {content.parts.length === 1 ? null : (
              <IconButton label="Remove this part" onClick={() => onChange(removePart(content, index))}>
                <Trash2 aria-hidden />
              </IconButton>
            )}
            <span className={styles.counts}>
              {counts(index).map(({ name, characters, max }) => (
                <span key={name} className={characters > max ? styles.over : undefined}>
                  {name} {characters.toLocaleString()} / {max.toLocaleString()}
                </span>
              ))}
            </span>
          </div>
        </div>
      ))}
    </>
  )
}

function Issues({ issues }: { issues: readonly PostIssue[] }) {
  const { nameOf } = useChannels()
  if (issues.length === 0) return null
  return (
    <ul className={styles.issues} aria-label="What the check found">
      {issues.map((issue, index) => (
        <li key={index}>
          <Notice tone={issue.severity === 'error' ? 'red' : 'amber'}>
            <p>
              {issue.channelId === undefined ? '' : `${nameOf(issue.channelId)}: `}
              {issue.message}
            </p>
            <p>{issue.fix}</p>
          </Notice>
        </li>
      ))}
    </ul>
  )
}

function TimePicker({ draft, onChange }: Change) {
  const { timeZone: zone } = useSession().workspace
  const [words, setWords] = useState('')
  const { time } = draft
  const instants = time.state === 'scheduled' ? instantsOf(time.local, zone) : []

  async function understand(text: string): Promise<void> {
    setWords(text)
    const understood = await readTimeWords(text, zone)
    if (understood !== null) onChange({ ...draft, time: { state: 'scheduled', local: understood.local } })
  }

  return (
    <>
      <Field label="What happens with it">
        {(control) => (
          <select
            {...control}
            value={time.state}
            onChange={(event) => {
              const state = event.target.value as Draft['time']['state']
              onChange({ ...draft, time: state === 'scheduled' ? { state, local: '' } : { state } })
            }}
          >
            <option value="draft">Keep it as a draft</option>
            <option value="scheduled">Publish it at a time</option>
            <option value="immediate">Publish it now, after approval</option>
          </select>
        )}
      </Field>
      {time.state === 'scheduled' ? (
        <>
          <Field label="In words (optional)" hint="Such as “tomorrow 9am” or “next friday 14:30”.">
            {(control) => <input {...control} value={words} onChange={(event) => void understand(event.target.value)} />}
          </Field>
          <Field
            label="Time"
            hint={`In the workspace's time zone, ${zone}.`}
            error={
              time.local !== '' && instants.length === 0
                ? 'This time does not exist on that day: the clocks are put forward. Choose another.'
                : null
            }
          >
            {(control) => (
              <input
                {...control}
                type="datetime-local"
                value={time.local}
                onChange={(event) => onChange({ ...draft, time: { state: 'scheduled', local: event.target.value } })}
              />
            )}
          </Field>
          {instants.length > 1 ? <Notice>The clocks are put back in that hour: the first of the two is taken.</Notice> : null}
        </>
      ) : null}
    </>
  )
}

function SubmitProblem({ error }: { error: unknown }) {
  if (isProblem(error, 'stale_edit_token'))
    return (
      <Notice tone="amber" live>
        <p>Somebody changed the post while you wrote. Your text is kept here. Open the post, look at theirs, and edit again.</p>
      </Notice>
    )
  return <ProblemNotice error={error} />
}
