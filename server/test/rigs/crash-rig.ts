import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandboxNetwork } from '@postrider/sandbox-network'
import { expect } from 'vitest'
import { addChannel } from '../../src/channels/connect-channel.ts'
import type { Db } from '../../src/platform/db.ts'
import { makeKeyring } from '../../src/platform/sealing.ts'
import { openSandboxAccount } from '../../src/sandbox/sandbox-accounts.ts'
import { sandboxConnection } from '../../src/sandbox/sandbox-channel.ts'
import { commandLineWith, type CommandRun } from './command-line.ts'
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
  /** A person's command. */
  readonly postrider: (...args: string[]) => Promise<CommandRun>
}

/** Two workspaces with two channels each, one of them blind. */
export async function openCrashRig(): Promise<CrashRig> {
  await using opened = new AsyncDisposableStack()
  const secret = randomBytes(32)
  const rig = opened.use(await openKillRig<Place>(secret))
  const network = await startSandboxNetwork({ memory: true })
  opened.defer(() => network.close())
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-crash-'))
  opened.defer(() => rm(dataDir, { recursive: true }))
  const places = await openPlaces(rig.db, network.url, secret)
  await recordStatuses(rig.db)
  const postrider = commandLineWith({
    DATABASE_URL: rig.world.databaseUrl,
    DATA_DIR: dataDir,
    SECRET_KEYS: secret.toString('base64'),
    SANDBOX_URL: network.url,
    // That nothing is there counts for a person after 4.5 seconds, long after every call of these publishers.
    LEASE_SECONDS: '5',
    PUBLISH_TIMEOUT_SECONDS: '1',
  })
  const running = opened.move()
  return {
    ...{ ...rig, places, postrider, networkUrl: network.url },
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
