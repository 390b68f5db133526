import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { THIRD_PARTY, thirdParty } from '../tools/third-party.ts'
import { operationAddresses } from './operation-addresses.ts'

/** The address of each operation, from the contract: the browser gets no schemas, which would be most of the script. */
function operations(): Plugin {
  const id = 'virtual:operations'
  return {
    name: 'postrider-operations',
    resolveId: (source) => (source === id ? `\0${id}` : null),
    load: (source) =>
      source === `\0${id}` ? `export const addresses = ${JSON.stringify(operationAddresses())}` : null,
  }
}

type IconSet = {
  icons: Record<string, { body: string } | undefined>
  aliases?: Record<string, { parent: string } | undefined>
}

/** `icon:<name>`: the component of one icon, so that the script holds the shapes of those alone that are used. */
function icons(): Plugin {
  const prefix = '\0icon:'
  const { icons: shapes, aliases } = createRequire(import.meta.url)(
    '@iconify-json/lucide/icons.json',
  ) as IconSet
  const component = join(import.meta.dirname, 'src/ui/icon.tsx')
  return {
    name: 'postrider-icons',
    resolveId: (source) => (source.startsWith('icon:') ? `\0${source}` : null),
    load(source) {
      if (!source.startsWith(prefix)) return null
      const name = source.slice(prefix.length)
      const found = shapes[name] ?? shapes[aliases?.[name]?.parent ?? '']
      if (found === undefined) return this.error(`There is no icon ${name}.`)
      return `import { icon } from ${JSON.stringify(component)}\nexport default icon(${shapesOf(found.body)})`
    },
  }
}

/** The elements of an SVG text as arguments of `icon`: the page's policy (Trusted Types) lets no script write markup. */
function shapesOf(body: string): string {
  const camel = (name: string) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  return body.replaceAll(
    /<(\/?)(\w+)([^>]*?)(\/?)>/g,
    (_, closes: string, name: string, text: string, alone: string) => {
      if (closes !== '') return '],'
      const attributes = Object.fromEntries(
        [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key = '', value]) => [camel(key), value]),
      )
      return `[${JSON.stringify(name)},${JSON.stringify(attributes)},${alone === '' ? '' : '],'}`
    },
  )
}

const COMPRESSIBLE = /\.(js|css|html|svg)$/

/** Writes a brotli twin beside each text file, so that the server compresses nothing while it runs. */
function compressed(): Plugin {
  return {
    name: 'postrider-compressed',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      for (const entry of await readdir(dir, { recursive: true })) {
        if (!COMPRESSIBLE.test(entry)) continue
        const bytes = await readFile(join(dir, entry))
        const params = {
          [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        }
        await writeFile(join(dir, `${entry}.br`), brotliCompressSync(bytes, { params }))
      }
    },
  }
}

/** What the page runs before all else, while the rest is on its way: it imports nothing of that. A second language can use it, too. */
const AHEAD =
  /dashboard\/src\/(?:load-ahead|screens|addresses|api\/(?:address|ahead)|lib\/zone-clock|features\/calendar\/(?:grid|shown))\.ts|contract\/src\/said-table|virtual:operations|vite\/preload-helper/

/** Has the page ask for the script that loads ahead before all others, and run it as soon as it is there. */
function loadAhead(): Plugin {
  return {
    name: 'postrider-load-ahead',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        const chunk = Object.values(bundle).find(({ type, name }) => type === 'chunk' && name === 'ahead')
        if (chunk === undefined) return []
        const attrs = { type: 'module', async: true, crossorigin: true, src: `/${chunk.fileName}` }
        return [{ tag: 'script', attrs, injectTo: 'head-prepend' }]
      },
    },
  }
}

/** What the frame of every screen uses, and most screens do; without a second language. */
const COMMON =
  /dashboard\/src\/(?:api|lib|terms|ui|session|navigation|features\/(?:attention\/use-|notices\/(?:use-|browser-)|calendar\/cards|posts\/use-authors|channels\/(?:use-|words|network-)))(?!.*\.de\.ts)/

/**
 * Screens that are opened now and then, after one another: together they compress better. What one of them
 * imports from other features, all of them wait for.
 */
const ADMINISTRATION =
  /dashboard\/src\/features\/(?:apps|audit|credentials|events|keys|settings|webhooks)\/(?!.*\.de\.ts)/

/** What texts and their media are written with: in the composer, in templates, and where a post is repaired. */
const WRITING =
  /dashboard\/src\/features\/(?:composer\/(?:parts-editor|part-text|media-strip|use-uploads|upload-|crop|suggest|channel-|last-used|use-order-by-drag|words|composer\.module)|templates\/template-screen|media\/(?:library-dialog|library-filters|use-library|alt-dialog|words|media\.module))(?!.*\.de\.ts)/

/** A list and what it leads to. */
const LISTS =
  /dashboard\/src\/features\/(?:series\/(?:series-|all-series|edit-series|effects)|posts\/(?:post-screen|posts-screen|destination-card|timeline|standing|resolve-|command-|export-|use-listed|use-duplicate)|labels\/(?:label-results|results-range|post-labels))/

const listOf = (module: string) => (module.includes('/series/') ? 'planning' : 'posts')

export default defineConfig({
  plugins: [
    react(),
    operations(),
    icons(),
    loadAhead(),
    thirdParty(`assets/${THIRD_PARTY}.txt`),
    compressed(),
  ],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      checks: { bundlerTimings: false },
      output: {
        assetFileNames: 'assets/[name]-[hash][extname]',
        // On a slow line every file costs a round trip: what the first screen and most others use is two files, not thirty.
        codeSplitting: {
          groups: [
            { name: 'ahead', test: AHEAD, priority: 1 },
            { name: 'vendor', test: /node_modules\/(?:react|react-dom|scheduler|@tanstack)\// },
            { name: 'common', test: COMMON },
            // Of these, what they use besides is left where it is: the first screens would wait for it.
            { name: 'administration', test: ADMINISTRATION, includeDependenciesRecursively: false },
            { name: listOf, test: LISTS, includeDependenciesRecursively: false },
            { name: 'writing', test: WRITING, includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
  server: { proxy: { '/app/api': 'http://127.0.0.1:4000' } },
})
