// What reads files where a field was invented: it is a process of its own.
import { inventField } from './invent-field.ts'

inventField()
await import('../../src/content/imports/file-reader-process.ts')
