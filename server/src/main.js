// JavaScript, and not TypeScript like the rest: whatever is loaded before the cache is on loads Node's own compiler of
// TypeScript, which keeps 15 MB for as long as the process lives.
import './compile-cache.js'
import { setFlagsFromString } from 'node:v8'

// One thread collects young objects: of 8 MB some hundred kilobytes are alive, which V8's helpers take longer to share than it takes to
// copy. NODE_OPTIONS does not take this one; V8 reads it at each collection (ScavengerCollector::NumberOfScavengeTasks), so it may be
// set after the start.
setFlagsFromString('--no-parallel-scavenge')

const { run } = await import('./app/run.ts')
const code = await run(process.argv.slice(2))
// A pipe takes 64 KiB at once: the rest of a long answer is still to be written. A reader that went away takes nothing.
await Promise.all(
  [process.stdout, process.stderr].map(
    (stream) => new Promise((done) => stream.once('error', done).write('', done)),
  ),
)
process.exit(code)
