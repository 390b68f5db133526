/**
 * Has the commands that a text of ours names run as printed: `postrider` alone is on the PATH only where it was put
 * there. Lines behind a bar are texts of others, and stay as they are; before an address it is the name of a server, and no command.
 */
export function namedAsCalled(text: string, calledAs: string): string {
  return text.replaceAll(/^(?! *\|).*$/gm, (line) =>
    line.replaceAll(/(?<=^|[\s`])postrider (?=[a-z-])(?!https?:)/g, `${calledAs} `),
  )
}

/** Where a command writes its answer. */
export type Output = {
  /** One value for programs, or the text for people, as `--json` decides. */
  answer(value: unknown, text: string): void
}

/** An output that writes JSON when asked to, and otherwise the text. */
export function openOutput(
  { json }: { json?: boolean },
  { write, calledAs }: { write: (text: string) => void; calledAs: string },
): Output {
  return {
    answer: (value, text) =>
      write(json === true ? `${JSON.stringify(value, null, 2)}\n` : `${namedAsCalled(text, calledAs)}\n`),
  }
}

/** What each column of a table says of a row, under its heading. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string>>

/** Columns under their headings, as wide as their widest cell. What others wrote cannot act on the terminal. */
export function table<Row>(columns: Columns<Row>, items: readonly Row[]): string {
  const headings = Object.keys(columns)
  const rows = items.map((item) =>
    Object.values(columns).map((cellOf) => escapeControlCharacters(cellOf(item))),
  )
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => (row[column] ?? '').length)),
  )
  return [headings, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** An instant as a cell: to the minute in UTC, or the word for none. */
export function instantCell(instant: Date | null, none: string): string {
  return instant === null ? none : `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** Characters that would act on a terminal, or make a text look like another one: shown by their numbers instead. */
const CONTROL_CHARACTERS = /(?!\n)[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu

/** A foreign text as it can be shown on a terminal: no character of it acts. */
export function escapeControlCharacters(text: string): string {
  return text.replace(
    CONTROL_CHARACTERS,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

/** A number with its noun, whose plural has an s. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
