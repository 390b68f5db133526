// What each network asks for when an account is connected, as the command line reads it: printed from the networks.
import { fieldsOf } from '../server/src/accounts/connect/connect-fields.ts'
import { providers } from '../server/src/networks/providers/registry.ts'
import { formatted } from './sdk-types.ts'

/** The file `cli/src/operator/networks.ts`, formatted as all others. */
export function connectNetworks(): string {
  const rows = [...providers.values()].flatMap(({ provider, displayName, connecting: { form, oauth } }) => {
    if (form === null && oauth === null) return []
    const network = {
      displayName,
      form: form === null ? null : fieldsOf(form.fields).map(printed),
      signIn: oauth === null ? null : fieldsOf(oauth.fields).map(printed),
      ...(oauth?.several === true ? { several: true } : {}),
    }
    return [`${JSON.stringify(provider)}: ${JSON.stringify(network)}`]
  })
  const text = `// Printed from the networks by \`npm run generate\`. Not edited by hand.

/** What a person fills in to connect an account. */
export type NetworkField = {
  readonly name: string
  readonly title: string
  readonly says: string
  readonly secret?: true
}

export type Network = {
  readonly displayName: string
  /** What is copied from the network; null where accounts are not connected so. */
  readonly form: readonly NetworkField[] | null
  /** What is asked before signing in at the network; null where accounts are not connected so. */
  readonly signIn: readonly NetworkField[] | null
  /** One sign-in can give access to several accounts. */
  readonly several?: true
}

export const networks: Readonly<Record<string, Network>> = {${rows.join(',\n')}}
`
  return formatted(text, 'cli/src/operator/networks.ts')
}

function printed({ name, title, description, secret }: ReturnType<typeof fieldsOf>[number]) {
  return { name, title, says: description, ...(secret ? { secret } : {}) }
}
