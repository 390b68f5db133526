// JavaScript: an older Node, which is to say so, reads no types.
import { existsSync } from 'node:fs'

/*
 * Builds all that runs or is published: the server, the dashboard, the site of the documents, the SDK and the command line. An
 * installation does it at its end. `npm run build -- server` builds one of them.
 */

const root = new URL('../', import.meta.url)
const missing = ['rolldown', 'vite', '@11ty/eleventy', 'typescript'].filter(
  (name) => !existsSync(new URL(`node_modules/${name}/package.json`, root)),
)

const { npm_config_user_agent: caller = 'npm' } = process.env
if (!caller.startsWith('npm'))
  fail(
    `Postrider is installed by npm, whose lock file it has, and this is ${caller.split(' ')[0]}: run \`npm ci\`.`,
  )
if (Number(process.versions.node.split('.')[0]) < 24)
  fail(
    `Postrider is built on Node 24 or newer, and this is ${process.version}: npm has installed no Node for ${process.platform} on ${process.arch}. Install Node 24, then run \`npm run build\`.`,
  )
if (missing.length > 0)
  fail(`Postrider cannot be built, since npm has not installed ${missing.join(', ')}: run \`npm ci\`.`)

const { build } = await import('./build-all.ts')
await build(process.argv.slice(2)).catch((error) =>
  fail(String(error instanceof Error ? error.message : error)),
)

/** @param {string} sentence */
function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}
