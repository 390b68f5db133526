import type { app, ApprovalPolicy, CredentialLimits, Me } from '@postrider/contract'
import { latestPublishAt } from '../../edge/operations/credential-limits.ts'
import type { Caller } from '../../edge/operations/route.ts'
import type { Providers } from '../../networks/providers/port/port.ts'
import type { CredentialDay } from './credential-day-store.ts'
import type { AgentKey } from './key-store.ts'
import type { Workspace } from '../members/workspace-store.ts'

/** The caller as the API shows it. */
export function viewMe(
  { credential, member }: Caller,
  workspace: Workspace,
  {
    today,
    approvedPosts,
    providers,
  }: { today: CredentialDay | null; approvedPosts: number; providers: Providers },
): Me {
  if (credential.type === 'person') throw new Error('The Agent API knows credentials, and not people.')
  return {
    workspace: {
      id: workspace.workspaceId,
      name: workspace.name,
      timeZone: workspace.timeZone,
      linkTags: workspace.linkTags,
    },
    credential: {
      type: credential.type,
      name: credential.name,
      permissions: [...credential.permissions],
      expiresAt: credential.expiresAt?.toISOString() ?? null,
      limits: viewLimits(credential.limits, today),
      approval: viewPolicy(credential.approval, approvedPosts),
    },
    user: { id: member.id, name: member.name, email: member.email },
    providers: [...providers.values()].map(({ provider, displayName, limits, supports, settings }) => ({
      provider,
      displayName,
      maxCharacters: limits.maxCharacters,
      characterCounting: limits.characterCounting,
      supports: { ...supports, firstComment: supports.firstComment ?? false },
      settings: { ...settings },
    })),
  }
}

function viewPolicy(policy: ApprovalPolicy, approvedPosts: number) {
  const { firstPosts } = policy
  const firstPostsLeft = firstPosts === null ? null : Math.max(0, firstPosts - approvedPosts)
  return { ...policy, firstPostsLeft }
}

function viewLimits(limits: CredentialLimits, today: CredentialDay | null) {
  const { channelIds, label, postsPerDay, publishWithinHours, draftsOnly, networks } = limits
  const now = today?.now ?? new Date()
  return {
    channelIds,
    label,
    postsPerDay,
    publishWithinHours,
    draftsOnly,
    networks,
    latestPublishAt: latestPublishAt(limits, now)?.toISOString() ?? null,
    postsLeftToday: postsPerDay === null ? null : Math.max(0, postsPerDay - (today?.posts ?? 0)),
    dayEndsAt: today?.endsAt.toISOString() ?? null,
  }
}

/** An agent key as those who manage keys see it. */
export function viewKey(key: AgentKey): app.KeyView {
  const { keyId, name, hint, permissions, limits, owner } = key
  return {
    keyId,
    name,
    hint,
    permissions,
    limits,
    owner,
    expiresAt: key.expiresAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    createdAt: key.createdAt.toISOString(),
  }
}
