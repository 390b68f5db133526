#!/usr/bin/env node
import * as module from 'node:module'

// Node 22 and newer keep what they compiled. What is loaded after this is.
const { enableCompileCache } = module as { enableCompileCache?: () => unknown }
enableCompileCache?.()

const stop = new AbortController()
const codes = { SIGINT: 130, SIGTERM: 143 } as const
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    process.exitCode = codes[signal]
    stop.abort(new Error('Interrupted.'))
    // A second one does not wait.
    process.once(signal, () => process.exit(codes[signal]))
  })
}
// Whoever reads the output may go away, as head does.
process.stdout.on('error', () => process.exit(0))

// Whoever started this may be asked for a token, and is not waited for.
process.channel?.unref()

const { run } = await import('./run.ts')
const exit = await run(process.argv.slice(2), {
  env: process.env,
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
  signal: stop.signal,
  askSecret: async (prompt) => (await import('./operator/ask-secret.ts')).askSecret(prompt),
})
process.exitCode ??= exit
