import type { ApprovalPolicy } from './approval-policy.ts'
import type { CredentialLimits } from './limits.ts'

export const noApprovalPolicy: ApprovalPolicy = { all: false, withinMinutes: null, firstPosts: null }

export const noLimits: CredentialLimits = {
  channelIds: null,
  label: null,
  postsPerDay: null,
  publishWithinHours: null,
  draftsOnly: false,
  networks: null,
  approval: null,
}

/** A limit that a request may exceed. What waits for approval is not refused. */
export type LimitName = Exclude<keyof CredentialLimits, 'approval'>

/** The limits by the names that a refusal gives them. */
export const limitNames = Object.keys(noLimits).filter((name) => name !== 'approval') as LimitName[]
