import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{contract,dashboard,server,sandbox-network,sdk,tools,bench}/**/*.test.ts'],
    globalSetup: ['server/test/global-setup.ts'],
    pool: 'forks',
    // Much of it is waiting: two at once take little more than one.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000, interval: 20 } },
  },
})
