import { addresses } from 'virtual:operations'
import type { InputOf, OperationId } from './client.ts'

/** What each request carries: the header keeps other sites out. */
export const OURS = { accept: 'application/json', 'x-postrider-app': '1' } as const

type Parts = {
  params?: Record<string, string>
  query?: Record<string, string | number | boolean | null | undefined>
}

/** How an operation is asked, and where. */
export function placeOf<Id extends OperationId>(id: Id, input: InputOf<Id>): { method: string; url: URL } {
  const { params, query } = input as Parts
  const [method = 'GET', path = '/'] = (addresses[id] ?? '').split(' ')
  return { method, url: urlOf(path, params, query) }
}

/** The address of an operation, for what is no request of ours: images, streams, downloads. */
export function addressOf<Id extends OperationId>(id: Id, input: InputOf<Id>): string {
  return placeOf(id, input).url.href
}

function urlOf(path: string, params: Parts['params'] = {}, query: Parts['query'] = {}): URL {
  const filled = path
    .slice(1)
    .replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params[name] ?? ''))
  const url = new URL(filled, document.baseURI)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') url.searchParams.set(name, String(value))
  }
  return url
}
