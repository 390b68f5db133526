import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { parseEmail } from '../platform/email-address.ts'
import { parseInstant } from '../platform/instant.ts'
import { isUuid } from '../platform/uuid.ts'

let ajv: Ajv | null = null

/** Compiles a schema as every check of this API uses it: our formats, TypeBox's keywords, no conversion of values. */
export function compileSchema(schema: object): ValidateFunction {
  ajv ??= openAjv()
  return ajv.compile(schema)
}

/** One for all schemas: making one costs more than most schemas do. */
function openAjv(): Ajv {
  const opened = new Ajv({ strict: false })
  addFormats.default(opened)
  opened.addFormat('uuid', isUuid)
  opened.addFormat('email', (text) => parseEmail(text) !== null)
  opened.addFormat('date-time', (text) => parseInstant(text) !== null)
  return opened
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
