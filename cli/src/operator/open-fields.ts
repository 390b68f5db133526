import type { Network, NetworkField } from './networks.ts'

/** What a person may type: all that is no secret, of either way to connect. */
export function openFields({ form, signIn }: Network): NetworkField[] {
  const all = [...(form ?? []), ...(signIn ?? [])].filter(({ secret }) => secret !== true)
  return all.filter(({ name }, place) => all.findIndex((field) => field.name === name) === place)
}
