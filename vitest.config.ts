import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take long, whatever their size; the first five wait for downloads where nothing is installed yet. */
const LONG = [
  'test/bluesky-pds',
  'test/container',
  'test/wordpress-site',
  'test/nostr-relay',
  'test/dashboard/first-post',
  'platform/embedded-postgres/embedded-postgres',
  'test/hostile/fuzz',
  'test/database-kills',
  'test/restart',
  'test/network-faults',
  'publication/crash',
  'test/endings',
  'test/dashboard/composer',
  'posts/commands-matrix',
  'test/dashboard/flows',
  'test/monitoring',
  'media/upload-faults',
  'backup/backup',
  'test/bluesky-processes',
  'api/openapi',
  'media/media',
  'test/isolation',
  'publication/engine-model',
  'test/hostile/sockets',
  'test/dashboard/connections',
  'test/plan',
  'test/dashboard/pauses',
  'test/doubles/mastodon-double',
  'test/mastodon-server',
  'test/black-box',
  'test/dashboard/ends',
  'test/cli',
  'test/changed-meanwhile',
  'commands/people',
  'test/stopping',
  'test/sdk',
  'media/posting-media',
  'test/slow-disk',
  'webhooks/killed-dispatchers',
  'test/database-limits',
  'test/doc-blocks',
  'test/cli-login',
  'test/cli-cuts',
  'test/dashboard/random-walks',
  'test/doubles/facebook-double',
  'pages/people-pages',
  'test/dashboard/planning',
  'api/sockets',
  'ai/generate-drafts',
  'test/processes',
  'series/series-year',
  'series/series-kills',
  'test/pooler',
  'test/interrupted-run',
  'test/approval-races',
  'queue/engine-store',
  'test/memory-limit',
  'ai/generate-once',
  'apps/device',
  'mcp/serve-stdio',
  'webhooks/dispatcher',
  'platform/db',
  'test/outage',
  'test/hot-plans',
  'queue/outage-store',
  'apps/oauth-kills',
  'test/dashboard/language',
  'test/hostile/bodies',
  'test/dashboard/approvals',
  'test/github-action',
  'providers/characters',
  'test/dashboard/queue',
  'test/sign-up-kills',
  'mcp/mcp',
  'mcp/mcp-conformance',
  'test/dashboard/membership',
  'media/media-storage',
]

/** Long files first, so that the end of a run does not wait for one of them. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}

/** Those that share a process come last, since a process is kept only for the next file. */
function placeOf({ moduleId, project }: TestSpecification): number {
  const place = LONG.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
  if (place !== -1) return place
  return project.config.isolate ? LONG.length : LONG.length + 1
}

const files = globSync('{contract,dashboard,server,sandbox-network,sdk,cli,tools,bench}/**/*.test.ts', {
  cwd: import.meta.dirname,
  exclude: (name) => name.endsWith('node_modules'),
})

/** What changes or measures the whole process; such a file has one of its own. */
const PROCESS_WIDE =
  /\bvi\.(spyOn|stub\w+|useFakeTimers)\(|\bprocess\.(chdir|umask|on|once|\w*[cC]puUsage|memoryUsage|resourceUsage)\(|\bprocess\.env\[[^\]]+\] = |\bdelete process\.env|\bdiagnostics\.subscribe\(|\/(cpu-cost|counted-hashes)\.ts'/

const isApart = (file: string) =>
  LONG.some((name) => `/${file}`.endsWith(`/${name}.test.ts`)) ||
  PROCESS_WIDE.test(readFileSync(join(import.meta.dirname, file), 'utf8'))

const test = {
  pool: 'forks',
  // No test is to fail because the machine is busy.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 20_000, interval: 20 } },
} as const

/**
 * Node loads the sources itself, as it does for the product, and keeps what it compiled for the next process: that costs half of what
 * Vite's runner takes for each process.
 */
const byNode = {
  env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/postrider-tests') },
  experimental: { viteModuleRunner: false, nodeLoader: false },
} as const

/** The sources of the dashboard have elements and modules of its build, which Node does not load. */
const isOfDashboard = (file: string) => file.startsWith('dashboard/')
const sharing = files.filter((file) => !isApart(file))

export default defineConfig({
  test: {
    globalSetup: ['server/test/rigs/global-setup.ts'],
    // A third of it is waiting, for time limits and for processes that start: four at once keep two cores busy.
    maxWorkers: 4,
    sequence: { sequencer: LongFirst },
    // A process for each file would load the server again for each: half a second of a core.
    projects: [
      { test: { ...test, ...byNode, name: 'apart', include: files.filter(isApart) } },
      {
        test: {
          ...test,
          ...byNode,
          name: 'shared',
          include: sharing.filter((file) => !isOfDashboard(file)),
          isolate: false,
        },
      },
      { test: { ...test, name: 'dashboard', include: sharing.filter(isOfDashboard), isolate: false } },
    ],
  },
})
