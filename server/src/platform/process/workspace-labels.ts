/** The label of a workspace in metrics. */
export type WorkspaceLabel = (workspaceId: string) => string

/** The first so many workspaces that are met have their id as a label, and all others together `other`: so metrics stay few. */
export function workspaceLabels(most: number): WorkspaceLabel {
  const known = new Set<string>()
  return (workspaceId) => {
    if (known.size < most) known.add(workspaceId)
    return known.has(workspaceId) ? workspaceId : 'other'
  }
}
