import type { Provider } from '../src/providers/port.ts'
import { sandboxShort } from '../src/providers/sandbox/sandbox.ts'

/** X as far as drafts know it: longer posts for accounts with a subscription. */
export const xLike: Provider = {
  ...sandboxShort,
  provider: 'x',
  displayName: 'X',
  limits: {
    ...sandboxShort.limits,
    subscribed: { subscriptions: ['Basic', 'Premium', 'PremiumPlus'], maxCharacters: 25_000 },
  },
}
