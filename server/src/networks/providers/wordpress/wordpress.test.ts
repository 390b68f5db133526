import { describe, expect, test } from 'vitest'
import { answeringAt, loadWith, play, testAdapter } from '../../../../test/rigs/adapter-suite.ts'
import { aLookupWork, answer, aPublishWork, anUpload, nine } from '../../../../test/rigs/publish-work.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import type { DraftName, PrepareWork, RemoteMedia } from '../port/port.ts'
import { markdownBlocks, plainBlocks } from './blocks.ts'
import { routeOf } from './rest-api.ts'
import { entryOf } from './title.ts'
import { wordpress } from './wordpress.ts'

const root = 'https://example.com/wp-json/'
const password = 'abcdEFGHijklMNOPqrstUVWX'
const authorization = { root, user: 'alice', password }
const secrets = [password, Buffer.from(`alice:${password}`).toString('base64')]
const link = 'https://example.com/hello/'

const no = (status: number, code: string, data: object = {}) =>
  answer(status, { code, message: 'No.', data: { status, ...data } })
const index = {
  name: 'News',
  home: 'https://example.com',
  namespaces: ['wp/v2'],
  authentication: { 'application-passwords': {} },
}

/** A site where all goes well. */
function site({ url, method, json }: HttpRequest): HttpResponse {
  const route = url.pathname.replace('/wp-json/', '')
  if (route === '') return answer(200, index)
  if (route === 'wp/v2/users/me')
    return answer(200, { id: 3, capabilities: { publish_posts: true, upload_files: true } })
  if (route === 'wp/v2/media') {
    return method === 'GET'
      ? answer(200, [{ id: 9 }, { id: 10 }])
      : answer(201, { id: 9, source_url: 'https://example.com/a.png' })
  }
  if (/categories|tags/.test(route))
    return method === 'GET' ? answer(200, []) : answer(201, { id: 5, name: (json as { name: string }).name })
  if (route === 'wp/v2/posts')
    return method === 'GET' ? answer(200, []) : answer(201, { id: 7, status: 'draft' })
  return answer(200, { id: 7, slug: 'postrider-k-1', status: method === 'GET' ? 'draft' : 'publish', link })
}

const { prepare, publish, upload, lookup, form, profile, leftovers } = await loadWith(wordpress, [
  ...(['prepare', 'upload', 'lookup', 'form', 'profile', 'leftovers'] as const),
])

await testAdapter(wordpress, {
  authorization,
  secrets,
  success: () => answer(200, { id: 7, status: 'publish', link }),
  network: site,
  refusals: [
    { code: 'rest_cannot_edit', message: 'No.', data: { status: 403 } },
    { code: 'rest_not_logged_in', message: 'No.', data: { status: 401 } },
    { code: 'rest_invalid_param', message: 'No.', data: { status: 400 } },
  ],
  settings: {
    title: 'Hello',
    categories: ['News'],
    tags: ['Birds'],
    slug: 'hello',
    excerpt: 'Short',
    comments: true,
  },
  absence: [{ server: 'a site that has the draft', network: site, proves: () => true }],
  form: { site: 'example.com', user: 'alice', applicationPassword: 'abcd EFGH ijkl MNOP qrst UVWX' },
})

const work: PrepareWork = {
  authorization,
  text: 'Hello\n\nWorld',
  media: [],
  settings: {},
  parent: null,
  root: null,
  kind: 'post',
  idempotencyKey: 'K-1',
  now: nine,
  former: null,
  refusals: 0,
  checkpoint: null,
  mediaAddresses: [],
  discarded: [],
}
const image: RemoteMedia = {
  remoteId: '9',
  kind: 'image',
  altText: 'A "bird"',
  details: { id: 9, url: 'https://example.com/a.png' },
}
const prepared = { postId: 7, slug: '' }

/** What is written of the draft. */
function draftOf(change: Partial<PrepareWork>, network = site) {
  const { requests, outcome } = play(prepare({ ...work, ...change }), network)
  const written = requests.find(
    ({ method, url }) => method === 'POST' && /\/posts(?:\/\d+)?$/.test(url.pathname),
  )
  return { outcome, written, fields: (written?.json ?? {}) as Record<string, unknown> }
}

describe('a draft', () => {
  test('has a slug that no other part has, and is found again by it', () => {
    expect(draftOf({}).fields).toEqual({
      title: 'Hello',
      status: 'draft',
      slug: 'postrider-k-1',
      featured_media: 0,
      content: '<!-- wp:paragraph -->\n<p>World</p>\n<!-- /wp:paragraph -->',
    })
    const listed = ({ url, method, ...rest }: HttpRequest): HttpResponse =>
      url.searchParams.get('slug') === 'postrider-k-1'
        ? answer(200, [
            { id: 8, slug: 'postrider-k-1', modified_gmt: '2026-11-21T08:00:00' },
            { id: 6, slug: 'postrider-k-1', modified_gmt: '2026-11-21T08:00:00' },
          ])
        : site({ url, method, ...rest })
    const { requests } = play(prepare(work), listed)
    const posted = requests
      .filter(({ method }) => method === 'POST')
      .map(({ url }) => url.pathname + url.search)
    expect(posted).toEqual([
      '/wp-json/wp/v2/posts/8?_method=DELETE&_fields=id',
      '/wp-json/wp/v2/posts/6?_fields=id%2Cstatus',
    ])
  })

  test('of a call that was taken for absent is written again, or is out, or is gone', () => {
    const at = (response: HttpResponse) =>
      draftOf({ former: prepared }, answeringAt(site, { '/wp-json/wp/v2/posts/7': response }))
    expect(at(answer(200, { id: 7, status: 'draft', link })).written?.url.pathname).toBe(
      '/wp-json/wp/v2/posts/7',
    )
    const out = at(answer(200, { id: 7, status: 'publish', link }))
    expect([out.written, out.outcome]).toEqual([undefined, { is: 'prepared', prepared }])
    expect(at(no(404, 'rest_post_invalid_id')).written?.url.pathname).toBe('/wp-json/wp/v2/posts')
    expect(at(answer(404, '<html>')).outcome.is).toBe('deferred')
  })

  test('has the first image on top and others below, or all of them below', () => {
    const media = [image, { ...image, details: { id: 10, url: 'https://example.com/b.png' } }]
    const { fields } = draftOf({ media })
    expect(fields['featured_media']).toBe(9)
    expect(fields['content']).toContain('wp-image-10')
    expect(fields['content']).not.toContain('wp-image-9')
    const below = draftOf({ media, settings: { featuredImage: false } }).fields
    expect(below['featured_media']).toBe(0)
    expect(below['content']).toContain(
      '<img src="https://example.com/a.png" alt="A &quot;bird&quot;" class="wp-image-9"/>',
    )
  })

  test('is not made with a file that someone has deleted from the library: the next try uploads it again', () => {
    const media = [image, { ...image, details: { id: 10, url: 'https://example.com/b.png' } }]
    const told = (response: HttpResponse) =>
      draftOf({ media }, answeringAt(site, { '/wp-json/wp/v2/media': response }))
    const gone = told(answer(200, [{ id: 10 }]))
    expect(gone).toMatchObject({ written: undefined, outcome: { code: 'media_unavailable' } })
    for (const response of [answer(200, [{ id: 10 }, { id: 9 }]), answer(403, '<html>')]) {
      expect(told(response).outcome.is).toBe('prepared')
    }
  })

  test('takes categories that are there, whatever their letters and signs', () => {
    const terms = answer(200, [
      { id: 4, name: 'R&amp;D' },
      { id: 5, name: 'R&amp;D and more' },
    ])
    const network = answeringAt(site, { '/wp-json/wp/v2/categories': terms })
    expect(draftOf({ settings: { categories: ['r&d'] } }, network).fields['categories']).toEqual([4])
  })

  test('says of a category that may not be added that it is missing', () => {
    const network = answeringAt(site, {
      '/wp-json/wp/v2/categories': ({ method }) =>
        method === 'GET' ? answer(200, []) : no(403, 'rest_cannot_create'),
    })
    expect(draftOf({ settings: { categories: ['New'] } }, network).outcome).toMatchObject({
      is: 'rejected',
      code: 'permission_refused',
    })
  })

  test('that nobody may see says that the password is over', () => {
    const stranger = answeringAt(site, {
      '/wp-json/wp/v2/posts': no(400, 'rest_invalid_param'),
      '/wp-json/wp/v2/users/me': no(401, 'rest_not_logged_in'),
    })
    expect(draftOf({}, stranger).outcome.is).toBe('reauthorize')
  })
})

describe('what is left of a post', () => {
  const discard = (response: HttpResponse) =>
    play(leftovers.discard({ authorization, name: 'post:7' }), (request) =>
      request.method === 'GET' ? response : answer(200, { id: 7 }),
    )
  const draft = { id: 7, status: 'draft', slug: 'postrider-k-1' }

  test.each([
    [answer(200, draft), 'removed', 2],
    [answer(200, { ...draft, status: 'publish' }), 'used', 1],
    [answer(200, { ...draft, slug: 'of-a-person' }), 'used', 1],
    [answer(200, { ...draft, status: 'trash' }), 'gone', 1],
    [no(404, 'rest_post_invalid_id'), 'gone', 1],
    [no(401, 'rest_not_logged_in'), 'reauthorize', 1],
    [answer(404, '<html>'), 'unavailable', 1],
  ])('%j: %s', (response, is, calls) => {
    const { outcome, requests } = discard(response)
    expect([outcome.is, requests.length]).toEqual([is, calls])
  })

  test('is looked for among the drafts of its own author, where that is known', () => {
    const old = { slug: 'postrider-k-0', modified_gmt: '2026-11-01T08:00:00' }
    const swept = (change: object) => {
      const network = answeringAt(site, {
        '/wp-json/wp/v2/posts': (request) =>
          request.url.searchParams.has('orderby') ? answer(200, [{ id: 5, ...old }]) : site(request),
      })
      const { requests } = play(prepare({ ...work, authorization: { ...authorization, ...change } }), network)
      expect(requests.at(-1)?.url.pathname).toBe('/wp-json/wp/v2/posts/5')
      return requests
        .filter(({ url }) => url.searchParams.has('orderby'))
        .map(({ url }) => url.searchParams.get('author'))
    }
    expect(swept({ userId: 3 })).toEqual(['3'])
    expect(swept({})).toEqual([null])
  })

  test('is not taken for the draft of another try', () => {
    const listed = answer(200, [
      { id: 6, slug: 'postrider-k-1', modified_gmt: '2026-11-21T08:00:00' },
      { id: 8, slug: 'postrider-k-1', modified_gmt: '2026-11-21T08:00:00' },
    ])
    const network = answeringAt(site, {
      '/wp-json/wp/v2/posts': ({ method, ...rest }) =>
        method === 'GET' ? listed : site({ method, ...rest }),
    })
    const written = (discarded: readonly DraftName[]) => draftOf({ discarded }, network).written?.url.pathname
    expect(written(['post:6'])).toBe('/wp-json/wp/v2/posts/8')
    expect(written(['post:6', 'post:8'])).toBe('/wp-json/wp/v2/posts')
  })
})

describe('a text', () => {
  test.each([
    ['Hello', undefined, { title: 'Hello', body: 'Hello' }],
    ['# Hello', undefined, { title: 'Hello', body: '' }],
    ['Hello\nWorld', undefined, { title: 'Hello', body: 'World' }],
    ['World', 'Hello', { title: 'Hello', body: 'World' }],
    ['', undefined, { title: '', body: '' }],
  ])('%j with the title %j', (text, set, entry) => expect(entryOf(text, set)).toEqual(entry))

  test('in Markdown is blocks, in which nothing is HTML or a shortcode of its author', () => {
    const text = [
      '## A *heading*',
      'A <b>word</b> and [a link](https://example.com/?a=1&b=2) and [another](javascript:alert(1))',
      '```js\nif (a < b) [gallery]\n```',
      '---',
      '<script>alert(1)</script>',
      '<!-- wp:html --><p>No</p><!-- /wp:html -->',
      '- one\n- two',
      '> quoted [gallery ids="1"]',
    ].join('\n\n')
    const html = markdownBlocks(text).join('\n')
    expect(html).toContain(
      '<!-- wp:heading {"level":2} -->\n<h2 class="wp-block-heading">A <em>heading</em></h2>',
    )
    expect(html).toContain('<a href="https://example.com/?a=1&amp;b=2">a link</a> and another')
    expect(html).toContain('<pre class="wp-block-code"><code>if (a &lt; b) &#91;gallery]</code></pre>')
    expect(html).toContain('<li>one</li>')
    expect(html).not.toMatch(/<script|<b>|javascript:|\[gallery|<p>No/)
    expect(html.match(/<!-- wp:\w+/g)).toHaveLength(html.match(/<!-- \/wp:\w+/g)?.length ?? 0)
  })

  test('that is plain keeps its lines and signs', () => {
    expect(plainBlocks('*a* <b>\nhttps://example.com/x.\n\n\nc [d]').join('\n')).toBe(
      '<!-- wp:paragraph -->\n<p>*a* &lt;b&gt;<br><a href="https://example.com/x">https://example.com/x</a>.</p>\n<!-- /wp:paragraph -->\n' +
        '<!-- wp:paragraph -->\n<p>c &#91;d]</p>\n<!-- /wp:paragraph -->',
    )
  })

  test('of which an address ends in a bracket that it has opened links all of it', () => {
    expect(plainBlocks('(see https://example.com/a_(b)).').join('')).toContain(
      '(see <a href="https://example.com/a_(b)">https://example.com/a_(b)</a>).',
    )
  })

  test('without a title, or with too long a one, is refused before', () => {
    const part = {
      index: 0,
      kind: 'post' as const,
      mediaCount: 1,
      mediaKinds: [],
      mediaSizes: [],
      limits: wordpress.limits,
      settings: {},
    }
    const faults = (text: string, settings = {}) => wordpress.check?.({ ...part, text, settings })
    expect(faults('')).toHaveLength(1)
    expect(faults('', { title: 'A title' })).toEqual([])
    expect(faults('a'.repeat(201))).toMatchObject([{ message: expect.stringContaining('1 characters over') }])
  })
})

describe('what an answer proves', () => {
  const verdictOf = (response: HttpResponse) =>
    publish.judge(response, aPublishWork(authorization, { prepared }))

  test('the call names the draft, and shows only what is asked for', () => {
    const { url, json } = publish.request(
      aPublishWork(authorization, { prepared: { postId: 7, slug: 'hello' } }),
    )
    expect([url.href, json]).toEqual([
      'https://example.com/wp-json/wp/v2/posts/7?_fields=id%2Cstatus%2Clink',
      { status: 'publish', slug: 'hello' },
    ])
    expect(routeOf('https://example.com/?rest_route=/', 'wp/v2/posts/7', { a: '1' }).href).toBe(
      'https://example.com/?rest_route=%2Fwp%2Fv2%2Fposts%2F7&a=1',
    )
  })

  test.each([
    [answer(200, { id: 8, status: 'publish', link }), 'unknown'],
    [answer(200, { id: 7, status: 'pending', link }), 'unknown'],
    [no(401, 'incorrect_password'), 'reauthorize'],
    [no(401, 'rest_cannot_edit'), 'reauthorize'],
    [no(403, 'rest_cannot_edit'), 'rejected'],
    [no(400, 'rest_invalid_param'), 'rejected'],
    [no(404, 'rest_post_invalid_id'), 'deferred'],
    [no(404, 'rest_no_route'), 'deferred'],
    [no(500, 'internal_server_error'), 'unknown'],
    [answer(403, { code: 'rest_cannot_edit', data: { status: 401 } }), 'unknown'],
    [answer(429, '', { 'retry-after': '5' }), 'deferred'],
  ])('%j is %s', (response, is) => expect(verdictOf(response).is).toBe(is))

  test.each([
    [answer(200, { id: 7, status: 'publish', link }), 'found'],
    [answer(200, { id: 7, status: 'draft', link }), 'absent'],
    [no(404, 'rest_post_invalid_id'), 'absent'],
    [answer(200, { id: 7, status: 'trash', link }), 'gone'],
    [answer(200, { id: 7, status: 'future', link }), 'out'],
    [answer(404, '<html>'), 'unavailable'],
    [no(401, 'rest_forbidden_context'), 'reauthorize'],
  ])('a look that shows %j has %s', (response, is) => {
    const { outcome } = play(lookup(aLookupWork(authorization, { prepared })), () => response)
    expect(outcome.is).toBe(is)
  })

  test.each([
    [no(500, 'rest_upload_unknown_error'), 'rejected'],
    [answer(413, '<html>'), 'rejected'],
    [no(403, 'rest_cannot_create'), 'rejected'],
    [answer(500, ''), 'deferred'],
  ])('an upload that is answered with %j is %s', (response, is) =>
    expect(play(upload(anUpload(authorization, 'image')), () => response).outcome.is).toBe(is),
  )
})

describe('connecting', () => {
  const fields = { site: 'https://example.com/', user: 'alice', applicationPassword: 'abcd EFGH' }
  const connected = (change: Record<string, string>, network = site) =>
    play(form({ fields: { ...fields, ...change }, now: nine }), network).outcome

  test('finds the API where it is, also without permalinks and in a folder', () => {
    expect(connected({})).toMatchObject({
      is: 'connected',
      authorization: { root, password: 'abcdEFGH', userId: 3 },
      account: { remoteAccountId: 'example.com/3', displayName: 'News', handle: 'example.com' },
    })
    const plain = (request: HttpRequest) =>
      request.url.searchParams.has('rest_route')
        ? site({
            ...request,
            url: new URL(`/wp-json${request.url.searchParams.get('rest_route')}`, request.url),
          })
        : answer(404, '<html>')
    expect(connected({}, plain)).toMatchObject({
      authorization: { root: 'https://example.com/?rest_route=/' },
    })
    const blog = (request: HttpRequest) => {
      const url = new URL(request.url.href.replace('/blog/', '/'))
      const told = site({ ...request, url })
      return url.pathname === '/wp-json/' ? answer(200, { ...index, home: 'https://example.com/blog' }) : told
    }
    expect(connected({ site: 'example.com/blog' }, blog)).toMatchObject({
      account: { handle: 'example.com/blog' },
    })
    expect(connected({ site: 'example.com' }, blog)).toMatchObject({
      detail: 'The site is at https://example.com/blog. Enter that address.',
    })
  })

  test.each([
    [
      answer(301, '', { location: 'https://www.example.com/wp-json/' }),
      'The site is at https://www.example.com/.',
    ],
    [answer(200, { ...index, authentication: [] }), 'The site offers no application passwords'],
    [answer(200, '<html>'), 'https://example.com/ is not a WordPress site'],
    [answer(503, '<html>'), 'The site is not available right now.'],
  ])('an address that answers %j: %s', (response, detail) => {
    expect(connected({}, () => response)).toMatchObject({ detail: expect.stringContaining(detail) })
  })

  const me = (response: HttpResponse) => answeringAt(site, { '/wp-json/wp/v2/users/me': response })

  test.each([
    [no(401, 'vip_maintenance_mode_rest_not_logged_in'), 'The site is not available right now.'],
    [no(500, 'internal_server_error'), 'The site is not available right now.'],
    [answer(429, ''), 'The site is not available right now.'],
    [no(404, 'rest_no_route'), 'its REST API is off'],
  ])('a site that answers %j when asked for the user tells nothing of the user', (response, detail) => {
    expect(connected({}, me(response))).toMatchObject({ detail: expect.stringContaining(detail) })
    expect(play(profile({ authorization, now: nine }), me(response)).outcome.is).toBe('unavailable')
  })

  test('a user who may not publish, or whose password is none, is refused', () => {
    expect(connected({}, me(answer(200, { id: 3, capabilities: { edit_posts: true } })))).toMatchObject({
      code: 'missing_scope',
    })
    expect(connected({}, me(no(403, 'rest_forbidden')))).toMatchObject({ code: 'missing_scope' })
    expect(connected({}, me(no(401, 'incorrect_password')))).toMatchObject({ field: 'applicationPassword' })
    expect(play(profile({ authorization, now: nine }), me(no(401, 'rest_not_logged_in'))).outcome.is).toBe(
      'reauthorize',
    )
  })
})
