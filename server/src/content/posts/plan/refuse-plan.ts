import type { ProblemCode } from '@postrider/contract'
import { refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import type { FilledPlan } from '../../templates/fill-plan.ts'
import { isError, type Issue } from '../create/plan-issues.ts'
import type { FieldError } from './publish-time.ts'

/** A plan that its schema let pass, and that still cannot be read. */
export function refuseShape(errors: readonly FieldError[]): Refusal<'validation_failed'> {
  return refuse('validation_failed', errors[0]?.detail ?? 'Something in the request is invalid.', {
    errors: [...errors],
  })
}

/** Why a plan with errors is not accepted. What is wrong with its content comes before what is wrong with its time. */
export function refuseIssues(
  issues: readonly Issue[],
): Refusal<'channel_unavailable' | 'post_not_publishable' | 'publish_time_in_past'> {
  const times = issues.filter((issue) => isError(issue) && issue.code === 'publish_at_in_past')
  return (
    refuseContent(issues) ??
    refuse('publish_time_in_past', times.map(sentence).join(' '), { issues: [...issues] })
  )
}

/** The same refusal, of a plan that was made of the request, with the places in that. */
export function placeRefusal<C extends ProblemCode>(
  { facts: { errors, issues, ...facts }, ...refusal }: Refusal<C>,
  { placeOf }: Pick<FilledPlan<unknown>, 'placeOf'>,
): Refusal<C> {
  const placed = <T extends { pointer: string }>(one: T) => ({ ...one, pointer: placeOf(one.pointer) })
  return {
    ...refusal,
    facts: {
      ...facts,
      ...(errors === undefined ? {} : { errors: errors.map(placed) }),
      ...(issues === undefined ? {} : { issues: issues.map(placed) }),
    },
  }
}

/** What is wrong with the channels themselves. */
const channelCodes = new Set<Issue['code']>(['channel_unknown', 'channel_disabled', 'group_empty'])

export function isOfChannel(code: Issue['code']): boolean {
  return channelCodes.has(code)
}

/**
 * Null when nothing is wrong but the time. A channel that is not there comes first: whatever else is wrong may be
 * different once that is right.
 */
export function refuseContent(
  issues: readonly Issue[],
): Refusal<'channel_unavailable' | 'post_not_publishable'> | null {
  const errors = issues.filter(isError)
  const facts = { issues: [...issues] }
  const channel = errors.find(({ code }) => isOfChannel(code))
  if (channel !== undefined) return refuse('channel_unavailable', sentence(channel), facts)
  const other = errors.find(({ code }) => code !== 'publish_at_in_past')
  return other === undefined ? null : refuse('post_not_publishable', sentence(other), facts)
}

/** What is wrong with the time of a command. */
export function refuseTime(issue: Issue): Refusal<'post_not_publishable' | 'publish_time_in_past'> {
  const code = issue.code === 'publish_at_in_past' ? 'publish_time_in_past' : 'post_not_publishable'
  return refuse(code, sentence(issue), { issues: [issue] })
}

function sentence({ message, fix }: Issue): string {
  return `${message} ${fix}`
}
