import * as contract from '@postrider/contract'
import { preparedRoute, route, type Route } from '../../edge/operations/route.ts'
import type { Cursors } from '../../edge/operations/cursor.ts'
import type { ViewOptions } from '../posts/views.ts'
import type { FileReader } from './file-reader.ts'

export type ImportOptions = ViewOptions & {
  readonly cursors: Cursors
  readonly reader: FileReader
}

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
      // A batch of so many is one write, too.
      { writesOf: ({ posts }) => Math.ceil(posts.length / contract.MOST_IN_BATCH) },
    ),
    route(
      contract.exportPosts,
      async ({ query }, { caller, sql, audit }) => {
        const { exportPosts } = await import('./export-posts.ts')
        audit({ after: { ...query } })
        return exportPosts(sql, caller, query, options)
      },
      // It changes nothing, and takes all of a workspace's posts out of it.
      { audited: true },
    ),
  ]
}
