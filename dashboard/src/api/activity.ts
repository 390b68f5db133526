const IDLE_MS = 5 * 60_000

let usedAt = performance.now()
for (const kind of ['pointerdown', 'keydown', 'wheel', 'touchstart']) {
  document.addEventListener(kind, () => void (usedAt = performance.now()), { capture: true, passive: true })
}

/** Whether a person has not touched this tab for minutes: what it asks by itself then is no use of the session. */
export function isIdle(): boolean {
  return performance.now() - usedAt > IDLE_MS
}
