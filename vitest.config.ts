import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take long, whatever their size; the first three wait for downloads where nothing is installed yet. */
const LONG = [
  'test/bluesky-pds',
  'test/container',
  'test/dashboard/first-post',
  'publication/crash',
  'media/upload-faults',
  'test/monitoring',
  'test/isolation',
  'test/network-faults',
  'test/slow-disk',
  'test/approval-races',
  'test/restart',
  'test/database-kills',
  'embedded-postgres/embedded-postgres',
  'test/black-box',
  'test/doubles/mastodon-double',
  'test/dashboard/ends',
  'test/dashboard/composer',
  'test/endings',
  'posts/commands-matrix',
  'test/mastodon-server',
  'publication/engine-model',
  'media/posting-media',
  'test/bluesky-processes',
  'test/dashboard/flows',
  'commands/people',
  'webhooks/killed-dispatchers',
  'test/hostile/fuzz',
  'test/hostile/sockets',
  'test/database-limits',
]

/** Long files first, so that the end of a run does not wait for one of them. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONG.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
  return place === -1 ? LONG.length : place
}

export default defineConfig({
  test: {
    include: ['{contract,dashboard,server,sandbox-network,sdk,cli,tools,bench}/**/*.test.ts'],
    globalSetup: ['server/test/rigs/global-setup.ts'],
    pool: 'forks',
    // A third of it is waiting, for time limits and for processes that start: four at once keep two cores busy.
    maxWorkers: 4,
    sequence: { sequencer: LongFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000, interval: 20 } },
  },
})
