import type { SharedCounts } from './rate-count-store.ts'

const WINDOW_MS = 60_000
/** How long uses that were granted ahead are kept, and what is known of the others is believed. */
const KEPT_MS = 1_000
/** How long a request waits for the database to count it. */
const PATIENCE_MS = 250

/** What is left of a limit: `resetSeconds` until it is whole again, and the same as clients read it. */
export type Allowance = { allowed: boolean; resetSeconds: number; field: string }

export type RateLimit = {
  /** The policy as clients read it (RateLimit header fields of the IETF's HTTPAPI group). */
  readonly policy: string
  /** Counts one use under `name`, or several, and says whether they are within the limit. */
  readonly take: (name: string, count?: number) => Promise<Allowance>
}

export type OwnRateLimit = {
  readonly take: (name: string) => Allowance
  /** Takes a use back that was counted in advance. */
  readonly giveBack: (name: string) => void
}

/** A minute of one name, in this process. */
type Window = {
  readonly bornMs: number
  endsMs: number
  /** Uses by this process. */
  used: number
}

/**
 * A limit of so many uses per minute and name, in windows that begin with the first use, counted in this process alone: for what protects
 * the process itself.
 */
export function ownRateLimit(policyName: string, perMinute: number): OwnRateLimit {
  const windows = windowsOf(ownWindow)
  return {
    take(name) {
      const window = windows.current(name)
      window.used += 1
      return allowanceOf(policyName, window, perMinute - window.used)
    },
    giveBack: (name) => void (windows.current(name).used -= 1),
  }
}

function ownWindow(nowMs: number): Window {
  return { bornMs: nowMs, endsMs: nowMs + WINDOW_MS, used: 0 }
}

/** The windows of all names that have not ended. */
function windowsOf<W extends Window>(open: (nowMs: number) => W) {
  /** In the order of their beginning. */
  const windows = new Map<string, W>()
  return {
    current(name: string): W {
      const nowMs = wholeNow()
      for (const [over, { bornMs }] of windows) {
        if (bornMs + WINDOW_MS > nowMs) break
        windows.delete(over)
      }
      const known = windows.get(name)
      if (known !== undefined && known.endsMs > nowMs) return known
      const window = open(nowMs)
      windows.delete(name)
      windows.set(name, window)
      return window
    },
    all: () => windows,
  }
}

/** Whole: of fractions, the end less the beginning may be more than the window. */
function wholeNow(): number {
  return Math.floor(performance.now())
}

function allowanceOf(policyName: string, { endsMs }: Window, left: number): Allowance {
  const resetSeconds = Math.max(1, Math.ceil((endsMs - wholeNow()) / 1_000))
  const field = `"${policyName}";r=${Math.max(left, 0)};t=${resetSeconds}`
  return { allowed: left >= 0, resetSeconds, field }
}

/** A minute of one name, of which this process is granted uses by the database. */
type SharedWindow = Window & {
  /** The same end as the database knows it; null before it was asked. */
  endsAt: Date | null
  /** Granted, and not used yet. */
  held: number
  /** What was left for all when the database was asked last, and when that was. */
  left: number
  askedMs: number
  /** Used since then. */
  usedSince: number
  /** Allowed without the database, which is told of them once it answers. */
  owed: number
  /** For those who wait for an answer of the database. */
  wanted: number
  asking: Promise<void> | null
  /** Until then, the process counts for itself. */
  aloneUntilMs: number
}

/**
 * The same, of all processes together: each takes uses from a row ahead of its requests, as many as it needed within the last second,
 * and gives back what it did not need. So most requests are counted without the database, and never more are allowed than the limit. Where
 * the database is away or slow, a process allows up to the limit by itself, and waits no longer than a quarter of a second.
 */
export function sharedRateLimit(policyName: string, perMinute: number, counts: SharedCounts): RateLimit {
  const windows = windowsOf<SharedWindow>((nowMs) => ({
    ...ownWindow(nowMs),
    endsAt: null,
    held: 0,
    left: perMinute,
    askedMs: -Infinity,
    usedSince: 0,
    owed: 0,
    wanted: 0,
    asking: null,
    aloneUntilMs: 0,
  }))
  let returning: NodeJS.Timeout | null = null

  async function ask(name: string, window: SharedWindow): Promise<void> {
    const { held, endsAt, usedSince } = window
    const wanted = window.wanted + window.owed
    window.held = 0
    window.usedSince = 0
    const unneeded = endsAt === null || held === 0 ? null : { count: held, endsAt }
    const ahead = wanted + 2 * usedSince
    const grant = await counts.grant({ policy: policyName, name, perMinute, wanted, ahead, unneeded })
    window.held = Math.max(grant.granted - window.owed, 0)
    window.owed = 0
    window.left = Math.max(perMinute - grant.used, 0)
    window.endsAt = grant.endsAt
    window.endsMs = wholeNow() + Math.min(Math.max(grant.leftMs, 1), WINDOW_MS)
    window.askedMs = wholeNow()
    window.aloneUntilMs = 0
    returning ??= setTimeout(giveBackUnneeded, KEPT_MS).unref()
  }

  /** Ends with the answer of the database, or without. */
  async function askPatiently(name: string, window: SharedWindow): Promise<void> {
    window.asking ??= ask(name, window)
      .catch(() => void (window.aloneUntilMs = wholeNow() + KEPT_MS))
      .finally(() => void (window.asking = null))
    const { promise: impatient, resolve } = Promise.withResolvers<'impatient'>()
    const timer = setTimeout(() => resolve('impatient'), PATIENCE_MS)
    const end = await Promise.race([window.asking, impatient])
    clearTimeout(timer)
    // Whoever comes meanwhile does not wait for it at all.
    if (end === 'impatient') window.aloneUntilMs = Infinity
  }

  async function take(name: string, count = 1): Promise<Allowance> {
    const window = windows.current(name)
    window.wanted += count
    while (mustAsk(window, count)) await askPatiently(name, window)
    window.wanted -= count
    window.used += count
    window.usedSince += count
    if (isAlone(window)) {
      window.owed += count
      return allowanceOf(policyName, window, perMinute - window.used)
    }
    const isGranted = window.held >= count
    window.held = Math.max(window.held - count, 0)
    return allowanceOf(policyName, window, isGranted ? window.held + window.left : -1)
  }

  function giveBackUnneeded(): void {
    const nowMs = wholeNow()
    // A busy name asks by itself, and gives back with that.
    const unneeded = [...windows.all()].flatMap(([name, window]) => {
      const { held, endsAt, endsMs, asking } = window
      if (
        held === 0 ||
        endsAt === null ||
        endsMs <= nowMs ||
        asking !== null ||
        nowMs < window.askedMs + 2 * KEPT_MS
      )
        return []
      window.held = 0
      return [{ policy: policyName, name, count: held, endsAt }]
    })
    const keepsSome = windows
      .all()
      .values()
      .some(({ held, endsMs }) => held > 0 && endsMs > nowMs)
    returning = keepsSome ? setTimeout(giveBackUnneeded, KEPT_MS).unref() : null
    // Without a database they are lost, until the minute ends.
    if (unneeded.length > 0) counts.giveBack(unneeded).catch(() => undefined)
  }

  return { policy: `"${policyName}";q=${perMinute};w=60`, take }
}

function isKnown({ askedMs }: SharedWindow): boolean {
  return wholeNow() < askedMs + KEPT_MS
}

function isAlone({ aloneUntilMs }: SharedWindow): boolean {
  return wholeNow() < aloneUntilMs
}

function mustAsk(window: SharedWindow, count: number): boolean {
  if (isAlone(window)) return false
  return !isKnown(window) || (window.held < count && window.left > 0)
}
