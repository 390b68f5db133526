import { refuse, type Refusal } from '../../edge/operations/refusal.ts'

export function noSuchChannel(): Refusal<'not_found'> {
  return refuse('not_found', 'Channel not found in this workspace.')
}
