/** What is opened with its first use, and once. */
export type OnFirstUse<Value> = {
  readonly get: () => Promise<Value>
  /** What was opened so far; null when nothing was. */
  readonly opened: () => Promise<Value> | null
}

/** Opens with the first use. An opening that fails is forgotten, so that the next use tries again. */
export function onFirstUse<Value>(open: () => Promise<Value>): OnFirstUse<Value> {
  let opened: Promise<Value> | null = null
  return {
    get() {
      opened ??= open().catch((fault: unknown) => {
        opened = null
        throw fault
      })
      return opened
    },
    opened: () => opened,
  }
}
