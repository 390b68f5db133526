import type { LinkTags } from '@postrider/contract'

/** The parameters as they stand in an address, with the fields as they are. */
export function parametersText(rule: LinkTags | null): string {
  return (rule?.parameters ?? []).map(({ name, value }) => `${name}=${value}`).join('&')
}

/** The rule that is meant by what was typed; null for none. What of it is wrong, the server says. */
export function ruleOf(parameters: string, hosts: string): LinkTags | null {
  const named = parameters
    .replace(/^\s*\?/, '')
    .split(/[&\n]/)
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => {
      const [name = '', ...value] = one.split('=')
      return { name: name.trim(), value: value.join('=').trim() }
    })
  if (named.length === 0) return null
  return {
    parameters: named,
    hosts: [...new Set(hosts.split(/[\s,]+/).filter((host) => host !== ''))],
  }
}
