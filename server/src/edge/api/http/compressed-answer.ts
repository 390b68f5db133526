import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { onFirstUse } from '../../../platform/process/on-first-use.ts'

/** A text that never changes while the process runs, in the encodings that clients take. */
export type CompressedText = {
  readonly send: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
}

/** Made with the first request, and as bytes, which all answers share: text would be copied for each of them. */
export function compressedText(text: () => string): CompressedText {
  const forms = onFirstUse(async () => {
    const plain = Buffer.from(text())
    const [br, gzipped] = await Promise.all([smallest(plain), promisify(gzip)(plain, { level: 9 })])
    const tag = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
    return { plain, br, gzip: gzipped, tag }
  })

  return {
    async send(request, reply) {
      const { plain, br, gzip: gzipped, tag } = await forms.get()
      const encoding = encodingFor(request.headers['accept-encoding'])
      // Each encoding is another representation, and so has another tag (RFC 9110, 8.8.3.3).
      const etag = `"${tag}${encoding === null ? '' : `-${encoding}`}"`
      reply.header('vary', 'accept-encoding').header('etag', etag)
      if (isNamed(request.headers['if-none-match'], etag)) return reply.code(304).send()
      if (encoding === null) return reply.send(plain)
      return reply.header('content-encoding', encoding).send(encoding === 'br' ? br : gzipped)
    },
  }
}

/** Below this, in bytes, an answer is two packets at most. */
const WORTH_IT_BYTES = 2_800
/** Half a millisecond for 100 kB of JSON, which becomes 8 kB. */
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }

/** Sends a text that was made for this request, compressed where it is long and the client takes that. */
export async function sendCompressed(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
): Promise<FastifyReply> {
  const encoding = encodingFor(request.headers['accept-encoding'])
  reply.header('vary', 'accept-encoding')
  if (encoding === null || text.length < WORTH_IT_BYTES) return reply.send(text)
  const bytes =
    encoding === 'br'
      ? await promisify(brotliCompress)(text, QUICK)
      : await promisify(gzip)(text, { level: 1 })
  return reply.header('content-encoding', encoding).send(bytes)
}

const smallest = (plain: Buffer) =>
  promisify(brotliCompress)(plain, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
    },
  })

function isNamed(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}

/** The smallest encoding that the client takes. */
function encodingFor(header = ''): 'br' | 'gzip' | null {
  const accepted = new Map(
    header.split(',').map((one): [string, number] => {
      const [name = '', ...parameters] = one.toLowerCase().split(';')
      const quality = parameters.map((each) => /^\s*q=([\d.]+)\s*$/.exec(each)?.[1]).find(Boolean)
      return [name.trim(), Number(quality ?? 1)]
    }),
  )
  return (['br', 'gzip'] as const).find((name) => (accepted.get(name) ?? accepted.get('*') ?? 0) > 0) ?? null
}
