import { type Bound, limitsOf, ours } from '../port/bounds.ts'
import type { Provider, ProviderFacts } from '../port/port.ts'
import { settingsOf } from '../port/settings.ts'

const SOURCE = ours('the sandbox network is ours: docs/sandbox.md has the same numbers')

/** What both profiles take besides text. */
const mediaBounds: readonly Bound[] = [
  { of: 'part', measure: 'files', max: 4, source: SOURCE },
  { of: 'alt text', measure: 'characters', max: 1_000, source: SOURCE },
  {
    of: 'image',
    measure: 'type',
    oneOf: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'],
    source: SOURCE,
  },
  { of: 'image', measure: 'animation', oneOf: ['image/webp', 'image/gif'], source: SOURCE },
  { of: 'image', measure: 'bytes', max: 10_000_000, source: SOURCE },
  { of: 'image', measure: 'width', max: 4_096, source: SOURCE },
  { of: 'image', measure: 'height', max: 4_096, source: SOURCE },
  { of: 'video', measure: 'type', oneOf: ['video/mp4'], source: SOURCE },
  { of: 'video', measure: 'bytes', max: 30_000_000, source: SOURCE },
  { of: 'video', measure: 'seconds', max: 140, source: SOURCE },
]

/** Posts of up to 280 characters, weighed as X does. */
export const sandboxShort = sandbox({
  provider: 'sandbox-short',
  displayName: 'Sandbox (short posts)',
  maxCharacters: 280,
  characterCounting: 'x_weighted',
})

/** Posts of up to 3000 code points. */
export const sandboxProfessional = sandbox({
  provider: 'sandbox-professional',
  displayName: 'Sandbox (professional)',
  maxCharacters: 3000,
  characterCounting: 'code_points',
})

function sandbox({
  maxCharacters,
  characterCounting,
  ...names
}: Pick<ProviderFacts, 'provider' | 'displayName'> &
  Pick<ProviderFacts['limits'], 'maxCharacters' | 'characterCounting'>): Provider {
  const bounds: readonly Bound[] = [
    { of: 'text', measure: 'characters', max: maxCharacters, source: SOURCE },
    ...mediaBounds,
  ]
  const whole: ProviderFacts = {
    ...names,
    limits: limitsOf(bounds, { characterCounting, mixedKinds: false }),
    bounds,
    atHandles: /^/,
    supports: { threads: true, lookup: true, firstComment: true },
    idAt: ({ pathname }) => /^\/@[^/]+\/([0-9A-Za-z_-]{1,64})\/?$/.exec(pathname)?.[1] ?? null,
    // An account of the network honours idempotency keys only when it was made so, and none can be asked about it.
    repeatable: null,
    // It runs beside this server, and nothing stands between them that could hold up a call.
    lateCallMs: 0,
    settings: settingsOf({}),
    // Accounts are made by the server itself, through the network's control API.
    connecting: { form: null, oauth: null },
  }
  return { ...whole, load: async () => (await import('./sandbox-adapter.ts')).sandboxAdapter(whole) }
}
