import * as contract from '@postrider/contract'
import { preparedRoute, route, type Route } from '../operations/route.ts'
import type { Cursors } from '../operations/cursor.ts'
import type { ViewOptions } from '../posts/views.ts'
import type { FileReader } from './file-reader.ts'

export type ImportOptions = ViewOptions & { readonly cursors: Cursors; readonly reader: FileReader }

/** The routes on posts as files. What reads and writes these is loaded with the first one. */
export function importRoutes(options: ImportOptions): Route[] {
  return [
    preparedRoute(
      contract.importPosts,
      async ({ body }, context) => {
        const { readImport } = await import('./import-posts.ts')
        return readImport(context, body, options.reader)
      },
      async ({ body }, { caller, sql, audit }, read) => {
        const { importPosts } = await import('./import-posts.ts')
        return importPosts(sql, caller, body, read, { ...options, say: audit })
      },
    ),
    route(contract.exportPosts, async ({ query }, { caller, sql }) => {
      const { exportPosts } = await import('./export-posts.ts')
      return exportPosts(sql, caller, query, options)
    }),
  ]
}
