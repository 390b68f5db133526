import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, inject } from 'vitest'
import {
  type HttpRequest,
  type HttpResponse,
  SECRET_IN_PATH,
} from '../../src/networks/providers/port/calls.ts'
import type { Adapter, Exchange, Provider } from '../../src/networks/providers/port/port.ts'
import type { Procedure, Steps } from '../../src/networks/providers/port/procedure.ts'
import {
  type CallFault,
  type CallTable,
  fieldsIn,
  fieldsOf,
  fileSign,
  readCall,
  type SeenCall,
} from '../doubles/call-table.ts'
import { type MadeCall, misreadRefusals } from './refused-shapes.ts'

/*
 * Adapters whose calls are held against the table of their network: one that is in no row fails where it is made. After the tests of a file, each row
 * and field of the table was sent, and the adapter has understood what the network says to the same calls in every wrong shape.
 */

type See = (request: HttpRequest, made: Omit<MadeCall, 'row' | 'seen'>) => void

/** The table of a network; null for the sandbox, which is our own. */
export async function callTableOf({ provider }: Pick<Provider, 'provider'>): Promise<CallTable | null> {
  const path = join(import.meta.dirname, `../doubles/${provider}-calls.ts`)
  if (!existsSync(path)) return null
  const module = (await import(path)) as Readonly<Record<string, CallTable | undefined>>
  const table = module[`${provider}Calls`]
  if (table === undefined) throw new Error(`${path} has no ${provider}Calls`)
  return table
}

/** What the tests of one file have made of calls to a network, each kind of call once. */
const made = new Map<string, Map<string, MadeCall>>()

function madeTo({ provider }: Provider): Map<string, MadeCall> {
  const key = `${expect.getState().testPath} ${provider}`
  const known = made.get(key) ?? new Map<string, MadeCall>()
  made.set(key, known)
  return known
}

/** The adapter, with every call that it makes looked up; itself where the network has no table. */
export async function watched<Watched extends Adapter>(
  provider: Provider,
  adapter: Watched,
): Promise<Watched> {
  const table = await callTableOf(provider)
  if (table === null) return adapter
  const calls = madeTo(provider)
  return watching(adapter, (request, { by, isOptional, endsWith }) => {
    const asked = seenOf(request)
    const seen = table.normal?.(asked) ?? asked
    const read = readCall(table, seen)
    if ('fault' in read) throw new Error(strayOf(provider, read.fault, seen))
    const key = [by, ...fieldsIn(read.row, seen)].join('\n')
    if (calls.has(key)) return
    const { row } = read
    calls.set(key, { row, seen, by, isOptional: isOptional || row.optional === true, endsWith })
  })
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
        if ('fault' in read) strays.push(strayOf(provider, read.fault, seen))
      })
    },
  }
}

function strayOf({ provider }: Provider, fault: CallFault, seen: SeenCall): string {
  return `${JSON.stringify(fault)} in a call of ${provider}: ${JSON.stringify(seen)}`
}

const tested = new Set<ReadonlyMap<string, MadeCall>>()

/** What holds of the calls that the tests of this file have made, once they are over. */
export async function testCalls(provider: Provider): Promise<void> {
  const table = await callTableOf(provider)
  if (table === null) return
  const calls = madeTo(provider)
  // A file may try an adapter more than once.
  if (tested.has(calls)) return
  tested.add(calls)
  afterAll(() => {
    const all = [...calls.values()]
    const sent = new Set(all.flatMap(({ row, seen }) => fieldsIn(row, seen)))
    const unsent = table.rows.flatMap(fieldsOf).filter((field) => !sent.has(field))
    expect({
      // Where some of the tests were chosen, the others have called nothing.
      unsent: inject('someTests') ? [] : [...new Set(unsent)],
      misread: misreadRefusals(table, all),
    }).toEqual({ unsent: [], misread: [] })
  })
}

function watching<Watched extends Adapter>(adapter: Watched, see: See): Watched {
  const { publish, poll, leftovers, oauth, examine } = adapter
  const procedure =
    <Work, Outcome>(by: string, talk: Procedure<Work, Outcome>): Procedure<Work, Outcome> =>
    (work) =>
      seenSteps(() => talk(work), by, see)
  const orNull = <Name extends keyof Adapter>(name: Name): Adapter[Name] => {
    const talk = adapter[name] as Procedure<unknown, unknown> | null
    return (talk === null ? null : procedure(name, talk)) as Adapter[Name]
  }
  const exchange = <Work, Outcome extends { readonly is: string }>(
    by: string,
    one: Exchange<Work, Outcome>,
  ): Exchange<Work, Outcome> => ({
    ...one,
    request(work) {
      const request = one.request(work)
      see(request, { by, isOptional: false, endsWith: (response) => one.judge(response, work).is })
      return request
    },
  })
  return {
    ...adapter,
    publish: exchange('publish', publish),
    poll: poll === null ? null : exchange('poll', poll),
    upload: orNull('upload'),
    prepare: orNull('prepare'),
    lookup: orNull('lookup'),
    findAddress: orNull('findAddress'),
    form: orNull('form'),
    refresh: orNull('refresh'),
    profile: orNull('profile'),
    examine: examine === null ? null : { ...examine, ask: procedure('examine', examine.ask) },
    leftovers: leftovers === null ? null : { ...leftovers, discard: procedure('discard', leftovers.discard) },
    oauth:
      oauth === null
        ? null
        : {
            ...oauth,
            register: oauth.register === null ? null : procedure('register', oauth.register),
            authorize: procedure('authorize', oauth.authorize),
            exchange: procedure('exchange', oauth.exchange),
          },
  }
}

function* seenSteps<Outcome>(begin: () => Steps<Outcome>, by: string, see: See): Steps<Outcome> {
  const steps = begin()
  const replies: unknown[] = []
  let reply: unknown
  for (;;) {
    const { done, value } = steps.next(reply)
    if (done === true) return value
    if (value.is === 'call') {
      const at = replies.length
      const endsWith = (response: HttpResponse) => endOf(begin(), replies, at, response)
      see(value.request, { by, isOptional: value.optional, endsWith })
    }
    reply = yield value
    replies.push(reply)
  }
}

/** How it ends with the replies that it had, and another one at one place. */
function endOf(steps: Steps<unknown>, replies: readonly unknown[], at: number, response: HttpResponse) {
  let reply: unknown
  for (let place = -1; ;) {
    const { done, value } = steps.next(reply)
    if (done === true) return wordOf(value)
    place += 1
    if (place >= replies.length && place > at) return null
    reply = place === at ? response : replies[place]
  }
}

/** What is concluded, in one word; of an examination, what it says of the access. */
function wordOf(outcome: unknown): string {
  if (typeof outcome !== 'object' || outcome === null) return String(outcome)
  const { is, access } = outcome as { readonly is?: string; readonly access?: { readonly is: string } }
  return is ?? access?.is ?? ''
}

/** A request of an adapter in its parts. */
function seenOf(request: HttpRequest): SeenCall {
  const { method, url, headers = {}, authorization, relays, toSigner } = request
  const talk = relays === undefined ? (toSigner === undefined ? '' : 'signer') : messageTo(relays).type
  const proof = authorization !== undefined && 'query' in authorization ? authorization.query : {}
  return {
    method: talk === '' ? method : 'TALK',
    // Behind a double, the host says nothing.
    host: url.hostname === '127.0.0.1' ? null : url.host,
    path: url.pathname.replace(SECRET_IN_PATH, 'secret') + talk,
    query: { ...Object.fromEntries(url.searchParams), ...proof },
    headers,
    body: bodyOf(request),
  }
}

function bodyOf({ json, form, multipart, file, relays, toSigner }: HttpRequest): SeenCall['body'] {
  const value = json ?? toSigner ?? (relays === undefined ? undefined : messageTo(relays).about)
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

/** The one message of a talk with relays. */
function messageTo({ messages }: NonNullable<HttpRequest['relays']>) {
  const [type, ...rest] = messages[0] as readonly unknown[]
  return { type: String(type), about: rest.at(-1) }
}
