import { join } from 'node:path'
import { app, type EventType, mediaKinds } from '@postrider/contract'
import { connectFields, fieldNames, germanHistory, germanOf } from '@postrider/contract/german'
import { plainOf } from '@postrider/contract/plain'
import { describe, expect, test } from 'vitest'
import { fieldsOf } from '../server/src/accounts/connect/connect-fields.ts'
import { providers } from '../server/src/networks/providers/registry.ts'
import { explain } from '../server/src/edge/api/request/violations.ts'
import { mediaIssues } from '../server/src/networks/providers/port/check-media.ts'
import { lengthFault } from '../server/src/networks/providers/port/check-text.ts'
import { type Happened, timelineOf } from '../server/src/engine/timeline/timeline.ts'
import { phrases, sentences } from '../contract/src/german-sentences.ts'
import { auditedNames, serverSentences } from './server-sentences.ts'

const server = join(import.meta.dirname, '..', 'server', 'src')
const said = serverSentences(server)

describe('what the server says to people', () => {
  test('is known in German, sentence by sentence', () => {
    const known = new Set([...sentences, ...phrases].map(([english]) => english))
    const missing = [...said].filter(([text]) => !known.has(text)).map(([text, file]) => `${file}: ${text}`)
    expect(missing, 'add them to contract/src/german-sentences.ts').toEqual([])
  })

  test('is all that is known in German: nothing is kept that is no longer said', () => {
    expect(sentences.map(([english]) => english).filter((english) => !said.has(english))).toEqual([])
  })

  test('reads in German when its gaps are filled', () => {
    const untold = [...said.keys()].filter((text) => {
      let gap = 0
      const german = germanOf(text.replaceAll('{}', () => `X${(gap += 1)}`))
      return german === null || /[{<]\d*\.?[}>]/.test(german)
    })
    expect(untold).toEqual([])
  })
})

describe('what the server says in the names of its API', () => {
  test.each([
    [
      '`publishAt` (2026-11-21T09:00:00.000Z) is not in the future; it is 2026-11-22T09:00:00.000Z now.',
      'The time (2026-11-21T09:00:00.000Z) is not in the future. It is 2026-11-22T09:00:00.000Z now.',
    ],
    // Sentence by sentence, and what is filled in.
    [
      'With `keepOwn` nothing is changed. This one is `partially_published`.',
      'Nothing was changed. This one is “partially published”.',
    ],
    [
      'Column `text`: `publishAt` is more than 5 years ahead.',
      'Column “text”: The time is more than 5 years ahead.',
    ],
    // What networks wrote stays as it is.
    ['Refused. invalid_grant: wait', 'Refused. invalid_grant: wait'],
  ])('is plain English on pages: %s', (said, plain) => {
    expect(plainOf(said)).toBe(plain)
  })
})

const AT = '2026-11-21T09:00:00.000Z'
const verdicts = ['published', 'rejected', 'deferred', 'reauthorize', 'unknown', 'absent'] as const

describe('the history of a post', () => {
  test('reads in German, whatever happened', () => {
    const texts = timelineOf(everything()).flatMap(({ text, steps }) => [text, ...steps])
    expect(texts.length).toBeGreaterThan(500)
    expect(texts.filter((text) => germanOf(text) === null)).toEqual([])
  })

  test.each([
    ['Dr. Ada created this post.', 'Dr. Ada hat diesen Beitrag erstellt.'],
    ['Ada changed the text and follow-ups.', 'Ada hat geändert: Text und Folgebeiträge.'],
    // What people and networks wrote stays in their words.
    [
      'Someone rejected this post. “Too long. Published.”',
      'Jemand hat diesen Beitrag abgelehnt. „Too long. Published.“',
    ],
    ['Failed. Your quota is used up.', 'Fehlgeschlagen. Your quota is used up.'],
    [
      'Moved from Tue, 1 Dec 2026, 09:00 UTC to Wed, 2 Dec 2026, 09:00 UTC.',
      'Verschoben von Di, 1 Dez 2026, 09:00 UTC auf Mi, 2 Dez 2026, 09:00 UTC.',
    ],
    [
      'Sent to the network. No answer after 5 ms (ECONNRESET). The request was interrupted on its way. Not confirmed.',
      'An das Netzwerk gesendet. Keine Antwort nach 5 ms (ECONNRESET). Die Anfrage wurde unterwegs unterbrochen. Nicht bestätigt.',
    ],
    [
      'Looked for the post on the network. Not conclusive: Too many posts have been made since the call.',
      'Den Beitrag im Netzwerk gesucht. Kein eindeutiges Ergebnis: Seit dem Aufruf gab es zu viele Beiträge.',
    ],
  ])('reads well: %s', (english, german) => {
    expect(germanHistory(english)).toBe(german)
  })
})

/** A history with each event, edit, decision, verdict, evidence and delivery that there can be. */
function everything(): Happened {
  const evidence = ['publish', 'lookup', 'poll', 'repeat', 'engine', 'other'].flatMap((by) =>
    [...verdicts, 'not_yet', 'failed', 'unavailable'].flatMap((verdict) => [
      { by, verdict, httpStatus: 201, durationMs: 12, remoteId: '179' },
      { by, verdict, httpStatus: 500, at: AT },
      { by, verdict, durationMs: 3, at: AT, times: 4, until: AT },
      { by, verdict, detail: 'Too many posts have been made since the call.' },
      ...[
        'UND_ERR_SOCKET',
        'UND_ERR_CONNECT_TIMEOUT',
        'UND_ERR_HEADERS_TIMEOUT',
        'UND_ERR_BODY_TIMEOUT',
      ].flatMap((silence) => [
        { by, verdict, silence, durationMs: 5, maybeSent: true, unfinished: true },
        { by, verdict, silence, maybeSent: true },
        { by, verdict, silence },
      ]),
    ]),
  )
  const people = [
    { by: 'person', name: 'Ada', verdict: 'published', remoteId: '7' },
    { by: 'person', verdict: 'failed' },
    { by: 'recovery', verdict: 'unknown' },
  ]
  const attempt = { at: AT, endedAt: AT, channelId: 'one', part: 0, firstComment: false, evidence: [] }
  const event = { at: AT, channelId: 'one', body: {}, deliveries: [] }
  const types: EventType[] = [
    ...(['post.scheduled', 'post.published', 'post.partial', 'post.failed', 'post.delayed'] as const),
    ...(['post.reconnect_required', 'post.recovery_required', 'post.cancelled', 'post.expired'] as const),
  ]
  const delivery = { url: 'https://a.example/x', attempts: 1, httpStatus: 200, error: null }
  const moved = (publishAt: string) => ({
    ...event,
    type: 'post.scheduled' as const,
    body: { data: { destination: { publishAt } } },
  })
  return {
    created: { at: AT, by: 'Ada' },
    timeZone: 'Europe/Berlin',
    leftovers: (['post', 'photo', 'video', 'reel'] as const).flatMap((kind) =>
      (['removed', 'gone', 'used', 'failed'] as const).map((outcome) => ({
        at: AT,
        channelId: 'one',
        kind,
        outcome,
        remoteId: '7',
      })),
    ),
    edits: [
      { at: AT, data: { by: { name: 'Ada' } } },
      ...[
        'text',
        'mediaIds',
        'thread',
        'firstComment',
        'tagLinks',
        'publishAt',
        'channelIds',
        'settings',
      ].map((field) => ({
        at: AT,
        data: { by: { name: 'Ada' }, changed: ['text', field] },
      })),
    ],
    approvals: (['pending', 'approved', 'rejected'] as const).flatMap((status) =>
      [null, 'Ada'].map((by) => ({
        at: AT,
        decidedAt: status === 'pending' ? null : AT,
        status,
        by,
        note: by === null ? null : 'Too long.',
      })),
    ),
    attempts: [
      ...[...verdicts, null].flatMap((verdict) => [0, 2].map((part) => ({ ...attempt, part, verdict }))),
      { ...attempt, part: 1, firstComment: true, verdict: 'published' },
      { ...attempt, part: 1, firstComment: true, verdict: 'unknown', evidence: [{ by: 'restore' }] },
      { ...attempt, verdict: 'unknown', evidence: [...evidence, ...people] },
      ...[0, 1].map((part) => ({
        ...attempt,
        part,
        verdict: 'unknown' as const,
        evidence: [{ by: 'restore' }],
      })),
    ],
    events: [
      ...types.map((type) => ({ ...event, type })),
      {
        ...event,
        type: 'post.failed',
        body: { error: { message: 'The text is longer than Telegram allows.' } },
      },
      ...Array.from({ length: 12 }, (_, month) =>
        moved(`2026-${String(month + 1).padStart(2, '0')}-11T09:00:00Z`),
      ),
      {
        ...event,
        type: 'post.published',
        deliveries: [
          { ...delivery, status: 'delivered' },
          { ...delivery, status: 'failed' },
          {
            ...delivery,
            status: 'failed',
            attempts: 5,
            error: 'The receiver did not answer within 15 seconds.',
          },
          { ...delivery, status: 'pending' },
        ],
      },
    ],
  }
}

/** Words that no German text has. */
const ENGLISH = /\b(?:the|is|are|has|have|must|with|and|characters|seconds|pixels|images|takes|sent)\b/

describe('what a channel does not take', () => {
  test('is told in German', () => {
    const count = () => 700
    const counts = ['code_points', 'graphemes', 'x_weighted', 'mastodon', 'linkedin', 'threads'] as const
    const limits = (characterCounting: (typeof counts)[number]) => ({ maxCharacters: 300, characterCounting })
    const facts = { displayName: 'Bluesky' }
    const bounds = {
      contentTypes: ['image/png'],
      maxBytes: 9,
      maxWidth: 9,
      fitted: false,
      maxSeconds: 1,
      videoCodecs: ['h264'],
      audioCodecs: ['aac', 'opus'],
      minFrameRate: 23,
      maxFrameRate: 60,
      maxAudioChannels: 2,
      maxAudioSampleRate: 48_000,
    }
    const item = (kind: (typeof mediaKinds)[number]) => ({
      kind,
      contentType: 'x/y',
      sizeBytes: 9_999_999,
      width: 90,
      height: 90,
      durationMs: 9_000,
      videoCodec: 'prores',
      audioCodec: 'ac3',
      frameRate: 12.5,
      audioChannels: 6,
      audioSampleRate: 96_000,
      animated: false,
      altText: kind === 'image' ? null : 'a'.repeat(99),
    })
    const media = (kinds: readonly (typeof mediaKinds)[number][], fitted: boolean) => ({
      ...facts,
      bounds: [],
      settings: {},
      limits: {
        media: {
          maxItems: 1,
          mixedKinds: false,
          maxAltCharacters: 10,
          kinds: kinds.map((kind) => ({ ...bounds, kind, fitted })),
        },
      } as never,
    })
    const items = mediaKinds.map(item)
    const found = [
      ...counts.map((counting) => lengthFault('x', 'Bluesky', limits(counting) as never, count as never)),
      lengthFault(
        'x'.repeat(99),
        'Bluesky',
        { ...limits('graphemes'), maxCharacters: 900, maxBytes: 9 } as never,
        count as never,
      ),
      ...mediaIssues(items, media(mediaKinds, false)),
      ...mediaIssues(items, media(mediaKinds, true)),
      ...mediaIssues(items, media(['image', 'video'], false)),
      ...mediaIssues(items, media([], false)),
    ].flatMap((one) => (one === null ? [] : [one.message, one.fix]))
    expect(found.length).toBeGreaterThan(40)
    expect(found.map((text) => germanOf(text) ?? text).filter((text) => ENGLISH.test(text))).toEqual([])
  })
})

describe('what is wrong with a field', () => {
  test.each<[schema: Record<string, unknown>, value: unknown]>([
    [{ type: 'string' }, 5],
    [{ type: ['string', 'null'] }, 5],
    ...['integer', 'number', 'boolean', 'object', 'array', 'null'].map(
      (type) => [{ type }, 'x'] as [Record<string, unknown>, unknown],
    ),
    [{ const: 1 }, [1, 2]],
    [{ enum: ['a', 'b'] }, {}],
    [{ minLength: 1 }, ''],
    [{ maxLength: 2 }, 'abc'],
    [{ minLength: 3, maxLength: 2 }, 'x'],
    [{ pattern: '^a$' }, 'b'],
    ...['uuid', 'date-time', 'uri', 'email'].map(
      (format) => [{ format }, 'x'] as [Record<string, unknown>, unknown],
    ),
    [{ type: 'object', minProperties: 2 }, {}],
    [
      { type: 'object', maxProperties: 1 },
      { a: 1, b: 2 },
    ],
    [{ minItems: 1 }, []],
    [{ maxItems: 1 }, [1, 2]],
    [{ uniqueItems: true }, [1, 1]],
    [{ minimum: 1 }, 0],
    [{ maximum: 1 }, 2],
    [{ minimum: 1, maximum: 2 }, 3],
    [{ type: 'object', required: ['a'] }, {}],
    [{ type: 'object', additionalProperties: false }, { a: 1 }],
    [{ type: 'object', properties: { text: {} }, additionalProperties: false }, { txet: 1 }],
  ])('is told in German: %j of %j', (schema, value) => {
    for (const pointing of ['body', 'query'] as const)
      for (const { detail } of explain(schema, value, pointing))
        expect(germanOf(detail) ?? detail).not.toMatch(ENGLISH)
  })
})

test('the fields that connect an account are named in German', () => {
  const forms = [...providers.values()].flatMap(({ connecting: { form } }) => form ?? [])
  const said = forms.flatMap(({ fields }) =>
    fieldsOf(fields).flatMap(({ title, description }) => [title, description]),
  )
  expect(said.length).toBeGreaterThan(20)
  expect(said.filter((english) => !(english in connectFields))).toEqual([])
})

test('what the audit log says of a change is named in German', () => {
  const names = new Set(auditedNames(server))
  const writes = app.appOperations.filter(({ at }) => !at.startsWith('GET'))
  for (const { body } of writes) addNames(body, names)
  expect(names.size).toBeGreaterThan(80)
  expect([...names].filter((name) => !(name in fieldNames)).toSorted()).toEqual([])
})

function addNames(schema: unknown, names: Set<string>): void {
  if (typeof schema !== 'object' || schema === null) return
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'properties') for (const name of Object.keys(value as object)) names.add(name)
    addNames(value, names)
  }
}
