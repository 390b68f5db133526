import Type from 'typebox'
import { readBody } from '../shared/answers.ts'
import type { Refusal } from '../port/port.ts'
import { call, type Steps } from '../port/procedure.ts'
import { AWAY, rejected } from '../port/verdicts.ts'
import type { WordpressAuthorization } from './authorization.ts'
import { contentRefusal, errorOf, read, refusalOf, write } from './rest-api.ts'

/** https://developer.wordpress.org/rest-api/reference/categories/ and tags/; names come as HTML. */
const Term = Type.Object({ id: Type.Integer({ minimum: 1 }), name: Type.String() })
const Found = Type.Array(Term)

const NOT_ADDED = {
  categories: rejected(
    'permission_refused',
    'The site has no category of that name, and does not let this user add one.',
  ),
  tags: rejected(
    'permission_refused',
    'The site has no tag of that name, and does not let this user add one.',
  ),
}

/** The ids of categories or tags by their names. One that is not there is added. */
export function* termsNamed(
  authorization: WordpressAuthorization,
  taxonomy: 'categories' | 'tags',
  names: readonly string[],
): Steps<{ readonly ids: readonly number[] } | Refusal> {
  const ids: number[] = []
  for (const name of names) {
    const id = yield* termNamed(authorization, taxonomy, name.trim())
    if (typeof id !== 'number') return id
    ids.push(id)
  }
  return { ids: [...new Set(ids)] }
}

function* termNamed(
  authorization: WordpressAuthorization,
  taxonomy: 'categories' | 'tags',
  name: string,
): Steps<number | Refusal> {
  const route = `wp/v2/${taxonomy}`
  const query = { search: asHtml(name), per_page: '100', _fields: 'id,name' }
  const searched = yield* call(read(authorization, route, query))
  const terms = readBody(searched, Found)
  if (terms === null) return refusalOf(searched) ?? AWAY
  const known = terms.find((term) => same(asText(term.name), name))
  if (known !== undefined) return known.id

  const added = yield* call(write(authorization, route, { name }, { _fields: 'id,name' }))
  const term = readBody(added, Term, 201)
  if (term !== null) return term.id
  const error = errorOf(added)
  const taken = error?.code === 'term_exists' ? error.data.term_id : undefined
  if (taken !== undefined) return taken
  if (error?.code === 'rest_cannot_create') {
    return NOT_ADDED[taxonomy]
  }
  return refusalOf(added) ?? contentRefusal(added) ?? AWAY
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function asHtml(name: string): string {
  return name.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function asText(name: string): string {
  return name
    .replaceAll(/&#0?39;|&#8217;/g, "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
