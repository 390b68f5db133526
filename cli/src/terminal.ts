/** Characters that would act on a terminal, or make a text look like another one: shown by their numbers instead. */
const CONTROL_CHARACTERS = /(?!\n)[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu

/** A foreign text as it can be shown on a terminal: no character of it acts. */
export function visible(text: string): string {
  return text.replace(
    CONTROL_CHARACTERS,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

/** A value as JSON of which no character acts on a terminal, either: what JSON leaves as it is stands there by its number. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(
    CONTROL_CHARACTERS,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}

/** What each column of a table says of a row, under its heading. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string>>

/** Columns under their headings, as wide as their widest cell. */
export function table<Row>(columns: Columns<Row>, items: readonly Row[]): string {
  const rows = items.map((item) => Object.values(columns).map((cellOf) => visible(cellOf(item))))
  const lines = [Object.keys(columns), ...rows]
  const widths = Object.keys(columns).map((_, column) =>
    Math.max(...lines.map((row) => (row[column] ?? '').length)),
  )
  return lines
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** An instant of an answer as a cell: to the minute in UTC. */
export function timeCell(instant: string | null): string {
  return instant === null ? '–' : `${instant.slice(0, 16).replace('T', ' ')} UTC`
}

const EXCERPT_CHARACTERS = 44

/** The beginning of a text, in one line. */
export function excerpt(text: string): string {
  const line = text.replaceAll('\n', ' ')
  if (line.length <= EXCERPT_CHARACTERS) return line
  const characters = Array.from(new Intl.Segmenter().segment(line.slice(0, 400)), ({ segment }) => segment)
  return characters.length <= EXCERPT_CHARACTERS
    ? line
    : `${characters.slice(0, EXCERPT_CHARACTERS - 1).join('')}…`
}

/** A number with its noun, whose plural has an s. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/**
 * Has the commands that a text of ours names run as they are called here: the `postrider` of a server says how. Lines behind a
 * bar are texts of others, and stay as they are.
 */
export function namedAsCalled(text: string, env: Readonly<Record<string, string | undefined>>): string {
  const calledAs = env['POSTRIDER_CALLED_AS'] ?? 'postrider'
  return text.replaceAll(/^(?! *\|).*$/gm, (line) =>
    line.replaceAll(/(?<=^|[\s`])postrider (?=[a-z-])(?!https?:)/g, `${calledAs} `),
  )
}
