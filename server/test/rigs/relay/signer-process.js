// Runs a remote signer of Nostr (NIP-46) until its input ends, with the keys and the encryption of nostr-tools. Copied to where its
// packages are. Each line of its input is an order; it says what it does on lines of JSON.
import { createInterface } from 'node:readline'
import { finalizeEvent, generateSecretKey, getPublicKey, verifyEvent } from 'nostr-tools/pure'
import { decrypt, encrypt, getConversationKey } from 'nostr-tools/nip44'
import { WebSocket } from 'ws'

const { accountKey, signerKey, secret, relay } = JSON.parse(process.env.SIGNER_OPTIONS)
const bytes = (hex) => Uint8Array.from(Buffer.from(hex, 'hex'))
const [account, signer] = [bytes(accountKey), bytes(signerKey)]
const own = getPublicKey(signer)
const clients = new Set()
/**
 * How it behaves: `fine`, `away`, `refuses`, `forgets` (its clients), `changes` (what it signs), `asks` (its owner), `impersonates` (signs
 * with the key of another account), `replays` (answers another question), or `is replaced` (another key answers).
 */
let order = 'fine'
let unused = secret

function answer(client, { method, params }) {
  if (method === 'connect') {
    if (params[0] !== own || params[1] !== unused) return { error: 'invalid secret' }
    if (order === 'asks') return { result: 'auth_url', error: 'https://signer.example/allow' }
    clients.add(client)
    unused = null
    return { result: 'ack' }
  }
  if (!clients.has(client) || order === 'forgets') return { error: 'unauthorized' }
  if (method === 'get_public_key') return { result: getPublicKey(account) }
  if (method !== 'sign_event') return { error: `unknown method ${method}` }
  if (order === 'refuses') return { error: 'denied by its owner' }
  const { pubkey, ...draft } = JSON.parse(params[0])
  if (pubkey !== undefined && pubkey !== getPublicKey(account)) return { error: 'another account' }
  if (order === 'changes') draft.content += ' (signed)'
  process.stdout.write(`${JSON.stringify({ signed: draft.kind })}\n`)
  return {
    result: JSON.stringify(finalizeEvent(draft, order === 'impersonates' ? generateSecretKey() : account)),
  }
}

const socket = new WebSocket(relay)
socket.on('open', () => socket.send(JSON.stringify(['REQ', 'signer', { kinds: [24133], '#p': [own] }])))
socket.on('message', (data) => {
  const [type, , event] = JSON.parse(Buffer.from(data).toString())
  if (type === 'EOSE')
    process.stdout.write(`${JSON.stringify({ pubkey: own, account: getPublicKey(account) })}\n`)
  if (type !== 'EVENT' || order === 'away' || !verifyEvent(event)) return
  // This relay tells of what it does not keep whomever it is for.
  if (!event.tags.some(([name, value]) => name === 'p' && value === own)) return
  const key = getConversationKey(signer, event.pubkey)
  const question = JSON.parse(decrypt(event.content, key))
  const respond = (said) => {
    const by = order === 'is replaced' ? generateSecretKey() : signer
    const id = order === 'replays' ? crypto.randomUUID() : question.id
    const content = encrypt(JSON.stringify({ id, ...said }), getConversationKey(by, event.pubkey))
    const created_at = Math.floor(Date.now() / 1000)
    const answered = finalizeEvent({ kind: 24133, created_at, tags: [['p', event.pubkey]], content }, by)
    socket.send(JSON.stringify(['EVENT', answered]))
  }
  respond(answer(event.pubkey, question))
})

createInterface({ input: process.stdin })
  .on('line', (line) => {
    order = line
    process.stdout.write(`${JSON.stringify({ order })}\n`)
  })
  .on('close', () => process.exit(0))
