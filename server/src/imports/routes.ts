import * as contract from '@postrider/contract'
import { route, type Route } from '../operations/route.ts'
import type { ViewOptions } from '../posts/views.ts'

/** The routes that take posts in as files. What reads these is loaded with the first one. */
export function importRoutes(options: ViewOptions): Route[] {
  return [
    route(contract.importPosts, async ({ body }, { caller, sql, audit }) => {
      const { importPosts } = await import('./import-posts.ts')
      return importPosts(sql, caller, body, { ...options, say: audit })
    }),
  ]
}
