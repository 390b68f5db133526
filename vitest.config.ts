import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Those that share a process come last, since a process is kept only for the next file; in each half, what took longest is first. */
class ApartFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const [apart, sharing] = [true, false].map((isolate) =>
      sorted.filter(({ project }) => project.config.isolate === isolate),
    )
    return [...(apart ?? []), ...(sharing ?? [])]
  }
}

const files = globSync('{contract,dashboard,server,sandbox-network,sdk,cli,tools,bench}/**/*.test.ts', {
  cwd: import.meta.dirname,
  exclude: (name) => name.endsWith('node_modules'),
})

/** What changes or measures the whole process; such a file has one of its own. */
const PROCESS_WIDE =
  /\bvi\.(spyOn|stub\w+|useFakeTimers)\(|\bprocess\.(chdir|umask|on|once|\w*[cC]puUsage|memoryUsage|resourceUsage)\(|\bprocess\.env\[[^\]]+\] = |\bdelete process\.env|\bdiagnostics\.subscribe\(|\/(cpu-cost|counted-hashes|process-clock)\.ts'/

/** What is run by `npm run test:deep`: real servers of networks, judges, fuzzing, kills at each step, long walks. */
const isDeep = (file: string) => file.endsWith('.deep.test.ts')

/** Tests of the whole start processes and browsers, and end them. */
const isApart = (file: string) =>
  file.startsWith('server/test/') || PROCESS_WIDE.test(readFileSync(join(import.meta.dirname, file), 'utf8'))

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
const quick = files.filter((file) => !isDeep(file))
const sharing = quick.filter((file) => !isApart(file))

export default defineConfig({
  test: {
    globalSetup: ['server/test/rigs/global-setup.ts'],
    // A good part of it is waiting, for time limits and for processes that start: with five at once, two cores were idle for a fifth of the time, and eight
    // took longer.
    maxWorkers: 6,
    sequence: { sequencer: ApartFirst },
    // A process for each file would load the server again for each: half a second of a core.
    projects: [
      { test: { ...test, ...byNode, name: 'deep', include: files.filter(isDeep) } },
      { test: { ...test, ...byNode, name: 'apart', include: quick.filter(isApart) } },
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
