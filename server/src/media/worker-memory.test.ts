import { expect, test } from 'vitest'
import { workerLimits } from './worker-memory.ts'

const MIB = 1_048_576

test.each([
  ['a container of 256 MiB: one, which leaves the server its part', 2, 256, 1, 172],
  ['512 MiB', 2, 512, 1, 440],
  ['1 GiB', 2, 1_024, 2, 520],
  [
    'a machine with plenty: as many as wanted, and no more for each than a decoder may need',
    8,
    65_536,
    8,
    1_500,
  ],
  ['a machine on which the server alone hardly runs', 4, 128, 1, 96],
])('%s', (_, wanted, mib, processes, megabytes) => {
  const limits = workerLimits(wanted, mib * MIB)
  expect({ ...limits, maxResidentBytes: Math.floor(limits.maxResidentBytes / 1e6) }).toEqual({
    processes,
    maxResidentBytes: megabytes,
  })
})
