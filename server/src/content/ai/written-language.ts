/*
 * Whether a text is in the language that was asked for. A model's word is not enough, and no judge is sure of a short
 * text: so only what is almost certainly in another language is said to be.
 */

/** How well a text fits each of the languages (ISO 639-1) that the detector knows, from 0 to 1. */
export type Detector = {
  readonly knows: ReadonlySet<string>
  readonly scoresOf: (text: string) => Readonly<Record<string, number>>
}

/** Loads the detector; it takes 90 MB, and is shared by all who ask for it. */
export async function loadDetector(): Promise<Detector> {
  const { eld } = await import('eld/extrasmall')
  return {
    knows: new Set(Object.values(eld.info().Languages)),
    scoresOf: (text) => eld.detect(text).getScores(),
  }
}

/** More than this tells nothing new. */
const MAX_EXAMINED = 20_000

/** Whether a text can be in a language (BCP 47), going by its script and its words. */
export function canBeIn(text: string, language: string, detector: Detector): boolean {
  const words = text.slice(0, MAX_EXAMINED).replaceAll(/https?:\S+|[@#]\S+/g, ' ')
  return isInScriptOf(words, language) && !isInAnother(words, language, detector)
}

/** The language of a tag, `und` for none; Norwegian goes by three names. Undefined where the tag cannot be read. */
export function primaryLanguage(tag: string): string | undefined {
  return localeOf(tag)
    ?.baseName.replace(/-.*/, '')
    .replace(/^(nb|nn)$/, 'no')
}

/** The detector knows these in one script only, which is not the one that they are usually written in. */
const DETECTED_IN_ANOTHER_SCRIPT = new Set(['ku'])

/** Fewer letters than this say too little. */
const MIN_LETTERS_TO_DETECT = 60

/**
 * By how much another language must fit better: a text full of names and of words from English stays far below, and
 * so do languages that resemble each other, such as Danish and Norwegian.
 */
const MARGIN = 0.2

function isInAnother(text: string, language: string, { knows, scoresOf }: Detector): boolean {
  const own = primaryLanguage(language)
  if (own === undefined || !knows.has(own) || DETECTED_IN_ANOTHER_SCRIPT.has(own)) return false
  if (scriptOf(language) !== scriptOf(own) || lettersIn(text).length < MIN_LETTERS_TO_DETECT) return false
  const scores = scoresOf(text)
  return Math.max(...Object.values(scores)) - (scores[own] ?? 0) > MARGIN
}

/** The scripts of those letters that writing in a script (ISO 15924) takes; other scripts are called as they are. */
const written: Partial<Record<string, readonly string[]>> = {
  Jpan: ['Hiragana', 'Katakana', 'Han'],
  Kore: ['Hangul', 'Han'],
  Hans: ['Han'],
  Hant: ['Han'],
}

/** What names, links and hashtags may take of a text that is otherwise in another script. */
const MIN_SHARE = 0.2
const MIN_LETTERS = 20

/** False only for a longer text almost none of whose letters are of the script that the language is written in. */
function isInScriptOf(text: string, language: string): boolean {
  const own = lettersOf(language)
  const letters = lettersIn(text)
  if (own === null || letters.length < MIN_LETTERS) return true
  const fitting = letters.filter((letter) => own.test(letter)).length
  return fitting / letters.length >= MIN_SHARE
}

function lettersIn(text: string): readonly string[] {
  return text.match(/\p{L}/gu) ?? []
}

/** Null for a script that this JavaScript does not know. */
function lettersOf(language: string): RegExp | null {
  const script = scriptOf(language)
  if (script === undefined) return null
  const names = written[script] ?? [script]
  try {
    return new RegExp(names.map((name) => `\\p{Script=${name}}`).join('|'), 'u')
  } catch {
    // No script of Unicode: then nothing can be said.
    return null
  }
}

function scriptOf(language: string): string | undefined {
  return localeOf(language)?.maximize().script
}

function localeOf(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag)
  } catch {
    // Thrown for whatever is no well-formed tag.
    return undefined
  }
}
