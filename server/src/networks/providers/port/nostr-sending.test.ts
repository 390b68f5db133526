import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { SocketExchange } from '../../../platform/outbound/guarded-socket.ts'
import type { HttpResponse, Json } from './calls.ts'
import { conversationKey, decrypt, encrypt } from './nostr-encryption.ts'
import { eventJson, publicKeyOf, signedBy, signEvent } from '../shared/nostr-events.ts'
import { reportsOf } from '../shared/relay-reports.ts'
import { askSigner, talkWithRelays } from './nostr-sending.ts'

/* What is taken for the answer of a remote signer, whatever its relay passes on; and what a relay said before it fell silent. */

const aKey = () => randomBytes(32).toString('hex')
const [client, signer, account, stranger] = [aKey(), aKey(), aKey(), aKey()]
const pubkeyOf = (key: string) => publicKeyOf(key)!
const draft = { kind: 1, created_at: 1_700_000_000, tags: [], content: 'Hello' }
const note = JSON.stringify(eventJson(signEvent(account, draft)))

type Question = { readonly id: string; readonly subscription: string }

/** What a relay passes on: an answer of the signer, but for what is changed. */
type Passed = {
  readonly by?: string
  readonly encryptedBy?: string
  readonly to?: string
  readonly id?: string
  readonly kind?: number
  readonly subscription?: string
  readonly claims?: object
}

function messageOf({ id, subscription }: Question, passed: Passed): string {
  const { by = signer, encryptedBy = by, to = client, kind = 24_133 } = passed
  const key = conversationKey(encryptedBy, pubkeyOf(to))!
  const content = encrypt(JSON.stringify({ id: passed.id ?? id, result: note }), key)
  const tags = [['p', pubkeyOf(client)]]
  const event = signEvent(by, { kind, created_at: Math.floor(Date.now() / 1_000), tags, content })
  const message: Json = { ...(eventJson(event) as object), ...passed.claims }
  return JSON.stringify(['EVENT', passed.subscription ?? subscription, message])
}

/** Asks by a relay that passes this on, then closes. */
async function ask(...all: readonly Passed[]): Promise<HttpResponse | null> {
  const talk = async ({ opening, hear }: SocketExchange) => {
    const [[, subscription], [, { content }]] = opening.map((text) => JSON.parse(text) as unknown) as [
      ...[[string, string], [string, { content: string }]],
    ]
    const asked = decrypt(content, conversationKey(signer, pubkeyOf(client))!)!
    const question = { ...(JSON.parse(asked) as { id: string }), subscription }
    const told = { maybeSent: true, messages: [] }
    for (const passed of all) if (hear(messageOf(question, passed)).ends) return { ...told, reason: null }
    return { ...told, reason: 'CLOSED' }
  }
  const key = {
    ...({ scheme: 'Nostr', credentials: client } as const),
    signer: { pubkey: pubkeyOf(signer), relays: ['wss://relay.example'] },
  }
  const answer = await askSigner({ method: 'sign_event', params: [JSON.stringify(draft)] }, key, talk)
  return answer.arrived ? answer.response : null
}

test('an answer of the signer is taken, and holds what it signed', async () => {
  const response = await ask({})
  expect(signedBy(response!, draft, pubkeyOf(account))).toMatchObject(draft)
})

const refused: readonly (readonly [string, Passed])[] = [
  ['by another key', { by: stranger }],
  ['by another key that claims to be the signer', { by: stranger, claims: { pubkey: pubkeyOf(signer) } }],
  ['encrypted by another key', { encryptedBy: stranger }],
  ['encrypted to another client', { to: stranger }],
  ['to another question', { id: 'another' }],
  ['in another subscription', { subscription: 'another' }],
  ['of another kind', { kind: 1 }],
  ['changed on its way', { claims: { content: encrypt('{}', conversationKey(signer, pubkeyOf(client))!) } }],
  ['with a signature that is none', { claims: { sig: '0'.repeat(128) } }],
]

test.each(refused)('one %s is none', async (_, passed) => {
  expect(await ask(passed)).toBeNull()
  // Nor does it keep the signer's own from being heard.
  expect(await ask(passed, {})).not.toBeNull()
})

test('of what was signed, only this very note by the account itself is taken', async () => {
  const answerWith = (event: object): HttpResponse => ({
    status: 101,
    headers: {},
    body: JSON.stringify({ result: JSON.stringify(event), error: null }),
  })
  const judged = (event: object) => signedBy(answerWith(event), draft, pubkeyOf(account))
  const signed = signEvent(account, draft)
  expect(judged(signed)).toEqual(signed)
  expect(judged(signEvent(stranger, draft))).toBeNull()
  expect(judged({ ...signEvent(stranger, draft), pubkey: pubkeyOf(account) })).toBeNull()
  for (const change of [{ content: 'Bye' }, { kind: 0 }, { created_at: 1 }, { tags: [['p', 'x']] }]) {
    expect(judged(signEvent(account, { ...draft, ...change }))).toBeNull()
    expect(judged({ ...signed, ...change })).toBeNull()
  }
  expect(judged({ ...signed, sig: signEvent(account, { ...draft, content: 'Bye' }).sig })).toBeNull()
})

/* ------------------------------------------------------------------------------------------------------------ relays */

const sent = signEvent(account, draft)
const refusal = ['OK', sent.id, false, 'auth-required: who are you?'] as const

/** Gives one relay the note, which says all this and then nothing more. `PROVEN` takes the proof. */
async function give(...said: readonly (readonly Json[] | 'PROVEN')[]) {
  const talk = async ({ hear }: SocketExchange) => {
    let proof = ''
    for (const one of said) {
      const words =
        one === 'PROVEN' ? ['OK', (JSON.parse(proof) as [string, { id: string }])[1].id, true, ''] : one
      const { send, ends } = hear(JSON.stringify(words))
      proof = send.find((text) => text.startsWith('["AUTH"')) ?? proof
      if (ends) return { maybeSent: true, messages: [], reason: null }
    }
    return { maybeSent: true, messages: [], reason: 'TIMEOUT' }
  }
  const answer = await talkWithRelays(
    {
      method: 'GET',
      url: new URL('wss://relay.example'),
      authorization: { scheme: 'Nostr', credentials: account },
    },
    { messages: [['EVENT', eventJson(sent)]], until: 'OK', others: [], graceMs: null },
    talk,
  )
  return answer.arrived ? reportsOf(answer.response) : null
}

// nostr-rs-relay 0.9.0 answers no proof: https://github.com/scsibug/nostr-rs-relay/issues/213 (read 2026-11-29).
test('a relay that refuses a note, and then answers no proof, has refused it', async () => {
  const report = { relay: 'wss://relay.example/', sent: true, silence: 'TIMEOUT' }
  expect(await give(['AUTH', 'c'], refusal)).toEqual([{ ...report, said: [refusal] }])
  expect(await give(refusal)).toEqual([{ ...report, said: [refusal] }])
})

// nostr-rs-relay puts its own prefix before that of who refuses: https://github.com/scsibug/nostr-rs-relay/pull/250 (read 2026-11-29).
test('a refusal for want of a proof is known behind another prefix', async () => {
  const wrapped = ['OK', sent.id, false, 'blocked: auth-required: who are you?'] as const
  expect(await give(['AUTH', 'c'], wrapped, 'PROVEN', ['OK', sent.id, true, ''])).toMatchObject([
    { silence: null, said: [['OK', sent.id, true, '']] },
  ])
})

test('one that takes the proof, and says nothing of the note, may have it', async () => {
  expect(await give(['AUTH', 'c'], refusal, 'PROVEN')).toBeNull()
  expect(await give(['AUTH', 'c'])).toBeNull()
})
