import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { insertInvitation } from '../src/people/members/invitation-store.ts'
import { endMembership, setRole } from '../src/people/members/member-store.ts'
import type { Tx } from '../src/platform/postgres/db.ts'
import { emailOf } from '../src/platform/text/email-address.ts'
import { openInvitation } from '../src/people/sign-in/link/accept-invitation.ts'
import { endCredentials } from '../src/app/stop-credential.ts'
import { aWorkspace } from './rigs/fixtures.ts'
import { openWorld } from './rigs/world.ts'

/*
 * Every column that may name a person, a member, a session or a credential, and what becomes of its row when that one may no longer
 * do what the row is for. A column that is added has to be answered for here: the columns come from the schema.
 */

/** It names who did something, or whose it is: nothing is done later in their name. */
const RECORD = 'a record'

/** Something is done later for them, and is asked about then: what holds it, and the tests of that. */
type Acting = { readonly asks: string; readonly tests: readonly (readonly [file: string, title: string])[] }

const answers: Record<string, typeof RECORD | Acting> = {
  // Whoever signs in, and by what: a person has no rights of their own, only those of their memberships.
  'member.person_id': RECORD,
  'person_identity.person_id': RECORD,
  'passkey.person_id': RECORD,
  'totp.person_id': RECORD,
  'recovery_code.person_id': RECORD,
  'ceremony.person_id': RECORD,
  'ceremony.session_id': RECORD,
  'one_time_link.person_id': RECORD,
  'session.person_id': {
    asks: 'the session and the membership are looked up by each request, and before each message of a live stream',
    tests: [
      ['server/test/changed-meanwhile.test.ts', 'changes nothing by %s once signed out everywhere'],
      ['server/test/changed-meanwhile.test.ts', 'changes nothing by %s once a viewer'],
      [
        'server/src/doors/live/live.test.ts',
        'is told nothing more, not even what happens in the same moment',
      ],
    ],
  },
  // Credentials: each request looks up the credential, its end, its member and their role; so do upload addresses.
  'agent_key.member_id': {
    asks: 'no credential may do more than its member, who is looked up with it; a removal revokes it',
    tests: [
      ['server/src/people/members/manage-members.test.ts', 'whoever is removed takes their keys along'],
      ['server/src/media/upload-addresses.test.ts', 'ends with the credential that asked for it'],
      ['server/src/media/upload-addresses.test.ts', 'and with its permission'],
    ],
  },
  'oauth_grant.member_id': {
    asks: 'the same as of agent keys',
    tests: [
      ['server/src/people/apps/oauth.test.ts', 'the apps of whoever is removed are cut off'],
      ['server/src/media/upload-addresses.test.ts', 'ends with the grant of an app, too'],
    ],
  },
  'endpoint.credential_id': {
    asks: 'a claim of deliveries asks whether the credential and its member may have the events of all posts; if not, it is disabled and told',
    tests: [
      ['server/src/engine/webhooks/own-endpoints.test.ts', 'an endpoint is sent nothing once %s'],
      ['server/src/engine/webhooks/own-endpoints.test.ts', 'a credential that expires loses its endpoints'],
      [
        'server/src/engine/webhooks/own-endpoints.test.ts',
        'is limited to some posts afterwards has its endpoints disabled',
      ],
      ['server/src/attention/notices/notices.test.ts', 'channels, series and webhooks are told of once'],
    ],
  },
  'series.maker_id': {
    asks: 'each occurrence is made by whoever the series posts for, with what they may do then; else it is paused and told',
    tests: [
      [
        'server/src/content/series/series.test.ts',
        'a person who made a series posts for as long as they may',
      ],
    ],
  },
  'connect_flow.actor': {
    asks: 'whoever began it has to be allowed to connect accounts when the browser comes back',
    tests: [['server/src/accounts/connect/connect.test.ts', 'nothing is connected once they have %s']],
  },
  'invitation.invited_by': {
    asks: 'a link is good while whoever sent it is a member who may give that role',
    tests: [['server/test/present-rights.test.ts', 'an invitation is good no longer once its sender %s']],
  },
  // A mail is written when it is sent, and to whom may decide then.
  'approval_told.person_id': RECORD,
  'approval_told.approval_id': RECORD,
  'approval_told.mail_id': RECORD,
  'bulk_run.member_id': {
    asks: 'each post is done with what the member may do then; a run whose member may not any more stops, and says so',
    tests: [
      ['server/src/content/bulk/bulk-runs.test.ts', 'it stops in the middle once its member is %s'],
      [
        'server/src/content/bulk/decision-runs.test.ts',
        'it stops in the middle once its member may no longer decide',
      ],
    ],
  },
  'bulk_run_item.run_id': RECORD,
  'bulk_run_item.approval_id': RECORD,
  'notice_reader.member_id': {
    asks: 'a mail is written anew when it is sent, for the role of then',
    tests: [
      [
        'server/src/attention/notices/notices.test.ts',
        'who was removed, has another role, or chose otherwise by then',
      ],
    ],
  },
  // What was planned stays planned: it is the workspace's. To stop a credential cancels it.
  'destination.planned_by_id': {
    asks: 'nothing: what a member or a credential was allowed to plan is published, unless the credential is stopped',
    tests: [
      ['server/src/app/stop-credential.test.ts', 'stopping a key revokes it and cancels what it planned'],
    ],
  },
  'post.created_by_id': RECORD,
  'approval.decided_by': RECORD,
  'ai_generation.credential_id': RECORD,
  'audit_entry.actor_id': RECORD,
  'audit_entry.person_id': RECORD,
}

/** Ids of things. */
const THINGS =
  /^(workspace|post|destination|channel|attempt|endpoint|event|series|media_storage|installation|request|probe|subject|after_workspace|after_channel)_id$/
/** Ids of processes, and of a call. */
const OTHERS = new Set([
  'destination.leased_by',
  'publication.leased_by',
  'attempt.key',
  // A process.
  'audit_stream.holder',
])

type Change = (tx: Tx, workspaceId: string, memberId: string) => Promise<unknown>

test.each<[string, Change]>([
  ['is an editor', (tx, workspaceId, memberId) => setRole(tx, workspaceId, memberId, 'editor')],
  ['is removed', (tx, workspaceId, memberId) => endMembership(tx, workspaceId, memberId, endCredentials)],
])('an invitation is good no longer once its sender %s', async (_, change) => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId, memberId: invitedBy } = await aWorkspace(db)
  const invitation = {
    workspaceId,
    email: emailOf('new@example.com'),
    role: 'viewer',
    invitedBy,
    byMail: true,
  } as const
  const { secret } = await db.begin((tx) => insertInvitation(tx, invitation))
  expect(await openInvitation(db, secret)).toMatchObject({ is: 'good' })
  await db.begin((tx) => change(tx, workspaceId, invitedBy))
  expect(await openInvitation(db, secret)).toMatchObject({ refused: 'link_not_valid' })
})

test('every column that names somebody has an answer', async () => {
  await using world = await openWorld()
  const rows = await world.db<{ table: string; column: string; ofSomebody: boolean }[]>`
    select t.relname as table, a.attname as column, exists (
             select from pg_constraint k
             join   pg_class f on f.oid = k.confrelid
             where  k.conrelid = t.oid and k.contype = 'f' and a.attnum = any(k.conkey) and a.attname <> 'workspace_id'
             and    f.relname in ('person', 'member', 'session', 'agent_key', 'oauth_grant')) as "ofSomebody"
    from   pg_class t
    join   pg_namespace n on n.oid = t.relnamespace and n.nspname = 'public'
    join   pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    where  t.relkind = 'r'
    and    (a.atttypid = 'uuid'::regtype or (a.atttypid = 'jsonb'::regtype and a.attname ~ '(actor|owner|maker|_by)'))
    and    a.attname <> 'id'`
  const naming = rows
    .filter(({ column, ofSomebody }) => ofSomebody || !THINGS.test(column))
    .map(({ table, column }) => `${table}.${column}`)
    .filter((name) => !OTHERS.has(name))
  expect(naming.toSorted()).toEqual(Object.keys(answers).toSorted())
})

const tests = Object.entries(answers).flatMap(([column, answer]) =>
  answer === RECORD ? [] : answer.tests.map(([file, title]) => [column, file, title] as const),
)
test.each(tests)('%s is asked about, as %s holds: “%s”', async (_, file, title) => {
  const text = await readFile(join(import.meta.dirname, '../..', file), 'utf8')
  expect(text.includes(title)).toBe(true)
})
