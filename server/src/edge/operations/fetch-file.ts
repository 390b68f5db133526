import { Readable } from 'node:stream'
import { isRefusedTarget, type Outbound } from '../../platform/outbound/outbound-http.ts'
import { refuse, type Refusal, ThrownRefusal } from './refusal.ts'
import type { IncomingFile } from './route.ts'

/** Where the address of a file comes from, and how long it is waited for. */
export type GivenAddress = { readonly pointer: string; readonly signal: AbortSignal }

/** Opens the file at an address that a caller names, by the rules of every call to an outside address. */
export async function fetchFile(
  address: unknown,
  outbound: Outbound,
  { pointer, signal }: GivenAddress,
): Promise<IncomingFile | Refusal<'validation_failed'>> {
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : null
  if (url === null) return wrong(pointer, 'malformed', `\`${pointer.slice(1)}\` must be an https address.`)
  const opened = await outbound.open(url, { accept: '*/*' }, signal)
  if (!opened.arrived) return refuseUnreached(pointer, opened.reason)
  const { status, body } = opened
  if (status === 200) return { bytes: Readable.from(whole(body, pointer)), claimedType: null }
  body.destroy()
  const detail =
    status >= 300 && status < 400
      ? 'The address of the file redirects. Give the address that it leads to.'
      : `The address of the file answered ${status}. Give one that answers 200 without credentials.`
  return wrong(pointer, 'unreachable', detail)
}

/** The bytes of an answer, which ends with a refusal where it breaks off: that is no fault of this server. */
async function* whole(body: Readable, pointer: string): AsyncGenerator<Buffer> {
  try {
    yield* body as AsyncIterable<Buffer>
  } catch (cause) {
    const reason = cause instanceof Error ? cause.name : 'UNKNOWN'
    throw new ThrownRefusal(refuseUnreached(pointer, reason), 'a file that was fetched broke off', { cause })
  }
}

function refuseUnreached(pointer: string, reason: string): Refusal<'validation_failed'> {
  return isRefusedTarget(reason)
    ? wrong(
        pointer,
        'not_allowed',
        'This server fetches files from public https addresses only, and this is none.',
      )
    : wrong(
        pointer,
        'unreachable',
        `The address of the file could not be read (${reason}). Check it, or try again.`,
      )
}

function wrong(pointer: string, code: string, detail: string): Refusal<'validation_failed'> {
  return refuse('validation_failed', detail, { errors: [{ pointer, code, detail }] })
}
