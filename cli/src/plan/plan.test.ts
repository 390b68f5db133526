import type { Channel, Post } from '@postrider/sdk'
import { expect, test } from 'vitest'
import { diff } from './diff.ts'
import { instantsOf, parseText, readPlan, readReference, referenceOf } from '@postrider/contract/plan'
import { findFile, parseMarkdown } from './read-files.ts'

/* The pure core of a plan: what a file says, what is wrong with it, and what has to be done. */

const ADA = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'
const BOB = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a12'
const BRAND = { groupId: '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a13', name: 'Brand A' }
const channels = [
  { channelId: ADA, provider: 'bluesky', handle: 'ada.example', groups: [BRAND] },
  { channelId: BOB, provider: 'mastodon', handle: '@bob', groups: [BRAND] },
] as unknown as Channel[]

function read(text: string) {
  const { source, faults } = parseText('plan.yaml', text, '/')
  return readPlan({ plan: source, posts: [], faults }, { channels, timeZone: 'Europe/Berlin', findFile })
}
const told = (text: string) => read(text).faults.map(({ line, message }) => `${line}: ${message}`)

test.each<[string, string, RegExp]>([
  ['no YAML', 'plan: [', /^1: This is not valid YAML/],
  ['an unknown field', 'plan: p\npost: []', /^2: `post` is unknown here. Did you mean `posts`\?/],
  ['no id', 'plan: p\nposts:\n  - text: Hello', /^3: `id` is missing/],
  [
    'a number for a text',
    'plan: p\nposts:\n  - id: 7',
    /^3: This must be a text, and not 7. Put it in quotes./,
  ],
  [
    'an unknown channel',
    'plan: p\nposts:\n  - { id: a, text: Hello, channels: [ada.exmple] }',
    /^3: There is no channel ada.exmple. Did you mean ada.example\?/,
  ],
  [
    'a time that comes twice',
    'plan: p\nchannels: [bob]\nposts:\n  - { id: a, text: H, publishAt: 2027-10-31T02:30 }',
    /exists twice.* Write 2027-10-31T00:30:00.000Z or 2027-10-31T01:30:00.000Z/,
  ],
  [
    'two posts of one id',
    'plan: p\nchannels: [bob]\nposts:\n  - { id: a, text: H }\n  - { id: a, text: H }',
    /^5: The ID a is also used/,
  ],
  ['no such zone', 'plan: p\ntimeZone: BST', /^2: There is no time zone BST/],
  [
    'no such zone for all',
    'plan: p\ntimeZone: BST\nchannels: [bob]\nposts:\n  - { id: a, text: H }\n  - { id: b, text: H }',
    /^2: There is no time zone BST/,
  ],
  ['nothing to say', 'plan: p\nchannels: [bob]\nposts:\n  - { id: a }', /This post is empty/],
  [
    'no such file',
    'plan: p\nchannels: [bob]\nposts:\n  - { id: a, media: [none.jpg] }',
    /^4: No file none.jpg/,
  ],
])('a plan with %s is refused, with the line', (_, text, fault) => {
  expect(told(text)).toEqual([expect.stringMatching(fault)])
})

test('a group stands for its channels, and for each of them once', () => {
  const { posts, faults } = read('plan: p\nposts:\n  - { id: a, text: H, channels: [bob, brand a] }')
  expect(faults).toEqual([])
  expect(posts.map(({ targets }) => targets.map(({ name, place }) => [name, place]))).toEqual([
    [
      ['bob', 0],
      ['bluesky:ada.example', 1],
    ],
  ])
  expect(told('plan: p\nposts:\n  - { id: a, text: H, channels: [brand b] }')).toEqual([
    expect.stringContaining('The groups are Brand A.'),
  ])
})

test('several faults are told at once', () => {
  expect(
    told('plan: p\nchannels: [eve, bob]\nposts:\n  - { id: a, text: H, publishAt: soon }\n  - { id: b }'),
  ).toHaveLength(4)
})

test('Markdown has its fields in front, and a part behind each line of dashes', () => {
  const parsed = parseMarkdown('/first.md', '---\nchannels: [bob]\n---\nOne\n\n---\nTwo\n', '/')
  expect(parsed?.source.value).toEqual({ id: 'first', channels: ['bob'], text: 'One', thread: ['Two'] })
  expect(parseMarkdown('/README.md', '# Hello\n', '/')).toBeNull()
})

test('a local time is an instant, none or two', () => {
  const hours = (local: string) => instantsOf(local, 'Europe/Berlin').map((at) => new Date(at).toISOString())
  expect(hours('2027-07-01T09:00')).toEqual(['2027-07-01T07:00:00.000Z'])
  expect(hours('2027-03-28T02:30')).toEqual([])
  expect(hours('2027-10-31T02:30')).toHaveLength(2)
})

test('a reference names the plan, the post and its generation', () => {
  for (const generation of [1, 2, 12]) {
    expect(readReference('p', referenceOf('p', 'a', generation))).toEqual({ id: 'a', generation })
  }
  expect(readReference('p', 'other/a')).toBeNull()
})

const NOW = Date.parse('2027-01-01T00:00Z')
const AT = '2027-07-01T07:00:00.000Z'
const plan = read(
  'plan: p\nchannels: [bob]\nposts:\n  - { id: a, text: Hello, publishAt: 2027-07-01T09:00 }',
).posts
const me = { type: 'agent_key', name: 'plan' } as const
const ada = { type: 'person', name: 'Ada' } as const

function aPost(change: object = {}, destination: object = {}): Post {
  return {
    postId: 'id',
    content: { text: 'Hello' },
    reviewStatus: 'not_required',
    latestChange: null,
    createdBy: me,
    media: [],
    destinations: [
      {
        channelId: BOB,
        status: 'scheduled',
        publishAt: AT,
        content: null,
        latestChange: null,
        ...destination,
      },
    ],
    ...change,
  } as unknown as Post
}
const by = (who: object, ...fields: string[]) => ({ at: AT, by: who, fields })

test.each<[string, Post | null, boolean, string]>([
  ['is not there', null, false, 'create'],
  ['is as planned', aPost(), false, 'same'],
  ['has another text', aPost({ content: { text: 'Old' } }), false, 'change'],
  [
    'has another text by the plan',
    aPost({ content: { text: 'Old' }, latestChange: by(me, 'text') }),
    false,
    'change',
  ],
  [
    'has another text by a person',
    aPost({ content: { text: 'Old' }, latestChange: by(ada, 'text') }),
    false,
    'drift',
  ],
  [
    'has another text by a person, forced',
    aPost({ content: { text: 'Old' }, latestChange: by(ada, 'text') }),
    true,
    'change',
  ],
  [
    'was approved by a person',
    aPost({ content: { text: 'Old' }, latestChange: by(ada, 'reviewStatus') }),
    false,
    'change',
  ],
  [
    'was moved by a person',
    aPost({}, { publishAt: NOW, latestChange: by(ada, 'publishAt') }),
    false,
    'drift',
  ],
  [
    'was cancelled by the plan',
    aPost({}, { status: 'cancelled', latestChange: by(me, 'status') }),
    false,
    'create',
  ],
  [
    'was cancelled by a person',
    aPost({}, { status: 'cancelled', latestChange: by(ada, 'status') }),
    false,
    'drift',
  ],
  ['is published', aPost({ content: { text: 'Old' } }, { status: 'published' }), true, 'left'],
  ['is in doubt', aPost({ content: { text: 'Old' } }, { status: 'checking' }), true, 'left'],
])('a post that %s', (_, post, force, is) => {
  const current = new Map(post === null ? [] : [['a', { generation: 1, post }]])
  const [change] = diff(plan, current, { force, now: NOW, sameMedia: () => true })
  expect(change).toMatchObject({ is, ...(is === 'create' && post !== null ? { generation: 2 } : {}) })
})

test('a post that the plan has no longer is cancelled, unless it has begun or somebody changed it', () => {
  const one = (post: Post) =>
    diff([], new Map([['a', { generation: 1, post }]]), { force: false, now: NOW, sameMedia: () => true })
  expect(one(aPost())).toMatchObject([{ is: 'cancel' }])
  expect(one(aPost({}, { status: 'publishing' }))).toMatchObject([{ is: 'left' }])
  expect(one(aPost({ latestChange: by(ada, 'text') }))).toMatchObject([{ is: 'drift' }])
  expect(one(aPost({}, { status: 'cancelled' }))).toEqual([])
})
