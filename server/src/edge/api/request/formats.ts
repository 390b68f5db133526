import { createRequire } from 'node:module'
import type * as ajvs from 'ajv'
import type { Ajv, ValidateFunction } from 'ajv'
import type formats from 'ajv-formats'
import { lineFault } from '@postrider/contract/names'
import { hasAtLeast, hasAtMost } from '../../../platform/text/code-points.ts'
import { parseEmail } from '../../../platform/text/email-address.ts'
import { parseInstant } from '../../../platform/text/instant.ts'
import { isUuid } from '../../../platform/text/uuid.ts'

let ajv: Ajv | null = null

/** Compiles a schema as every check of this API uses it: our formats, TypeBox's keywords, no conversion of values. */
export function compileSchema(schema: object): ValidateFunction {
  ajv ??= openAjv()
  return ajv.compile(schema)
}

/** One for all schemas: making one costs more than most schemas do. Loaded with the first: a server at rest has checked nothing. */
function openAjv(): Ajv {
  const load = createRequire(import.meta.url)
  const { Ajv } = load('ajv') as typeof ajvs
  const addFormats = load('ajv-formats') as typeof formats
  const opened = new Ajv({ strict: false })
  addFormats.default(opened)
  opened.addFormat('uuid', isUuid)
  opened.addFormat('line', (text) => lineFault(text) === null)
  opened.addFormat('email', (text) => parseEmail(text) !== null)
  opened.addFormat('date-time', (text) => parseInstant(text) !== null)
  replaceLength(opened, 'maxLength', hasAtMost)
  replaceLength(opened, 'minLength', hasAtLeast)
  return opened
}

/** Ajv's own looks through every text. */
function replaceLength(opened: Ajv, keyword: string, keeps: (text: string, limit: number) => boolean): void {
  opened.removeKeyword(keyword)
  opened.addKeyword({
    keyword,
    type: 'string',
    schemaType: 'number',
    compile: (limit: number) => (text: string) => keeps(text, limit),
  })
}

const checks = new Map<string, (text: string) => boolean>()

/** Whether a text has the format, by the same rules. */
export function hasFormat(format: string, text: string): boolean {
  let check = checks.get(format)
  if (check === undefined) {
    const validate = compileSchema({ format })
    check = (candidate) => validate(candidate)
    checks.set(format, check)
  }
  return check(text)
}
