import { randomBytes } from 'node:crypto'
import type { Post } from '@postrider/contract'
import { startSandboxNetwork } from '@postrider/sandbox-network'
import { afterEach, expect, test, vi } from 'vitest'
import { mailQueue } from '../src/people/mail/mail-store.ts'
import { emailOf } from '../src/platform/text/email-address.ts'
import { commandLineWith } from './rigs/command-line.ts'
import { openMailServer } from './rigs/mail-server.ts'
import { openReceiver } from './rigs/receiver.ts'
import { openRunningApp } from './rigs/running-app.ts'
import { openTraceReceiver, type ReceivedSpan } from './rigs/trace-receiver.ts'

/* What a collector on this machine receives of a server that publishes, delivers and mails. */

afterEach(() => vi.unstubAllEnvs())

const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }

test('a post, its delivery and a mail can be followed, from the request that created it, and no probe is in the way', async () => {
  await using opened = new AsyncDisposableStack()
  const collector = opened.use(await openTraceReceiver())
  const mail = opened.use(await openMailServer())
  const receiver = opened.use(await openReceiver())
  const network = await startSandboxNetwork({ memory: true })
  opened.defer(() => network.close())
  // The exporter reads them by itself.
  for (const [name, value] of Object.entries(collector.env)) vi.stubEnv(name, value)
  const text = `hush-${randomBytes(4).toString('hex')}`
  let post: Post
  {
    await using app = await openRunningApp({
      roles: 'api,publisher,webhooks',
      sandboxUrl: network.url,
      env: {
        ...collector.env,
        SMTP_URL: mail.smtp.url.reveal(),
        MAIL_FROM: 'postrider@example.com',
        TRUSTED_ORIGINS: receiver.origin,
      },
    })
    const postrider = commandLineWith({ ...app.env, SANDBOX_URL: network.url })
    const added = await postrider(
      'channel',
      'add',
      'sandbox',
      '--handle',
      'ada',
      '--profile',
      'short',
      '--json',
    )
    const { channelId } = JSON.parse(added.said) as { channelId: string }
    const endpoint = await postrider(
      'webhook',
      'create',
      '--url',
      `${receiver.origin}/hush`,
      '--event-types',
      'post.published',
      '--json',
    )
    expect(endpoint).toMatchObject({ exitCode: 0 })
    for (const probe of ['/healthz', '/readyz', '/metrics']) await app.ask('GET', probe)
    const { status, body } = await app.ask('POST', '/agent/v1/posts', {
      headers: { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` },
      body: {
        confirmed: true,
        idempotencyKey: text,
        state: 'scheduled',
        publishAt: new Date(Date.now() + 3_600_000).toISOString(),
        channelIds: [channelId],
        text,
      },
    })
    expect({ status, body }).toMatchObject({ status: 201 })
    post = body as Post
    await app.db`update destination set publish_at = now(), due_at = now()`
    await app.db.notify('postrider_due', '')
    await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(1)
    await mailQueue(app.keyring, app.baseUrl).enqueue(app.db, {
      kind: 'notice',
      to: emailOf('ada@example.com'),
      message: { subject: text, paragraphs: [text] },
      hours: 1,
    } as const)
    await expect.poll(() => mail.arrivals.length, { timeout: 20_000 }).toBe(1)
  }

  const { spans } = collector
  const one = (name: string, parent?: ReceivedSpan) => {
    const found = spans.filter(
      (span) => span.name === name && (parent === undefined || span.parentSpanId === parent.spanId),
    )
    expect(found.map((span) => span.name)).toEqual([name])
    return found[0]!
  }
  const linksOf = ({ links = [] }: ReceivedSpan) => links.map(({ traceId, spanId }) => ({ traceId, spanId }))
  const place = ({ traceId, spanId }: ReceivedSpan) => ({ traceId, spanId })

  // The request is in the trace of its caller, and leads to that of the post.
  const request = one('POST createPost')
  expect(request).toMatchObject({ traceId: CALLER.traceId, parentSpanId: CALLER.spanId })
  const create = one('create')
  expect(create.traceId).toBe(post.postId.replaceAll('-', ''))
  expect(linksOf(create)).toEqual([place(request)])
  expect(linksOf(request)).toEqual([place(create)])

  const publish = one('publish')
  expect(publish.traceId).toBe(create.traceId)
  expect(linksOf(publish)).toEqual([place(create)])
  expect(attributesOf(publish)).toMatchObject({
    'postrider.post_id': post.postId,
    'postrider.conclusion': 'published',
    'postrider.move': 'confirm',
  })
  const steps = ['claim', 'arm', 'call', 'settle'].map((name) => one(name, publish))
  for (const step of steps) expect(step.traceId).toBe(publish.traceId)
  for (const [index, step] of steps.entries())
    if (index > 0)
      expect(BigInt(step.startTimeUnixNano)).toBeGreaterThanOrEqual(
        BigInt(steps[index - 1]!.startTimeUnixNano),
      )
  expect(attributesOf(steps[2]!)).toMatchObject({
    'http.request.method': 'POST',
    'server.address': '127.0.0.1',
  })

  const deliver = one('deliver')
  expect(attributesOf(one('call', deliver))).toMatchObject({ 'http.response.status_code': 204 })
  one('settle', deliver)
  const sent = one('mail')
  expect(attributesOf(sent)).toMatchObject({ 'postrider.kind': 'notice', 'postrider.result': 'sent' })
  one('call', sent)

  expect(spans.filter(({ name }) => /healthz|readyz|metrics/.test(name))).toEqual([])
  // Neither a text nor an address that may have a token in it.
  expect(collector.raw()).not.toContain('hush')
})

function attributesOf({ attributes }: ReceivedSpan): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [said] = Object.values(value)
      return [key, typeof said === 'string' && 'intValue' in value ? Number(said) : said]
    }),
  )
}
