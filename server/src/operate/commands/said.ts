/** A sentence, and the same for a report that others are to read, which has “…” where something is private. */
export type Said = { readonly text: string; readonly redacted: string }

/**
 * Words of ours around values. A value that is a text may be a host, a name, a text or a key, so that a report leaves it out; numbers
 * and sentences made in the same way are kept.
 */
export function say(words: TemplateStringsArray, ...values: readonly (string | number | Said)[]): Said {
  return joined(
    words.flatMap((word, place) => {
      const value = values[place]
      return value === undefined ? [ours(word)] : [ours(word), saidOf(value)]
    }),
    '',
  )
}

/** A text of which every word is ours. */
export function ours(text: string): Said {
  return { text, redacted: text }
}

export function joined(parts: readonly Said[], separator: string): Said {
  return {
    text: parts.map(({ text }) => text).join(separator),
    redacted: parts.map(({ redacted }) => redacted).join(separator),
  }
}

function saidOf(value: string | number | Said): Said {
  if (typeof value === 'object') return value
  return typeof value === 'number' ? ours(String(value)) : { text: value, redacted: '…' }
}
