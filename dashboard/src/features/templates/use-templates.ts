import type { TemplateSummary } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'

const NONE: readonly TemplateSummary[] = []

/** The templates of the workspace, by name. */
export function useTemplates() {
  const { workspaceId } = useSession().workspace
  const query = useQuery(read('appListTemplates', { params: { workspaceId } }))
  return { query, templates: query.data?.templates ?? NONE }
}
