import type { LinkTags } from './link-tags.ts'

/*
 * Link tags: parameters that a rule of the workspace adds to the links of a text. Server and dashboard do it here, so that what is
 * previewed is what is checked, approved and published.
 */

/** What the fields of a rule stand for. */
export type LinkTagValues = {
  readonly channel: string
  readonly network: string
  /** The first label of the post; null for none. */
  readonly label: string | null
}

/** Up to what no address has unencoded: white space, quotes, the marks of Chinese and Japanese sentences, and `](` of Markdown. */
const LINK = /https?:\/\/(?:(?!\]\()[^\s<>"`„“”«»‹›、。，；：！？（）「」『』【】《》〈〉])+/giu
/** Ends a sentence, or markup, rather than an address. */
const AFTER_LINK = /[.,;:!?'‘’‚)\]}…—*_~|]/u
const CODE = /```[^]*?```|`[^`\n]+`/g

/** The text with the parameters of the rule in its links. */
export function tagLinks(text: string, rule: LinkTags | null, values: LinkTagValues): string {
  if (rule === null || !text.includes('://')) return text
  const added = rule.parameters.flatMap(({ name, value }) => {
    const said = value.replace(
      /\{(channel|network|label)\}/g,
      (_, field: keyof LinkTagValues) => values[field] ?? '',
    )
    return said.trim() === '' ? [] : [`${encoded(name)}=${encoded(said.trim())}`]
  })
  if (added.length === 0) return text
  const names = new Set(rule.parameters.map(({ name }) => name.toLowerCase()))
  const hosts = rule.hosts.flatMap((host) => asciiHost(`https://${host}`) ?? [])
  const code = [...text.matchAll(CODE)].map(({ index, 0: whole }) => [index, index + whole.length] as const)
  let passed = 0
  return text.replace(LINK, (found: string, at: number) => {
    while ((code[passed]?.[1] ?? Infinity) <= at) passed++
    if ((code[passed]?.[0] ?? Infinity) <= at) return found
    const link = withoutEnd(found)
    return isTagged(link, names, hosts) ? found : `${withParameters(link, added)}${found.slice(link.length)}`
  })
}

function withoutEnd(found: string): string {
  const opened = found.split('(').length
  let closed = found.split(')').length
  let length = found.length
  for (; AFTER_LINK.test(found[length - 1] ?? ''); length--) {
    if (found[length - 1] !== ')') continue
    // A bracket that was opened within the address belongs to it.
    if (closed <= opened) break
    closed--
  }
  return found.slice(0, length)
}

/** Whether the link stays as it is: it has a parameter of the rule, or is none that the rule is for. */
function isTagged(link: string, names: ReadonlySet<string>, hosts: readonly string[]): boolean {
  const host = asciiHost(link)
  if (host === null) return true
  const isMeant = hosts.length === 0 || hosts.some((one) => host === one || host.endsWith(`.${one}`))
  return !isMeant || [...new URL(link).searchParams.keys()].some((name) => names.has(name.toLowerCase()))
}

/** As names are resolved: in lower case, and in Punycode. */
function asciiHost(address: string): string | null {
  return URL.canParse(address) ? new URL(address).hostname : null
}

/** All else of the link stays letter by letter. */
function withParameters(link: string, added: readonly string[]): string {
  const [address = '', ...fragment] = link.split('#')
  const hasPath = /^[a-z]+:\/\/[^/?]+[/?]/i.test(address)
  const begun = hasPath ? address : `${address}/`
  const joint = !begun.includes('?') ? '?' : /[?&]$/.test(begun) ? '' : '&'
  const end = fragment.length === 0 ? '' : `#${fragment.join('#')}`
  return `${begun}${joint}${added.join('&')}${end}`
}

/** No sign is left at which a network could take the link to end. */
function encoded(value: string): string {
  const percent = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(value.toWellFormed())
    .replace(/[!'()*]/g, percent)
    .replace(/[.~_-]$/, percent)
}
