import build from 'fast-json-stringify'
import type { AsJson } from './answer-operation.ts'
import { forSerialising } from './schema-shape.ts'

/** Writes answers of one schema as JSON. It is compiled with the first of them: those of all operations take 10 MB. */
export function answerWriter(schema: unknown): AsJson {
  let write: AsJson | undefined
  return (answer) => {
    write ??= build(forSerialising(schema)) as AsJson
    return write(answer)
  }
}
