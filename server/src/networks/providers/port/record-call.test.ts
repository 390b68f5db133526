import { readFileSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { arrived } from '../../../../test/rigs/planted-secrets.ts'
import { seenAnswers } from '../../../../test/seen-answers/seen-answers.ts'
import { providers } from '../registry.ts'
import type { HttpRequest } from './calls.ts'
import { callRecorder, HOSTS, recorded, recordOf } from './record-call.ts'
import { RECORDED_WORDS } from './recorded-words.ts'

const asked = (
  request: HttpRequest,
  status = 200,
  body: unknown = '',
  headers: Record<string, string> = {},
) =>
  recordOf(
    request,
    arrived({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }),
  )

const post = (address: string, more: Partial<HttpRequest>): HttpRequest => ({
  method: 'POST',
  url: new URL(address),
  ...more,
})

describe('a record says', () => {
  test('what was asked for, and what a network refuses it with', () => {
    const request = post('https://graph.facebook.com/v27.0/17841405822304914/media', {
      authorization: { scheme: 'Bearer', credentials: 'EAAG…', query: { appsecret_proof: 'abc' } },
      form: {
        media_type: 'REELS',
        video_url: 'https://example.com/a.mp4',
        caption: 'By the quay',
        share_to_feed: 'true',
      },
    })
    const error = {
      message: 'The video format is not supported. Please check spec for supported quay format',
      type: 'OAuthException',
      code: 352,
      error_subcode: 2_207_026,
      is_transient: false,
      fbtrace_id: 'AbCdEfGh',
    }
    const headers = {
      'content-type': 'application/json; charset=UTF-8',
      'facebook-api-version': 'v27.0',
      'x-app-usage': '{"call_count":28,"total_time":25,"total_cputime":25}',
      'x-fb-debug': 'secret',
    }
    expect(asked(request, 400, { error }, headers)).toEqual({
      asked: {
        call: 'POST /v27.0/{…}/media',
        authorization: 'Bearer with appsecret_proof',
        form: {
          media_type: 'REELS',
          video_url: 'address of 25 characters',
          caption: 'text of 11 characters',
          share_to_feed: 'text of 4 characters',
        },
      },
      answered: {
        status: 400,
        tookMs: 1,
        headers: {
          'content-type': 'application/json',
          'facebook-api-version': 'v27.0',
          'x-app-usage': { call_count: 28, total_time: 25, total_cputime: 25 },
        },
        body: {
          error: {
            message: 'The video format is not supported. Please check … for supported … format',
            type: 'OAuthException',
            code: 352,
            error_subcode: 2_207_026,
            is_transient: false,
            fbtrace_id: '…',
          },
        },
      },
    })
  })

  test('nothing of a text that a network repeats, though every word of it is one of its own', () => {
    const request = post('https://social.example/api/v1/statuses', {
      json: { status: 'Please read the new post about media', visibility: 'public' },
    })
    const said = 'Validation failed: “Please read the new post about media” is too long'
    const { asked: sent, answered } = asked(request, 422, { error: said })
    expect(sent).toMatchObject({ json: { status: 'text of 36 characters', visibility: 'public' } })
    expect(answered).toMatchObject({ body: { error: 'Validation failed: … is too long' } })
  })

  test('the shape of an answer that was not a refusal, and none of its texts', () => {
    const body = { id: '114', content: 'Wilhelmina', tags: ['a', 'b'], pinned: false, count: 7, '17841': {} }
    expect(asked(post('https://social.example/api/v1/statuses/114', {}), 200, body)).toMatchObject({
      asked: { call: 'POST /api/v1/statuses/{…}' },
      answered: {
        body: {
          id: '3 digits',
          content: 'text of 10 characters',
          tags: ['2 items', 'text of 1 characters'],
          pinned: false,
          count: 'number',
          '…': {},
        },
      },
    })
  })

  test('which part of an address is a secret', () => {
    const url = 'https://api.telegram.org/bot~secret~/sendMessage'
    expect(asked(post(url, { json: { chat_id: -100, text: 'Hello' } }))).toMatchObject({
      asked: {
        call: 'POST /bot{token}/sendMessage',
        json: { chat_id: 'number', text: 'text of 5 characters' },
      },
    })
  })

  test('what relays were given and what they said of it', () => {
    const request: HttpRequest = {
      method: 'GET',
      url: new URL('https://relay.example/'),
      relays: {
        others: [],
        messages: [['EVENT', { kind: 1, content: 'Hello' }]],
        until: 'OK',
        graceMs: null,
      },
    }
    const said = [['OK', 'ab'.repeat(32), false, 'blocked: you are not on the list of Wilhelmina']]
    expect(
      asked(request, 101, [{ relay: 'wss://relay.example', sent: true, silence: null, said }]),
    ).toMatchObject({
      asked: {
        relays: 1,
        messages: [['EVENT', { kind: 'number', content: 'text of 5 characters' }]],
        until: 'OK',
      },
      answered: {
        status: 101,
        body: [
          { sent: true, silence: null, said: [['OK', '…', false, 'blocked: you are not on the list of …']] },
        ],
      },
    })
  })

  test('that there was no answer, and why', () => {
    const answer = { arrived: false, maybeSent: true, reason: 'ECONNRESET', durationMs: 12.4 } as const
    expect(recordOf(post('https://api.x.com/2/tweets', {}), answer)).toEqual({
      asked: { call: 'POST /2/tweets' },
      answered: { silence: 'ECONNRESET', maybeSent: true, tookMs: 12 },
    })
  })
})

test('lines name the hosts of networks, and number the servers of people', async () => {
  const lines: string[] = []
  const recorder = callRecorder(
    (line) => lines.push(line),
    () => new Date('2026-11-29T10:00:00Z'),
  )
  const call = recorded(() => Promise.resolve(arrived({ status: 200, headers: {}, body: '' })), recorder)
  for (const host of ['api.x.com', 'alice.example', 'bob.example', 'alice.example'])
    await call(post(`https://${host}/`, {}))
  expect(lines.map((line) => JSON.parse(line) as { host: string; at: string })).toMatchObject([
    { host: 'api.x.com', at: '2026-11-29T10:00:00.000Z' },
    { host: 'server 1' },
    { host: 'server 2' },
    { host: 'server 1' },
  ])
})

test('the hosts of networks are those that their adapters call', async () => {
  const fixed = [...providers.values()].filter(({ connecting }) => connecting.oauth?.client === 'configured')
  for (const provider of fixed) {
    const { origin } = await provider.load()
    expect(HOSTS).toContain(new URL(origin({})).host)
  }
  const sources = globSync(join(import.meta.dirname, '../*/**/*.ts')).filter(
    (name) => !name.endsWith('.test.ts'),
  )
  const whole = sources.map((name) => readFileSync(name, 'utf8')).join('\n')
  expect([...HOSTS].filter((host) => !whole.replaceAll(/const HOSTS[^]*?\]\)/g, '').includes(host))).toEqual(
    [],
  )
})

test('its words are plain ones: no name, no number, none with more in it than letters', () => {
  expect([...RECORDED_WORDS].filter((word) => !/^[a-z]+(?:'[a-z]+)?$/.test(word))).toEqual([])
})

/** How much of what networks were seen to refuse with can be read. */
test('what networks say can be read, by code and for the most part by word', () => {
  const answers = Object.values(seenAnswers).flatMap(({ answers: seen }) => seen)
  const textOf = (value: unknown): string[] =>
    typeof value === 'string'
      ? [value]
      : typeof value === 'object' && value !== null
        ? Object.values(value).flatMap(textOf)
        : []
  const counts = answers.map(({ status, body }) => {
    const { answered } = asked(post('https://api.x.com/2/tweets', {}), Math.max(400, status), body)
    const shown = textOf((answered as { body?: unknown }).body)
      .join(' ')
      .split(/\s+/)
    return { words: shown.length, left: shown.filter((word) => word.includes('…')).length }
  })
  const sum = (of: 'words' | 'left') => counts.reduce((all, one) => all + one[of], 0)
  expect(sum('words')).toBeGreaterThan(500)
  expect(sum('left') / sum('words')).toBeLessThan(0.1)
})
