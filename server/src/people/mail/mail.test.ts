import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { type AddressInfo, createServer, Socket } from 'node:net'
import { expect, test, vi } from 'vitest'
import { makeCertificate } from '../../../test/rigs/certificate.ts'
import { type MailServer, openMailServer } from '../../../test/rigs/mail-server.ts'
import { openWorld, type World } from '../../../test/rigs/world.ts'
import { createLog } from '../../platform/process/log.ts'
import { makeKeyring, Secret } from '../../platform/sealing/sealing.ts'
import { claimMail, mailQueue, type NewMail, pruneMail } from './mail-store.ts'
import { type Message, subjectOf } from './message.ts'
import { retryAfterSeconds, type Rewrites, sendDueMail, startMailSender } from './send-mail.ts'
import { findSmtpFault, sendBySmtp } from './smtp.ts'
import { emailOf } from '../../platform/text/email-address.ts'

const key = randomBytes(32)
const keyring = makeKeyring([key])
const message: Message = {
  subject: 'Grüße',
  paragraphs: ['Hello <b>Ada</b>,'],
  quote: 'two\nlines',
  link: { label: 'Open it', url: 'https://postrider.test/x?a=1&b=2' },
}

async function enqueue({ db }: World, more: Partial<NewMail> = {}): Promise<void> {
  const mail = mailQueue(keyring, 'https://postrider.test')
  await mail.enqueue(db, { kind: 'notice', to: emailOf('ada@example.com'), message, hours: 24, ...more })
}

/** Sends what is due, and gives what was logged. */
async function send({ db }: World, { smtp }: Pick<MailServer, 'smtp'>) {
  const lines: { level: string; msg: string }[] = []
  const write = (text: string) => void lines.push(JSON.parse(text) as (typeof lines)[0])
  const log = createLog({ level: 'info', destination: { write } })
  await sendDueMail({ db, keyring, log, smtp })
  return lines
}

const NONE: Rewrites = {
  password_reset: null,
  email_change: null,
  invitation: null,
  approval: null,
  notice: null,
  attention: null,
}

const due = ({ db }: World) => db`update mail set due_at = now() where content_sealed is not null`
const rows = ({ db }: World) =>
  db<{ state: string; attempts: number; error: string | null }[]>`
    select case when sent_at is not null then 'sent' when given_up_at is not null then 'given up' else 'open' end as state,
           attempts, last_error as error
    from   mail
    order  by id`

test('mail is delivered as text and as HTML that loads nothing, and its content is forgotten', async () => {
  await using world = await openWorld()
  await using server = await openMailServer()
  await enqueue(world)
  const [row] = await world.db<{ text: string }[]>`select mail::text as text from mail`
  expect(row!.text).not.toContain(Buffer.from('postrider.test').toString('hex'))
  await send(world, server)

  expect(server.arrivals).toMatchObject([{ to: 'ada@example.com', subject: 'Grüße' }])
  const [{ raw, text, html, messageId }] = server.arrivals as [(typeof server.arrivals)[0]]
  expect(text.trim()).toBe(
    'Hello <b>Ada</b>,\n\n> two\n> lines\n\nOpen it:\nhttps://postrider.test/x?a=1&b=2',
  )
  expect(html).toContain('Hello &lt;b&gt;Ada&lt;/b&gt;,')
  expect(html).toContain('href="https://postrider.test/x?a=1&amp;b=2"')
  expect(html).not.toMatch(/<img|<script|<link|url\(|src=/)
  expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m)
  expect(raw).toMatch(/^From: Postrider <post@rider\.test>\r$/m)
  expect(messageId).toMatch(/^<[0-9a-f-]{36}@rider\.test>$/)
  expect(await rows(world)).toEqual([{ state: 'sent', attempts: 1, error: null }])
  expect(await world.db`select from mail where content_sealed is not null`).toHaveLength(0)
  await send(world, server)
  expect(server.arrivals).toHaveLength(1)
})

test('what is not committed is not sent', async () => {
  await using world = await openWorld()
  await using server = await openMailServer()
  const mail = mailQueue(keyring, 'https://postrider.test')
  const undone = world.db.begin(async (tx) => {
    await mail.enqueue(tx, { kind: 'notice', to: emailOf('ada@example.com'), message, hours: 24 })
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  await send(world, server)
  expect(server.arrivals).toEqual([])
})

test('a 4xx is tried again until it works, later each time', async () => {
  await using world = await openWorld()
  await using server = await openMailServer()
  server.refusals.push(451, 421)
  await enqueue(world)
  for (const attempt of [1, 2]) {
    const lines = await send(world, server)
    expect(lines).toMatchObject([{ level: 'warn', msg: 'mail is tried again', attempt, kind: 'notice' }])
    expect(JSON.stringify(lines)).not.toContain('ada@')
    const [{ wait }] = (await world.db`
      select extract(epoch from due_at - now())::int as wait from mail`) as unknown as [{ wait: number }]
    expect(wait).toBeGreaterThan(retryAfterSeconds(attempt) / 2)
    expect(server.arrivals).toEqual([])
    await due(world)
  }
  await send(world, server)
  expect(server.arrivals).toHaveLength(1)
  expect(await rows(world)).toEqual([{ state: 'sent', attempts: 3, error: null }])
  expect([1, 2, 3, 4, 20].map(retryAfterSeconds)).toEqual([30, 60, 120, 240, 3_600])
})

test('a 5xx is the last word: the mail is given up, and the log says so', async () => {
  await using world = await openWorld()
  await using server = await openMailServer()
  server.refusals.push(550)
  await enqueue(world)
  expect(await send(world, server)).toMatchObject([
    { level: 'error', msg: 'mail was given up', reason: expect.stringContaining('550') as unknown },
  ])
  await due(world)
  await send(world, server)
  expect(server.arrivals).toEqual([])
  expect(await rows(world)).toMatchObject([{ state: 'given up', attempts: 1 }])
})

test('a mail that cannot be written is tried again later, and those behind it are sent', async () => {
  await using world = await openWorld()
  await using server = await openMailServer()
  for (let n = 0; n < 3; n++) await enqueue(world)
  const [first] = await world.db<{ id: string }[]>`select id from mail order by due_at limit 1`
  const lines: { msg: string }[] = []
  const write = (text: string) => void lines.push(JSON.parse(text) as (typeof lines)[0])
  const log = createLog({ level: 'info', destination: { write } })
  const parts = { db: world.db, keyring, log, smtp: server.smtp }
  const rewritten = (fails: boolean) =>
    sendDueMail({
      ...parts,
      rewrites: {
        notice: async ({ id, message }) => {
          if (fails && id === first!.id) throw new Error('a mail that cannot be written')
          return message
        },
      },
    })
  await rewritten(true)
  expect(server.arrivals).toHaveLength(2)
  expect(lines.filter(({ msg }) => msg !== 'mail was sent')).toMatchObject([
    {
      msg: 'mail could not be written',
      mailId: first!.id,
      err: { message: 'a mail that cannot be written' },
    },
    { msg: 'mail is tried again', mailId: first!.id, afterSeconds: 30 },
  ])
  await due(world)
  await rewritten(false)
  expect(server.arrivals).toHaveLength(3)
  expect(new Set((await rows(world)).map(({ state }) => state))).toEqual(new Set(['sent']))
})

test('a server that is away is tried again until it is too late for the mail', async () => {
  await using world = await openWorld()
  const server = await openMailServer()
  await server[Symbol.asyncDispose]()
  await enqueue(world)
  await enqueue(world, { hours: 0 })
  const lines = await send(world, server)
  expect(lines.map(({ msg }) => msg).toSorted()).toEqual(['mail is tried again', 'mail was given up'])
  await world.db`update mail set expires_at = now() + interval '10 seconds' where content_sealed is not null`
  await due(world)
  expect(await send(world, server)).toMatchObject([{ msg: 'mail was given up' }])
  expect(await rows(world)).toMatchObject([{ state: 'given up' }, { state: 'given up' }])
})

test('two senders at once send nothing twice', async () => {
  await using world = await openWorld()
  await using server = await openMailServer()
  for (let n = 0; n < 20; n++) await enqueue(world, { to: emailOf(`n${n}@example.com`) })
  await Promise.all([send(world, server), send(world, server)])
  expect(new Set(server.arrivals.map(({ to }) => to)).size).toBe(20)
  expect(server.arrivals).toHaveLength(20)
})

test('there is one mail of what there may be one of', async () => {
  await using world = await openWorld()
  for (let n = 0; n < 2; n++) await enqueue(world, { once: 'approval 1 of Ada' })
  expect(await rows(world)).toHaveLength(1)
})

test('a sender that is killed before it notes that a mail is out repeats it once, and loses none', async () => {
  await using world = await openWorld()
  await using server = await openMailServer()
  await enqueue(world, { to: emailOf('first@example.com') })
  await enqueue(world, { to: emailOf('second@example.com') })
  const reached = Promise.withResolvers<void>()
  // The mail is complete, and its acknowledgement never comes: the sender cannot know that it is out.
  server.onData = () => reached.resolve()
  const child = spawn(
    process.execPath,
    [
      join(import.meta.dirname, '../../../test/rigs/mail-process.ts'),
      world.databaseUrl,
      key.toString('base64'),
      server.smtp.url.reveal(),
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const gone = once(child, 'exit')
  server.onData = () => {
    child.kill('SIGKILL')
    reached.resolve()
    return gone.then(() => {})
  }
  await reached.promise
  await gone
  server.onData = () => {}
  const before = await rows(world)
  expect(before.some(({ state }) => state === 'open')).toBe(true)
  // Nobody else touches it before the lease is over.
  await send(world, server)
  expect((await rows(world)).filter(({ state }) => state === 'open')).toHaveLength(
    before.filter(({ state, attempts }) => state === 'open' && attempts > 0).length,
  )
  await due(world)
  await send(world, server)
  expect(await rows(world)).toMatchObject([{ state: 'sent' }, { state: 'sent' }])
  const counts = Map.groupBy(server.arrivals, ({ to }) => to)
  expect([...counts.keys()].toSorted()).toEqual(['first@example.com', 'second@example.com'])
  for (const [, same] of counts) {
    expect(same.length).toBeLessThanOrEqual(2)
    expect(new Set(same.map(({ messageId }) => messageId)).size).toBe(1)
  }
  expect(server.arrivals.length).toBeGreaterThan(2)
})

test('a password is sent over TLS only, and a certificate that is not trusted is not', async () => {
  const { key: tlsKey, cert } = makeCertificate(['localhost'])
  const logins: string[] = []
  const onAuth = (
    auth: { username?: string },
    _: unknown,
    done: (err: null, answer: { user: string }) => void,
  ) => {
    logins.push(auth.username ?? '')
    done(null, { user: 'x' })
  }
  await using server = await openMailServer(
    { key: tlsKey, cert, secure: true, onAuth: onAuth as never },
    { protocol: 'smtps', login: 'me:s3cret@' },
  )
  const fault = await findSmtpFault(server.smtp)
  expect(fault?.message).toMatch(/certificate/)
  expect(logins).toEqual([])

  // By a name that is not loopback, though it leads here.
  await using stripped = await openMailServer(
    { onAuth: onAuth as never, allowInsecureAuth: true },
    { login: 'me:s3cret@' },
  )
  const elsewhere = stripped.smtp.url.reveal().replace('127.0.0.1', '0.0.0.0')
  const refused = await findSmtpFault({ ...stripped.smtp, url: new Secret(elsewhere) })
  expect(refused?.message).toMatch(/STARTTLS/)
  expect(logins).toEqual([])
  expect(await findSmtpFault(stripped.smtp)).toBeNull()
  expect(logins).toEqual(['me'])
})

test('a wrong password is the operator’s to mend, and loses no mail', async () => {
  await using world = await openWorld()
  await using server = await openMailServer(
    {
      onAuth: (_auth, _session, done) => done(Object.assign(new Error('Wrong'), { responseCode: 535 })),
      allowInsecureAuth: true,
    },
    { login: 'me:wrong@' },
  )
  expect(await findSmtpFault(server.smtp)).toMatchObject({
    of: 'mail',
    code: 'EAUTH',
    message: expect.stringContaining('535') as string,
  })
  await enqueue(world)
  expect(await send(world, server)).toMatchObject([{ msg: 'mail is tried again' }])
  expect(JSON.stringify(await rows(world))).not.toContain('wrong@')
})

test('what a server says of a missing sign-in to the sender of a mail loses no mail', async () => {
  await using world = await openWorld()
  await using server = await openMailServer({ authOptional: false, allowInsecureAuth: true })
  await enqueue(world)
  expect(await send(world, server)).toMatchObject([
    { msg: 'mail is tried again', reason: expect.stringContaining('530') as unknown },
  ])
})

test('a long subject is cut between characters', () => {
  const cut = subjectOf({ subject: `x${'😀'.repeat(200)}`, paragraphs: [] })
  expect(cut).toBe(`x${'😀'.repeat(148)}…`)
})

test('a name with line ends makes no headers', async () => {
  await using server = await openMailServer()
  const subject = 'Eve\r\nBcc: everybody@example.com\u2028 invites you'
  const sent = await sendBySmtp(server.smtp, {
    id: 'x',
    to: 'ada@example.com',
    createdAt: new Date(),
    message: { subject, paragraphs: ['x'] },
  })
  expect(sent.is).toBe('sent')
  expect(server.arrivals).toMatchObject([{ subject: 'Eve Bcc: everybody@example.com invites you' }])
  expect(server.arrivals[0]!.raw.split('\r\n\r\n')[0]).not.toMatch(/^Bcc:/m)
})

test('the sender asks every source, whatever the others do, and ends when it is told to', async () => {
  await using world = await openWorld()
  await using server = await openMailServer()
  const asked = Promise.withResolvers<void>()
  const sender = startMailSender({
    db: world.db,
    keyring,
    log: createLog({ level: 'silent' }),
    smtp: server.smtp,
    everyMs: 1,
    rewrites: NONE,
    sources: [
      () => Promise.reject(new Error('broken')),
      async () => {
        await enqueue(world, { once: 'the one' })
        asked.resolve()
      },
    ],
  })
  await asked.promise
  await expect.poll(() => server.arrivals.length).toBe(1)
  await sender.stop(5_000)
})

/** A server that never answers about recipients whose address begins so; `cut` counts the connections that end meanwhile. */
async function openHangingServer() {
  let cut = 0
  const server = await openMailServer({
    onRcptTo({ address }, _session, callback) {
      if (!address.startsWith('hangs')) callback()
    },
    onClose: () => void cut++,
  })
  return Object.assign(server, { cut: () => cut })
}

test('a mail server that hangs for some holds up neither the mail to others nor what is to be written', async () => {
  await using world = await openWorld()
  await using server = await openHangingServer()
  for (let n = 0; n < 4; n++) await enqueue(world, { to: emailOf(`hangs${n}@example.com`) })
  const tries = async () => (await rows(world)).filter(({ attempts }) => attempts > 0).length
  const sender = startMailSender({
    db: world.db,
    keyring,
    log: createLog({ level: 'silent' }),
    smtp: server.smtp,
    everyMs: 1,
    slowMs: 1,
    rewrites: NONE,
    sources: [
      async () => {
        if ((await tries()) >= 4) await enqueue(world, { to: emailOf('ada@example.com'), once: 'the one' })
      },
    ],
  })
  await expect
    .poll(() => server.arrivals.map(({ to }) => to), { timeout: 20_000 })
    .toEqual(['ada@example.com'])
  expect(await world.db`select part from activity`).toEqual([{ part: 'mail' }])

  // What is not handed over when it stops is left to the next process, at once.
  await sender.stop(60_000)
  const open = (await rows(world)).filter(({ state }) => state === 'open')
  expect(open.map(({ attempts, error }) => `${attempts}: ${error}`)).toEqual(
    Array<string>(4).fill('1: Postrider was stopped.'),
  )
  await expect.poll(server.cut).toBe(5)
})

test('ten mails that nothing confirms hold up no others: one more is tried now and then, and each is sent once', async () => {
  await using world = await openWorld()
  await using server = await openMailServer()
  const confirm = Promise.withResolvers<void>()
  let waiting = 0
  server.onData = ({ to }) => {
    if (!to.startsWith('hangs')) return
    waiting++
    return confirm.promise
  }
  for (let n = 0; n < 24; n++) await enqueue(world, { to: emailOf(`hangs${n}@example.com`) })
  let rounds = 0
  const sender = (tryMs: number) =>
    startMailSender({
      db: world.db,
      keyring,
      log: createLog({ level: 'silent' }),
      smtp: server.smtp,
      everyMs: 1,
      slowMs: 100,
      tryMs,
      rewrites: NONE,
      sources: [async () => void rounds++],
    })
  const patient = sender(3_600_000)
  await expect.poll(() => waiting, { timeout: 20_000 }).toBeGreaterThan(10)
  await enqueue(world, { to: emailOf('ada@example.com'), hours: 48 })
  const seen = rounds
  await expect.poll(() => rounds - seen, { timeout: 20_000 }).toBeGreaterThan(100)
  // Both lanes may have begun one as the tenth became slow, and one more was tried.
  expect(waiting).toBeLessThanOrEqual(12)
  expect(server.arrivals).toEqual([])

  const next = sender(200)
  await expect
    .poll(() => server.arrivals.map(({ to }) => to), { timeout: 20_000 })
    .toEqual(['ada@example.com'])
  confirm.resolve()
  await expect.poll(async () => (await rows(world)).every(({ state }) => state === 'sent')).toBe(true)
  expect((await rows(world)).every(({ attempts }) => attempts === 1)).toBe(true)
  expect(new Set(server.arrivals.map(({ to }) => to)).size).toBe(25)
  expect(server.arrivals).toHaveLength(25)
  await Promise.all([patient.stop(10_000), next.stop(10_000)])
})

test('of the mails that are due, one lane takes first what is of use for the shortest time', async () => {
  await using world = await openWorld()
  await enqueue(world, { to: emailOf('first@example.com'), hours: 72 })
  await enqueue(world, { to: emailOf('second@example.com'), hours: 71 })
  await enqueue(world, { to: emailOf('link@example.com'), hours: 1 })
  const next = async (first: 'due' | 'expiring') => (await claimMail(world.db, keyring, 60, first))?.to
  expect([await next('expiring'), await next('due'), await next('due')]).toEqual([
    'link@example.com',
    'first@example.com',
    'second@example.com',
  ])
})

test('a mail that is handed over is given up only when its answer is late by any measure', async () => {
  await using server = await openMailServer()
  const silences = vi.spyOn(Socket.prototype, 'setTimeout')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const mail = { id: 'x', to: 'ada@example.com', createdAt: new Date(), message }
    const sent = async (answeredAfterMs: number) => {
      const answered = Promise.withResolvers<void>()
      let isHandedOver = false
      server.onData = () => {
        isHandedOver = true
        return answered.promise
      }
      const sending = sendBySmtp(server.smtp, mail)
      await vi.waitUntil(() => isHandedOver, { timeout: 30_000 })
      vi.advanceTimersByTime(answeredAfterMs)
      answered.resolve()
      return sending
    }
    expect(await sent(599_000)).toMatchObject({ is: 'sent' })
    expect(await sent(600_000)).toEqual({
      is: 'failed',
      detail: 'The mail server took longer than 600 seconds.',
    })
    // No silence before that ends the connection, either.
    expect(silences.mock.calls.map(([ms]) => ms)).toContain(600_000)
  } finally {
    vi.useRealTimers()
    silences.mockRestore()
  }
})

test('a mail that is not handed over in time is given up, and its connection ends', async () => {
  await using server = await openHangingServer()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const mail = { id: 'x', to: 'hangs@example.com', createdAt: new Date(), message }
    const sending = sendBySmtp(server.smtp, mail)
    const ended = sending.then(() => true)
    const later = () => new Promise<false>((resolve) => setImmediate(resolve, false))
    while (!(await Promise.race([ended, later()]))) vi.advanceTimersByTime(1)
    expect(await sending).toEqual({
      is: 'failed',
      detail: 'The mail server took longer than 60 seconds.',
    })
    await vi.waitUntil(() => server.cut() === 1)
  } finally {
    vi.useRealTimers()
  }
})

test('a server that says something every second and never gets to the point is told of', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.write('220 hello\r\n')
    // Once it is spoken to: a line that came with the greeting would belong to that.
    socket.once('data', () => {
      const talk = setInterval(() => socket.write('250-more\r\n'), 1)
      socket.on('close', () => clearInterval(talk))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const settings = { url: new Secret(`smtp://127.0.0.1:${port}`), from: 'post@rider.test' }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const connected = once(server, 'connection') as Promise<[Socket]>
    const fault = findSmtpFault(settings)
    const [socket] = await connected
    await once(socket, 'data')
    vi.advanceTimersByTime(60_000)
    expect((await fault)?.message).toBe('The mail server took longer than 60 seconds')
    socket.destroy()
  } finally {
    vi.useRealTimers()
    server.close()
  }
})

test('mail that was done with a month ago is removed, and open mail is not', async () => {
  await using world = await openWorld()
  await using server = await openMailServer()
  await enqueue(world)
  await send(world, server)
  await enqueue(world)
  await world.db`update mail set created_at = now() - interval '31 days'`
  expect(await pruneMail(world.db, 10)).toBe(1)
  expect(await rows(world)).toMatchObject([{ state: 'open' }])
})
