import type { MediaKind } from '@postrider/contract'
import { useState } from 'react'
import { usePages } from '../../api/use-pages.ts'
import { usePaused } from '../../lib/use-paused.ts'
import { useSession } from '../../session.tsx'

const PAGE = 40
const TYPING_MS = 300

export type LibrarySearch = {
  readonly q: string
  readonly kind: MediaKind | ''
  readonly used: 'yes' | 'no' | ''
}

/** The media of the workspace, as they are searched for. */
export function useLibrary() {
  const { workspaceId } = useSession().workspace
  const [search, setSearch] = useState<LibrarySearch>({ q: '', kind: '', used: '' })
  const q = usePaused(search.q, TYPING_MS)
  const { kind, used } = search
  const query = {
    q,
    ...(kind === '' ? {} : { kind }),
    ...(used === '' ? {} : { used }),
  }
  const { pages, items } = usePages('findMedia', { params: { workspaceId }, query }, { limit: PAGE })
  const isSearched = search.q.trim() !== '' || kind !== '' || used !== ''
  return { search, setSearch, pages, items, isSearched }
}
