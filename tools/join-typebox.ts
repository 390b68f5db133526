import { join } from 'node:path'

/* How `prepare.ts` has Vite make a few files of TypeBox's many. */

const from = join(import.meta.dirname, '../node_modules/typebox/build')

export default {
  configFile: false,
  build: {
    lib: {
      entry: { index: join(from, 'index.mjs'), 'value/index': join(from, 'value/index.mjs') },
      formats: ['es'],
    },
    target: 'esnext',
    minify: false,
    copyPublicDir: false,
    rolldownOptions: { output: { entryFileNames: '[name].mjs', chunkFileNames: 'shared.mjs' } },
  },
}
