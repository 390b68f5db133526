import { startVitest } from 'vitest/node'

/* Takes the pictures of `server/test/dashboard/pictures.ts`: on what the tests run on, but no part of them. */

// Not waited for: Vitest ends the process, and sets its exit code.
void startVitest('test', [], {
  config: false,
  watch: false,
  include: ['server/test/dashboard/pictures.ts'],
  globalSetup: ['server/test/rigs/global-setup.ts'],
  pool: 'forks',
  hookTimeout: 120_000,
})
