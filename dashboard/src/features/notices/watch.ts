import type { app } from '@postrider/contract'
import { type NoticeKind, noticeKinds } from '@postrider/contract/names'
import { QueryObserver } from '@tanstack/react-query'
import { queryClient, read } from '../../api/queries.ts'
import { navigate } from '../../navigation.tsx'
import { statusLooks } from '../../ui/status.tsx'
import { excerptOf, newSince, type Seen, seen } from './what-is-new.ts'
import { words } from './words.ts'

const channelProblems = {
  disconnected: words.disconnected,
  access_ending: words.accessEnding,
  version_ending: words.versionEnding,
}

type Wanted = {
  readonly workspaceId: string
  readonly kinds: readonly NoticeKind[]
  readonly rights: readonly string[]
}

/** Something that needs attention. Its key tells it from what the same subject needed before. */
type Matter = {
  readonly key: string
  readonly title: string
  readonly body: string
  readonly open: () => Promise<void>
}

/** What has no events is looked at so often, in the background, too. */
const LOOK_MS = 60_000
/** More than that at once are one notification. */
const MOST = 3

/** Notifies of what is new from now on, until `signal` is aborted. Of all tabs one does, and another goes on when it is closed. */
export function watch(wanted: Wanted, signal: AbortSignal): void {
  const name = `postrider.notices.${wanted.workspaceId}`
  const held = () => notifyUntil(signal, wanted)
  if (!signal.aborted) void navigator.locks.request(name, { signal }, held).catch(() => undefined)
}

function notifyUntil(signal: AbortSignal, wanted: Wanted): Promise<void> {
  const { workspaceId, kinds, rights } = wanted
  const { promise, resolve } = Promise.withResolvers<void>()
  const often = { refetchInterval: LOOK_MS, refetchIntervalInBackground: true }
  const attention = new QueryObserver(queryClient, {
    ...read('readAttention', { params: { workspaceId } }),
    ...often,
  })
  const approvals = new QueryObserver(queryClient, {
    ...read('listApprovals', { params: { workspaceId }, query: {} }),
    ...often,
  })
  /** What was there when it was looked at last; null before the first time, of which nothing is told. */
  let known: Seen | null = null

  function look(): void {
    const [troubles, requests] = [attention.getCurrentResult(), approvals.getCurrentResult()]
    if (troubles.data === undefined || requests.data === undefined) return
    const matters = mattersOf(troubles.data, requests.data, workspaceId).filter(
      ({ kind }) => kinds.includes(kind) && rights.includes(noticeKinds[kind].right),
    )
    const before = known
    known = seen(matters, troubles.data.posts)
    if (before !== null) show(newSince(matters, before), workspaceId)
  }

  const ends = [attention, approvals].map((observer) => observer.subscribe(look))
  look()
  signal.addEventListener('abort', () => {
    for (const end of ends) end()
    resolve()
  })
  return promise
}

/** What needs attention and has lasted for as long as its kind has to. */
function mattersOf(
  { posts, secondPosts, channels, series, endpoints }: app.Attention,
  requests: readonly app.ApprovalSummary[],
  workspaceId: string,
): (Matter & { kind: NoticeKind; since: string })[] {
  const excerpt = (text: string) => (text === '' ? words.withoutText : words.quoted(excerptOf(text)))
  const hasLasted = (kind: NoticeKind, since: string) =>
    Date.now() - Date.parse(since) >= noticeKinds[kind].afterMinutes * 60_000
  return [
    ...posts.map(({ postId, channelId, channel, status, since, text }) => {
      const kind = status === 'checking' ? ('posts_checking' as const) : ('posts_failed' as const)
      return {
        kind,
        since,
        key: `${postId} ${channelId} ${since}`,
        title: words.onChannel(statusLooks[status].label, channel),
        body: excerpt(text),
        open: () => navigate({ to: '/w/$workspaceId/posts/$postId', params: { workspaceId, postId } }),
      }
    }),
    ...secondPosts.map(({ postId, channel, attemptId, since, text }) => ({
      kind: 'posts_twice' as const,
      since,
      key: attemptId,
      title: words.onChannel(words.liveTwice, channel),
      body: excerpt(text),
      open: () => navigate({ to: '/w/$workspaceId/posts/$postId', params: { workspaceId, postId } }),
    })),
    ...channels.map(({ channelId, displayName, problem, accessEndsAt, apiVersion }) => ({
      kind: 'channels' as const,
      since: '1970-01-01',
      key: `${channelId} ${problem} ${problem === 'version_ending' ? apiVersion?.name : accessEndsAt}`,
      title: displayName,
      body: channelProblems[problem],
      open: () => navigate({ to: '/w/$workspaceId/channels', params: { workspaceId } }),
    })),
    ...series.map(({ seriesId, text, problem, nextAt }) => ({
      kind: 'series' as const,
      since: '1970-01-01',
      key: `${seriesId} ${problem} ${nextAt}`,
      title: problem === 'paused' ? words.seriesPaused : words.seriesWaiting,
      body: excerpt(text),
      open: () => navigate({ to: '/w/$workspaceId/series/$seriesId', params: { workspaceId, seriesId } }),
    })),
    ...endpoints.map(({ endpointId, url, problem, since }) => ({
      kind: 'webhooks' as const,
      key: `${endpointId} ${problem} ${since}`,
      since: problem === 'disabled' ? '1970-01-01' : since,
      title: problem === 'disabled' ? words.webhookDisabled : words.webhookFails,
      body: url,
      open: () =>
        navigate({ to: '/w/$workspaceId/webhooks/$endpointId', params: { workspaceId, endpointId } }),
    })),
    ...requests
      .filter(({ status }) => status === 'pending')
      .map(({ approvalId, text, requestedAt }) => ({
        kind: 'approvals' as const,
        since: requestedAt,
        key: approvalId,
        title: words.approval,
        body: excerpt(text),
        open: () =>
          navigate({
            to: '/w/$workspaceId/approvals',
            params: { workspaceId },
            search: { request: approvalId },
          }),
      })),
  ].filter(({ kind, since }) => hasLasted(kind, since))
}

function show(matters: readonly Matter[], workspaceId: string): void {
  if (Notification.permission !== 'granted') return
  if (matters.length <= MOST) for (const matter of matters) notify(matter)
  else
    notify({
      key: `${workspaceId} many`,
      title: words.many(matters.length),
      body: '',
      open: () => navigate({ to: '/w/$workspaceId/attention', params: { workspaceId } }),
    })
}

/** The tag keeps what is told of the same matter a second time from being a second notification. */
function notify({ key, title, body, open }: Matter): void {
  const notification = new Notification(excerptOf(title), { body, tag: key })
  notification.addEventListener('click', () => {
    window.focus()
    notification.close()
    void open()
  })
}
