import Type, { type Static, type TProperties } from 'typebox'
import { Check } from 'typebox/value'
import { readBody } from '../shared/answers.ts'
import type { HttpResponse } from '../port/calls.ts'
import { faultOf, generalRefusalOf, read, type MetaAccess } from './meta-graph.ts'
import { call, type Steps } from '../port/procedure.ts'

/*
 * The Pages that a person may act for. `me/accounts` lists those on which they have a role themselves
 * (https://developers.facebook.com/docs/graph-api/reference/user/accounts). Pages that they reach through a business portfolio may be
 * missing there, and are listed by the portfolio: what it owns, and what its clients share with it
 * (https://developers.facebook.com/docs/graph-api/reference/business/owned_pages,
 * https://developers.facebook.com/documentation/ads-commerce/marketing-api/reference/business/client_pages; that `me/accounts` answers
 * with an empty list: https://github.com/trypostit/trypost/pull/301, https://github.com/getopenpost/openpost/issues/216; all read on
 * 2026-11-28).
 */

/** With which a person lets an app see their business portfolios. */
export const BUSINESS_PERMISSION = 'business_management'

export type FoundPage<Own extends TProperties> = {
  readonly id: string
  readonly page: Static<ReturnType<typeof Type.Object<Own>>>
  readonly name: string
  /** Null where the person has no access to the Page, although their portfolio has. */
  readonly accessToken: string | null
  /** Whether their role lets them create content; null where the list does not say so. */
  readonly mayCreate: boolean | null
}

export type FoundPages<Own extends TProperties> = {
  readonly pages: readonly FoundPage<Own>[]
  /** Whether no list was left unread: one that failed, or what is beyond the number of calls. */
  readonly complete: boolean
}

const PAGES_AT_ONCE = 100
/** A person waits in their browser meanwhile. */
const MAX_CALLS = 60
const CREATE_CONTENT = 'CREATE_CONTENT'

const Paging = Type.Object({
  paging: Type.Object({ cursors: Type.Object({ after: Type.String() }), next: Type.String() }),
})
const Businesses = Type.Object({
  data: Type.Array(Type.Object({ id: Type.String({ pattern: '^[0-9]+$' }) })),
})
const Access = Type.Object({ access_token: Type.String({ minLength: 1 }) })
const List = Type.Object({ data: Type.Array(Type.Unknown()) })
const page = {
  id: Type.String({ pattern: '^[0-9]+$' }),
  name: Type.Optional(Type.String()),
  access_token: Type.Optional(Type.String({ minLength: 1 })),
  tasks: Type.Optional(Type.Array(Type.String())),
}

type Asking = { readonly api: string; readonly person: MetaAccess; callsLeft: number; complete: boolean }

/** Each Page once, the person's own first; or the answer that was not the list of those. */
export function* findPages<Own extends TProperties>(
  api: string,
  person: MetaAccess,
  wanted: { readonly fields: string; readonly page: Own; readonly inBusinesses: boolean },
): Steps<FoundPages<Own> | { readonly failed: HttpResponse }> {
  const asking: Asking = { api, person, callsLeft: MAX_CALLS, complete: true }
  const fields = `${wanted.fields},access_token`
  const found = new Map<string, FoundPage<Own>>()
  const add = (lists: readonly HttpResponse[]) => {
    for (const one of lists.flatMap((list) => pagesIn(list, wanted.page)))
      if (!found.get(one.id)?.accessToken) found.set(one.id, one)
  }

  const direct = yield* readLists(asking, 'me/accounts', `${fields},tasks`)
  if (direct.failed !== null) return { failed: direct.failed }
  add(direct.lists)
  if (wanted.inBusinesses) {
    const businesses = yield* readLists(asking, 'me/businesses', 'id')
    for (const { id } of businesses.lists.flatMap((list) => readBody(list, Businesses)?.data ?? [])) {
      add((yield* readLists(asking, `${id}/owned_pages`, fields)).lists)
      add((yield* readLists(asking, `${id}/client_pages`, fields)).lists)
    }
    // A portfolio's lists are known to come without tokens that the Page itself is shown with.
    for (const one of found.values()) {
      if (one.accessToken !== null || asking.callsLeft-- <= 0) continue
      const shown = yield* call(read(api, person, one.id, { fields: 'access_token' }))
      const accessToken = readBody(shown, Access)?.access_token
      if (accessToken) found.set(one.id, { ...one, accessToken })
    }
  }
  return { pages: [...found.values()], complete: asking.complete }
}

/** The lists behind an address, one after the other, and the answer that was none. */
function* readLists(
  asking: Asking,
  path: string,
  fields: string,
): Steps<{ readonly lists: readonly HttpResponse[]; readonly failed: HttpResponse | null }> {
  const lists: HttpResponse[] = []
  let after: string | undefined
  do {
    if (asking.callsLeft-- <= 0) {
      asking.complete = false
      break
    }
    const query = { fields, limit: String(PAGES_AT_ONCE), ...(after === undefined ? {} : { after }) }
    const response = yield* call(read(asking.api, asking.person, path, query))
    if (readBody(response, List) === null) {
      // A refusal is an answer: the person has nothing there. All else leaves the list unread.
      if (faultOf(response) === null || generalRefusalOf(response) !== null) asking.complete = false
      return { lists, failed: response }
    }
    lists.push(response)
    // The address of the next list has the token in it: it is asked for by its cursor.
    after = readBody(response, Paging)?.paging.cursors.after
  } while (after !== undefined)
  return { lists, failed: null }
}

function pagesIn<Own extends TProperties>(list: HttpResponse, own: Own): FoundPage<Own>[] {
  const Facts = Type.Object(page)
  const Shown = Type.Object(own)
  return (readBody(list, List)?.data ?? []).flatMap((item) => {
    if (!Check(Facts, item) || !Check(Shown, item)) return []
    const { id, name = id, access_token: accessToken = null, tasks } = item
    return [{ id, page: item, name, accessToken, mayCreate: tasks?.includes(CREATE_CONTENT) ?? null }]
  })
}
