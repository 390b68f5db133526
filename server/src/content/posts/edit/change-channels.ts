import type { Answer, changeChannels as operation, Input, RefusalCode } from '@postrider/contract'
import type { Actor } from '../../../edge/operations/actor.ts'
import type { Refusal } from '../../../edge/operations/refusal.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { PostKey } from '../read-post.ts'
import { refuseShape } from '../plan/refuse-plan.ts'
import { revisePost } from './revise-post.ts'
import type { ViewOptions } from '../views.ts'

const IN_REQUEST = { targets: '/add', cancel: (place: number) => `/remove/${place}` }

/** Adds channels to a post and takes others from it, of which nothing has begun. */
export async function changeChannels(
  tx: Tx,
  key: PostKey,
  { editToken, add = [], remove = [] }: Input<typeof operation>['body'],
  actor: Actor,
  options: ViewOptions,
): Promise<Answer<typeof operation> | Refusal<RefusalCode<typeof operation>>> {
  if (add.length + remove.length === 0) {
    const detail = 'Say which channels to `add`, or to `remove`.'
    return refuseShape([{ pointer: '/add', code: 'required', detail }])
  }
  const cancel = remove.map((channelId) => ({ channelId }))
  return revisePost(tx, key, { editToken, targets: add, cancel, at: IN_REQUEST }, actor, options)
}
