/** Where something stands in a file. */
export type Place = {
  readonly file: string
  readonly line: number
  /** In a table, the number of the cell. */
  readonly column: number
  /** Of a table: the name of the column. */
  readonly cell?: string
}

/** What is wrong there, and what would fit. */
export type Fault = Place & { readonly message: string }

export function faultLine({ file, line, column, message }: Fault): string {
  return `${file}:${line}:${column}: ${message}`
}

/** Faults by where they stand, each once. */
export function inOrder(faults: readonly Fault[]): Fault[] {
  const each = new Map(faults.map((fault) => [faultLine(fault), fault]))
  return [...each.values()].toSorted(
    (one, other) => one.file.localeCompare(other.file) || one.line - other.line || one.column - other.column,
  )
}
