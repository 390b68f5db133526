import type { app, Input } from '@postrider/contract'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import { nameKey, storedName } from '../../platform/text/name-key.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'
import { findChannels } from './channel-store.ts'
import {
  type GroupKey,
  type GroupRow,
  insertGroup,
  lockGroup,
  lockGroupNamed,
  updateGroup,
} from './group-store.ts'

type Options = Partial<Input<typeof app.createChannelGroup>['body']>
type Unfit = Refusal<'validation_failed' | 'already_exists'>

/** Makes a group of channels that the workspace has. */
export async function createGroup(
  tx: Tx,
  workspaceId: string,
  { name: sent, channelIds }: Input<typeof app.createChannelGroup>['body'],
): Promise<GroupRow | Unfit> {
  const unknown = await refuseUnknown(tx, workspaceId, channelIds)
  if (unknown !== null) return unknown
  const group = { groupId: uuidv7(), name: storedName(sent), channelIds }
  const key = { workspaceId, groupId: group.groupId }
  const isNew = await insertGroup(tx, key, { ...group, nameKey: nameKey(group.name) })
  return isNew ? group : refuseName(group.name)
}

/** Renames a group, or gives it other channels: what it was before, and what it is now. Posts that exist stay as they are. */
export async function changeGroup(
  tx: Tx,
  key: GroupKey,
  options: Options,
): Promise<{ before: GroupRow; after: GroupRow } | Unfit | Refusal<'not_found'>> {
  const before = await lockGroup(tx, key)
  if (before === null) return refuseGroupId()
  const unknown = await refuseUnknown(tx, key.workspaceId, options.channelIds ?? [])
  if (unknown !== null) return unknown
  const name = options.name === undefined ? before.name : storedName(options.name)
  if (await lockGroupNamed(tx, key, nameKey(name))) return refuseName(name)
  const after = { ...before, name, channelIds: options.channelIds ?? before.channelIds }
  await updateGroup(tx, key, { ...after, nameKey: nameKey(name) })
  return { before, after }
}

export function refuseGroupId(): Refusal<'not_found'> {
  return refuse('not_found', 'Channel group not found in this workspace.')
}

function refuseName(name: string): Refusal<'already_exists'> {
  return refuse('already_exists', `There is a group called “${name}” already. Choose another name.`, {
    errors: [{ pointer: '/name', code: 'already_exists', detail: 'Another group has this name.' }],
  })
}

async function refuseUnknown(
  sql: Sql,
  workspaceId: string,
  channelIds: readonly string[],
): Promise<Refusal<'validation_failed'> | null> {
  const { channels } = await findChannels(sql, workspaceId, channelIds)
  const place = channelIds.findIndex((id) => !channels.has(id))
  if (place < 0) return null
  const detail = `The workspace has no channel ${channelIds[place]}.`
  return refuse('validation_failed', detail, {
    errors: [{ pointer: `/channelIds/${place}`, code: 'channel_unknown', detail }],
  })
}
