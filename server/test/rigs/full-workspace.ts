import { randomBytes, randomUUID } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { destinationStatusNames } from '@postrider/contract/names'
import { putGrant } from '../../src/people/apps/app-grant-store.ts'
import { createKey } from '../../src/people/keys/key-store.ts'
import { upsertPerson } from '../../src/people/members/person-store.ts'
import { announce } from '../../src/engine/outbox/outbox-store.ts'
import { createEndpoint } from '../../src/engine/webhooks/manage-endpoints.ts'
import { recordAct } from '../../src/people/audit/audit-store.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import type { Keyring } from '../../src/platform/sealing/sealing.ts'
import { emailOf } from '../../src/platform/text/email-address.ts'
import { aChannel, aGroup, anApproval, anAttempt, aPost, aWorkspace, type AWorkspace } from './fixtures.ts'
import { aChange, anywhere } from './webhook-world.ts'

export type FullWorkspace = AWorkspace & {
  readonly channelIds: readonly string[]
  readonly endpointId: string
  readonly key: string
  readonly keyId: string
}

/** A workspace with a row in every table that has rows of workspaces, but of what is only there for a moment, and posts in every status. */
export async function aFullWorkspace(db: Db, keyring: Keyring): Promise<FullWorkspace> {
  const made = await aWorkspace(db)
  const { workspaceId, memberId } = made
  const sealed = { keyring, authorization: { accessToken: 'a token' } }
  const channelIds = [await aChannel(db, workspaceId, sealed), await aChannel(db, workspaceId, sealed)]
  await aGroup(db, workspaceId, channelIds)
  const [bob] = await db<{ id: string }[]>`
    with bob as (${upsertPerson(db, { name: 'Bob', email: emailOf('bob@example.com') })})
    insert into member (workspace_id, id, person_id, role) select ${workspaceId}, ${uuidv7()}, id, 'approver' from bob
    returning id`
  const { key, keyId } = await createKey(db, workspaceId, {
    memberId,
    name: 'k',
    permissions: ['posts:read'],
    expiresAt: null,
  })
  const artifactGrantId = randomBytes(9).toString('hex')
  const app = { clientId: 'c', clientName: 'An app', clientOrigin: 'app.example' }
  await putGrant(db, { workspaceId, memberId, artifactGrantId, permissions: [], ...app })
  await db`
    insert into oauth_artifact (model, id_hash, payload, grant_hash)
    select 'AccessToken', ${randomBytes(32)}, '{}', grant_hash from oauth_grant where workspace_id = ${workspaceId}`

  const endpoint = await createEndpoint({ db, keyring, rules: anywhere }, workspaceId, {
    url: 'https://hooks.example.com/',
    description: '',
    eventTypes: ['post.published', 'post.failed', 'post.recovery_required'],
  })
  if ('refused' in endpoint) throw new Error(endpoint.refused)
  const { endpointId } = endpoint.endpoint
  await db.begin((tx) => announce(tx, [aChange(workspaceId, 'published'), aChange(workspaceId, 'failed')]))
  await db`
    insert into delivery_attempt (workspace_id, endpoint_id, event_id, round, number, error)
    select workspace_id, endpoint_id, event_id, 1, 1, 'timeout' from delivery where workspace_id = ${workspaceId} limit 1`

  for (const status of destinationStatusNames) {
    const { destinationIds } = await aPost(db, workspaceId, {
      states: [status],
      texts: ['Hello', 'and more'],
      channelIds: [channelIds[0]!],
    })
    if (status === 'checking') await anAttempt(db, workspaceId, destinationIds[0]!, 'unknown')
    // One channel publishes one at a time, and this one is a worker's that is gone.
    if (status === 'publishing') await anAttempt(db, workspaceId, destinationIds[0]!, null)
  }
  const { postId, destinationIds } = await aPost(db, workspaceId, {
    states: ['draft'],
    channelIds: [channelIds[1]!],
  })
  const approvalId = await anApproval(db, workspaceId, postId)
  await db.begin(async (tx) => {
    await tx`insert into post_label (workspace_id, label_key, post_id, label) values (${workspaceId}, 'a', ${postId}, 'A')`
    await tx`
      insert into post_search (workspace_id, post_id, folded) values (${workspaceId}, ${postId}, '{hello}') on conflict do nothing`
    await tx`
      insert into unindexed_post (workspace_id, post_id, folded)
      values (${workspaceId}, ${uuidv7()}, '{hello}') on conflict do nothing`
    await tx`
      insert into network_draft (workspace_id, destination_id, name, attempt_id)
      values (${workspaceId}, ${destinationIds[0]!}, 'video:7', ${uuidv7()})`
    await tx`
      insert into late_post (workspace_id, destination_id, part_index, attempt_id, remote_id)
      values (${workspaceId}, ${destinationIds[0]!}, 0, ${uuidv7()}, '7')`
    await tx`
      insert into approval_told (workspace_id, approval_id, person_id, mail_id)
      select ${workspaceId}, ${approvalId}, person_id, ${uuidv7()} from member
      where  workspace_id = ${workspaceId} and id = ${bob!.id}`
    const seriesId = uuidv7()
    await tx`
      insert into series (workspace_id, id, definitions, channel_ids, label_keys, media_ids, edit_token, maker_type, maker_id, maker_name)
      values (${workspaceId}, ${seriesId}, '[]', ${[...channelIds]}::uuid[], '{}', '{}', 't', 'person', ${memberId}, 'Ada')`
    await tx`
      insert into series_occurrence (workspace_id, series_id, date, status) values (${workspaceId}, ${seriesId}, '2027-01-01', 'skipped')`
    await tx`
      insert into template (workspace_id, id, name, name_key, content, channel_ids, labels, label_keys, media_ids, edit_token)
      values (${workspaceId}, ${uuidv7()}, 'T', 't', '{}', '{}', '{}', '{}', '{}', 't')`
    const runId = uuidv7()
    await tx`
      insert into bulk_run (workspace_id, id, member_id, action, status, look_at)
      values (${workspaceId}, ${runId}, ${memberId}, 'cancel', 'running', now() + interval '1 hour')`
    await tx`
      insert into bulk_run_item (workspace_id, run_id, place, post_id, edit_token)
      values (${workspaceId}, ${runId}, 0, ${postId}, 't')`
    await tx`
      insert into media_item (workspace_id, id, kind, content_type, size_bytes, sha256, storage_key)
      values (${workspaceId}, ${uuidv7()}, 'image', 'image/png', 1, ${randomBytes(32)}, ${`${workspaceId}/${randomUUID()}`})`
    await tx`
      insert into ai_generation (workspace_id, id, operation, key, fingerprint, credential_id, model, status, settled_at)
      values (${workspaceId}, ${uuidv7()}, 'generatePostDrafts', 'k', '', ${keyId}, 'm', 'succeeded', now())`
    await tx`
      insert into notice_reader (workspace_id, member_id, told_to, mail_at) values (${workspaceId}, ${memberId}, 7, now())`
    await tx`
      insert into notice (workspace_id, kind, subject_id, mark, tell_at)
      values (${workspaceId}, 'channels', ${channelIds[0]!}, '', now())`
    await tx`
      insert into idempotency_record (workspace_id, operation, key, fingerprint, http_status, body)
      values (${workspaceId}, 'createPost', 'a key', '', 201, '{}')`
    await tx`
      insert into invitation (workspace_id, id, token_hash, email, role, by_mail, invited_by, expires_at)
      values (${workspaceId}, ${uuidv7()}, ${randomBytes(32)}, 'eve@example.com', 'editor', false, ${memberId}, now() + interval '1 day')`
    await tx`
      insert into network_outage (origin, workspace_id, probe_at) values ('https://network.example', ${workspaceId}, now())`
    await tx`
      insert into network_failure (origin, workspace_id, channel_id) values ('https://network.example', ${workspaceId}, ${channelIds[0]!})`
    await tx`insert into network_recovery (origin, workspace_id) values ('https://network.example', ${workspaceId})`
    await tx`
      insert into event_feed_start (workspace_id, seq, event_id) values (${workspaceId}, 1, ${uuidv7()})`
    await tx`
      insert into connect_flow (id, workspace_id, provider, actor, link_hash, expires_at)
      values (${uuidv7()}, ${workspaceId}, 'x', '{}', ${randomBytes(32)}, now() + interval '1 hour')`
    await tx`
      insert into one_time_link (token_hash, kind, person_id, workspace_id, expires_at)
      select ${randomBytes(32)}, 'owner', person_id, ${workspaceId}, now() + interval '1 hour' from member where id = ${memberId}`
    await tx`insert into media_file (workspace_id, storage_key) select workspace_id, storage_key from media_item where workspace_id = ${workspaceId}`
  })
  const [ada] = await db<
    { personId: string }[]
  >`select person_id as "personId" from member where id = ${memberId}`
  await recordAct(db, {
    workspaceId,
    actor: { type: 'person', id: ada!.personId, name: 'Ada', personId: ada!.personId },
    action: 'createPost',
    address: null,
    requestId: null,
  })
  return { ...made, channelIds, endpointId, key, keyId }
}
