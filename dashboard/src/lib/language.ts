/*
 * The page has one language from its start to its end. What it says is in the `words.ts` of each feature; a second
 * language is a `words.<language>.ts` of the same type beside it, and is loaded only where somebody reads it.
 */

export type Language = 'en' | 'de'

const KEY = 'postrider.language'

/** Tests of single modules run without a browser. */
const browser = typeof document === 'undefined' ? null : { stored: localStorage.getItem(KEY) }

export const languageOfBrowser: Language = navigator.language.startsWith('de') ? 'de' : 'en'

const isLanguage = (value: unknown): value is Language => value === 'en' || value === 'de'

export const language: Language =
  browser === null ? 'en' : isLanguage(browser.stored) ? browser.stored : languageOfBrowser

/** As `Intl` takes it: that of the reader's country, where their browser has one of the language. */
export const locale = navigator.language.startsWith(language)
  ? navigator.language
  : { en: 'en-GB', de: 'de-DE' }[language]

/**
 * Null in English. The chunk of another language imports nothing of this one, which waits for it: that would be a
 * circle in which neither is ever ready.
 */
export const german = language === 'de' ? (await import('../german.ts')).german : null

/** Begins the page anew in the language that the person has chosen, where it is another one. */
export function keepLanguage(chosen: Language | null): void {
  if (chosen === null) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, chosen)
  if ((chosen ?? languageOfBrowser) !== language) location.reload()
}
