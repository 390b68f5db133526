import { permissions, type Permission, type Role, roles } from '@postrider/contract/names'
import { german } from '../lib/language.ts'

const en = {
  roles: {
    owner: 'Owner',
    admin: 'Admin',
    editor: 'Editor',
    approver: 'Approver',
    viewer: 'Viewer',
  } satisfies Record<Role, string>,
  roleHints: roles as Record<Role, string>,
  permissionHints: permissions as Record<Permission, string>,
}
export type Words = typeof en

/** What all features call by the same name. */
export const terms: Words = german?.terms ?? en
