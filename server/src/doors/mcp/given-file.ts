import { Readable } from 'node:stream'
import type { FormRules } from '../../edge/api/request/form-body.ts'
import { isRefusal, refuse, type Refusal } from '../../edge/operations/refusal.ts'
import type { IncomingFile, Upload } from '../../edge/operations/route.ts'

/** What base64 may stand for: it travels inside of a message. */
export const BASE64_BYTES = 4_000_000

/** Takes the file that a call gives, by its address or by its bytes; null for an address that is no text, which is refused for that. */
export async function takeGivenFile(
  { address, base64 }: { readonly address: unknown; readonly base64: unknown },
  { receive, receiveFrom }: Pick<FormRules, 'receive' | 'receiveFrom'>,
): Promise<Upload<unknown> | Refusal | null> {
  if (address !== undefined && base64 !== undefined)
    return wrong('/base64', 'not_allowed', 'Give either `url` or `base64`.')
  if (base64 !== undefined) {
    const file = decode(base64)
    return isRefusal(file) ? file : receive(file)
  }
  return typeof address === 'string' ? receiveFrom(address) : null
}

function decode(text: unknown): IncomingFile | Refusal {
  if (
    typeof text !== 'string' ||
    text === '' ||
    !/^[A-Za-z0-9+/]*={0,2}$/.test(text) ||
    text.length % 4 !== 0
  )
    return wrong(
      '/base64',
      'malformed',
      '`base64` must be the bytes of the file in base64 (RFC 4648, section 4), padded.',
    )
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length > BASE64_BYTES) {
    const detail = `Base64 may stand for ${BASE64_BYTES / 1_000_000} MB. Give the https address of a larger file as \`url\`, or call without both for an address to upload it to.`
    return refuse('media_too_large', detail)
  }
  return { bytes: Readable.from([bytes]), claimedType: null }
}

function wrong(pointer: string, code: string, detail: string): Refusal<'validation_failed'> {
  return refuse('validation_failed', detail, { errors: [{ pointer, code, detail }] })
}
