import { refuse, type Refusal } from '../edge/operations/refusal.ts'

export function refuseMediaId(): Refusal<'not_found'> {
  return refuse('not_found', 'Media item not found in this workspace.')
}
