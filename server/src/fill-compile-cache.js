// Compiles the server as a part of its installation, so that its first start has nothing left to compile.
import './compile-cache.js'

await import('./app/serve.ts')
await import('./app/app.ts')
// What is loaded for those who read German.
const { writtenIn } = await import('./platform/text/language.ts')
await writtenIn('de', () => {})
process.exit()
