import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { ROOT } from '../../platform/process/product-files.ts'

/** Where browsers get the script of the pages with passkeys. */
export const PASSKEY_SCRIPT = '/passkeys.js'

/** Serves that script, from a file of ours. */
export function mountPasskeyScript(app: FastifyInstance): void {
  app.route({
    method: 'GET',
    url: PASSKEY_SCRIPT,
    onRequest: async (request) => {
      request.operationId = 'passkeyScript'
    },
    handler: async (_request, reply) =>
      reply
        .header('content-type', 'text/javascript; charset=utf-8')
        .header('cache-control', 'no-cache')
        .header('cross-origin-resource-policy', 'same-origin')
        .send(await readFile(join(ROOT, 'server/src/people/pages/passkeys.js'))),
  })
}
