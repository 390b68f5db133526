import { randomBytes } from 'node:crypto'
import { startSandboxNetwork } from '@postrider/sandbox-network'
import { expect } from 'vitest'
import { addChannel } from '../../src/networks/channels/connect-channel.ts'
import { resumeChannel } from '../../src/engine/destinations/resume-channel.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import { makeKeyring } from '../../src/platform/sealing/sealing.ts'
import { openSandboxAccount, renewSandboxAccount } from '../../src/accounts/sandbox/sandbox-accounts.ts'
import { sandboxConnection } from '../../src/accounts/sandbox/sandbox-channel.ts'
import { aWorkspace } from './fixtures.ts'
import { openKillRig, type ChannelPlace, type KillRig, type Subject as SubjectAt } from './kill-rig.ts'

/** A channel with its account at the network. */
export type Place = ChannelPlace & {
  accountId: string
  handle: string
  /** Looks at this account are never answered: what is in doubt there, only a person can settle. */
  blind: boolean
}

export type Subject = SubjectAt<Place>

/** One sandbox network beside the rest. Whoever opens it disposes of it. */
export type CrashRig = KillRig<Place> & {
  readonly networkUrl: string
  readonly places: readonly Place[]
  /** A person connects an account again that the network no longer lets in. */
  readonly reconnect: (workspaceId: string, accountId: string) => Promise<void>
}

/** Two workspaces with two channels each, one of them blind. */
export async function openCrashRig(): Promise<CrashRig> {
  await using opened = new AsyncDisposableStack()
  const secret = randomBytes(32)
  const rig = opened.use(await openKillRig<Place>(secret))
  const network = await startSandboxNetwork({ memory: true })
  opened.defer(() => network.close())
  const places = await openPlaces(rig.db, network.url, secret)
  await recordStatuses(rig.db)
  const keyring = makeKeyring([secret])
  const reconnect = async (workspaceId: string, accountId: string) => {
    const account = await renewSandboxAccount(network.url, accountId)
    const connection = sandboxConnection(workspaceId, network.url, account)
    const { channelId } = await addChannel(rig.db, keyring, connection)
    await resumeChannel(rig.db, workspaceId, channelId)
  }
  const running = opened.move()
  return {
    ...rig,
    places,
    reconnect,
    networkUrl: network.url,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function openPlaces(db: Db, networkUrl: string, secret: Buffer): Promise<Place[]> {
  const keyring = makeKeyring([secret])
  const places: Place[] = []
  for (const name of ['one', 'two']) {
    const workspace = await aWorkspace(db)
    const { workspaceId } = workspace
    for (const profile of ['short', 'professional'] as const) {
      const handle = `${name}_${profile}`
      const account = await openSandboxAccount(
        networkUrl,
        { handle, displayName: name, profile },
        { takeOver: false },
      )
      const { channelId } = await addChannel(db, keyring, sandboxConnection(workspaceId, networkUrl, account))
      places.push({ workspace, channelId, accountId: account.id, handle, blind: places.length === 3 })
    }
  }
  const blind = places.find((place) => place.blind)!
  const plan = { fault: { kind: 'outage' }, match: { accountId: blind.accountId, calls: 'read' } }
  const answer = await fetch(`${networkUrl}/control/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...plan, times: 'always' }),
  })
  expect(answer.status).toBe(201)
  return places
}

/** Has the database itself write down every status that a destination enters: the truth that events are held against. */
async function recordStatuses(db: Db): Promise<void> {
  await db`
    create table status_history (
      seq bigint generated always as identity, destination_id uuid not null, status text not null, wait text, out int)`
  await db`
    create function record_status() returns trigger language plpgsql as 'begin
      insert into status_history (destination_id, status, wait, out)
      select new.id, new.status, new.announced_wait, count(*)
      from   part where destination_id = new.id and part.status = ''published'';
      return null;
    end'`
  await db`create trigger status_first after insert on destination for each row execute function record_status()`
  await db`
    create trigger status_entered after update on destination for each row
    when (old.status <> new.status or old.control_token <> new.control_token) execute function record_status()`
}
