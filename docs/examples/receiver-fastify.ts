// Receives Postrider's webhooks: WEBHOOK_SECRET=whsec_… node docs/examples/receiver-fastify.ts
import { verifyWebhook, WebhookVerificationError } from '@postrider/sdk'
import fastify from 'fastify'

const secret = process.env['WEBHOOK_SECRET'] ?? ''
const app = fastify()
const seen = new Set<string>() // In production: a table with a unique constraint on the event's id.

// The signature covers the exact bytes, so no parser may touch them first.
app.removeAllContentTypeParsers()
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
  done(null, body),
)

app.post('/hook', async (request, reply) => {
  try {
    const event = await verifyWebhook(request.body as Buffer, request.headers, secret)
    if (!seen.has(event.id)) {
      seen.add(event.id)
      process.stdout.write(`verified ${event.type} ${event.id}\n`)
    }
    return reply.code(204).send()
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    return reply.code(400).send({ error: error.code })
  }
})

await app.listen({ port: Number(process.env['RECEIVER_PORT'] ?? 3000) })
process.stdout.write('listening\n')
