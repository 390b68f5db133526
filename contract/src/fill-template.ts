/*
 * Fields of templates: `{{name}}` in a text. Server and dashboard read and fill them here, so that what is previewed is what is made.
 */

/** Letters of any language, digits, `_`, and between them spaces, `-` and `.`. */
const NAME = String.raw`[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_ .-]{0,48}[\p{L}\p{M}\p{N}_])?`
const FIELD = new RegExp(String.raw`\{\{\s*(${NAME})\s*\}\}`, 'gu')
export const TEMPLATE_FIELD_NAME = `^${NAME}$`

/** The fields of texts, each once, in the order in which they come up. */
export function fieldsOfTexts(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => [...text.matchAll(FIELD)].map(([, name = '']) => name)))]
}

/** Names that no field of a request may have: a template with one of them could not be filled. */
export const reservedNames: readonly string[] = ['__proto__', 'constructor', 'prototype']

/** Where `{{` stands in a text and begins no field; -1 for nowhere. */
export function brokenFieldAt(text: string): number {
  const rest = text.replace(FIELD, (whole, name: string) =>
    reservedNames.includes(name) ? whole : ' '.repeat(whole.length),
  )
  return rest.indexOf('{{')
}

/** How long the text with its values is: known before it is made, which may take more memory than there is. */
export function filledLength(text: string, values: Readonly<Record<string, string>>): number {
  let length = text.length
  for (const [whole, name = ''] of text.matchAll(FIELD))
    if (Object.hasOwn(values, name)) length += (values[name] ?? '').length - whole.length
  return length
}

/** The text with its fields filled. A value stands as it is given: braces in it are no fields. */
export function fillText(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(FIELD, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? '') : whole,
  )
}
