import { run } from './app/run.ts'
import { showSources } from './platform/process/source-stacks.ts'

if (!import.meta.filename.endsWith('.ts')) showSources()

const code = await run(process.argv.slice(2))
// A pipe takes 64 KiB at once: the rest of a long answer is still to be written. A reader that went away takes nothing.
await Promise.all(
  [process.stdout, process.stderr].map(
    (stream) => new Promise((done) => stream.once('error', done).write('', done)),
  ),
)
process.exit(code)
