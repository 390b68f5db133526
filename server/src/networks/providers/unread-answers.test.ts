import { describe, expect, test } from 'vitest'
import { networkCalls, type PublishCall } from '../../../test/rigs/network-calls.ts'
import { seenAnswers } from '../../../test/seen-answers/seen-answers.ts'
import type { HttpResponse } from './port/calls.ts'
import type { Adapter, Verdict } from './port/port.ts'
import { providers } from './registry.ts'

/*
 * What no adapter has read, over all kinds of publish calls of all networks and every HTTP status: it is not published, and not refused
 * for good.
 */

const HTML =
  '<!doctype html><html><head><title>Just a moment...</title></head><body>Ray ID: 8f2</body></html>'
const strange: Readonly<Record<string, (success: string) => string>> = {
  'no body': () => '',
  HTML: () => HTML,
  'a success cut short': (success) => success.slice(0, -1),
  'a success in a list': (success) => JSON.stringify([JSON.parse(success)]),
  'an empty list': () => '[]',
  'an empty object': () => '{}',
  null: () => 'null',
  true: () => 'true',
  'a number': () => '1',
  'a text': () => '"OK"',
  'a success in UTF-16': (success) => Buffer.from(success, 'utf16le').toString(),
  'a success behind a byte order mark': (success) => `\uFEFF${success}`,
  'a success behind a warning of PHP': (success) => `<br />\n<b>Warning</b>: foreach()<br />\n${success}`,
  'deeper than anybody reads': () => '['.repeat(5_000),
  'an error of a gateway': () => '{"message":"Internal server error"}',
  'an error of another API': () => '{"errors":[{"title":"No","status":"400"}],"fault":{"faultstring":"No"}}',
}

/** 101 is what a talk with relays has. */
const statuses = [101, ...Array.from({ length: 400 }, (_, place) => 200 + place)]

type Case = { readonly adapter: Adapter; readonly name: string; readonly call: PublishCall }

const ORIGIN = 'https://network.example'

const cases = await Promise.all(
  Object.entries(networkCalls).map(async ([name, { at, calls }]) => {
    const adapter = await at(ORIGIN).load()
    return Object.entries(calls).map(([kind, call]): [string, Case] => [
      `${name}, ${kind}`,
      { adapter, name, call },
    ])
  }),
)
const all = cases.flat()

function judge({ adapter, call }: Case, response: HttpResponse): Verdict {
  return adapter.publish.judge(response, call.work(ORIGIN))
}

function successOf({ published: { status, headers = {}, body } }: PublishCall): HttpResponse {
  return { status, headers, body: body === undefined ? '' : JSON.stringify(body) }
}

/**
 * What each of these proves: nothing. With 429 a caller is turned away, whoever says it. GoToSocial and snac answer an access token that
 * is over with 401 and no body.
 */
function mayProve({ name }: Case, status: number, body: string): readonly Verdict['is'][] {
  if (status === 429) return ['unknown', 'deferred']
  if (name === 'mastodon' && status === 401 && body === '') return ['reauthorize']
  return ['unknown']
}

test('every network and every kind of its calls is here', () => {
  const networks = [...providers.keys()].filter((name) => !name.startsWith('sandbox-'))
  expect(Object.keys(networkCalls).toSorted()).toEqual(networks.toSorted())
})

describe.each(all)('%s', (_, one) => {
  test('is published by the answer of its network, with an id that stands in it', () => {
    const success = successOf(one.call)
    const verdict = judge(one, success)
    expect(verdict).toMatchObject({ is: 'published' })
    if (verdict.is === 'published') expect(toldIn(success)).toContain(verdict.remoteId)
  })

  test.each(Object.entries(strange))('with %s, proves nothing, whatever the status', (_named, make) => {
    const { body: success } = successOf(one.call)
    const body = make(success === '' ? '{"id":"1"}' : success)
    const wrong = statuses.flatMap((status) => {
      const { is } = judge(one, { status, headers: {}, body })
      return mayProve(one, status, body).includes(is) ? [] : [[status, is]]
    })
    expect(wrong).toEqual([])
  })

  test('is not published by a success with another status than a success', () => {
    const success = successOf(one.call)
    const wrong = statuses.filter(
      (status) => status >= 300 && judge(one, { ...success, status }).is !== 'unknown',
    )
    expect(wrong.filter((status) => status !== 429)).toEqual([])
  })

  test('is published only with an id that the answer shows, whatever of it is missing or of another kind', () => {
    const success = successOf(one.call)
    const parsed: unknown = success.body === '' ? null : JSON.parse(success.body)
    const bodies = [...changesOf(parsed)].map((changed) => ({ ...success, body: JSON.stringify(changed) }))
    const headers = Object.keys(success.headers).flatMap((name) =>
      ['', ' ', 'null', 'undefined', '0'].map((value) => ({
        ...success,
        headers: { ...success.headers, [name]: value },
      })),
    )
    for (const response of [...bodies, ...headers]) {
      const verdict = judge(one, response)
      if (verdict.is === 'unknown') continue
      const told = JSON.stringify([verdict, response])
      if (verdict.is === 'published') {
        expect([told, verdict.remoteId.trim()]).not.toEqual([told, ''])
        expect([told, toldIn(response).includes(verdict.remoteId)]).toEqual([told, true])
      } else
        expect([told, isKeptPrivate(one, verdict) || isRefusedByRelay(one, verdict)]).toEqual([told, true])
    }
  })
})

/** YouTube says of a video that it is private still. */
function isKeptPrivate({ name }: Case, verdict: Verdict): boolean {
  return name === 'youtube' && verdict.is === 'rejected' && verdict.keepsDraft === true
}

/** No relay was reached, or its word is no longer a yes. */
function isRefusedByRelay({ name }: Case, { is }: Verdict): boolean {
  return name === 'nostr' && (is === 'deferred' || is === 'rejected')
}

function toldIn({ body, headers }: HttpResponse): string {
  return [body, ...Object.values(headers)].join('\n')
}

/** A value with each of its members in turn left out, or of another kind. */
function* changesOf(value: unknown): Generator {
  for (const other of [null, '', ' ', 0, -1, true, [], {}, ['x']]) yield other
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const [place, item] of value.entries()) {
      yield value.toSpliced(place, 1)
      for (const changed of changesOf(item)) yield value.with(place, changed)
    }
    return
  }
  for (const [name, item] of Object.entries(value)) {
    yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== name))
    for (const changed of changesOf(item)) yield { ...value, [name]: changed }
  }
}

/** Of the calls that publish. */
const bodies = Object.entries(seenAnswers).flatMap(([name, { answers }]) =>
  answers
    .filter(({ to = 'post' }) => networkCalls[name]?.calls[to] !== undefined)
    .map(({ body }) => [name, typeof body === 'string' ? body : JSON.stringify(body)] as const),
)

test.each(all.filter(([, { name }]) => name !== 'nostr'))(
  '%s: no answer that was seen refuses it with a status that refuses nothing',
  (_, one) => {
    const refusesNothing = statuses.filter((status) => status < 400 || status >= 500)
    const wrong = bodies
      .filter(([name]) => name === one.name)
      .flatMap(([, body]) =>
        refusesNothing.flatMap((status) => {
          const { is } = judge(one, { status, headers: {}, body })
          return is === 'unknown' ? [] : [[status, is, body]]
        }),
      )
    expect(wrong).toEqual([])
  },
)
