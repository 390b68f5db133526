/*
 * A cell that begins with one of these is a formula to a spreadsheet (OWASP, "CSV Injection"), also after apostrophes of ours. It is
 * written with an apostrophe before it, which makes a text of it, and read without.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/

/** A cell as it is written: always in quotes, and never a formula. */
export function cellOf(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text
  return `"${harmless.replaceAll('"', '""')}"`
}

/** What a cell says. */
export function textOfCell(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell
}

/** A line that stands between the parts of a thread. */
export const PART_BREAK = '---'
