import type { Act, ActDetails } from '../../edge/operations/act.ts'
import type { ClientInfo } from './session/session-store.ts'

/** That somebody tried to sign in as a person and could not; null where it is not known as whom, which costs the same. */
export function failedSignIn(
  personId: string | null,
  { address }: ClientInfo,
  by: 'password' | 'second factor' | 'passkey' | 'oidc',
): Act {
  return {
    workspaceId: null,
    actor: { type: 'service', id: null, name: 'Postrider', personId },
    action: 'refuseSignIn',
    after: { by },
    address,
    requestId: null,
  }
}

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
