import type { Browser } from './session/browser.ts'
import { makeKnownBrowser } from './session/known-browser.ts'
import { endSessionOf } from './session/session-store.ts'
import type { Entry, PeopleParts } from './sign-in.ts'

/**
 * Gives a browser the cookies of an entry. The session that it had before ends: no person goes on in one that another may
 * have given it.
 */
export async function storeEntry(
  { db, keyring }: Pick<PeopleParts, 'db' | 'keyring'>,
  browser: Browser,
  entry: Entry,
): Promise<void> {
  if (entry.is === 'second_factor') return browser.keepStep(entry.secret)
  await replaceSession(db, browser, entry.secret)
  browser.keepKnown(makeKnownBrowser(keyring, entry))
}

/** Ends the session that a browser had, and gives it another one. */
export async function replaceSession(db: PeopleParts['db'], browser: Browser, secret: string): Promise<void> {
  if (browser.session !== null) await endSessionOf(db, browser.session)
  if (browser.step !== null) browser.forgetStep()
  browser.keepSession(secret)
}
