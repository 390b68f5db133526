import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{contract,dashboard,server,sandbox-network,sdk,tools,bench}/**/*.test.ts'],
    globalSetup: ['server/test/global-setup.ts'],
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
