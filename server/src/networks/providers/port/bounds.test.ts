import { describe, expect, test } from 'vitest'
import { errorsOf, issuesOf } from '../../../../test/rigs/a-plan.ts'
import {
  aFile,
  aPost,
  called,
  fileOutside,
  fileWith,
  fitsBeside,
  type Made,
  postWith,
  rangesOf,
} from '../../../../test/rigs/bounded-posts.ts'
import { type Bound, isCodingBound, isFileBound, isFormBound, isTextBound, type Source } from './bounds.ts'
import { providers } from '../registry.ts'

/*
 * For every row of every network's table: what is just inside passes the check of posts, and what is just outside does not. Videos are
 * never scaled; a picture that is too large is, and the check says so.
 */

describe.each([...providers])('%s', (_, provider) => {
  const { bounds, limits } = provider
  const codes = (made: Made) => errorsOf(provider, made).map(({ code }) => code)
  const sides = bounds.flatMap((row) =>
    rangesOf(row).map(([side, value]) => [called(row), row, side, value] as const),
  )

  test.each(sides)('%s', (_called, row, side, value) => {
    const inside = postWith(provider, row, side, value)
    const outside = postWith(provider, row, side, value, 'outside')
    expect(codes(aPost(provider, row))).toEqual([])
    expect(codes(inside)).toEqual([])
    if (fitsBeside(row, side)) {
      const told = (made: Made) => issuesOf(provider, made).map(({ code }) => code)
      expect(told(inside)).not.toContain('media_converted')
      expect(told(outside)).toContain('media_converted')
      expect(codes(outside)).toEqual([])
    } else expect(codes(outside)).not.toEqual([])
  })

  test.each(bounds.filter(isFormBound).map((row) => [called(row), row] as const))('%s', (_called, row) => {
    const post = aPost(provider, row)
    const beside = post.media.slice(0, -1)
    for (const one of row.oneOf)
      expect(codes({ ...post, media: [...beside, fileWith(provider, row, one)] })).toEqual([])
    const outside = { ...post, media: [...beside, fileOutside(provider, row)] }
    const found = issuesOf(provider, outside).filter(({ code }) => !code.startsWith('alt_'))
    expect(found).not.toEqual([])
  })

  test('the API tells what the table says', () => {
    const most = (of: Bound['of'], measure: string) =>
      bounds.filter(isTextBound).find((one) => one.of === of && one.measure === measure)?.max
    expect(limits.maxCharacters).toBe(most('text', 'characters'))
    expect(limits.maxBytes).toBe(most('text', 'bytes'))
    expect(limits.media.maxItems).toBe(most('part', 'files'))
    expect(limits.media.maxAltCharacters).toBe(most('alt text', 'characters') ?? 0)
    const kinds = new Set(bounds.filter((row) => !isTextBound(row)).map(({ of }) => of))
    expect(new Set(limits.media.kinds.map(({ kind }) => kind))).toEqual(kinds)
    for (const { kind } of limits.media.kinds) expect(aFile(provider, kind).contentType).not.toBe('')
  })

  test('each row says where it is from, and names no page that does not have it', () => {
    for (const row of bounds) {
      expect(isFileBound(row) || isFormBound(row) || isCodingBound(row) || isTextBound(row)).toBe(true)
      if (!isFormBound(row)) expect(row.min ?? row.max).toBeDefined()
      expect(faultOf(row.source)).toBeNull()
    }
  })
})

/** Of several videos, an adapter of theirs sends the first alone, or the network refuses the post. */
test.each(['bluesky', 'facebook', 'linkedin', 'mastodon', 'x', 'youtube'])(
  '%s shows one video in a post',
  (name) => {
    const provider = providers.get(name)
    if (provider === undefined) return expect.unreachable()
    const video = aFile(provider, 'video')
    expect(errorsOf(provider, { text: 'Words', media: [video, video] })).not.toEqual([])
  },
)

test('a picture that would be too thin once it is scaled is refused, and not sent too thin', () => {
  const provider = providers.get('x')
  if (provider === undefined) return expect.unreachable()
  const picture = (width: number, height: number) => ({
    text: 'Words',
    media: [{ ...aFile(provider, 'image'), width, height }],
  })
  expect(errorsOf(provider, picture(9, 20_000))).toMatchObject([{ code: 'media_ratio_unsupported' }])
  expect(errorsOf(provider, picture(10, 20_000))).toEqual([])
})

const DAY = /^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/
const isPage = (address: string) => URL.parse(address)?.protocol === 'https:'

function faultOf(source: Source): string | null {
  switch (source.kind) {
    case 'published':
    case 'answered':
      return isPage(source.page) && DAY.test(source.read) ? null : 'no page, or no day'
    case 'copy':
      return source.seen !== '' && isPage(source.of) && DAY.test(source.read)
        ? null
        : 'not said of which page'
    case 'ours':
      return source.why.length > 20 && !/https?:/.test(source.why) ? null : 'no reason, or a page'
  }
}

test.each<[string, Source]>([
  ['a month', { kind: 'published', page: 'https://example.com/', read: '2026-11' }],
  ['no address', { kind: 'answered', page: 'docs/limits.md', read: '2026-11-29' }],
  ['a copy of nothing', { kind: 'copy', seen: 'somewhere', of: '', read: '2026-11-29' }],
  [
    'a page for a number of ours',
    { kind: 'ours', why: 'See https://example.com/ for what it says of that.' },
  ],
])('a source that is %s would be found', (_, source) => {
  expect(faultOf(source)).not.toBeNull()
})
