/** How a post of a plan is called for good at the server. One that was cancelled and comes back has another generation. */
export function referenceOf(plan: string, id: string, generation: number): string {
  return `${plan}/${id}${generation === 1 ? '' : `~${generation}`}`
}

export function readReference(plan: string, reference: string): { id: string; generation: number } | null {
  if (!reference.startsWith(`${plan}/`)) return null
  const [, id, generation = '1'] = /^([^~]+)(?:~(\d+))?$/.exec(reference.slice(plan.length + 1)) ?? []
  return id === undefined ? null : { id, generation: Number(generation) }
}
