import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Site } from '../../platform/outbound/site.ts'
import { PREFIX } from './endpoints.ts'

/** What the library believes of a proxy in front: addresses that it gives out would follow them. */
const FORWARDED = [
  'forwarded',
  'x-forwarded-host',
  'x-forwarded-for',
  'x-forwarded-port',
  'x-forwarded-prefix',
]

/**
 * A request as the library is to see it: at the address of the site, whatever its `Host` says, and at a path of ours. `body` is
 * one that was read already.
 */
export function libraryRequest(
  raw: IncomingMessage,
  { url: siteUrl }: Site,
  path: string,
  body: string | null = null,
): IncomingMessage {
  const { host, protocol } = new URL(siteUrl)
  const headers: IncomingMessage['headers'] = {
    ...raw.headers,
    host,
    'x-forwarded-proto': protocol.slice(0, -1),
  }
  for (const name of FORWARDED) delete headers[name]
  const at = { headers, originalUrl: `${PREFIX}${path}`, url: path }
  if (body === null) return Object.assign(raw, at)
  const bytes = Buffer.from(body)
  const { method, socket, httpVersion } = raw
  const sized: IncomingMessage['headers'] = { ...headers, 'content-length': String(bytes.length) }
  delete sized['transfer-encoding']
  return Object.assign(Readable.from([bytes]), {
    ...at,
    headers: sized,
    method,
    socket,
    httpVersion,
    complete: true,
  }) as unknown as IncomingMessage
}

/** Gives an answer that the library writes by itself the headers that all answers of ours have. */
export function passHeadersOn(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value)
}
