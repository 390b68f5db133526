import { parseEnv } from 'node:util'

/** What a file of settings says, and what of it is not understood, in sentences. */
export type EnvFile = {
  readonly values: Readonly<Record<string, string>>
  readonly warnings: readonly string[]
}

/**
 * Reads the text of a file `.env`. Releases of Node differ in what they make of a line such as `PORT: 4000`: some drop it, and
 * some take the next line with it. Here such lines are left out, and the others hold.
 */
export function readEnvFile(text: string, isSetting: (name: string) => boolean): EnvFile {
  const lines = text.split(/\r?\n/)
  const faulty = faultyLines(lines)
  const understood = lines.map((line, at) => (faulty.includes(at) ? '' : line))
  const values = Object.entries(parseEnv(understood.join('\n'))) as [string, string][]
  return {
    values: Object.fromEntries(values),
    warnings: [
      ...faulty.map(
        (at) => `Line ${at + 1} of .env is not understood, and left out. Write it as NAME=value.`,
      ),
      ...values
        .filter(([name]) => !isSetting(name))
        .map(([name]) => `.env sets ${name}, which is not a setting of Postrider.`),
    ],
  }
}

const BLANK = /^\s*(#.*)?$/
const ASSIGNMENT = /^\s*(?:export\s+)?[A-Za-z_]\w*\s*=\s*(["'`]?)(.*)$/

/** The places of lines that are neither blank, nor a comment, nor an assignment, nor inside a quoted value. */
function faultyLines(lines: readonly string[]): number[] {
  const faulty: number[] = []
  let quote = ''
  for (const [at, line] of lines.entries()) {
    if (quote !== '') {
      if (line.includes(quote)) quote = ''
      continue
    }
    const [assignment, opening = '', rest = ''] = ASSIGNMENT.exec(line) ?? []
    if (assignment === undefined && !BLANK.test(line)) faulty.push(at)
    const isOpen = opening !== '' && !rest.includes(opening)
    if (isOpen && lines.slice(at + 1).some((later) => later.includes(opening))) quote = opening
  }
  return faulty
}
