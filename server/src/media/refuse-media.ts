import { refuse, type Refusal } from '../operations/refusal.ts'

export function refuseMediaId(): Refusal<'not_found'> {
  return refuse('not_found', 'There is no media item under this id in this workspace.')
}
