import type { Readable } from 'node:stream'
import type { LackReason } from '../networks/providers/port/procedure.ts'
import { isRefusedTarget, type Outbound } from '../platform/outbound/outbound-http.ts'

/** What is at an address, or where that leads: with an answer of 200, whose body is to be read or destroyed. */
export type Followed = {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
}

/** Why nothing is to be had at an address. */
export type NotHad = { readonly why: LackReason; readonly host: string; readonly status?: number }

export type Wanted = { readonly accept: string; readonly encodings?: string }

const MAX_REDIRECTS = 4

/** Goes where an address leads. Each redirect is checked as the first address is, by the outbound guard. */
export async function follow(
  outbound: Pick<Outbound, 'open'>,
  from: URL,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Followed | NotHad> {
  let url = withoutFragment(from)
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const plain = await outbound.open(url, wanted, signal)
    const secure = !plain.arrived && isRefusedTarget(plain.reason) ? securely(url) : null
    const got = secure === null ? plain : await outbound.open(secure, wanted, signal)
    url = secure ?? url
    const { host } = url
    if (!got.arrived) return { why: silenceReason(got.reason), host }
    const { status, headers, body } = got
    if (status === 200) return { url, headers, body }
    body.destroy()
    const next = status >= 300 && status < 400 ? URL.parse(headers['location'] ?? '', url.href) : null
    if (next === null || !/^https?:$/.test(next.protocol)) return { why: 'refused', host, status }
    url = withoutFragment(next)
  }
  return { why: 'redirects', host: url.host }
}

/** The same with https, of an address with http that may not be opened: nearly all sites have both, and browsers ask so, too. */
function securely(url: URL): URL | null {
  if (url.protocol !== 'http:' || url.port !== '') return null
  const secure = new URL(url)
  secure.protocol = 'https:'
  return secure
}

/** A fragment is for the reader's browser: no server is sent one. */
function withoutFragment(url: URL): URL {
  const same = new URL(url)
  same.hash = ''
  return same
}

function silenceReason(reason: string): LackReason {
  if (isRefusedTarget(reason)) return 'forbidden_address'
  return reason === 'TIMEOUT' || reason === 'ABORTED' || reason.endsWith('_TIMEOUT')
    ? 'slow'
    : 'no_connection'
}

/** Why the rest of a body did not come. */
export function breakReason(fault: unknown, signal: AbortSignal): LackReason {
  const isOver = signal.aborted || (fault instanceof DOMException && fault.name === 'TimeoutError')
  return isOver ? 'slow' : 'broken_off'
}

/** The first bytes of a body, at most so many; `cut` says that there were more. Throws where it breaks off. */
export async function readAtMost(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<{ bytes: Buffer; cut: boolean }> {
  const chunks: Buffer[] = []
  let size = 0
  // Leaving the loop destroys the body.
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) break
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), cut: size > maxBytes }
}
