import type { FastifyRequest } from 'fastify'
import { isStorable } from '../../../platform/text/storable-text.ts'

/** Whether the database could hold every text of a request for a page or a form. */
export function isStorableRequest({ params, query, body }: FastifyRequest): boolean {
  const sent = body instanceof URLSearchParams ? [...body].flat() : Object.values(body ?? {}).flat()
  const texts = [...Object.values(params ?? {}), ...Object.entries(query ?? {}).flat(2), ...sent]
  return texts.every((text) => typeof text !== 'string' || isStorable(text))
}
