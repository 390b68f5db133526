// How each network calls itself and writes its accounts, for pages and programs that do not load networks: printed from the networks.
import { providers } from '../server/src/networks/providers/registry.ts'
import { formatted } from './sdk-types.ts'

/** The file `contract/src/network-names.ts`, formatted as all others. */
export function networkNames(): string {
  const rows = [...providers.values()].map(({ provider, displayName, atHandles }) => {
    const at = atHandles === null ? 'null' : String(atHandles)
    return `${JSON.stringify(provider)}: { displayName: ${JSON.stringify(displayName)}, atHandles: ${at} }`
  })
  const text = `// Printed from the networks by \`npm run generate\`. Not edited by hand.

export type NetworkNames = {
  readonly displayName: string
  /** The handles that people write with an @; null for none. */
  readonly atHandles: RegExp | null
}

export const networkNames: Readonly<Record<string, NetworkNames>> = {${rows.join(',\n')}}
`
  return formatted(text, 'contract/src/network-names.ts')
}
