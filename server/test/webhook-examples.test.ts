import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendTest } from '../src/engine/webhooks/manage-endpoints.ts'
import { freePort } from './rigs/free-port.ts'
import { openWebhookWorld } from './rigs/webhook-world.ts'

const examples = join(import.meta.dirname, '../../docs/examples')
const hasPython = spawnSync('python3', ['--version']).status === 0

/** A receiver from the docs, as a process. */
async function startExample(program: string, file: string, port: number, secret: string) {
  const child = spawn(program, [join(examples, file)], {
    env: { ...process.env, RECEIVER_PORT: String(port), WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await expect.poll(() => said, { timeout: 20_000 }).toContain('listening')
  return {
    said: () => said,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await once(child, 'close')
    },
  }
}

test.each([
  { program: process.execPath, file: 'receiver-fastify.ts', there: true },
  { program: 'python3', file: 'receiver.py', there: hasPython },
])('$file prints verified events and refuses others', async ({ program, file, there }) => {
  if (!there) return
  await using world = await openWebhookWorld()
  const port = await freePort()
  const address = `http://127.0.0.1:${port}/hook`
  const endpoint = await world.anEndpoint(address)
  await using example = await startExample(program, file, port, endpoint.secret)
  const eventId = await world.happens('published')
  const sent = await sendTest(world.parts, endpoint, 'post.delayed')
  await world.settled(await world.dispatcher())

  expect(example.said()).toContain(`verified post.published ${eventId}`)
  expect(example.said()).toContain(`verified post.delayed ${'eventId' in sent ? sent.eventId : ''}`)
  const forged = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-signature': `t=1,v1=${'0'.repeat(64)}` },
    body: '{}',
  })
  expect(forged.status).toBe(400)
})
