import type { Adapter, ProviderFacts } from './port.ts'

/** What an adapter has that says nothing of it. */
const PLAIN = {
  authorizationTimes: () => ({ accessEndsAt: null, authorizationEndsAt: null }),
  upload: null,
  sendsFiles: false,
  keepsUploads: false,
  prepare: null,
  poll: null,
  lookup: null,
  looksByKey: () => false,
  leftovers: null,
  findAddress: null,
  form: null,
  oauth: null,
  refresh: null,
  refreshRepeatable: () => false,
  profile: null,
  examine: null,
  budget: () => null,
} as const

/** The adapter of a network, which says only what is its own. */
export function defineAdapter(
  facts: ProviderFacts,
  own: Pick<Adapter, 'authorization' | 'origin' | 'publish'> & Partial<Adapter>,
): Adapter {
  return { ...facts, ...PLAIN, ...own }
}
