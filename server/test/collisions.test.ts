import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { insertMember } from '../src/people/members/member-store.ts'
import { mailQueue } from '../src/people/mail/mail-store.ts'
import { openSession } from '../src/people/sign-in/session/session-store.ts'
import type { Db } from '../src/platform/postgres/db.ts'
import { openMailServer } from './rigs/mail-server.ts'
import { openReceiver } from './rigs/receiver.ts'
import { aPerson, client } from './rigs/people-world.ts'
import { openServerRig } from './rigs/server-rig.ts'

/*
 * Every statement that writes, of all that a server does in the background, once collides with another transaction, or loses its
 * connection. It is done again, and nobody is told of a fault.
 */

const BUCKETS = 1_024
const CHANNELS = 4
const POSTS = 40
const OCCURRENCES = 5
/** How many posts a bulk run has. */
const RUN = 5

/**
 * Has each statement that writes fail once, by its text, and no transaction twice in a row: those are told by their first statement.
 * Sequences keep what they count when a transaction is undone.
 */
async function failEachOnce(db: Db, fault: string): Promise<void> {
  await db.script(`
    create schema failing;
    do $$ begin
      for n in 0..${BUCKETS - 1} loop
        execute format('create sequence failing.statement%s; create sequence failing.tries%s; create sequence failing.failed%s', n, n, n);
      end loop;
    end $$;
    create function failing.bucket() returns int language sql as $$
      select hashtext(current_setting('application_name') || current_query()) & ${BUCKETS - 1} $$;
    create function failing.fail() returns trigger language plpgsql as $$
    declare
      statement int := failing.bucket();
      kind int;
      has_failed boolean;
      tries bigint;
      failed_at bigint;
    begin
      if current_setting('application_name') not like 'postrider%' then return null; end if;
      kind := nullif(current_setting('failing.kind', true), '');
      if kind is null then
        kind := statement;
        perform set_config('failing.kind', kind::text, true), nextval('failing.tries' || kind);
      end if;
      execute format('select is_called from failing.statement%s', statement) into has_failed;
      execute format('select last_value from failing.tries%s', kind) into tries;
      execute format('select case when is_called then last_value else -1 end from failing.failed%s', kind) into failed_at;
      if not has_failed and tries >= failed_at + 2 then
        perform nextval('failing.statement' || statement), setval('failing.failed' || kind, tries);
        ${fault}
      end if;
      return null;
    end $$;
    do $$ declare t text; begin
      for t in select tablename from pg_tables where schemaname = 'public' loop
        execute format('create trigger a_fails before insert or update or delete on %I for each statement execute function failing.fail()', t);
      end loop;
    end $$;`)
}

/** What a request is logged with whose answer says that the database was away: its client is told, and sends it again. */
const ofRequests = (line: string) => line.includes('"msg":"request"')

test.each<[string, string, RegExp]>([
  [
    'collides with another transaction',
    `raise exception 'deadlock detected' using errcode = '40P01';`,
    /40P01/,
  ],
  ['loses its connection', 'perform pg_terminate_backend(pg_backend_pid());', /"level":"(error|fatal)"/],
])('what %s is done again, and told as no fault', { timeout: 600_000 }, async (_, fault, told) => {
  await using mail = await openMailServer()
  await using receiver = await openReceiver()
  await using rig = await openServerRig({
    channels: CHANNELS,
    database: 'shared',
    env: { SMTP_URL: mail.smtp.url.reveal(), MAIL_FROM: mail.smtp.from, TRUSTED_ORIGINS: 'any' },
  })
  const { db, baseUrl, channelIds, workspace } = rig
  const { workspaceId } = workspace
  const owner = await aPerson(db, { password: false })
  await db.begin((tx) => insertMember(tx, { workspaceId, personId: owner.personId, role: 'owner' }))
  const cookie = `postrider=${await openSession(db, owner.personId, client)}`
  await failEachOnce(db, fault)
  const server = await rig.serve('api,publisher,webhooks')

  /** A write of the agent, or of the owner: sent again until the database was there for it. */
  async function send(path: string, body: object, by: 'agent' | 'owner' = 'agent'): Promise<any> {
    const credential =
      by === 'agent'
        ? { authorization: `Bearer ${rig.key}` }
        : {
            cookie,
            origin: `http://localhost:${rig.port}`,
            'sec-fetch-site': 'same-origin',
            'x-postrider-app': '1',
          }
    const headers = { ...credential, 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    const before = by === 'agent' ? '/agent/v1' : `/app/api/workspaces/${workspaceId}`
    for (;;) {
      const answer = await fetch(baseUrl + before + path, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      const text = await answer.text()
      if (answer.status < 300) return JSON.parse(text)
      if (answer.status !== 503) throw new Error(text)
    }
  }
  const confirmed = true
  const soon = () => new Date(Date.now() + 15_000)

  await send(
    '/endpoints',
    { url: receiver.origin, eventTypes: ['post.published', 'post.failed'], autoReplay: true },
    'owner',
  )
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16)
  const startsAt = { local: tomorrow, timeZone: 'UTC' }
  await send('/series', {
    confirmed,
    rule: `FREQ=DAILY;COUNT=${OCCURRENCES}`,
    text: 'Daily',
    startsAt,
    channelIds,
  })
  const ends = ['', '#sandbox:fail', '#sandbox:slow=300', '#sandbox:accept-then-500']
  for (let n = 0; n < POSTS; n++)
    await send('/posts', {
      confirmed,
      state: 'scheduled',
      publishAt: soon(),
      channelIds: [channelIds[n % CHANNELS]],
      text: `Post ${n} ${ends[n % ends.length]}`,
    })
  const drafts = []
  for (let n = 0; n < RUN; n++)
    drafts.push(
      await send('/posts', {
        confirmed,
        state: 'draft',
        channelIds: [channelIds[n % CHANNELS]],
        text: `Draft ${n}`,
      }),
    )
  for (const { postId, editToken } of drafts)
    await send(`/posts/${postId}/approval`, { confirmed, editToken })
  const posts = drafts.map(({ postId, editToken }) => ({ postId, editToken }))
  const { runId } = await send('/bulk-runs', { confirmed, action: 'cancel', posts }, 'owner')
  await mailQueue(rig.keyring, baseUrl).enqueue(db, {
    kind: 'notice',
    to: owner.email,
    message: { subject: 'Hello', paragraphs: ['Hello.'] },
    hours: 1,
  })

  const count = async (rows: PromiseLike<{ count: number }[]>) => (await rows)[0]!.count
  const until = { timeout: 120_000, interval: 200 }
  await expect
    .poll(
      async () => ({
        posts: await count(db`
          select count(*)::int from destination where series_id is null and status in ('published', 'failed')`),
        occurrences: await count(db`select count(*)::int from destination where series_id is not null`),
        undelivered: await count(db`select count(*)::int from delivery where status <> 'delivered'`),
        run: (await db`select status from bulk_run where id = ${runId}`)[0],
        mails: mail.arrivals.length,
        unindexed: await count(db`select count(*)::int from unindexed_post`),
      }),
      until,
    )
    .toEqual({
      posts: POSTS,
      occurrences: OCCURRENCES * CHANNELS,
      undelivered: 0,
      run: { status: 'done' },
      mails: 1,
      unindexed: 0,
    })
  const duplicates = await fetch(`${rig.networkUrl}/control/creates/duplicates`)
  expect(await duplicates.json()).toEqual({ total: 0, items: [] })
  const lines = [...server.errors, ...server.warnings].filter((line) => !ofRequests(line) && told.test(line))
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([])
  // That many statements failed: this holds what the test is about.
  const failed = await count(db`
    select count(*)::int from pg_sequences
    where  schemaname = 'failing' and sequencename like 'statement%' and last_value is not null`)
  expect(failed).toBeGreaterThan(40)
})
