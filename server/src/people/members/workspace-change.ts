import type { ApprovalPolicyInput, LinkTags } from '@postrider/contract'
import { readPolicy } from '../../edge/operations/approval-policy.ts'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { findTimeZone } from '../../platform/text/time-zone.ts'
import type { WorkspaceChange } from './workspace-store.ts'

/** A change of settings as it is stored; a refusal when it names an unknown time zone. */
export function readChange(sent: {
  name?: string
  timeZone?: string
  allowedHours?: number
  approvalPolicy?: ApprovalPolicyInput
  linkTags?: LinkTags | null
}): WorkspaceChange | Refusal<'validation_failed'> {
  const { name, timeZone, allowedHours, approvalPolicy, linkTags } = sent
  if (timeZone !== undefined && findTimeZone(timeZone) === null) {
    const detail = `The time zone "${timeZone}" doesn't exist. Give an IANA name such as Europe/Vienna.`
    return refuse('validation_failed', detail, {
      errors: [{ pointer: '/timeZone', code: 'unknown_time_zone', detail }],
    })
  }
  const names = (linkTags?.parameters ?? []).map((parameter) => parameter.name.toLowerCase())
  const twice = names.findIndex((one, place) => names.indexOf(one) < place)
  if (twice >= 0) {
    const detail = 'The parameter is named twice. Keep one of them.'
    return refuse('validation_failed', detail, {
      errors: [{ pointer: `/linkTags/parameters/${twice}/name`, code: 'duplicate', detail }],
    })
  }
  return {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(allowedHours === undefined ? {} : { allowedHours }),
    ...(approvalPolicy === undefined ? {} : { approvalPolicy: readPolicy(approvalPolicy) }),
    ...(linkTags === undefined ? {} : { linkTags }),
  }
}
