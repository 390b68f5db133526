/** The scripts of those letters that writing in a script (ISO 15924) takes; other scripts are called as they are. */
const written: Partial<Record<string, readonly string[]>> = {
  Jpan: ['Hiragana', 'Katakana', 'Han'],
  Kore: ['Hangul', 'Han'],
  Hans: ['Han'],
  Hant: ['Han'],
}

/** What names, links and hashtags may take of a text that is otherwise in another script. */
const LEAST_SHARE = 0.2
const LEAST_LETTERS = 20

/**
 * Whether a text can be in a language, going by its script: false only for a longer text almost none of whose
 * letters are of the script that the language is written in. Languages of one script are not told apart.
 */
export function isInScriptOf(text: string, language: string): boolean {
  const own = lettersOf(language)
  const letters = text.replaceAll(/https?:\S+|[@#]\S+/g, '').match(/\p{L}/gu) ?? []
  if (own === null || letters.length < LEAST_LETTERS) return true
  const fitting = letters.filter((letter) => own.test(letter)).length
  return fitting / letters.length >= LEAST_SHARE
}

/** Null for a script that this JavaScript does not know. */
function lettersOf(language: string): RegExp | null {
  try {
    const script = new Intl.Locale(language).maximize().script
    if (script === undefined) return null
    const names = written[script] ?? [script]
    return new RegExp(names.map((name) => `\\p{Script=${name}}`).join('|'), 'u')
  } catch {
    // No tag, or no script of Unicode: then nothing can be said.
    return null
  }
}
