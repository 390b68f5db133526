import { readdirSync } from 'node:fs'

/*
 * That the files in server/migrations are numbered from 0001 on without a gap or a number twice: two branches that each add
 * one may take the same number, which would be found at the next start only. What a migration does to the release before is
 * judged by server/test/migrations.test.ts; that a released one is never edited, by server/migrations.sha256 (`npm run generate`), and by
 * every database that has had it.
 */

const names = readdirSync(new URL('../server/migrations/', import.meta.url)).toSorted()
const faults = names.flatMap((name, index) => {
  const wanted = String(index + 1).padStart(4, '0')
  return name.startsWith(`${wanted}_`) ? [] : [`${name}: number ${wanted} is expected here`]
})
if (faults.length > 0) {
  console.error(faults.join('\n'))
  process.exitCode = 1
}
