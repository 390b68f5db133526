import type { Connection } from '../channels/connect-channel.ts'
import type { SandboxGrant } from '../providers/sandbox/sandbox.ts'
import type { SandboxAccount } from './sandbox-accounts.ts'

/** What connects an account of the sandbox network to a workspace. */
export function sandboxConnection(
  workspaceId: string,
  networkUrl: string,
  { id, handle, displayName, profile, token, authorizedUntil }: SandboxAccount,
): Connection {
  const grant: SandboxGrant = { baseUrl: networkUrl, accessToken: token, accountId: id }
  const provider = `sandbox-${profile}`
  const grantEndsAt = authorizedUntil == null ? null : new Date(authorizedUntil)
  return {
    workspaceId,
    provider,
    remoteAccountId: id,
    displayName,
    handle,
    avatarUrl: null,
    grant,
    grantEndsAt,
  }
}
