import { createRequire } from 'node:module'
import type build from 'fast-json-stringify'
import type { AsJson } from './answer-operation.ts'
import { forSerialising } from '../request/schema-shape.ts'

/** Our own format is none of its own: without a word of it, it would warn of each schema that has it. */
const OPTIONS = { ajv: { formats: { line: true } } } as const

/** Writes answers of one schema as JSON. It is compiled with the first of them: those of all operations take 10 MB. */
export function answerWriter(schema: unknown): AsJson {
  let write: AsJson | undefined
  return (answer) => {
    write ??= builder()(forSerialising(schema), OPTIONS) as AsJson
    return write(answer)
  }
}

/** Loaded with the first answer of all: a server at rest has written none. */
function builder() {
  return createRequire(import.meta.url)('fast-json-stringify') as typeof build
}
