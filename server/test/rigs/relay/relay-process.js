// Runs a relay until its input ends; says its port on a line of JSON. Copied to where its packages are.
import { createServer } from 'node:http'
import { NostrRelay } from '@nostr-relay/core'
import { EventRepositorySqlite } from '@nostr-relay/event-repository-sqlite'
import { Validator } from '@nostr-relay/validator'
import { WebSocketServer } from 'ws'

const { wantsProof = false, information = {} } = JSON.parse(process.env.RELAY_OPTIONS ?? '{}')

const repository = new EventRepositorySqlite(':memory:')
await repository.init()
const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/nostr+json')
  response.end(JSON.stringify({ name: 'A relay of the tests', supported_nips: [1, 11, 42], ...information }))
})
await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
const { port } = server.address()

// Proofs are for this host (NIP-42).
const relay = new NostrRelay(repository, {
  hostname: '127.0.0.1',
  logLevel: 'error',
  filterResultCacheTtl: 0,
})
if (wantsProof)
  relay.register({
    async handleMessage(context, message, next) {
      if (message[0] === 'AUTH' || context.pubkey !== undefined) return next()
      const words = 'auth-required: say who you are'
      const refusal =
        message[0] === 'EVENT' ? ['OK', message[1].id, false, words] : ['CLOSED', message[1], words]
      context.sendMessage(refusal)
    },
  })

const validator = new Validator()
const sockets = new WebSocketServer({ server })
sockets.on('connection', (client) => {
  relay.handleConnection(client)
  client.on('message', async (data) => {
    try {
      await relay.handleMessage(client, await validator.validateIncomingMessage(data))
    } catch (error) {
      client.send(JSON.stringify(['NOTICE', String(error.message)]))
    }
  })
  client.on('error', () => undefined)
  client.on('close', () => relay.handleDisconnect(client))
})
process.stdout.write(`${JSON.stringify({ port })}\n`)

process.stdin.resume()
process.stdin.on('end', () => process.exit(0))
