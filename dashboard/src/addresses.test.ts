import { expect, test } from 'vitest'
import { addresses, type Address, pathOf, placeAt } from './addresses.ts'

const at = (href: string) => {
  const { pathname, search } = new URL(href, 'http://127.0.0.1')
  return placeAt({ pathname, search })
}

test('every address is read back as it was written, and no other one is taken for it', () => {
  const params = {
    workspaceId: 'wsp 1/ä',
    postId: '$post',
    seriesId: 'new',
    templateId: '%',
    endpointId: '..a',
  }
  for (const address of Object.keys(addresses) as Address[]) {
    const read = at(pathOf(address, params, {}))
    expect(read.address).toBe(address)
    expect(params).toMatchObject(read.params)
    expect(Object.keys(read.params).length).toBe(address.split('$').length - 1)
  }
})

test('what the search says is read back, and what it cannot say is left out', () => {
  const search = { q: '  a&b=1 ä#', label: '123', status: undefined, span: 'week', sort: 'last' }
  expect(at(pathOf('/w/$workspaceId/posts', { workspaceId: 'a' }, search)).search).toEqual(search)
  expect(at('/w/a/posts?span=year&sort=&q=&more=1').search).toEqual({})
  expect(at('/w/a/compose?approve=true').search).toEqual({ approve: true })
  expect(at('/w/a/compose?approve=false&day=2026-02-30').search).toEqual({})
  expect(at('/w/a/calendar?day=2026-02-28&view=year').search).toEqual({ day: '2026-02-28' })
})

test('a slash at the end changes nothing; what is no address has the workspace that it names', () => {
  expect(at('/w/a/today/').address).toBe('/w/$workspaceId/today')
  expect(at('/').address).toBe('/')
  expect(at('/w/a/nonsense')).toMatchObject({ address: null, params: { workspaceId: 'a' } })
  expect(at('/w/a/posts/b/c')).toMatchObject({ address: null, params: { workspaceId: 'a' } })
  expect(at('/w/a')).toMatchObject({ address: null, params: { workspaceId: 'a' } })
  expect(at('/w/a/posts/%ff')).toMatchObject({ address: null, params: { workspaceId: 'a' } })
  expect(at('/w/%ff/posts')).toMatchObject({ address: null, params: {} })
  expect(at('/elsewhere')).toMatchObject({ address: null, params: {} })
})
