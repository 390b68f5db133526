import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{contract,dashboard,server,sandbox-network,sdk,tools,bench}/**/*.test.ts'],
    globalSetup: ['server/test/global-setup.ts'],
    pool: 'forks',
    // A third of it is waiting, for time limits and for processes that start: three at once keep two cores busy.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000, interval: 20 } },
  },
})
