import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
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
          [constants.BROTLI_PARAM_QUALITY]: 9,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        }
        await writeFile(join(dir, `${entry}.br`), brotliCompressSync(bytes, { params }))
      }
    },
  }
}

export default defineConfig({
  // Addresses are relative to <base>, which the server sets: it may be reached below a path.
  base: './',
  plugins: [react(), operations(), compressed()],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { output: { assetFileNames: 'assets/[name]-[hash][extname]' } },
  },
  server: { proxy: { '/app/api': 'http://127.0.0.1:4000' } },
})
