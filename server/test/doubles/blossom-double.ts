import { createHash } from 'node:crypto'
import { isSigned, type SignedEvent } from '../../src/networks/providers/shared/nostr-events.ts'
import { bytesOf, openHttpDouble, type Answered, type HttpDouble } from './http-double.ts'
import { nostrCalls } from './nostr-calls.ts'

/*
 * A media server as its specification has it (BUD-02 and BUD-11, https://github.com/hzrd149/blossom): it takes files whose upload was
 * signed, and nothing else.
 */

export type BlossomDouble = HttpDouble & {
  /** What it keeps, by digest. */
  readonly blobs: ReadonlyMap<
    string,
    { readonly bytes: Buffer; readonly type: string; readonly pubkey: string }
  >
  /** Who may store files; null for everybody. */
  allowed: readonly string[] | null
  /** More bytes are refused. */
  maxBytes: number
}

/** It is no relay. */
const uploads = { ...nostrCalls, rows: nostrCalls.rows.filter(({ file }) => file === true) }

const no = (status: number, reason: string): Answered => ({ status, headers: { 'x-reason': reason } })

/** Starts one: `await using media = await openBlossomDouble()`. */
export async function openBlossomDouble(): Promise<BlossomDouble> {
  const blobs = new Map<string, { bytes: Buffer; type: string; pubkey: string }>()
  const server = await openHttpDouble(async (request, address) => {
    const bytes = await bytesOf(request)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const proof = proofIn(request.headers.authorization ?? '')
    const fault = proof === null ? 'no token' : faultOf(proof, sha256, address.hostname)
    if (proof === null || fault !== null) return no(401, fault ?? 'no token')
    if (request.headers['x-sha-256'] !== sha256) return no(409, 'the digest is of another file')
    if (double.allowed?.includes(proof.pubkey) === false) return no(403, 'no files of this account')
    if (bytes.length > double.maxBytes) return no(413, 'too large')
    const known = blobs.has(sha256)
    const type = request.headers['content-type'] ?? 'application/octet-stream'
    blobs.set(sha256, { bytes, type, pubkey: proof.pubkey })
    const uploaded = Math.floor(Date.now() / 1_000)
    const url = `${server.url}/${sha256}.${type.split('/')[1] ?? 'bin'}`
    return { status: known ? 200 : 201, body: { url, sha256, size: bytes.length, type, uploaded } }
  }, uploads)
  const double: BlossomDouble = Object.assign(server, { blobs, allowed: null, maxBytes: 1e9 })
  return double
}

function proofIn(header: string): SignedEvent | null {
  const token = /^Nostr ([\w-]+)$/.exec(header)?.[1]
  return token === undefined ? null : (JSON.parse(Buffer.from(token, 'base64url').toString()) as SignedEvent)
}

/** The checks of BUD-11, in its order. */
function faultOf(proof: SignedEvent, sha256: string, host: string): string | null {
  const now = Date.now() / 1_000
  const values = (wanted: string) => proof.tags.filter(([name]) => name === wanted).map(([, value]) => value)
  if (!isSigned(proof)) return 'not signed'
  if (proof.kind !== 24_242) return 'another kind'
  if (proof.created_at > now + 1) return 'of the future'
  if (!(Number(values('expiration')[0]) > now)) return 'expired'
  if (!values('t').includes('upload')) return 'for another action'
  if (values('server').length > 0 && !values('server').includes(host)) return 'for another server'
  return values('x').includes(sha256) ? null : 'for another file'
}
