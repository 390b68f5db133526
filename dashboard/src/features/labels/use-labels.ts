import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'

const NONE: readonly string[] = []

/** The labels that posts of the workspace have. */
export function useLabels(): readonly string[] {
  const { workspaceId } = useSession().workspace
  return useQuery(read('appListLabels', { params: { workspaceId } })).data?.labels ?? NONE
}
