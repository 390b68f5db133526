/*
 * A process that refreshes the authorization of a channel, as servers and commands do. It waits for its orders, a line of JSON on
 * its standard input, and answers with a line of JSON.
 */
import { createInterface } from 'node:readline'
import { openDb } from '../../src/platform/postgres/db.ts'
import { makeKeyring } from '../../src/platform/sealing/sealing.ts'
import { bluesky } from '../../src/networks/providers/bluesky/bluesky.ts'
import { openConnectTo } from './publishing-rig.ts'

export type RefreshOrder = {
  readonly databaseUrl: string
  /** Base64 of the key that sealed the authorization. */
  readonly secretKey: string
  readonly channel: { readonly workspaceId: string; readonly channelId: string }
  readonly connection: string
  /** Origins on this machine that may be called. */
  readonly trustedOrigins: readonly string[]
}

async function refresh(order: RefreshOrder): Promise<void> {
  const { databaseUrl, secretKey, channel, connection, trustedOrigins } = order
  const db = openDb({ url: databaseUrl, applicationName: 'refresh', max: 2 })
  const keyring = makeKeyring([Buffer.from(secretKey, 'base64')])
  const connect = openConnectTo({ db, keyring, provider: bluesky, trustedOrigins })
  const refreshed = await connect.refresh(channel, connection)
  const shown = { is: refreshed.is, connection: refreshed.is === 'authorized' ? refreshed.connection : null }
  process.stdout.write(`${JSON.stringify(shown)}\n`)
  await connect.close()
  await db.end()
  process.exit(0)
}

process.stdout.write('ready\n')
createInterface({ input: process.stdin }).once(
  'line',
  (line) => void refresh(JSON.parse(line) as RefreshOrder),
)
