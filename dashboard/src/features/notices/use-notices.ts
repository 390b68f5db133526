import type { app } from '@postrider/contract'
import { useEffect } from 'react'
import { canNotify, kindsIn, useBrowserKinds } from './browser-notices.ts'

/** Tells of what needs attention while the page is open, where the person has switched that on in this browser. */
export function useNotices({ workspaceId, memberId, rights }: app.MyWorkspace): void {
  const kinds = useBrowserKinds(memberId)
  const may = rights.join(' ')
  useEffect(() => {
    if (kinds === '' || !canNotify()) return
    const ended = new AbortController()
    const wanted = { workspaceId, kinds: kindsIn(kinds), rights: may.split(' ') }
    void import('./watch.ts').then(
      ({ watch }) => watch(wanted, ended.signal),
      () => undefined,
    )
    return () => ended.abort()
  }, [workspaceId, kinds, may])
}
