import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, inject } from 'vitest'
import type { HttpRequest } from '../../src/networks/providers/port/calls.ts'
import type { Adapter, Exchange, Provider } from '../../src/networks/providers/port/port.ts'
import type { Procedure, Steps } from '../../src/networks/providers/port/procedure.ts'
import { SECRET_IN_PATH } from '../../src/networks/providers/port/calls.ts'
import {
  type CallFault,
  type CallTable,
  fieldsIn,
  fieldsOf,
  fileSign,
  readCall,
  type SeenCall,
} from '../doubles/call-table.ts'

/* Adapters whose calls are held against the table of their network: one that is in no row fails where it is made. */

/** The table of a network; null for the sandbox, which is our own. */
export async function callTableOf({ provider }: Pick<Provider, 'provider'>): Promise<CallTable | null> {
  const path = join(import.meta.dirname, `../doubles/${provider}-calls.ts`)
  if (!existsSync(path)) return null
  const module = (await import(path)) as Readonly<Record<string, CallTable | undefined>>
  const table = module[`${provider}Calls`]
  if (table === undefined) throw new Error(`${path} has no ${provider}Calls`)
  return table
}

/** What the tests of one file have sent, by the network. */
const sent = new Map<string, Set<string>>()

function sentBy(provider: string): Set<string> {
  const key = `${expect.getState().testPath} ${provider}`
  const known = sent.get(key) ?? new Set()
  sent.set(key, known)
  return known
}

/** The adapter, with every call that it makes looked up; itself where the network has no table. */
export async function watched<Watched extends Adapter>(
  provider: Provider,
  adapter: Watched,
): Promise<Watched> {
  const table = await callTableOf(provider)
  return table === null ? adapter : watching(adapter, seerOf(provider, table))
}

function seerOf({ provider }: Provider, table: CallTable): (request: HttpRequest) => void {
  const fields = sentBy(provider)
  return (request) => {
    const seen = seenOf(request)
    const read = readCall(table, seen)
    if ('fault' in read) throw new Error(strayOf(provider, read.fault, seen))
    for (const field of fieldsIn(read.row, seen)) fields.add(field)
  }
}

function strayOf(provider: string, fault: CallFault, seen: SeenCall): string {
  return `${JSON.stringify(fault)} in a call of ${provider}: ${JSON.stringify(seen)}`
}

/** The provider, whose calls that are in no row of its table are put into this list. */
export function watchedProvider(provider: Provider, strays: string[]): Provider {
  return {
    ...provider,
    async load() {
      const adapter = await provider.load()
      const table = await callTableOf(provider)
      if (table === null) return adapter
      return watching(adapter, (request) => {
        const seen = seenOf(request)
        const read = readCall(table, seen)
        if ('fault' in read) strays.push(strayOf(provider.provider, read.fault, seen))
      })
    },
  }
}

/** After the tests of this file, each row of the table was called, and each of its fields sent. */
export async function testCallsAreMade(provider: Provider): Promise<void> {
  const table = await callTableOf(provider)
  if (table === null) return
  const fields = sentBy(provider.provider)
  afterAll(() => {
    // Where some of the tests were chosen, the others have called nothing.
    if (inject('someTests')) return
    expect(table.rows.flatMap(fieldsOf).filter((field) => !fields.has(field))).toEqual([])
  })
}

function watching<Watched extends Adapter>(adapter: Watched, see: (request: HttpRequest) => void): Watched {
  const procedure =
    <Work, Outcome>(talk: Procedure<Work, Outcome>): Procedure<Work, Outcome> =>
    (work) =>
      seenSteps(talk(work), see)
  const orNull = <Work, Outcome>(talk: Procedure<Work, Outcome> | null) =>
    talk === null ? null : procedure(talk)
  const exchange = <Work, Outcome>(one: Exchange<Work, Outcome>): Exchange<Work, Outcome> => ({
    ...one,
    request(work) {
      const request = one.request(work)
      see(request)
      return request
    },
  })
  const { publish, poll, upload, prepare, lookup, leftovers, form, oauth, findAddress, refresh, profile } =
    adapter
  return {
    ...adapter,
    publish: exchange(publish),
    poll: poll === null ? null : exchange(poll),
    upload: orNull(upload),
    prepare: orNull(prepare),
    lookup: orNull(lookup),
    leftovers: leftovers === null ? null : { ...leftovers, discard: procedure(leftovers.discard) },
    form: orNull(form),
    oauth:
      oauth === null
        ? null
        : {
            ...oauth,
            register: orNull(oauth.register),
            authorize: procedure(oauth.authorize),
            exchange: procedure(oauth.exchange),
          },
    findAddress: orNull(findAddress),
    refresh: orNull(refresh),
    profile: orNull(profile),
  }
}

function* seenSteps<Outcome>(steps: Steps<Outcome>, see: (request: HttpRequest) => void): Steps<Outcome> {
  let reply: unknown
  for (;;) {
    const { done, value } = steps.next(reply)
    if (done === true) return value
    if (value.is === 'call') see(value.request)
    reply = yield value
  }
}

/** A request of an adapter in its parts. */
export function seenOf(request: HttpRequest): SeenCall {
  const { method, url, headers = {}, authorization } = request
  const proof = authorization !== undefined && 'query' in authorization ? authorization.query : {}
  return {
    method: request.relays === undefined && request.toSigner === undefined ? method : 'TALK',
    // Behind a double, the host says nothing.
    host: url.hostname === '127.0.0.1' ? null : url.host,
    path: url.pathname.replace(SECRET_IN_PATH, 'secret'),
    query: { ...Object.fromEntries(url.searchParams), ...proof },
    headers,
    body: bodyOf(request),
  }
}

function bodyOf({ json, form, multipart, file, relays, toSigner }: HttpRequest): SeenCall['body'] {
  const value = json ?? toSigner ?? (relays === undefined ? undefined : relays.messages)
  if (value !== undefined) return { as: 'json', value: JSON.parse(JSON.stringify(value)) as unknown }
  if (form !== undefined) return { as: 'form', value: form }
  if (file !== undefined) return { as: 'file', value: file.contentType }
  if (multipart === undefined) return { as: 'none', value: null }
  const parts = multipart.parts.map((part): [string, unknown] => [
    part.name,
    'file' in part ? fileSign(part.file.contentType) : part.value,
  ])
  return { as: 'multipart', value: Object.fromEntries(parts) }
}
