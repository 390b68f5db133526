import type { ApprovalPolicy } from '@postrider/contract'
import { Check, NumberField } from '../../ui/field.tsx'
import { words } from './words.ts'

type PolicyFieldsProps = {
  policy: ApprovalPolicy
  disabled?: boolean
  /** What the server said of a member of the policy. */
  errorOf: (member: keyof ApprovalPolicy) => string | null
  onChange: (policy: ApprovalPolicy) => void
}

/** What waits for a person, besides what is to go out at once. */
export function PolicyFields({ policy, disabled = false, errorOf, onChange }: PolicyFieldsProps) {
  return (
    <>
      <Check
        label={words.allNeedApprovalLabel}
        checked={policy.all}
        disabled={disabled}
        onChange={(all) => onChange({ ...policy, all })}
      />
      <NumberField
        label={words.soonNeedsApprovalLabel}
        value={policy.withinMinutes}
        disabled={disabled}
        error={errorOf('withinMinutes')}
        onChange={(withinMinutes) => onChange({ ...policy, withinMinutes })}
      />
      <NumberField
        label={words.firstNeedApprovalLabel}
        value={policy.firstPosts}
        disabled={disabled}
        error={errorOf('firstPosts')}
        onChange={(firstPosts) => onChange({ ...policy, firstPosts })}
      />
    </>
  )
}
