import type { ApprovalPolicy } from '@postrider/contract'
import { Check, NumberField } from '../../ui/field.tsx'

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
        label="Everything waits for approval"
        checked={policy.all}
        disabled={disabled}
        onChange={(all) => onChange({ ...policy, all })}
      />
      <NumberField
        label="What goes out within so many minutes waits for approval"
        value={policy.withinMinutes}
        disabled={disabled}
        error={errorOf('withinMinutes')}
        onChange={(withinMinutes) => onChange({ ...policy, withinMinutes })}
      />
      <NumberField
        label="So many first posts wait for approval"
        value={policy.firstPosts}
        disabled={disabled}
        error={errorOf('firstPosts')}
        onChange={(firstPosts) => onChange({ ...policy, firstPosts })}
      />
    </>
  )
}
