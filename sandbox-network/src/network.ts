import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { addApiRoutes } from './api-routes.ts'
import { send } from './answering.ts'
import { addControlRoutes } from './control-routes.ts'
import { addPageRoutes } from './page-routes.ts'
import { refuse } from './refusals.ts'
import { renderError } from './request-errors.ts'
import { openStore } from './store.ts'
import { startCounters } from './counters.ts'
import type { World } from './world.ts'

export type SandboxNetworkOptions = {
  /** 0 or absent: any free port. */
  port?: number
  /** Default 127.0.0.1. The control API asks for no credential: bind elsewhere only on a closed network. */
  host?: string
  /** The address under which posts are public, when it is not the listening one. */
  publicBaseUrl?: string
  /** The clock, in milliseconds of Unix time; for tests. */
  now?: () => number
} & ({ dataDir: string } | { memory: true })

export type SandboxNetwork = { url: string; close(): Promise<void> }

/**
 * Starts the network and resolves once it listens. `close` drops open connections, answered or not.
 * Rejects when the port is taken or another process has the data open.
 */
export async function startSandboxNetwork(options: SandboxNetworkOptions): Promise<SandboxNetwork> {
  const store = openStore('dataDir' in options ? options.dataDir : null)
  const stop = new AbortController()
  const host = options.host ?? '127.0.0.1'
  let baseUrl = options.publicBaseUrl?.replace(/\/+$/, '') ?? ''
  const world: World = {
    store,
    counters: startCounters(),
    baseUrl: () => baseUrl,
    ownNames: () => [host, URL.parse(baseUrl)?.hostname ?? ''],
    nowMs: options.now ?? Date.now,
    stopping: stop.signal,
  }
  const app = await buildApp(world)
  app.addHook('onClose', () => store.close())
  app.addHook('preClose', () => stop.abort())
  try {
    const url = await app.listen({ port: options.port ?? 0, host })
    if (baseUrl === '') baseUrl = url
    return { url, close: () => app.close() }
  } catch (error) {
    await app.close()
    throw error
  }
}

async function buildApp(world: World): Promise<FastifyInstance> {
  const app = Fastify({
    forceCloseConnections: true,
    // Defaults would drop unknown fields and turn numbers into text: both hide a client's mistake.
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false, discriminator: true } },
  })
  readBodiesAsJsonOrFiles(app)
  app.setErrorHandler(renderError)
  addApiRoutes(app, world)
  await app.register(async (control) => addControlRoutes(control, world), { prefix: '/control' })
  addPageRoutes(app, world)
  app.setNotFoundHandler((_request, reply) => send(reply, refuse('not_found')))
  return app
}

/** An absent JSON body reads as an empty object, so that commands without fields need none. */
function readBodiesAsJsonOrFiles(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, {})
    else void parseJson(request, body, done)
  })
  app.addContentTypeParser(/^(?:image|video)\//, { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.method === 'POST') request.body ??= {}
    done()
  })
}
