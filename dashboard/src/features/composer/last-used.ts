/*
 * What a person chose last in this browser (channels, mentions, hashtags), the latest first. It is a convenience: a browser that
 * keeps nothing loses nothing by it.
 */

type Store = Pick<Storage, 'getItem' | 'setItem'>

const MOST = 200

const keyOf = (workspaceId: string, what: string) => `postrider.used.${workspaceId}.${what}`

export function listUsed(workspaceId: string, what: string, store: Store = localStorage): readonly string[] {
  try {
    const kept: unknown = JSON.parse(store.getItem(keyOf(workspaceId, what)) ?? '[]')
    return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}

/** Puts these in front, in their order. */
export function noteUsed(
  workspaceId: string,
  what: string,
  used: readonly string[],
  store: Store = localStorage,
): void {
  const known = listUsed(workspaceId, what, store)
  const next = [...new Set([...used, ...known])].slice(0, MOST)
  try {
    store.setItem(keyOf(workspaceId, what), JSON.stringify(next))
  } catch {
    // Full, or private mode.
  }
}
