import type { Operation } from '@postrider/contract'
import { refuse, type Refusal } from './refusal.ts'
import type { Caller } from './route.ts'

/** What a credential may not do for want of a permission; null where it has it, or none is needed. */
export function refuseWithout(
  permission: Operation['permission'],
  { permissions: granted }: Caller['credential'],
): Refusal<'missing_permission'> | null {
  if (permission === null || granted.some((one) => one === permission)) return null
  const detail = `This credential lacks \`${permission}\`. Use one that has it, or ask an owner or admin for it.`
  return refuse('missing_permission', detail, {
    requiredPermission: permission,
    grantedPermissions: granted,
  })
}
