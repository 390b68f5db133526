import type { Sql } from '../../platform/postgres/db.ts'
import { listWorkspaces, type Workspace } from './workspace-store.ts'

/** Why it is not known which workspace is meant. */
export type NotChosen = {
  readonly why: 'no workspace' | 'unknown' | 'several'
  /** In a sentence, with what to do. */
  readonly sentence: string
}

/** The workspace with this id or, when there is exactly one of that name, with this name; for null the only one there is. */
export async function chooseWorkspace(sql: Sql, wanted: string | null): Promise<Workspace | NotChosen> {
  const workspaces = await listWorkspaces(sql)
  if (workspaces.length === 0)
    return {
      why: 'no workspace',
      sentence: 'There is no workspace yet. Start the server once, or run `postrider workspace create`.',
    }
  const fitting = workspaces.filter(
    ({ workspaceId, name }) => wanted === null || wanted.toLowerCase() === workspaceId || wanted === name,
  )
  const [workspace, ...others] = fitting
  if (workspace === undefined)
    return {
      why: 'unknown',
      sentence: `There is no workspace "${wanted}". \`postrider workspace list\` shows them.`,
    }
  if (others.length === 0) return workspace
  const why =
    wanted === null ? `There are ${fitting.length} workspaces` : `${fitting.length} workspaces have that name`
  return {
    why: 'several',
    sentence: `${why}: give --workspace <id> or set POSTRIDER_WORKSPACE, as \`postrider workspace list\` shows it.`,
  }
}

export function isChosen(chosen: Workspace | NotChosen): chosen is Workspace {
  return !('why' in chosen)
}
