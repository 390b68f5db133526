// JavaScript, and not TypeScript like the rest: whatever is loaded before the cache is on loads Node's own compiler of
// TypeScript, which keeps 15 MB for as long as the process lives.
import './compile-cache.js'

const { run } = await import('./commands/run.ts')
process.exit(await run(process.argv.slice(2)))
