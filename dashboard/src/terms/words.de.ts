import { permissionHints, roleHints, roleNames } from '@postrider/contract/german'
import type { Words } from './words.ts'

export const de: Words = { roles: roleNames, roleHints, permissionHints }
