import { Ajv, type Options } from 'ajv'
import addFormats from 'ajv-formats'
import { parseInstant } from '../platform/instant.ts'
import { isUuid } from '../platform/uuid.ts'

/** Ajv as every check of this API uses it: our formats, TypeBox's keywords, no conversion of values. */
export function openAjv(options: Options = {}): Ajv {
  const ajv = new Ajv({ strict: false, ...options })
  addFormats.default(ajv)
  ajv.addFormat('uuid', isUuid)
  ajv.addFormat('date-time', (text) => parseInstant(text) !== null)
  return ajv
}

const checks = new Map<string, (text: string) => boolean>()

/** Whether a text has the format, by the same rules. */
export function hasFormat(format: string, text: string): boolean {
  let check = checks.get(format)
  if (check === undefined) {
    const validate = openAjv().compile({ format })
    check = (candidate) => validate(candidate)
    checks.set(format, check)
  }
  return check(text)
}
