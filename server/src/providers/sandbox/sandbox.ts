import { files, images } from '../media-kinds.ts'
import type { Provider, ProviderFacts } from '../port.ts'
import { settingsOf } from '../settings.ts'

/** What both profiles take besides text. */
const media: ProviderFacts['limits']['media'] = {
  maxItems: 4,
  mixedKinds: false,
  maxAltCharacters: 1_000,
  kinds: [
    images(['image/jpeg', 'image/png', 'image/webp', 'image/gif'], { maxBytes: 10_000_000, maxSide: 4_096 }),
    files('video', ['video/mp4'], { maxBytes: 30_000_000, maxSeconds: 140 }),
  ],
}

/** Posts of up to 280 characters, weighed as X does. */
export const sandboxShort = sandbox({
  provider: 'sandbox-short',
  displayName: 'Sandbox (short posts)',
  limits: { maxCharacters: 280, characterCounting: 'x_weighted', media },
})

/** Posts of up to 3000 code points. */
export const sandboxProfessional = sandbox({
  provider: 'sandbox-professional',
  displayName: 'Sandbox (professional)',
  limits: { maxCharacters: 3000, characterCounting: 'code_points', media },
})

function sandbox(facts: Pick<ProviderFacts, 'provider' | 'displayName' | 'limits'>): Provider {
  const whole: ProviderFacts = {
    ...facts,
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
