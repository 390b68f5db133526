import type { Post } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { isProblem } from '../../api/problem.ts'
import { read } from '../../api/queries.ts'
import { showTime } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Loading, Notice, ProblemNotice } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import { useChannels } from '../channels/use-channels.ts'
import { AiDraft } from './ai-draft.tsx'
import { discard, keyOf, restore, save } from './autosave.ts'
import { ChannelPicker, Variants } from './channel-picker.tsx'
import styles from './composer.module.css'
import { Conflict } from './conflict.tsx'
import { contentFor, type Draft, draftOfPost, emptyDraft, isBlank, withContent } from './draft.ts'
import { countsOf, Issues } from './issues.tsx'
import { PartsEditor } from './parts-editor.tsx'
import { Preview } from './preview.tsx'
import { TimePicker } from './time-picker.tsx'
import { publishTime, usePostCheck } from './use-post-check.ts'
import { useSubmit } from './use-submit.ts'

const route = getRouteApi('/w/$workspaceId/compose')

export function ComposerScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const { postId, day } = route.useSearch()
  const { query } = useChannels()
  const post = useQuery({
    ...read('appReadPost', { params: { workspaceId, postId: postId ?? '' } }),
    enabled: postId !== undefined,
    // What is being edited must not change under the writer: a newer version is told when this one is saved.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
  })
  if (query.isPending || (postId !== undefined && !post.isFetchedAfterMount)) return <Loading />
  if (query.isError) return <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />
  if (postId !== undefined && post.isError)
    return <ProblemNotice error={post.error} onRetry={() => void post.refetch()} />
  return <Composer key={postId ?? 'new'} opened={post.data ?? null} day={day ?? null} />
}

function Composer({ opened, day }: { opened: Post | null; day: string | null }) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const navigate = useNavigate()
  const key = keyOf(workspaceId, opened?.postId ?? null)
  // The version that the writer began from. Whatever is refetched meanwhile changes nothing here.
  const [post, setPost] = useState(opened)
  const [kept] = useState(() => restore(workspaceId, opened?.postId ?? null))
  const [draft, setDraft] = useState<Draft>(() => kept?.draft ?? firstDraft(opened, day))
  const [storable, setStorable] = useState(true)
  const [tab, setTab] = useState<string | null>(null)
  const { check, checking } = usePostCheck(draft, zone)
  const mayDecide = useMay('approvals:decide')
  const changed = useRef(false)
  // A draft that was kept belongs to the version it was written on: saving on top of a newer one must be refused.
  const editToken = kept?.editToken ?? post?.editToken ?? null
  const [token, setToken] = useState(editToken)
  const submit = useSubmit({
    workspaceId,
    postId: post?.postId ?? null,
    editToken: token,
    approve: mayDecide,
  })

  useEffect(() => {
    if (changed.current) setStorable(save(key, draft, token))
  }, [key, draft, token])

  function change(next: Draft): void {
    changed.current = true
    setDraft(next)
  }

  function startOver(): void {
    discard([key, kept?.key ?? key])
    changed.current = false
    setToken(post?.editToken ?? null)
    setDraft(firstDraft(post, day))
  }

  function send(): void {
    submit.mutate(
      { draft, publishAt: publishTime(draft, zone) },
      {
        onSuccess: ({ postId, words }) => {
          discard([key, kept?.key ?? key])
          announce(words)
          void navigate({ to: '/w/$workspaceId/posts/$postId', params: { workspaceId, postId } })
        },
      },
    )
  }

  const errors = check?.issues.filter(({ severity }) => severity === 'error') ?? []
  const missing = draft.time.state === 'scheduled' && publishTime(draft, zone) === null
  const stale = isProblem(submit.error, 'stale_edit_token')
  return (
    <Page title={post === null ? 'New post' : 'Edit post'}>
      {kept === null || submit.isSuccess ? null : (
        <Notice>
          <p>
            This is what you were writing on {showTime(kept.savedAt, zone)}.{' '}
            <Button variant="quiet" onClick={startOver}>
              Discard it
            </Button>
          </p>
        </Notice>
      )}
      {stale && post !== null ? (
        <Conflict
          {...{ draft }}
          postId={post.postId}
          onTake={(theirs, next) => {
            setPost(theirs)
            setToken(theirs.editToken)
            change(next)
            submit.reset()
          }}
        />
      ) : null}
      <div className={styles.columns}>
        <div className={styles.main}>
          {post === null ? <ChannelPicker draft={draft} onChange={change} /> : null}
          <Variants {...{ draft, tab }} onTab={setTab} onChange={change} />
          <PartsEditor
            content={tab === null ? draft.shared : contentFor(draft, tab)}
            counts={countsOf(check, tab, draft)}
            onChange={(content) => change(withContent(draft, tab, content))}
          />
          <AiDraft draft={draft} onChange={change} />
          <Issues issues={check?.issues ?? []} />
        </div>
        <aside className={styles.side} aria-label="Publishing">
          {post === null ? <TimePicker draft={draft} onChange={change} /> : null}
          {submit.isError && !stale ? <ProblemNotice error={submit.error} /> : null}
          <Button
            variant="primary"
            busy={submit.isPending}
            disabled={
              isBlank(draft) || draft.channelIds.length === 0 || missing || errors.length > 0 || stale
            }
            onClick={send}
          >
            {post === null ? submitWords(draft, mayDecide) : 'Save changes'}
          </Button>
          <p className={styles.saved} role="status">
            {storable
              ? checking
                ? 'Checking…'
                : 'What you type is kept in this browser.'
              : 'This browser refuses to keep what you type: save before you leave.'}
          </p>
          <Preview draft={draft} />
        </aside>
      </div>
    </Page>
  )
}

function submitWords({ time }: Draft, mayDecide: boolean): string {
  if (time.state === 'immediate') return mayDecide ? 'Publish now' : 'Ask for approval'
  return time.state === 'scheduled' ? 'Schedule' : 'Save draft'
}

function firstDraft(post: Post | null, day: string | null): Draft {
  if (post !== null) return draftOfPost(post, { state: 'draft' })
  return emptyDraft([], day === null ? { state: 'immediate' } : { state: 'scheduled', local: `${day}T09:00` })
}
