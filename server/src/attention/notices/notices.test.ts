import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { app, type DestinationStatus, noticeKinds, type Role } from '@postrider/contract'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { aChannel, anApproval, aPost, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { aSecondPost } from '../../../test/rigs/publishing-store.ts'
import { openMailServer } from '../../../test/rigs/mail-server.ts'
import { aPerson, aUser, join as joinAs, openSite, SITE } from '../../../test/rigs/people-world.ts'
import { mailQueue } from '../../people/mail/mail-store.ts'
import { sendDueMail } from '../../people/mail/send-mail.ts'
import type { Change } from '../../engine/outbox/envelope.ts'
import { announce, changeColumns } from '../../engine/outbox/outbox-store.ts'
import { createLog } from '../../platform/process/log.ts'
import { makeKeyring } from '../../platform/sealing/sealing.ts'
import { announceApprovals } from '../reviews/announce-approvals.ts'
import { findTroubledChannels } from '../../content/listing/attention-store.ts'
import { mailNotices, rewriteNotice } from './mail-notices.ts'
import { noteTroubles, pruneNotices } from './notice-store.ts'
import type { VersionEnd } from '../../networks/channels/version-ends.ts'

const { world } = await openFileWorld()
const { db } = world
/** Of the versions of networks' APIs. */
const ends: VersionEnd[] = []
const key = randomBytes(32)
const keyring = makeKeyring([key])
const MAIL_PROCESS = join(import.meta.dirname, '../../../test/rigs/mail-process.ts')
const mail = mailQueue(keyring, SITE)
const site = await openSite(db, { mail })
const server = await openMailServer()
afterAll(async () => {
  await site[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})
beforeEach(() => void server.arrivals.splice(0))

/** A workspace with a member of each role that is asked for, none of whom anything is known of yet. */
async function aTeam(...roles: Role[]) {
  const { workspaceId } = await aWorkspace(db)
  const members = []
  for (const role of roles) {
    const person = await aPerson(db)
    members.push({ ...person, memberId: await joinAs(db, workspaceId, person, role) })
  }
  return { workspaceId, members }
}

/** A post that comes into a status, as the engine leaves it: with its event. */
async function becomes(
  workspaceId: string,
  status: DestinationStatus,
  options: Parameters<typeof aPost>[2] = {},
) {
  const post = await aPost(db, workspaceId, { states: ['scheduled'], ...options })
  await move(workspaceId, post.destinationIds, status)
  return post
}

async function move(workspaceId: string, destinationIds: readonly string[], status: DestinationStatus) {
  await db.begin(async (tx) => {
    const moved = await tx<Change[]>`
      update destination d
      set    status = ${status}, status_since = now(),
             expires_at = case when ${status} = 'scheduled' then now() + interval '1 day' end,
             due_at = case when ${status} in ('checking', 'scheduled') then now() end,
             published_at = case when ${status} = 'published' then now() end
      where  d.workspace_id = ${workspaceId} and d.id = any (${destinationIds}::uuid[])
      returning ${changeColumns(tx)}`
    await announce(tx, moved)
  })
}

/** Time passes: what waits for a moment to be told, or mailed, is due, and the last look was long ago. */
async function pass() {
  await db`update notice set tell_at = now() where seq is null`
  await db`update notice_reader set mail_at = now() where mail_at is not null`
  await db`update notice_position set looked_at = '-infinity'`
}

/** No fault is expected: the round fails by it. */
const onFault = (fault: unknown) => {
  throw fault
}

const send = () =>
  sendDueMail({
    db,
    keyring,
    log: createLog({ level: 'silent' }),
    smtp: server.smtp,
    rewrites: { attention: rewriteNotice(db, SITE, ends) },
  })

/** A round of the sender, before which what was noted has become due; gives what arrived for these members. */
async function round(...to: { email: string }[]) {
  await pass()
  await noteTroubles(db, ends)
  await pass()
  await mailNotices({ db, mail, ends, onFault })
  await send()
  const arrived = server.arrivals.filter((one) => to.some(({ email }) => email === one.to))
  server.arrivals.splice(0)
  return arrived
}

test('every part of the list of what needs attention is of a kind', () => {
  const parts = new Set<string>(Object.values(noticeKinds).map((kind) => kind.of))
  parts.delete('approvals')
  expect([...parts].toSorted()).toEqual(Object.keys(app.Attention.properties).toSorted())
})

test('the owner and the admin are told of a post that failed, once, with the reason, the page and the way to turn it off', async () => {
  const { workspaceId, members } = await aTeam('owner', 'admin', 'editor', 'approver', 'viewer')
  const channelId = await aChannel(db, workspaceId, { displayName: 'Our shop' })
  const { postId, destinationIds } = await becomes(workspaceId, 'failed', {
    texts: ['Open on\nSunday'],
    channelIds: [channelId],
  })
  await db`
    update destination set error = '{"code":"content_refused","message":"The network refused it."}'
    where  id = ${destinationIds[0]!}`
  const arrived = await round(...members)
  expect(new Set(arrived.map(({ to }) => to))).toEqual(new Set([members[0]!.email, members[1]!.email]))
  expect(arrived).toHaveLength(2)
  const [{ subject, text, html, raw }] = arrived as [(typeof arrived)[0]]
  expect(subject).toBe('1 problem needs attention in Test')
  expect(text).toContain('Posts that failed or were published partly (1):')
  expect(text).toContain('- “Open on Sunday” on Our shop\n  The network refused it. Failed.')
  expect(text).toContain(`${SITE}/w/${workspaceId}/posts/${postId}\n`)
  expect(text).toContain(`${SITE}/w/${workspaceId}/settings#notices`)
  expect(html).toContain(`href="${SITE}/w/${workspaceId}/posts/${postId}"`)
  expect(raw).not.toMatch(/^List-Unsubscribe/im)
  expect(await round(...members)).toEqual([])
})

test('a post that is live twice is mailed once, with the address of the second, for as long as it is shown', async () => {
  const { workspaceId, members } = await aTeam('owner', 'editor')
  const channelId = await aChannel(db, workspaceId, { displayName: 'Our shop' })
  const { postId, destinationIds } = await aPost(db, workspaceId, {
    states: ['published'],
    texts: ['Open on Sunday'],
    channelIds: [channelId],
  })
  const { attemptId, url } = await aSecondPost(db, workspaceId, destinationIds[0]!)
  const arrived = await round(...members)
  expect(arrived.map(({ to }) => to)).toEqual([members[0]!.email])
  const [{ text }] = arrived as [(typeof arrived)[0]]
  expect(text).toContain('Posts that are live twice (1):')
  expect(text).toContain(`- “Open on Sunday” on Our shop\n  The second post: ${url} A call that was given up`)
  expect(text).toContain(`${SITE}/w/${workspaceId}/posts/${postId}\n`)
  expect(await round(...members)).toEqual([])

  await db`update notice_reader set told_to = 0 where workspace_id = ${workspaceId}`
  await db`update late_post set told_at = told_at - interval '15 days' where attempt_id = ${attemptId}`
  expect(await round(...members)).toEqual([])
})

test('what follows within the quiet time is one mail after it', async () => {
  const { workspaceId, members } = await aTeam('owner')
  await becomes(workspaceId, 'failed')
  expect(await round(...members)).toHaveLength(1)
  for (let n = 0; n < 3; n++) await becomes(workspaceId, n === 0 ? 'partially_published' : 'failed')
  await noteTroubles(db, ends)
  const [reader] = await db<{ minutes: number }[]>`
    select extract(epoch from mail_at - now())::float8 / 60 as minutes from notice_reader
    where  workspace_id = ${workspaceId} and member_id = ${members[0]!.memberId}`
  expect(reader!.minutes).toBeGreaterThan(13)
  expect(reader!.minutes).toBeLessThanOrEqual(15)
  await mailNotices({ db, mail, ends, onFault })
  await send()
  expect(server.arrivals).toEqual([])
  const arrived = await round(...members)
  expect(arrived.map(({ subject }) => subject)).toEqual(['3 problems need attention in Test'])
})

test('what ends before it is mailed, or before its mail is sent, is not told of', async () => {
  const { workspaceId, members } = await aTeam('owner')
  const one = await becomes(workspaceId, 'failed')
  await noteTroubles(db, ends)
  await move(workspaceId, one.destinationIds, 'scheduled')
  expect(await round(...members)).toEqual([])

  const [gone, stays] = [await becomes(workspaceId, 'failed'), await becomes(workspaceId, 'failed')]
  const write = async () => {
    await noteTroubles(db, ends)
    await pass()
    await mailNotices({ db, mail, ends, onFault })
  }
  await write()
  await move(workspaceId, gone.destinationIds, 'scheduled')
  await send()
  expect(server.arrivals.splice(0).map(({ subject }) => subject)).toEqual([
    '1 problem needs attention in Test',
  ])

  await becomes(workspaceId, 'failed').then(({ destinationIds }) => (gone.destinationIds = destinationIds))
  await write()
  await move(workspaceId, gone.destinationIds, 'scheduled')
  await move(workspaceId, stays.destinationIds, 'scheduled')
  await send()
  expect(server.arrivals).toEqual([])
  const [last] = await db<{ error: string }[]>`
    select last_error as error from mail where given_up_at is not null order by id desc limit 1`
  expect(last!.error).toBe('What it told of was settled.')
})

test('a mail that the server does not take is written anew with each try, and the next waits for it', async () => {
  const { workspaceId, members } = await aTeam('owner')
  const [first] = [await becomes(workspaceId, 'failed'), await becomes(workspaceId, 'failed')]
  server.refusals.push(451)
  expect(await round(...members)).toEqual([])
  await becomes(workspaceId, 'failed')
  expect(await round(...members)).toEqual([])
  await move(workspaceId, first.destinationIds, 'scheduled')
  await db`update mail set due_at = now() where content_sealed is not null`
  await send()
  expect(server.arrivals.splice(0).map(({ subject }) => subject)).toEqual([
    '1 problem needs attention in Test',
  ])
  expect((await round(...members)).map(({ subject }) => subject)).toEqual([
    '1 problem needs attention in Test',
  ])
})

test('two processes at once write one mail', async () => {
  const { workspaceId, members } = await aTeam('owner')
  await becomes(workspaceId, 'failed')
  const rounds = () => Promise.all(Array.from({ length: 4 }, () => mailNotices({ db, mail, ends, onFault })))
  await rounds()
  await pass()
  await rounds()
  await Promise.all(Array.from({ length: 4 }, send))
  expect(server.arrivals.filter(({ to }) => to === members[0]!.email)).toHaveLength(1)
  expect(await db`select from notice where workspace_id = ${workspaceId}`).toHaveLength(1)
})

test('a process that dies before it has recorded what it wrote has written nothing', async () => {
  const { workspaceId, members } = await aTeam('owner')
  await becomes(workspaceId, 'failed')
  await noteTroubles(db, ends)
  await pass()
  const dying = {
    ...mail,
    enqueue: (...of: Parameters<typeof mail.enqueue>) =>
      mail.enqueue(...of).then(() => Promise.reject(new Error('killed'))),
  }
  await expect(mailNotices({ db, mail: dying, ends, onFault })).rejects.toThrow('killed')
  await send()
  expect(server.arrivals).toEqual([])
  expect(await round(...members)).toHaveLength(1)
})

test('a mail that cannot be written delays no other reader, and is tried again', async () => {
  const [broken, sound] = [await aTeam('owner', 'admin'), await aTeam('owner')]
  for (const { workspaceId } of [broken, sound]) await becomes(workspaceId, 'failed')
  const [first, second, other] = [...broken.members, ...sound.members] as const
  await noteTroubles(db, ends)
  await pass()
  // The one with the fault has been due for longest.
  await db`update notice_reader set mail_at = now() - interval '1 hour' where member_id = ${first!.memberId}`
  const wrong = new Error('a mail that cannot be written')
  const half: typeof mail = {
    ...mail,
    enqueue: async (tx, one) => {
      await mail.enqueue(tx, one)
      if (one.to === first!.email) throw wrong
    },
  }
  const faults: unknown[] = []
  const collect = (...of: unknown[]) => void faults.push(of)
  const write = () => mailNotices({ db, mail: half, ends, onFault: collect })
  await write()
  expect(faults).toEqual([
    [wrong, expect.objectContaining({ workspaceId: broken.workspaceId, memberId: first!.memberId })],
  ])
  await write()
  expect(faults).toHaveLength(1)
  await send()
  expect(
    server.arrivals
      .splice(0)
      .map(({ to }) => to)
      .toSorted(),
  ).toEqual([second!.email, other!.email].toSorted())
  const [reader] = await db<{ minutes: number }[]>`
    select extract(epoch from mail_at - now())::float8 / 60 as minutes from notice_reader where member_id = ${first!.memberId}`
  expect(reader!.minutes).toBeGreaterThan(4)
  expect((await round(first!, second!, other!)).map(({ to }) => to)).toEqual([first!.email])
})

test('what cannot be noted delays no mail that is due', async () => {
  const { workspaceId, members } = await aTeam('owner')
  await becomes(workspaceId, 'failed')
  await noteTroubles(db, ends)
  await pass()
  await db`alter table notice_position rename column looked_at to not_there`
  const faults: unknown[] = []
  await mailNotices({ db, mail, ends, onFault: (fault) => void faults.push(fault) })
  await db`alter table notice_position rename column not_there to looked_at`
  expect(faults).toEqual([expect.objectContaining({ code: '42703' })])
  await send()
  expect(server.arrivals.map(({ to }) => to)).toEqual([members[0]!.email])
})

test('a process that dies between sending and recording sends the same mail once more at most, and none that is settled by then', async () => {
  for (const settled of [false, true]) {
    const { workspaceId, members } = await aTeam('owner')
    const { destinationIds } = await becomes(workspaceId, 'failed')
    await noteTroubles(db, ends)
    await pass()
    await mailNotices({ db, mail, ends, onFault })
    const child = spawn(
      process.execPath,
      [MAIL_PROCESS, world.databaseUrl, key.toString('base64'), server.smtp.url.reveal()],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    )
    const gone = once(child, 'exit')
    server.onData = () => {
      child.kill('SIGKILL')
      return gone.then(() => {})
    }
    await gone
    server.onData = () => {}
    await expect.poll(() => server.arrivals.length).toBe(1)
    await send()
    expect(server.arrivals).toHaveLength(1)
    if (settled) await move(workspaceId, destinationIds, 'scheduled')
    await db`update mail set due_at = now() where content_sealed is not null`
    await send()
    expect(server.arrivals.map(({ to }) => to)).toEqual(
      Array.from({ length: settled ? 1 : 2 }, () => members[0]!.email),
    )
    expect(new Set(server.arrivals.map(({ messageId }) => messageId)).size).toBe(1)
    server.arrivals.splice(0)
    await send()
    expect(server.arrivals).toEqual([])
  }
})

test('who was removed, has another role, or chose otherwise by then is not mailed, not even what is written already', async () => {
  const { workspaceId, members } = await aTeam('owner', 'admin', 'admin', 'admin')
  const [, removed, demoted, off] = members
  await becomes(workspaceId, 'failed')
  await noteTroubles(db, ends)
  await pass()
  await mailNotices({ db, mail, ends, onFault })
  await db`update member set removed_at = now() where id = ${removed!.memberId}`
  await db`update member set role = 'viewer' where id = ${demoted!.memberId}`
  await db`
    update notice_reader set choices = '{"posts_failed": false}' where member_id = ${off!.memberId}`
  await send()
  expect(server.arrivals.splice(0).map(({ to }) => to)).toEqual([members[0]!.email])
  await becomes(workspaceId, 'failed')
  expect((await round(...members)).map(({ to }) => to)).toEqual([members[0]!.email])
})

test('a mail goes to the address that the person has when it is sent, or nowhere', async () => {
  const { workspaceId, members } = await aTeam('owner')
  await becomes(workspaceId, 'failed')
  await noteTroubles(db, ends)
  await pass()
  await mailNotices({ db, mail, ends, onFault })
  await db`update person set email = ${`new-${members[0]!.email}`} where id = ${members[0]!.personId}`
  await send()
  expect(server.arrivals).toEqual([])
})

test('nobody is told of another workspace, nor of what was before they came', async () => {
  const [here, there] = [await aTeam('owner'), await aTeam('owner')]
  await becomes(here.workspaceId, 'failed', { texts: ['Ours'] })
  await joinAs(db, there.workspaceId, here.members[0]!, 'viewer')
  const arrived = await round(...here.members, ...there.members)
  expect(arrived.map(({ to }) => to)).toEqual([here.members[0]!.email])

  const late = await aPerson(db)
  await joinAs(db, here.workspaceId, late, 'admin')
  await becomes(here.workspaceId, 'failed', { texts: ['Second'] })
  const [told] = await round(late)
  expect(told!.text).toContain('Second')
  expect(told!.text).not.toContain('Ours')
})

test('ten thousand failures are one mail with their number and the latest of them', async () => {
  const { workspaceId, members } = await aTeam('owner')
  const { destinationIds } = await becomes(workspaceId, 'failed')
  await db`
    insert into destination (workspace_id, id, post_id, channel_id, provider, status, control_token, status_since)
    select d.workspace_id, gen_random_uuid(), gen_random_uuid(), d.channel_id, d.provider, 'failed', 'x', now()
    from   destination d, generate_series(1, 10500)
    where  d.id = ${destinationIds[0]!}`
  await db`
    insert into outbox_event (workspace_id, id, type, post_id, destination_id, body, created_at)
    select workspace_id, gen_random_uuid(), 'post.failed', post_id, id, '', now()
    from   destination where workspace_id = ${workspaceId} and control_token = 'x'`
  const [one, ...more] = await round(...members)
  expect(more).toEqual([])
  expect(one!.subject).toBe('More than 10,000 problems need attention in Test')
  expect(one!.text.match(/\/posts\//g)).toHaveLength(5)
  expect(one!.text.length).toBeLessThan(3_000)
  expect(await round(...members)).toEqual([])
})

test('neither a text nor a name makes a header, a line or a tag', async () => {
  const { workspaceId, members } = await aTeam('owner')
  const evil = 'Hi\r\nBcc: all@example.com\r\n\r\n<script>x</script>\u202e\u2028'
  await db`update workspace set name = ${evil} where id = ${workspaceId}`
  const channelId = await aChannel(db, workspaceId, { displayName: evil })
  await becomes(workspaceId, 'failed', { texts: [evil], channelIds: [channelId] })
  await db`update channel set connection_status = 'reconnect_required' where id = ${channelId}`
  const [{ raw, text, html, subject }] = (await round(...members)) as [(typeof server.arrivals)[0]]
  expect(subject).toBe('2 problems need attention in Hi Bcc: all@example.com <script>x</script>')
  expect(raw.split('\r\n\r\n')[0]).not.toMatch(/^Bcc:/m)
  expect(text).not.toMatch(/^Bcc/m)
  expect(text).not.toMatch(/[\u202e\u2028]/)
  expect(html).not.toContain('<script')
})

test('a doubtful result is mailed once it has not ended by itself', async () => {
  const { workspaceId, members } = await aTeam('owner')
  const { destinationIds } = await becomes(workspaceId, 'checking')
  await noteTroubles(db, ends)
  const [noted] = await db<{ minutes: number; seq: string | null }[]>`
    select extract(epoch from n.tell_at - d.status_since)::float8 / 60 as minutes, n.seq
    from   notice n join destination d on d.id = n.subject_id where d.id = ${destinationIds[0]!}`
  expect(noted).toEqual({ minutes: 20, seq: null })
  const [arrived] = await round(...members)
  expect(arrived!.text).toContain('Posts that need your decision (1):')
})

test('channels, series and webhooks are told of once for each time they need somebody', async () => {
  const { workspaceId, members } = await aTeam('owner')
  const channelId = await aChannel(db, workspaceId, { displayName: 'Our shop' })
  const ending = await aChannel(db, workspaceId, { displayName: 'Ends' })
  await db`update channel set connection_status = 'reconnect_required' where id = ${channelId}`
  await db`update channel set authorization_ends_at = now() + interval '3 days' where id = ${ending}`
  await db`
    insert into series (workspace_id, id, status, reason, definitions, channel_ids, label_keys, media_ids, edit_token, maker_type,
                        maker_id, maker_name, changed_at, changed_by_type)
    values (${workspaceId}, gen_random_uuid(), 'paused', 'Its agent key was revoked.', '[{"content": {"text": "Every Monday"}}]', '{}', '{}',
            '{}', 'x', 'person', gen_random_uuid(), 'Ada', now(), 'service')`
  await db`
    insert into endpoint (workspace_id, id, url, event_types, failing_since)
    values (${workspaceId}, gen_random_uuid(), 'https://hooks.example/failing', '{post.failed}', now() - interval '16 minutes'),
           (${workspaceId}, gen_random_uuid(), 'https://hooks.example/hiccup', '{post.failed}', now())`
  await db`
    insert into endpoint (workspace_id, id, url, event_types, status, disabled_reason)
    values (${workspaceId}, gen_random_uuid(), 'https://hooks.example/off', '{post.failed}', 'disabled', 'failing'),
           (${workspaceId}, gen_random_uuid(), 'https://hooks.example/by-hand', '{post.failed}', 'disabled', 'by_hand'),
           (${workspaceId}, gen_random_uuid(), 'https://hooks.example/ended', '{post.failed}', 'disabled', 'credential_ended'),
           (${workspaceId}, gen_random_uuid(), 'https://hooks.example/right', '{post.failed}', 'disabled', 'right_lost')`
  await db`update notice_position set looked_at = '-infinity'`
  await noteTroubles(db, ends)
  await db`update notice_reader set mail_at = now() where mail_at is not null`
  await mailNotices({ db, mail, ends, onFault })
  await send()
  const [arrived] = server.arrivals.splice(0).filter(({ to }) => to === members[0]!.email)
  const { text } = arrived!
  expect(text).toContain('Channels that need attention (2):')
  expect(text).toContain('- Our shop\n  No access to this account.')
  expect(text).toMatch(/- Ends\n {2}Access ends \d+ \w+ \d{4}, \d\d:\d\d \(UTC\)\./)
  expect(text).toContain('- “Every Monday”\n  Its agent key was revoked. Paused.')
  expect(text).toContain('Webhooks that fail (3):')
  expect(text).toMatch(/\/right\n {2}It was disabled, and gets no events\./)
  expect(text).not.toMatch(/by-hand|hiccup|ended/)

  await db`update endpoint set failing_since = null, status = 'active', disabled_reason = null where workspace_id = ${workspaceId}`
  await db`delete from series where workspace_id = ${workspaceId}`
  expect(await round(...members)).toEqual([])
  await db`update channel set connection_status = 'connected', authorization_revision = 2 where id = ${channelId}`
  expect(await round(...members)).toEqual([])
  await db`update channel set connection_status = 'reconnect_required' where id = ${channelId}`
  expect((await round(...members)).map(({ subject }) => subject)).toEqual([
    '1 problem needs attention in Test',
  ])

  await db`update notice set noted_at = now() - interval '16 days' where workspace_id = ${workspaceId}`
  await pruneNotices(db, 1_000, ends)
  expect(await db`select from notice where workspace_id = ${workspaceId}`).toHaveLength(2)
  expect(await round(...members)).toEqual([])
})

test('a version that a network ends within a month is told once, with its day, of each connected channel there', async () => {
  const { workspaceId, members } = await aTeam('owner', 'editor')
  await aChannel(db, workspaceId, { provider: 'linkedin', displayName: 'Our page' })
  await aChannel(db, workspaceId, { provider: 'mastodon', displayName: 'Elsewhere' })
  const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const roundWith = async (endsOn: string) => {
    ends.splice(0, 1, { provider: 'linkedin', name: '202609', endsOn })
    await db`update notice_position set looked_at = '-infinity'`
    await noteTroubles(db, ends)
    await db`update notice_reader set mail_at = now() where mail_at is not null`
    await mailNotices({ db, mail, ends, onFault })
    await send()
    return server.arrivals.splice(0).filter(({ to }) => members.some(({ email }) => email === to))
  }
  expect(await roundWith(dayIn(33))).toEqual([])
  const arrived = await roundWith(dayIn(20))
  expect(arrived.map(({ to, subject }) => [to, subject])).toEqual([
    [members[0]!.email, '1 problem needs attention in Test'],
  ])
  expect(arrived[0]!.text).toMatch(
    /- Our page\n {2}The network ends the version of its API that Postrider uses: \d+ \w+ \d{4}, 00:00 \(UTC\)\./,
  )
  expect(await roundWith(dayIn(19))).toEqual([])
  expect(await findTroubledChannels(db, workspaceId, ends)).toMatchObject([
    { displayName: 'Our page', connected: true, accessEnds: false, version: '202609' },
  ])
  ends.splice(0)
})

test('events of rolled back and later transactions are neither told nor lost', async () => {
  const { workspaceId, members } = await aTeam('owner')
  const [slow, quick] = [
    await aPost(db, workspaceId, { states: ['scheduled'] }),
    await aPost(db, workspaceId, { states: ['scheduled'] }),
  ]
  const written = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const first = db.begin(async (tx) => {
    const moved = await tx<Change[]>`
      update destination d set status = 'failed', status_since = now() where d.id = ${slow.destinationIds[0]!}
      returning ${changeColumns(tx)}`
    await announce(tx, moved)
    written.resolve()
    await go.promise
  })
  await written.promise
  await move(workspaceId, quick.destinationIds, 'failed')
  await noteTroubles(db, ends)
  go.resolve()
  await first
  const [arrived] = await round(...members)
  expect(arrived!.subject).toBe('2 problems need attention in Test')
})

test('a person reads them in their language, and times in the zone of the workspace', async () => {
  const { workspaceId, members } = await aTeam('owner')
  await db`update person set language = 'de' where id = ${members[0]!.personId}`
  await db`update workspace set time_zone = 'Asia/Kolkata' where id = ${workspaceId}`
  const channelId = await aChannel(db, workspaceId)
  const endsAt = new Date(Date.now() + 3 * 86_400_000)
  // 22:30 in UTC is 04:00 of the next day there, all the year.
  endsAt.setUTCHours(22, 30, 0, 0)
  await db`update channel set authorization_ends_at = ${endsAt} where id = ${channelId}`
  await db`update notice_position set looked_at = '-infinity'`
  await becomes(workspaceId, 'failed')
  const [{ subject, text, html }] = (await round(...members)) as [(typeof server.arrivals)[0]]
  expect(subject).toBe('2 Probleme mit Handlungsbedarf in Test')
  expect(text).toContain('Fehlgeschlagene oder nur teilweise veröffentlichte Beiträge (1):')
  const day = new Date(endsAt.getTime() + 86_400_000)
  const [date, month] = [day.getUTCDate(), day.getUTCMonth() + 1].map((n) => String(n).padStart(2, '0'))
  expect(text).toContain(`Der Zugriff endet ${date}.${month}.${day.getUTCFullYear()}, 04:00 (Kolkata).`)
  expect(html).toContain('lang="de"')
})

test('a member chooses by kind, and each role sees what it may be told of', async () => {
  const { workspaceId } = await aWorkspace(db)
  const [editor, viewer] = [await aUser(db, site.app, 'Eva'), await aUser(db, site.app, 'Vic')]
  const editorId = await joinAs(db, workspaceId, editor, 'editor')
  await joinAs(db, workspaceId, viewer, 'viewer')
  await db`update person set password_hash = 'x' where id in (${editor.personId}, ${viewer.personId})`
  const at = `/workspaces/${workspaceId}/notices`
  const kindsOf = (body: app.NoticeSettings) => body.kinds.map(({ kind, mail: on }) => `${kind} ${on}`)
  const { body } = await editor.ask(`GET ${at}`)
  expect(body.hasMail).toBe(true)
  expect(kindsOf(body)).toEqual([
    'posts_failed false',
    'posts_checking false',
    'posts_twice false',
    'channels false',
    'series false',
  ])
  const chosen = await editor.ask(`POST ${at}`, { kind: 'posts_failed', mail: true })
  expect(chosen.status).toBe(200)
  expect(kindsOf(chosen.body)[0]).toBe('posts_failed true')
  await Promise.all([
    editor.ask(`POST ${at}`, { kind: 'channels', mail: true }),
    editor.ask(`POST ${at}`, { kind: 'series', mail: true }),
  ])
  expect(kindsOf((await editor.ask(`GET ${at}`)).body)).toEqual([
    'posts_failed true',
    'posts_checking false',
    'posts_twice false',
    'channels true',
    'series true',
  ])
  const [act] = await db`
    select subject, before, after from audit_entry where workspace_id = ${workspaceId} order by seq limit 1`
  expect(act).toMatchObject({
    subject: { memberId: editorId },
    before: { posts_failed: false },
    after: { posts_failed: true },
  })
  expect(await viewer.ask(`POST ${at}`, { kind: 'webhooks', mail: true })).toMatchObject({
    status: 403,
    body: { code: 'missing_permission', requiredPermission: 'webhooks:manage' },
  })
  expect((await editor.ask(`POST ${at}`, { kind: 'everything', mail: true })).status).toBe(400)
  await becomes(workspaceId, 'failed')
  expect(await round(editor, viewer)).toHaveLength(1)
})

test('requests for approval are mailed to those who want it', async () => {
  const { workspaceId, members } = await aTeam('owner', 'approver')
  await db`
    insert into notice_reader (workspace_id, member_id, choices, told_to)
    values (${workspaceId}, ${members[0]!.memberId}, '{"approvals": false}', 0)`
  const { postId } = await aPost(db, workspaceId)
  await anApproval(db, workspaceId, postId)
  await announceApprovals({ db, mail })
  await db`update mail set due_at = now() where kind = 'approval'`
  await send()
  const got = server.arrivals.map(({ to }) => to).filter((to) => members.some(({ email }) => email === to))
  expect(got).toEqual([members[1]!.email])
})

test('a round with nothing new writes nothing', async () => {
  await round()
  const state = () => db`select p.*, p.ctid::text, p.xmin::text, p.xmax::text from notice_position p`
  await db`update notice_position set looked_at = now()`
  const before = await state()
  await mailNotices({ db, mail, ends, onFault })
  expect(await state()).toEqual(before)
})
