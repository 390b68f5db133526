import type { Config } from './config.ts'
import type { TargetRules } from '../outbound/outbound-guard.ts'

/** Where this installation's outbound calls may go: public https, and what its operator vouches for. */
export function targetRules(
  { outbound }: Pick<Config, 'outbound'>,
  alsoTrusted: readonly string[] = [],
): TargetRules {
  const { trustedOrigins, trustedNetworks } = outbound
  return {
    httpsOnly: true,
    trustedOrigins: trustedOrigins === 'any' ? 'any' : [...trustedOrigins, ...alsoTrusted],
    trustedNetworks,
  }
}
