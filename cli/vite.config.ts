import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { thirdParty } from '../tools/third-party.ts'

/*
 * Joins the command line with what it depends on into a few files, of which a command loads its own. `dist` is the package that is
 * published: only there it has a `bin`, since in this repository `postrider` is the server's, which knows these commands, too.
 */

const here = import.meta.dirname
const { name, version, description, license, engines } = JSON.parse(
  readFileSync(join(here, 'package.json'), 'utf8'),
) as Record<string, unknown>
const manifest = {
  name,
  version,
  description,
  license,
  type: 'module',
  bin: { postrider: 'postrider.js' },
  engines,
}

export default {
  configFile: false,
  resolve: { alias: { '@postrider/sdk': join(here, '../sdk/src/index.ts') } },
  build: {
    ssr: join(here, 'src/main.ts'),
    outDir: join(here, 'dist'),
    emptyOutDir: true,
    target: 'node20',
    minify: true,
    copyPublicDir: false,
    rolldownOptions: { output: { entryFileNames: 'postrider.js', chunkFileNames: '[name]-[hash].js' } },
  },
  ssr: { noExternal: true as const },
  plugins: [
    thirdParty(),
    {
      name: 'package',
      generateBundle(this: { emitFile: (file: object) => void }) {
        const files = {
          'plan.schema.json': readFileSync(join(here, 'plan.schema.json')),
          'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
          'README.md': readFileSync(join(here, 'README.md')),
          LICENSE: readFileSync(join(here, 'LICENSE')),
        }
        for (const [fileName, source] of Object.entries(files))
          this.emitFile({ type: 'asset', fileName, source })
      },
    },
  ],
}
