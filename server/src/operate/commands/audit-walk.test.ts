import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startSandboxNetwork } from '@postrider/sandbox-network'
import type { DestinationStatus } from '@postrider/contract'
import type { Command } from 'commander'
import { operatorCommands } from '../../../../cli/src/operator/commands.ts'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandLineWith, silentConsole } from '../../../test/rigs/command-line.ts'
import { aChannel, anApproval, anAttempt, aPost } from '../../../test/rigs/fixtures.ts'
import { openRunningApp } from '../../../test/rigs/running-app.ts'
import { createKey } from '../../people/keys/key-store.ts'
import { upsertPerson } from '../../people/members/person-store.ts'
import { emailOf } from '../../platform/text/email-address.ts'
import { putGrant } from '../../people/apps/app-grant-store.ts'
import { announce } from '../../engine/outbox/outbox-store.ts'
import { cancel } from '../../engine/destinations/destination-store.ts'
import { openProgram } from '../../app/run.ts'

/*
 * Walks over every command of the command line: one that changes something leaves exactly one entry in the audit log, in
 * the name of the operator. A command that is added is either listed as one that only reads, or walked.
 */

const reads = [
  'access list',
  'app list',
  'approval list',
  'approval show',
  'backup verify',
  'channel check',
  'channel list',
  'key list',
  'member list',
  'member invitations',
  'restored list',
  'webhook list',
  'webhook deliveries',
  'webhook attempts',
  'workspace list',
  'workspace usage',
  'doctor networks',
  'doctor server',
]

/**
 * A restore needs an empty database, and what it suspends is confirmed after it; their entries are proven where these are.
 * A server and its migrations act for no workspace.
 */
const elsewhere = /^(access (confirm|deny)|restore|serve|migrate|mcp)$/

let scene: Awaited<ReturnType<typeof openScene>>
beforeAll(async () => (scene = await openScene()))
afterAll(() => scene.close())

async function openScene() {
  const network = await startSandboxNetwork({ memory: true })
  const running = await openRunningApp({ sandboxUrl: network.url })
  const { db, dataDir, keyring } = running
  const { workspaceId, memberId } = running.workspace
  const postrider = commandLineWith(running.env)
  async function run(...args: string[]): Promise<any> {
    const { exitCode, said, errors } = await postrider(...args, '--json')
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
    return JSON.parse(said)
  }
  const aKey = async () =>
    (await createKey(db, workspaceId, { memberId, name: 'k', permissions: [], expiresAt: null })).keyId
  const anApp = async () => {
    const named = { clientId: 'c', clientName: 'An app', clientOrigin: 'app.example' }
    const artifactGrantId = randomBytes(9).toString('hex')
    return (await putGrant(db, { workspaceId, memberId, artifactGrantId, permissions: [], ...named })).grantId
  }
  const channelId = () => aChannel(db, workspaceId, { keyring, authorization: {} })
  const post = async (state: DestinationStatus) =>
    aPost(db, workspaceId, { states: [state], channelIds: [await channelId()] })
  const asked = async () => anApproval(db, workspaceId, (await post('draft')).postId)
  const url = 'https://example.com/hook'
  const anEndpoint = async (): Promise<string> => (await run('webhook', 'create', '--url', url)).endpointId
  return {
    db,
    dataDir,
    run,
    aKey,
    anApp,
    asked,
    anEndpoint,
    workspaceId,
    channelId,
    invitation: () => [
      '--email',
      `${randomBytes(4).toString('hex')}@example.com`,
      '--role',
      'editor',
      '--deliver-by',
      'link',
    ],
    async member() {
      const memberId = uuidv7()
      const email = emailOf(`${memberId}@example.com`)
      await db`
        with person as (${upsertPerson(db, { name: 'Bob', email })})
        insert into member (workspace_id, id, person_id, role)
        select ${workspaceId}, ${memberId}, id, 'editor' from person`
      return memberId
    },
    async sandboxChannel() {
      const add = ['--handle', `a${randomBytes(4).toString('hex')}`, '--profile', 'short']
      return (await run('channel', 'add', 'sandbox', ...add)).channelId as string
    },
    /** An endpoint with an event that it has missed. */
    async delivered() {
      const endpointId = await anEndpoint()
      const { destinationIds } = await post('scheduled')
      await db.begin(async (tx) =>
        announce(tx, await cancel(tx, workspaceId, destinationIds, { type: 'person', name: 'Ada' })),
      )
      const [event] = await db<{ id: string }[]>`select id from outbox_event order by seq desc limit 1`
      return [endpointId, event!.id] as const
    },
    async doubt() {
      const { postId, destinationIds, channelIds } = await post('checking')
      await anAttempt(db, workspaceId, destinationIds[0]!, 'unknown')
      const [row] = await db<{ token: string }[]>`
        select control_token as token from destination where id = ${destinationIds[0]!}`
      return [postId, '--channel-id', channelIds[0]!, '--control-token', row!.token]
    },
    /** A file that says what is out of what is held since a restore. */
    async held() {
      const { postId, destinationIds, channelIds } = await post('checking')
      await anAttempt(db, workspaceId, destinationIds[0]!, 'unknown')
      await db`
        update attempt set evidence = '[{"by": "restore"}]' where destination_id = ${destinationIds[0]!}`
      const file = join(dataDir, 'out.txt')
      await writeFile(file, `${postId} ${channelIds[0]!} ${uuidv7()}\n`)
      return ['--published', file]
    },
    acts: () => db<{ id: string; action: string; by: string }[]>`
      select id, action, actor_type as by from audit_entry order by seq`,
    async close() {
      await running[Symbol.asyncDispose]()
      await network.close()
    },
  }
}

const writes: Record<string, [action: string, args: () => Promise<readonly string[]>]> = {
  'app limit': ['limitApp', async () => [await scene.anApp(), '--drafts-only']],
  'app revoke': ['revokeApp', async () => [await scene.anApp()]],
  'app stop': ['stopApp', async () => [await scene.anApp()]],
  'approval approve': ['decideApproval', async () => [await scene.asked()]],
  'approval reject': ['decideApproval', async () => [await scene.asked()]],
  'backup create': ['backup', async () => [join(scene.dataDir, 'all.backup')]],
  'channel add': [
    'connectSandboxChannel',
    async () => ['sandbox', '--handle', 'walker', '--profile', 'short'],
  ],
  'channel disable': ['disableChannel', async () => [await scene.channelId()]],
  'channel enable': ['enableChannel', async () => [await scene.channelId()]],
  'channel reconnect': ['reconnectSandboxChannel', async () => [await scene.sandboxChannel()]],
  'channel remove': ['removeChannel', async () => [await scene.channelId(), '--posts', 'cancel']],
  'channel rename': ['renameChannel', async () => [await scene.channelId(), '--name', 'Main']],
  'key create': ['createKey', async () => ['--name', 'bot']],
  'key limit': ['limitKey', async () => [await scene.aKey(), '--drafts-only']],
  'key revoke': ['revokeKey', async () => [await scene.aKey()]],
  'key stop': ['stopKey', async () => [await scene.aKey()]],
  'media adopt': ['adoptMedia', async () => ['--label', (await scene.run('media', 'adopt')).label]],
  'member invite': ['inviteMember', async () => scene.invitation()],
  'member remove': ['removeMember', async () => [await scene.member()]],
  'member role': ['changeMemberRole', async () => [await scene.member(), '--role', 'viewer']],
  'member uninvite': [
    'revokeInvitation',
    async () => [(await scene.run('member', 'invite', ...scene.invitation())).invitationId],
  ],
  'member reset': ['resetLink', async () => ['ada@example.com']],
  'owner link': ['ownerLink', async () => []],
  'restored resolve': ['resolveDestination', async () => scene.held()],
  resolve: [
    'resolveDestination',
    async () => [...(await scene.doubt()), '--finding', 'published', '--remote-id', uuidv7()],
  ],
  reseal: ['reseal', async () => []],
  'webhook create': ['createEndpoint', async () => ['--url', 'https://example.com/other']],
  'webhook delete': ['deleteEndpoint', async () => [await scene.anEndpoint()]],
  'webhook disable': ['disableEndpoint', async () => [await scene.anEndpoint()]],
  'webhook enable': ['enableEndpoint', async () => [await scene.anEndpoint()]],
  'webhook replay': ['replayDeliveries', async () => [(await scene.delivered())[0], '--since', '1h']],
  'webhook resend': ['resendDelivery', async () => scene.delivered()],
  'webhook rotate': ['rotateEndpointSecret', async () => [await scene.anEndpoint()]],
  'webhook test': ['testEndpoint', async () => [await scene.anEndpoint()]],
  'webhook update': ['updateEndpoint', async () => [await scene.anEndpoint(), '--description', 'new']],
  'workspace update': ['updateWorkspace', async () => ['--name', 'Renamed']],
  'workspace export': [
    'exportWorkspace',
    async () => [scene.workspaceId, join(scene.dataDir, 'a.workspace')],
  ],
  // From then on commands have to say which workspace they mean.
  'workspace create': [
    'createWorkspace',
    async () => ['--name', 'Second', '--owner-name', 'Eve', '--owner-email', 'eve@example.com'],
  ],
  'workspace unfreeze': [
    'unfreezeWorkspace',
    async () => {
      await scene.run('workspace', 'export', 'Second', join(scene.dataDir, 'b.workspace'), '--move')
      return ['Second', '--not-moved']
    },
  ],
  'workspace delete': ['deleteWorkspace', async () => ['Second', '--yes', 'Second']],
  'workspace import': ['importWorkspace', async () => [join(scene.dataDir, 'b.workspace')]],
}

function leaves(command: Command, path: readonly string[] = []): string[] {
  if (command.commands.length === 0) return [path.join(' ')]
  return command.commands.flatMap((sub) => leaves(sub, [...path, sub.name()]))
}

test('every command only reads, or is walked below', async () => {
  const program = await openProgram([], silentConsole)
  const here = leaves(program).filter((name) => !elsewhere.test(name))
  const all = [...here, ...Object.keys(operatorCommands)]
  expect([...reads, ...Object.keys(writes)].toSorted((a, b) => (a < b ? -1 : 1))).toEqual(
    all.toSorted((a, b) => (a < b ? -1 : 1)),
  )
})

test('of an endpoint the log says what it was and what it is', async () => {
  const endpointId = await scene.anEndpoint()
  const first = (await scene.acts()).length
  const url = ['--url', 'https://example.com/new?token=s3cret']
  for (const change of [
    ['update', endpointId, ...url],
    ['disable', endpointId],
    ['enable', endpointId],
  ])
    await scene.run('webhook', ...change)
  const entries = await scene.db<{ before: object; after: object }[]>`
    select before, after from audit_entry order by seq offset ${first}`
  const moved = { url: 'https://example.com/new?token=***', status: 'active' }
  expect(entries).toMatchObject([
    { before: { url: 'https://example.com/hook', status: 'active' }, after: moved },
    { before: moved, after: { ...moved, status: 'disabled' } },
    { before: { ...moved, status: 'disabled' }, after: moved },
  ])
})

/** The ids of entries: an import brings those of its workspace along. */
const seen = new Set<string>()

test.each(Object.entries(writes))('%s leaves one entry in the audit log', async (name, [action, args]) => {
  const given = await args()
  for (const { id } of await scene.acts()) seen.add(id)
  await scene.run(...name.split(' '), ...given)
  const left = (await scene.acts()).filter(({ id }) => !seen.has(id))
  expect(left).toMatchObject([{ action, by: 'operator' }])
  expect(left).toHaveLength(1)
})

test('no entry holds a secret', async () => {
  const rows = await scene.db<{ entry: string }[]>`select to_jsonb(a)::text as entry from audit_entry a`
  expect(rows.filter(({ entry }) => /pr_[0-9A-Za-z]{33}|whsec_/.test(entry))).toEqual([])
})
