import * as contract from '@postrider/contract'
import { route, type Route } from '../../edge/operations/route.ts'
import type { Providers } from '../../networks/providers/port/port.ts'
import { countApprovedPosts, readCredentialDay } from './credential-day-store.ts'
import { findWorkspace } from '../members/workspace-store.ts'
import { viewMe } from './views.ts'

/** The routes on who is asking. */
export function identityRoutes(providers: Providers): Route[] {
  return [
    route(
      contract.readMe,
      async (_, { caller, sql }) => {
        const { workspaceId } = caller
        const { id, limits, approval } = caller.credential
        const [workspace, today, approvedPosts] = await Promise.all([
          findWorkspace(sql, workspaceId),
          limits.postsPerDay === null ? null : readCredentialDay(sql, workspaceId, id),
          approval.firstPosts === null ? 0 : countApprovedPosts(sql, workspaceId, id, approval.firstPosts),
        ])
        if (workspace === null) throw new Error('The workspace of an authenticated caller is missing.')
        return viewMe(caller, workspace, { today, approvedPosts, providers })
      },
      { pipelined: true, isQuick: () => true },
    ),
  ]
}
