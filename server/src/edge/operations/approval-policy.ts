import type { ApprovalPolicy } from '@postrider/contract'
import { noApprovalPolicy } from '@postrider/contract/names'

/** What a credential is about to have published, as policies judge it. */
export type PlannedPublication = {
  /** When each of its destinations would be published; none for a draft. */
  readonly times: readonly Date[]
  /** Whether anything of it is new: content, or that it is published at all; a mere change of its time is not. */
  readonly isNew: boolean
  /** How many posts of the credential people have approved; more than the policy asks for need not be counted. */
  readonly approvedPosts: number
}

/** The policy that both ask for: whatever one of them would hold back waits. */
export function strictest(policies: readonly ApprovalPolicy[]): ApprovalPolicy {
  return {
    all: policies.some(({ all }) => all),
    withinMinutes: highest(policies.map(({ withinMinutes }) => withinMinutes)),
    firstPosts: highest(policies.map(({ firstPosts }) => firstPosts)),
  }
}

function highest(numbers: readonly (number | null)[]): number | null {
  const given = numbers.filter((number) => number !== null)
  return given.length === 0 ? null : Math.max(...given)
}

/** Whether the policy asks for anything. */
export function asksForAnything({ all, withinMinutes, firstPosts }: ApprovalPolicy): boolean {
  return all || withinMinutes !== null || firstPosts !== null
}

/** Whether a person has to approve it first: the one decision, for creates and for commands. */
export function needsApproval(
  { all, withinMinutes, firstPosts }: ApprovalPolicy,
  { times, isNew, approvedPosts }: PlannedPublication,
  now: Date,
): boolean {
  if (times.length === 0) return false
  if (isNew && all) return true
  if (isNew && firstPosts !== null && approvedPosts < firstPosts) return true
  if (withinMinutes === null) return false
  const soon = now.getTime() + withinMinutes * 60_000
  return times.some((time) => time.getTime() <= soon)
}

/** A policy as it was stored, or sent: what is not in it asks for nothing. */
export function readPolicy(stored: Partial<ApprovalPolicy>): ApprovalPolicy {
  return { ...noApprovalPolicy, ...stored }
}
