import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take long, the longest first, whatever their size; the first five wait for downloads where nothing is installed yet. */
const LONG = [
  'test/bluesky-pds',
  'test/container',
  'test/wordpress-site',
  'test/nostr-relay',
  'test/dashboard/first-post',
  'test/network-faults',
  'test/hostile/fuzz',
  'test/isolation',
  'test/database-kills',
  'test/cli-cuts',
  'platform/embedded-postgres/embedded-postgres',
  'test/monitoring',
  'engine/publication/crash',
  'test/draft-kills',
  'edge/api/documents/openapi',
  'test/endings',
  'test/restart',
  'test/dashboard/flows',
  'media/upload-faults',
  'test/time-zones',
  'test/dashboard/connections',
  'test/dashboard/ends',
  'test/dashboard/composer',
  'doors/mcp/serve-stdio',
  'test/dashboard/pauses',
  'test/dashboard/random-walks',
  'engine/publication/engine-model',
  'test/dashboard/planning',
  'test/doubles/mastodon-double',
  'test/processes',
  'test/dashboard/series',
  'test/cli',
  'test/slow-disk',
  'test/plan',
  'test/github-action',
  'test/interrupted-run',
  'test/hostile/sockets',
  'test/doc-blocks',
  'people/apps/oauth-kills',
  'media/media',
  'content/ai/generate-image',
  'test/doubles/facebook-double',
  'test/stopping',
  'operate/backup/backup',
  'content/ai/generate-drafts',
  'test/dashboard/language',
  'test/cli-login',
  'test/sign-up-kills',
  'test/mastodon-server',
  'test/token-ends',
  'test/docs-site',
  'test/black-box',
  'test/bluesky-processes',
  'test/pooler',
  'test/approval-races',
  'test/sdk',
  'test/dashboard/queue',
  'edge/api/http/sockets',
  'media/posting-media',
  'content/series/series-year',
  'test/doubles/youtube-double',
  'operate/commands/people',
  'test/database-limits',
  'test/changed-meanwhile',
  'test/outage',
  'test/memory-limit',
  'test/dashboard/membership',
  'content/ai/generate-once',
  'media/media-storage',
  'engine/webhooks/killed-dispatchers',
  'content/posts/command/commands-matrix',
  'test/pages-browser',
  'networks/providers/shared/characters',
  'test/dashboard/approvals',
  'test/app-access',
  'engine/webhooks/dispatcher',
  'people/pages/people-pages',
  'people/apps/device',
  'doors/mcp/mcp',
  'engine/queue/engine-store',
  'engine/queue/outage-store',
  'content/series/series-kills',
  'doors/mcp/mcp-conformance',
  'platform/postgres/db',
  'test/hot-plans',
  'test/hostile/bodies',
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
  /\bvi\.(spyOn|stub\w+|useFakeTimers)\(|\bprocess\.(chdir|umask|on|once|\w*[cC]puUsage|memoryUsage|resourceUsage)\(|\bprocess\.env\[[^\]]+\] = |\bdelete process\.env|\bdiagnostics\.subscribe\(|\/(cpu-cost|counted-hashes|process-clock)\.ts'/

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
    // A good part of it is waiting, for time limits and for processes that start: with five at once, two cores were idle for a fifth of the time, and eight
    // took longer.
    maxWorkers: 6,
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
