import { writeInTransaction } from '../../edge/operations/write-transaction.ts'
import { randomBytes } from 'node:crypto'
import { presetPermissions } from '@postrider/contract'
import { insertChannel } from '../../networks/channels/channel-store.ts'
import { sealAuthorization } from '../../networks/channels/authorization.ts'
import { createKey } from '../../people/keys/key-store.ts'
import { createWorkspace, listWorkspaces } from '../../people/members/workspace-store.ts'
import { makeOwnerLink } from '../../people/sign-in/link/set-up-owner.ts'
import type { Db, Tx } from '../../platform/postgres/db.ts'
import { emailOf } from '../../platform/text/email-address.ts'
import type { Keyring } from '../../platform/sealing/sealing.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'
import { type SandboxAccount, sandboxProfiles, openSandboxAccount } from '../sandbox/sandbox-accounts.ts'
import { sandboxConnection } from '../sandbox/sandbox-channel.ts'

export type FirstStart = {
  /** The agent key; it is nowhere else. */
  key: string
  /** The secret of the link with which a person becomes the owner. */
  ownerLink: string | null
  /** A channel to try, with the public page of its account; null without a sandbox network. */
  channel: FirstChannel | null
}
export type FirstChannel = { channelId: string; pageUrl: string }

/** Where the sandbox network listens, and whether only this installation uses it. */
export type Sandbox = { url: string; own: boolean }

type Parts = {
  db: Db
  keyring: Pick<Keyring, 'seal'>
  sandbox: Sandbox | null
}

/** Any number will do, as long as every process takes the same. */
const FIRST_START_LOCK = 7_205_759_404

/**
 * Seeds an empty database: a workspace with its owner, a channel of each kind on the sandbox network, and an agent
 * key with all permissions. Null when there is a workspace already. All of it is there afterwards or nothing, also
 * when several processes start at once: the lock is held while the sandbox network is asked, so that no other process renews a
 * token which another process is about to store.
 */
export async function seedDatabase({ db, keyring, sandbox }: Parts): Promise<FirstStart | null> {
  if ((await listWorkspaces(db)).length > 0) return null
  return writeInTransaction(db, async (tx) => {
    await tx`select pg_advisory_xact_lock(${FIRST_START_LOCK})`
    if ((await listWorkspaces(tx)).length > 0) return null

    const owner = { name: 'Owner', email: emailOf('owner@localhost') }
    const { workspaceId, memberId } = await createWorkspace(tx, {
      name: 'My workspace',
      timeZone: 'UTC',
      owner,
    })
    const channels = sandbox === null ? [] : await connectAccounts(tx, keyring, workspaceId, sandbox)
    const { key } = await createKey(tx, workspaceId, {
      memberId,
      name: 'first key',
      permissions: presetPermissions,
      expiresAt: null,
    })
    return { key, ownerLink: await makeOwnerLink(tx, workspaceId), channel: channels[0] ?? null }
  })
}

/** The secret of another link for the first owner, while no person can sign in to the one workspace; else null. */
export async function renewOwnerLink(db: Db): Promise<string | null> {
  const [workspace, another] = await listWorkspaces(db)
  if (workspace === undefined || another !== undefined) return null
  return writeInTransaction(db, (tx) => makeOwnerLink(tx, workspace.workspaceId))
}

async function connectAccounts(
  tx: Tx,
  keyring: Pick<Keyring, 'seal'>,
  workspaceId: string,
  sandbox: Sandbox,
): Promise<FirstChannel[]> {
  const channels = []
  for (const profile of sandboxProfiles) {
    const account = await takeAccount(sandbox, profile)
    const channelId = uuidv7()
    const { authorization, ...connection } = sandboxConnection(workspaceId, sandbox.url, account)
    const authorizationSealed = sealAuthorization(keyring, channelId, authorization)
    await insertChannel(tx, { ...connection, channelId, authorizationSealed })
    channels.push({ channelId, pageUrl: account.url })
  }
  return channels
}

/**
 * On a network of our own, an account that has the handle while the database is empty was left over by a start that
 * died, and is taken over. On a shared one it belongs to another installation, and ours gets a free handle.
 */
async function takeAccount(
  { url, own }: Sandbox,
  profile: (typeof sandboxProfiles)[number],
): Promise<SandboxAccount> {
  const handle = own ? `my-${profile}` : `my-${profile}-${randomBytes(4).toString('hex')}`
  return openSandboxAccount(url, { handle, displayName: `My ${profile} account`, profile }, { takeOver: own })
}
