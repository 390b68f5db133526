import * as contract from '@postrider/contract'
import { route, type Route } from '../operations/route.ts'
import type { Cursors } from '../operations/cursor.ts'
import type { ViewOptions } from '../posts/views.ts'

/** The routes on posts as files. What reads and writes these is loaded with the first one. */
export function importRoutes(options: ViewOptions & { readonly cursors: Cursors }): Route[] {
  return [
    route(contract.importPosts, async ({ body }, { caller, sql, audit }) => {
      const { importPosts } = await import('./import-posts.ts')
      return importPosts(sql, caller, body, { ...options, say: audit })
    }),
    route(contract.exportPosts, async ({ query }, { caller, sql }) => {
      const { exportPosts } = await import('./export-posts.ts')
      return exportPosts(sql, caller, query, options)
    }),
  ]
}
