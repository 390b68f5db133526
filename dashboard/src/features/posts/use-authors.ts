import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { read } from '../../api/queries.ts'
import { useMay, useSession } from '../../session.tsx'

/** Who may have written posts: the members, and the agents where this person may see these. */
export function useAuthors(): string[] {
  const { workspaceId } = useSession().workspace
  const maySeeKeys = useMay('keys:manage')
  const params = { workspaceId }
  const members = useQuery(read('listMembers', { params }))
  const keys = useQuery({ ...read('listKeys', { params }), enabled: maySeeKeys })
  return useMemo(() => {
    const names = [...(members.data ?? []), ...(keys.data ?? [])].map(({ name }) => name)
    return [...new Set(names)].toSorted((a, b) => a.localeCompare(b))
  }, [members.data, keys.data])
}
