import { Ajv, type Options } from 'ajv'
import addFormats from 'ajv-formats'
import { isUuid } from '../platform/uuid.ts'

/** Ajv as every check of this API uses it: our formats, TypeBox's keywords, no conversion of values. */
export function openAjv(options: Options = {}): Ajv {
  const ajv = new Ajv({ strict: false, ...options })
  addFormats.default(ajv)
  ajv.addFormat('uuid', isUuid)
  ajv.addFormat('date-time', isInstant)
  return ajv
}

const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/
const EARLIEST = Date.UTC(1970, 0, 1)
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** An RFC 3339 date-time with an offset, on a day that exists, within the years 1970 to 9999 in UTC. */
export function isInstant(text: string): boolean {
  const match = INSTANT.exec(text)
  if (match === null) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  // Date rolls 30 February over into March.
  const date = new Date(Date.UTC(year, month - 1, day))
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return false
  const time = Date.parse(text)
  return time >= EARLIEST && time <= LATEST
}
