import { join } from 'node:path'

/** In development and tests the sources run as they are; else this is a part of a file that is directly in `server/dist`. */
const areSources = import.meta.filename.endsWith('.ts')

/** The folder of the product. */
export const ROOT = join(import.meta.dirname, areSources ? '../../../..' : '../..')

/** What runs in a process of its own: the build makes a file of each. */
export const PROGRAMS = {
  main: 'server/src/main.ts',
  'media-worker': 'server/src/media/media-worker-process.ts',
  'file-reader': 'server/src/content/imports/file-reader-process.ts',
  'sandbox-network': 'sandbox-network/src/main.ts',
} as const

export function programFile(name: keyof typeof PROGRAMS): string {
  return areSources ? join(ROOT, PROGRAMS[name]) : join(import.meta.dirname, `${name}.js`)
}

/** A build knows the migrations that it was made with, whatever the checkout has got since. */
export function migrationsFolder(): string {
  return areSources ? join(ROOT, 'server/migrations') : join(import.meta.dirname, 'migrations')
}
