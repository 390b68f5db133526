import { readdirSync } from 'node:fs'

/* Two branches that each add a migration may take the same number: it would be found at the next start only. */

const names = readdirSync(new URL('../server/migrations/', import.meta.url)).toSorted()
const faults = names.flatMap((name, index) => {
  const wanted = String(index + 1).padStart(4, '0')
  return name.startsWith(`${wanted}_`) ? [] : [`${name}: number ${wanted} is expected here`]
})
if (faults.length > 0) {
  console.error(faults.join('\n'))
  process.exitCode = 1
}
