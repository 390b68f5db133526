import type { Me } from '@postrider/contract'
import type { Caller } from '../platform/route.ts'
import type { Providers } from '../providers/port.ts'
import type { Workspace } from './workspace-store.ts'

/** The caller as the API shows it. */
export function viewMe({ credential, member }: Caller, workspace: Workspace, providers: Providers): Me {
  if (credential.type === 'person') throw new Error('The Agent API knows credentials, and not people.')
  return {
    workspace: { id: workspace.workspaceId, name: workspace.name, timeZone: workspace.timeZone },
    credential: {
      type: credential.type,
      name: credential.name,
      permissions: [...credential.permissions],
      expiresAt: credential.expiresAt?.toISOString() ?? null,
    },
    user: { id: member.id, name: member.name, email: member.email },
    providers: [...providers.values()].map(({ provider, displayName, limits, supports, settings }) => ({
      provider,
      displayName,
      maxCharacters: limits.maxCharacters,
      characterCounting: limits.characterCounting,
      supports: { ...supports },
      settings: { ...settings },
    })),
  }
}
