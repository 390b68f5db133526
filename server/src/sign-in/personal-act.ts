import type { Act, ActDetails } from '../operations/act.ts'
import type { ClientInfo } from './session-store.ts'

/** What a person does about themselves, for the audit log. */
export function personalAct(
  { personId, name }: { personId: string; name: string },
  { address }: ClientInfo,
  action: string,
  details: ActDetails = {},
): Act {
  const actor = { type: 'person', id: personId, name, personId } as const
  return { ...details, workspaceId: null, actor, action, address, requestId: null }
}
