import { expect, test } from 'vitest'
import { sourcesOf } from './rigs/built.ts'
import { openServerProcess, type ServerProcess } from './hostile/server-process.ts'

/** What costs megabytes, and what only some requests, posts or settings need. */
const ON_FIRST_USE = [
  // Node's compiler of TypeScript: nothing that runs is.
  /^node:internal\/deps\/amaro/,
  // What of Node is loaded with its `fetch`, or with an `import` of `node:http` (platform/outbound/node-http.ts).
  /^node:internal\/deps\/undici/,
  /node_modules\/(ajv|undici|ws|@noble|twitter-text|marked|sharp|mediabunny|file-type|eld|ai|openid-client|oidc-provider|nodemailer)\//,
  // Fastify writes with the serializer what has no schema.
  /node_modules\/fast-json-stringify\/(?!lib\/serializer\.js)/,
  /node_modules\/@modelcontextprotocol\/|node_modules\/zod\//,
  /node_modules\/(@ai-sdk|@aws-sdk|@simplewebauthn|@opentelemetry\/(?!api\/)[^/]+)\//,
  /server\/src\/networks\/providers\/(?:[^/]+\/)+[^/]+-adapter\.ts$/,
  /server\/src\/media\/(images|recordings)\.ts$/,
]

test('a server that has nothing to do has loaded nothing that only some work needs', async () => {
  await using server = await openServerProcess({
    env: { ROLES: 'api,publisher,webhooks' },
    node: ['--inspect=127.0.0.1:0'],
  })

  const loaded = sourcesOf(await scriptsOf(server))

  expect(loaded).toContainEqual(expect.stringMatching(/server\/src\/app\/app\.ts$/))
  expect(loaded.filter((url) => ON_FIRST_USE.some((heavy) => heavy.test(url)))).toEqual([])
})

/** The addresses of all scripts that a process has loaded, as its debugger tells them. */
async function scriptsOf(server: ServerProcess): Promise<string[]> {
  const [address = ''] = /ws:\/\/\S+/.exec(server.logged()) ?? []
  const urls: string[] = []
  const enabled = Promise.withResolvers<void>()
  const debugging = new WebSocket(address)
  debugging.addEventListener('open', () => debugging.send('{"id":1,"method":"Debugger.enable"}'))
  debugging.addEventListener('error', () => enabled.reject(new Error(`no debugger at ${address}`)))
  debugging.addEventListener('message', ({ data }) => {
    const { id, params } = JSON.parse(String(data)) as { id?: number; params?: { url?: string } }
    if (params?.url !== undefined) urls.push(params.url)
    if (id === 1) enabled.resolve()
  })
  await enabled.promise
  debugging.close()
  return urls
}
