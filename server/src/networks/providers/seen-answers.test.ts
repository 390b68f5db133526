import { describe, expect, test } from 'vitest'
import { networkCalls, saidOfNote } from '../../../test/rigs/network-calls.ts'
import { answer } from '../../../test/rigs/publish-work.ts'
import { inWords, type SeenAnswer } from '../../../test/seen-answers/seen-answer.ts'
import { seenAnswers } from '../../../test/seen-answers/seen-answers.ts'
import type { HttpResponse } from './port/calls.ts'
import { providers } from './registry.ts'

/* Every adapter is held to answers that people have shown in public threads. */

/** Of each network; fewer leave out whole kinds of answers. */
const AT_LEAST = 12

test('every network has enough answers here that were seen', () => {
  const networks = [...providers.keys()].filter((name) => !name.startsWith('sandbox-'))
  expect(Object.keys(seenAnswers).toSorted()).toEqual(networks.toSorted())
  const few = Object.entries(seenAnswers).filter(([, { answers }]) => answers.length < AT_LEAST)
  expect(few.map(([name, { answers }]) => [name, answers.length])).toEqual([])
})

test('each says where it was seen and when that was read, and none stands twice', () => {
  const all = Object.entries(seenAnswers).flatMap(([name, { answers }]) =>
    answers.map((one) => ({ name, ...one })),
  )
  for (const { seen, read } of all) {
    expect(URL.parse(seen)?.protocol).toBe('https:')
    expect(read).toMatch(/^20\d\d-[01]\d-[0-3]\d$/)
  }
  const told = all.map(({ name, to, status, headers, body }) =>
    JSON.stringify([name, to, status, headers, body]),
  )
  expect(told.filter((one, place) => told.indexOf(one) !== place)).toEqual([])
})

/** The answer as the adapter gets it: at Nostr, what one relay said of the note. */
function answerOf(name: string, { status, body, headers }: SeenAnswer): HttpResponse {
  if (name === 'nostr' && status === 101) return answer(101, saidOfNote(false, String(body)).body)
  return answer(status, body, headers)
}

describe.each(Object.entries(seenAnswers))('%s', (name, { answers, others = {} }) => {
  test.each(answers.map((one) => [one.to ?? 'post', one.status, one.seen, one] as const))(
    '%s, %i: %s',
    async (to, _status, _seen, one) => {
      const adapter = await providers.get(name)!.load()
      const response = answerOf(name, one)
      const publish = networkCalls[name]?.calls[to]
      const other = others[to]
      if (publish === undefined && other === undefined) throw new Error(`${name} has no call ${to}`)
      const concluded =
        publish === undefined
          ? other!(adapter, response)
          : adapter.publish.judge(response, publish.work('https://network.example'))
      expect(inWords(concluded)).toBe(one.is)
    },
  )
})
