import { useEffect } from 'react'
import { queryClient } from './queries.ts'

/** What can be other than it is shown when a post has moved. */
const MOVING = [
  'appListPosts',
  'appReadPost',
  'appListSeries',
  'appReadSeries',
  'appReadCalendar',
  'readCalendarOverview',
  'readTimeline',
  'listApprovals',
  'readToday',
  'readAttention',
  'readApproval',
  'listManagedChannels',
  'listDeliveries',
  'listBulkRuns',
  'listEventLog',
]
const AGAIN_MS = 30_000

/** What the stream said; `id` is the position after it. */
type Notice = { readonly kind: 'ready' | 'changed' | 'reset'; readonly id: string }

/**
 * Refetches what is shown whenever something has changed in the workspace. Browsers keep six connections to a server,
 * so that one tab listens for all of them; when it is closed, another goes on from where it was.
 */
export function useLive(workspaceId: string): void {
  useEffect(() => {
    const name = `postrider.live.${workspaceId}`
    const ended = new AbortController()
    const others = new BroadcastChannel(name)
    let last = ''

    function take({ kind, id }: Notice): void {
      const missed = kind === 'reset' || (kind === 'ready' && last !== '' && last !== id)
      last = id
      // Requests for approval have no position: whoever comes back, or has just come, reads them again.
      if (missed) void queryClient.invalidateQueries()
      else if (kind === 'ready') void queryClient.invalidateQueries({ queryKey: ['listApprovals'] })
      else if (kind === 'changed')
        for (const moving of MOVING) void queryClient.invalidateQueries({ queryKey: [moving] })
    }
    others.addEventListener('message', ({ data }: MessageEvent<Notice>) => take(data))

    const listen = () =>
      listenUntil(ended.signal, workspaceId, {
        last: () => last,
        onNotice: (notice) => {
          take(notice)
          // A channel, unlike a window, has one origin.
          // oxlint-disable-next-line unicorn/require-post-message-target-origin
          others.postMessage(notice)
        },
      })
    // There are locks in secure contexts only (https, localhost): elsewhere each tab listens for itself.
    if (navigator.locks === undefined) void listen()
    else void navigator.locks.request(name, { signal: ended.signal }, listen).catch(() => undefined)
    return () => {
      ended.abort()
      others.close()
    }
  }, [workspaceId])
}

type Listener = { last: () => string; onNotice: (notice: Notice) => void }

/** Holds the stream open until `signal` is aborted. */
function listenUntil(signal: AbortSignal, workspaceId: string, { last, onNotice }: Listener): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let source: EventSource
  let timer: ReturnType<typeof setTimeout> | undefined

  function open(): void {
    const url = new URL(`app/api/workspaces/${workspaceId}/live`, document.baseURI)
    if (last() !== '') url.searchParams.set('after', last())
    source = new EventSource(url)
    for (const kind of ['ready', 'changed', 'reset'] as const)
      source.addEventListener(kind, ({ lastEventId: id }) => onNotice({ kind, id }))
    // The browser comes back by itself unless the server has said no.
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, AGAIN_MS)
    })
  }
  open()
  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    source.close()
    resolve()
  })
  return promise
}
