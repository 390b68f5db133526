// Writes the files that are made from the code; with --check it writes nothing and fails when one differs.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { envExample } from '../server/src/platform/config/settings.ts'
import { checksPage } from './checks-page.ts'
import { connectNetworks } from './connect-networks.ts'
import { doctorPage } from './doctor-page.ts'
import { migrationHashes } from './migration-hashes.ts'
import { firstPostPage } from './first-post-page.ts'
import { networkNames } from './network-names.ts'
import { nodeFields } from './node-fields.ts'
import { operationFields } from './operation-fields.ts'
import { operatorOperations } from './operator-operations.ts'
import { planSchema } from '../contract/src/plan/schema.ts'
import { rolesPage } from './roles-page.ts'
import { formatted, sdkTypes } from './sdk-types.ts'
import { statesPage } from './states-page.ts'

type Generated = { path: string; text: () => string | Promise<string> }

const generated: Generated[] = [
  { path: '.env.example', text: envExample },
  { path: 'docs/states.md', text: statesPage },
  { path: 'docs/roles.md', text: rolesPage },
  { path: 'docs/checks.md', text: checksPage },
  { path: 'docs/doctor.md', text: doctorPage },
  { path: 'docs/first-real-post.md', text: firstPostPage },
  { path: 'server/migrations.sha256', text: migrationHashes },
  { path: 'contract/src/network-names.ts', text: networkNames },
  { path: 'sdk/src/api.ts', text: sdkTypes },
  { path: 'cli/src/operation-fields.ts', text: operationFields },
  { path: 'integrations/n8n-nodes-postrider/nodes/Postrider/content-fields.ts', text: nodeFields },
  { path: 'cli/src/operator/operations.ts', text: operatorOperations },
  { path: 'cli/src/operator/networks.ts', text: connectNetworks },
  { path: 'cli/plan.schema.json', text: () => formatted(JSON.stringify(planSchema), 'cli/plan.schema.json') },
  // It is loaded here, since it reads what is written above.
  {
    path: 'docs/commands.md',
    text: async () => (await import('./commands-page.ts')).commandsPage(),
  },
]

const root = join(import.meta.dirname, '..')
const check = process.argv.includes('--check')

const differing: string[] = []
for (const { path, text } of generated) {
  const wanted = await text()
  const found = await readFile(join(root, path), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (found === wanted) continue
  differing.push(path)
  if (!check) await writeFile(join(root, path), wanted)
}

if (differing.length > 0) console.log(`${check ? 'Out of date' : 'Written'}: ${differing.join(', ')}`)
if (check && differing.length > 0) {
  console.log('Run `npm run generate` and commit what it writes.')
  process.exitCode = 1
}
