import { expect, test } from 'vitest'
import { networkCalls } from '../../../test/rigs/network-calls.ts'
import { testWireFaults } from '../../../test/rigs/wire-faults.ts'
import { providers } from './registry.ts'

/* Every network behind a proxy that breaks connections. */

/** Nostr is asked over web sockets: nostr-relay.deep.test.ts and network-faults.deep.test.ts break those. The sandbox breaks its own. */
const ELSEWHERE = /^(?:nostr$|sandbox-)/

const networks = Object.entries(networkCalls).filter(([name]) => !ELSEWHERE.test(name))
for (const [, network] of networks) testWireFaults(network)

test('no network that is called by HTTP is left out', () => {
  expect(networks.map(([name]) => name).toSorted()).toEqual(
    [...providers.keys()].filter((name) => !ELSEWHERE.test(name)).toSorted(),
  )
})
