import { AsyncLocalStorage } from 'node:async_hooks'

/*
 * Pages and mails are in the language of whoever reads them; the API speaks English. What a feature says to people is in its
 * `words.ts`, in English, and in a `words.de.ts` of the same type beside it, which is loaded for the first who reads German.
 */

export type Language = 'en' | 'de'

const reader = new AsyncLocalStorage<Language>()
const loads: (() => Promise<void>)[] = []

/** In which language the reader of what is being written reads. */
export function languageOfReader(): Language {
  return reader.getStore() ?? 'en'
}

/** Does what writes for a reader of this language. */
export async function writtenIn<Result>(
  language: Language,
  write: () => Promise<Result> | Result,
): Promise<Result> {
  if (language === 'de') await Promise.all(loads.map((load) => load()))
  return reader.run(language, async () => write())
}

/** The words of a feature: each is read in the language of the reader in that moment. */
export function wordsIn<Words extends object>(
  en: Words,
  importGerman: () => Promise<{ readonly de: Words }>,
): Words {
  let de: Words | null = null
  loads.push(async () => void (de ??= (await importGerman()).de))
  return new Proxy(en, {
    get: (_en, key) => Reflect.get((languageOfReader() === 'de' ? de : null) ?? en, key) as unknown,
  })
}

/** The first language of an `Accept-Language` that there is; English where there is none. */
export function languageAccepted(header: string | undefined): Language {
  const accepted = (header ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';')
      const quality = parameters
        .map((one) => /^\s*q=([\d.]+)$/.exec(one)?.[1])
        .find((one) => one !== undefined)
      return { primary: tag.split('-')[0] ?? '', quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ primary, quality }) => (primary === 'de' || primary === 'en') && quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
  return accepted[0]?.primary === 'de' ? 'de' : 'en'
}
