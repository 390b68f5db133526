import * as contract from '@postrider/contract'
import { route, type Route } from '../platform/route.ts'
import type { Providers } from '../providers/port.ts'
import { countApprovedPosts, readCredentialDay } from './credential-day-store.ts'
import { findWorkspace } from './workspace-store.ts'
import { viewMe } from './views.ts'

/** The routes on who is asking. */
export function identityRoutes(providers: Providers): Route[] {
  return [
    route(contract.readMe, async (_, { caller, sql }) => {
      const workspace = await findWorkspace(sql, caller.workspaceId)
      if (workspace === null) throw new Error('The workspace of an authenticated caller is missing.')
      const { id, limits } = caller.credential
      const counts = limits.postsPerDay !== null
      const today = counts ? await readCredentialDay(sql, caller.workspaceId, id) : null
      const { firstPosts } = caller.credential.approval
      const approvedPosts = firstPosts === null ? 0 : await countApprovedPosts(sql, caller.workspaceId, id)
      return viewMe(caller, workspace, { today, approvedPosts, providers })
    }),
  ]
}
