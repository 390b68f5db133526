import type { Channel } from '@postrider/sdk'
import { channelName } from '@postrider/contract/plan'
import type { Context } from '../command.ts'
import { type Columns, table } from '../terminal.ts'

const columns: Columns<Channel> = {
  CHANNEL: channelName,
  NAME: ({ displayName }) => displayName,
  CHARACTERS: ({ maxCharacters }) => String(maxCharacters),
  GROUPS: ({ groups }) => groups.map(({ name }) => name).join(', '),
  READY: ({ publication }) => (publication.available ? 'yes' : `no: ${publication.reason ?? ''}`),
  ID: ({ channelId }) => channelId,
}

/** `postrider channels` */
export async function run({ client, answer, signal }: Context): Promise<void> {
  const channels = await client().channels({ signal })
  answer(channels, channels.length === 0 ? 'No channels.' : table(columns, channels))
}
