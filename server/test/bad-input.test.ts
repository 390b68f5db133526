import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aChannel, aPost, aWorkspace } from './rigs/fixtures.ts'
import { type Answer, dumpTables, openRunningApp, type RunningApp } from './rigs/running-app.ts'

/*
 * Bad input that only the whole product can judge: channels and their limits, cursors, searches. What the edge refuses by
 * itself is in server/src/edge/api/request/bad-inputs.test.ts, commands are in content/posts/command/commands-matrix.test.ts, and times in time.test.ts.
 * Nothing here may change a row, or be our fault.
 */

type Ask = { method?: string; path: string; body?: unknown; headers?: Record<string, string> }
type Bad = {
  name: string
  ask: Ask | (() => Ask)
  status: number
  code: string
  /** Every pointer of `errors` or of the errors among `issues`. */
  pointers?: string[]
  /** Every code of the errors among `issues`. */
  issues?: string[]
}

type Place = Record<'short' | 'professional' | 'disabled' | 'theirs', string>

let app: RunningApp
let at: Place

beforeAll(async () => {
  app = await openRunningApp()
  const { workspaceId } = app.workspace
  const other = await aWorkspace(app.db)
  at = {
    short: await aChannel(app.db, workspaceId),
    professional: await aChannel(app.db, workspaceId, { provider: 'sandbox-professional' }),
    disabled: await aChannel(app.db, workspaceId, { enabled: false }),
    theirs: await aChannel(app.db, other.workspaceId),
  }
  for (const status of ['draft', 'scheduled', 'published', 'failed', 'checking'] as const) {
    await aPost(app.db, workspaceId, { states: [status], channelIds: [at.short] })
  }
})
afterAll(() => app[Symbol.asyncDispose]())

const FUTURE = '2027-01-01T09:00:00Z'

function create(change: object): Ask {
  const whole = {
    confirmed: true,
    idempotencyKey: uuidv7(),
    state: 'draft',
    channelIds: [at.short],
    text: 'Hello',
  }
  return { method: 'POST', path: '/agent/v1/posts', body: { ...whole, ...change } }
}

/** A create whose content is given otherwise than by `channelIds` and `text`. */
function createOf(content: object): Ask {
  const body = { confirmed: true, idempotencyKey: uuidv7(), state: 'draft', ...content }
  return { method: 'POST', path: '/agent/v1/posts', body }
}

const calendar = (from: string, to: string): Ask => ({
  path: `/agent/v1/calendar?${new URLSearchParams({ from, to }).toString()}`,
})

const invalid = { status: 400, code: 'validation_failed' }
const unfit = { status: 422, code: 'post_not_publishable' }
const past = {
  status: 422,
  code: 'publish_time_in_past',
  pointers: ['/publishAt'],
  issues: ['publish_at_in_past'],
}
const noChannel = { status: 422, code: 'channel_unavailable' }
const many = (count: number, one: () => unknown = () => uuidv7()) =>
  Array.from({ length: count }, () => one())

const table: Bad[] = [
  // Times
  {
    name: 'a time that is past',
    ask: () => create({ state: 'scheduled', publishAt: '2020-01-01T00:00:00Z' }),
    ...past,
  },
  {
    name: 'this very moment',
    ask: () => create({ state: 'scheduled', publishAt: new Date().toISOString() }),
    ...past,
  },
  {
    name: 'a time that is past where it stands, and looks like the future',
    ask: () => {
      const local = new Date(Date.now() - 60_000 + 14 * 3_600_000).toISOString().replace('Z', '+14:00')
      return create({ state: 'scheduled', publishAt: local })
    },
    ...past,
  },
  {
    name: 'a time in ten years',
    ask: () => create({ state: 'scheduled', publishAt: '2040-01-01T00:00:00Z' }),
    ...unfit,
    pointers: ['/publishAt'],
    issues: ['publish_at_too_far'],
  },
  {
    name: 'scheduled without a time',
    ask: () => create({ state: 'scheduled' }),
    ...invalid,
    pointers: ['/publishAt'],
  },
  {
    name: 'a draft with a time',
    ask: () => create({ publishAt: FUTURE }),
    ...invalid,
    pointers: ['/publishAt'],
  },
  {
    name: 'an immediate post with a time',
    ask: () => create({ state: 'immediate', publishAt: FUTURE }),
    ...invalid,
    pointers: ['/publishAt'],
  },

  // Channels
  {
    name: 'a channel that is unknown',
    ask: () => create({ channelIds: [uuidv7()] }),
    ...noChannel,
    pointers: ['/channelIds/0'],
    issues: ['channel_unknown'],
  },
  {
    name: 'a channel of another workspace',
    ask: () => create({ channelIds: [at.short, at.theirs] }),
    ...noChannel,
    pointers: ['/channelIds/1'],
    issues: ['channel_unknown'],
  },
  {
    name: 'a disabled channel',
    ask: () => create({ channelIds: [at.disabled] }),
    ...noChannel,
    pointers: ['/channelIds/0'],
    issues: ['channel_disabled'],
  },
  {
    name: 'a channel twice in targets',
    ask: () => createOf({ targets: [at.short, at.short].map((channelId) => ({ channelId, text: 'Hello' })) }),
    ...unfit,
    pointers: ['/targets/1/channelId'],
    issues: ['channel_duplicate'],
  },
  { name: '51 channels', ask: () => create({ channelIds: many(51) }), ...invalid, pointers: ['/channelIds'] },
  {
    name: 'fifty unknown channels',
    ask: () => create({ channelIds: many(50) }),
    ...noChannel,
    pointers: Array.from({ length: 50 }, (_none, n) => `/channelIds/${n}`),
  },

  // Contents
  { name: 'neither channels nor targets', ask: () => createOf({}), ...invalid, pointers: ['/channelIds'] },
  {
    name: 'channels without a text',
    ask: () => createOf({ channelIds: [at.short] }),
    ...invalid,
    pointers: ['/text'],
  },
  {
    name: 'a text without channels',
    ask: () => createOf({ text: 'Hello' }),
    ...invalid,
    pointers: ['/channelIds'],
  },
  {
    name: 'both channels and targets',
    ask: () => create({ targets: [{ channelId: at.short, text: 'Hello' }] }),
    ...invalid,
    pointers: ['/channelIds', '/text'],
  },
  { name: 'no targets', ask: () => createOf({ targets: [] }), ...invalid, pointers: ['/targets'] },
  ...['', ' \n\t ', '\u200b', '\u2800', '\ufeff\u200d'].map((text) => ({
    name: `the empty text ${JSON.stringify(text)}`,
    ask: () => create({ text }),
    ...unfit,
    pointers: ['/text'],
    issues: ['text_empty'],
  })),
  {
    name: 'an empty part of a thread',
    ask: () => create({ thread: [{ text: 'Two' }, { text: ' ' }] }),
    ...unfit,
    pointers: ['/thread/1/text'],
    issues: ['text_empty'],
  },
  {
    name: '281 characters where 280 fit',
    ask: () => create({ text: 'a'.repeat(281), channelIds: [at.professional, at.short] }),
    ...unfit,
    pointers: ['/text'],
    issues: ['text_too_long'],
  },
  {
    name: '141 emoji, which weigh two each',
    ask: () => create({ text: '😀'.repeat(141) }),
    ...unfit,
    pointers: ['/text'],
    issues: ['text_too_long'],
  },
  {
    name: '3,001 characters on the professional network',
    ask: () => create({ text: '界'.repeat(3_001), channelIds: [at.professional] }),
    ...unfit,
    pointers: ['/text'],
    issues: ['text_too_long'],
  },
  {
    name: 'a long part in the thread of one target',
    ask: () =>
      createOf({
        targets: [
          { channelId: at.professional, text: 'a'.repeat(281) },
          { channelId: at.short, text: 'a', thread: [{ text: 'b'.repeat(281) }] },
        ],
      }),
    ...unfit,
    pointers: ['/targets/1/thread/0/text'],
    issues: ['text_too_long'],
  },
  {
    name: '100,000 characters',
    ask: () => create({ text: 'a'.repeat(100_000) }),
    ...unfit,
    pointers: ['/text'],
    issues: ['text_too_long'],
  },
  {
    name: '100,000 letters with marks',
    ask: () => create({ text: 'e\u0301'.repeat(50_000), channelIds: [at.professional] }),
    ...unfit,
    pointers: ['/text'],
    issues: ['text_too_long'],
  },
  {
    name: 'settings that the network has not',
    ask: () => createOf({ targets: [{ channelId: at.short, text: 'Hello', settings: { 'a/b~c': 1 } }] }),
    ...unfit,
    pointers: ['/targets/0/settings/a~1b~0c'],
    issues: ['settings_invalid'],
  },

  // Calendar
  {
    name: '63 days',
    ask: calendar('2026-01-01T00:00:00Z', '2026-03-05T00:00:00Z'),
    ...invalid,
    pointers: ['?to'],
  },
  {
    name: '62 days and a millisecond',
    ask: calendar('2026-01-01T00:00:00Z', '2026-03-04T00:00:00.001Z'),
    ...invalid,
    pointers: ['?to'],
  },
  {
    name: 'from after to',
    ask: calendar('2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z'),
    ...invalid,
    pointers: ['?to'],
  },
  {
    name: 'from at to',
    ask: calendar('2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00'),
    ...invalid,
    pointers: ['?to'],
  },
]

const ask = ({ method = 'GET', path, ...asking }: Ask) => app.ask(method, path, asking)

describe('bad input', () => {
  test.each(table)('$name', async (bad) => {
    const before = await rows()
    const answer = await ask(typeof bad.ask === 'function' ? bad.ask() : bad.ask)
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status: bad.status, code: bad.code })
    expectProblem(answer)

    const errors = (answer.body.errors ?? []) as { pointer: string }[]
    const issues = (
      (answer.body.issues ?? []) as { severity: string; code: string; pointer: string }[]
    ).filter(({ severity }) => severity === 'error')
    if (bad.pointers !== undefined) {
      expect([...errors, ...issues].map(({ pointer }) => pointer).toSorted()).toEqual(bad.pointers.toSorted())
    }
    if (bad.issues !== undefined) expect(issues.map(({ code }) => code)).toEqual(bad.issues)
    expect(await rows()).toEqual(before)
  })

  test('what create refuses for its content, the check finds, with the same pointers', async () => {
    for (const bad of table) {
      const { path, body } = typeof bad.ask === 'function' ? bad.ask() : bad.ask
      if (path !== '/agent/v1/posts' || bad.issues === undefined) continue
      // JSON leaves out what is undefined.
      const plan = { ...(body as object), confirmed: undefined, idempotencyKey: undefined }
      const check = await ask({ method: 'POST', path: '/agent/v1/post-checks', body: plan })
      const errors = (check.body.issues as { severity: string; code: string; pointer: string }[]).filter(
        ({ severity }) => severity === 'error',
      )
      expect({ name: bad.name, ready: check.body.ready, codes: errors.map(({ code }) => code) }).toEqual({
        name: bad.name,
        ready: false,
        codes: bad.issues,
      })
      expect(errors.map(({ pointer }) => pointer)).toEqual(bad.pointers)
    }
  })

  test('what lies just within the limits is accepted', async () => {
    for (const change of [
      { text: 'a'.repeat(280) },
      { text: '😀'.repeat(140) },
      { text: `${'a'.repeat(256)} https://example.com/${'b'.repeat(500)}` },
      { text: '界'.repeat(3_000), channelIds: [at.professional] },
      { thread: many(50, () => ({ text: 'a' })) },
      { text: '__proto__ %_\\ \u202e 👩‍👩‍👧‍👦 \' " ; drop table post --' },
    ]) {
      const answer = await ask(create(change))
      expect(answer.status).toBe(201)
      expect(answer.body.content.text).toBe('text' in change ? change.text : 'Hello')
    }
    const whole = await ask(calendar('2026-01-01T00:00:00Z', '2026-03-04T00:00:00Z'))
    expect(whole.status).toBe(200)
  })
})

describe('__proto__', () => {
  test.each(['__proto__', 'constructor', 'prototype'])('%s is refused wherever it stands', async (name) => {
    const body = {
      confirmed: true,
      idempotencyKey: uuidv7(),
      state: 'draft',
      targets: [
        { channelId: at.short, text: 'a', thread: [{ text: 'b' }], settings: { deeper: { still: {} } } },
      ],
    }
    const before = await rows()
    const texts = withFieldAtEachObject(body, name)
    expect(texts).toHaveLength(6)
    for (const text of texts) {
      const answer = await ask({ method: 'POST', path: '/agent/v1/posts', body: text })
      expect({ text, status: answer.status, code: answer.body.code }).toEqual({ text, ...invalid })
      expect(answer.body.errors[0].pointer).toContain(name)
    }
    expect(await rows()).toEqual(before)
    expect({}).not.toHaveProperty('polluted')
  })
})

/** The JSON texts of this value with the field added to one object after the other. */
function withFieldAtEachObject(value: unknown, name: string): string[] {
  const objects = JSON.stringify(value).split('{').length - 1
  return Array.from({ length: objects }, (_, n) => {
    let seen = -1
    return JSON.stringify(value).replaceAll(/\{(\}?)/g, (_brace, end: string) => {
      seen += 1
      const field = `{"${name}":{"polluted":true}`
      return seen === n ? (end === '' ? `${field},` : `${field}}`) : `{${end}`
    })
  })
}

describe('cursors', () => {
  test('with any byte changed, cut or added, a cursor is refused', async () => {
    const { body } = await ask({ path: '/agent/v1/posts?limit=1' })
    const cursor = body.nextCursor as string
    const bytes = Buffer.from(cursor, 'base64url')
    const forged = [
      ...Array.from(bytes, (byte, place) => Buffer.from(bytes).fill(byte ^ 1, place, place + 1)),
      ...Array.from(bytes, (byte, place) => Buffer.from(bytes).fill(byte ^ 128, place, place + 1)),
      bytes.subarray(1),
      bytes.subarray(0, -1),
      Buffer.concat([bytes, Buffer.of(0)]),
      Buffer.concat([bytes, bytes]),
    ].map((bytes) => bytes.toString('base64url'))
    const texts = [`${cursor}=`, `${cursor}A`, ` ${cursor}`, cursor.toLowerCase(), 'null', '{}', '0', '😀']
    for (const text of [...forged, ...texts]) {
      const answer = await ask({ path: `/agent/v1/posts?limit=1&cursor=${encodeURIComponent(text)}` })
      expect({ text, status: answer.status, code: answer.body.code }).toEqual({
        text,
        status: 400,
        code: 'invalid_cursor',
      })
      expectProblem(answer)
    }
    expect((await ask({ path: `/agent/v1/posts?limit=1&cursor=${cursor}` })).status).toBe(200)
  })

  test('a cursor is good for its own filters only', async () => {
    const { body } = await ask({ path: '/agent/v1/posts?limit=1&q=Hello' })
    const cursor = body.nextCursor as string
    for (const query of ['', '&q=hello2', '&q=Hello&status=draft', '&status=all']) {
      const answer = await ask({ path: `/agent/v1/posts?limit=1&cursor=${cursor}${query}` })
      expect({ query, code: answer.body.code }).toEqual({ query, code: 'invalid_cursor' })
    }
  })
})

describe('searches', () => {
  test.each([
    '%',
    '_',
    '\\',
    '%%',
    'H_llo',
    'H%o',
    "'",
    '"',
    '\\%',
    "' or true --",
    '$1',
    '.*',
    '[a-z]',
    '\u202e',
  ])('q=%s finds what holds these very characters, and nothing else', async (q) => {
    const found = async () => {
      const { status, body } = await ask({ path: `/agent/v1/posts?${new URLSearchParams({ q }).toString()}` })
      expect(status).toBe(200)
      return (body.items as { postId: string }[]).map(({ postId }) => postId)
    }
    const { workspaceId } = app.workspace
    const holding = await app.db<{ postId: string }[]>`
      select distinct d.post_id as "postId"
      from   destination d
      join   part p on p.workspace_id = d.workspace_id and p.destination_id = d.id
      where  d.workspace_id = ${workspaceId} and position(lower(${q}) in p.folded) > 0
      order  by d.post_id desc`
    const before = holding.map(({ postId }) => postId)
    expect(await found()).toEqual(before)
    const { postId } = await aPost(app.db, workspaceId, {
      texts: [`before ${q} after`],
      channelIds: [at.short],
    })
    expect(await found()).toEqual([postId, ...before])
  })
})

async function rows(): Promise<Record<string, string[]>> {
  // When a key was last used is written now and then, and by good input, too.
  return { ...(await dumpTables(app.db)), agent_key: [] }
}

function expectProblem({ status, headers, body }: Answer): void {
  expect(headers.get('content-type')).toContain('application/problem+json')
  expect(body).toMatchObject({ status, requestId: headers.get('x-request-id') })
  expect(body.type).toMatch(new RegExp(`/problems/${body.code as string}$`))
  expect(JSON.stringify(body)).not.toMatch(/\bat .*\.ts:|node_modules|select |insert into|postgres/i)
}
