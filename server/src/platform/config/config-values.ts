import ipaddr from 'ipaddr.js'
import { modelVendors, type ModelRef } from './ai-access.ts'
import { parseEmailDomain } from '../text/email-address.ts'
import { underOneName } from '../outbound/loopback.ts'
import { addressesOf, BadAddress, passesOverStandbys } from '../postgres/address.ts'
import { parseSecretKeys, Secret } from '../sealing/sealing.ts'

/*
 * What the text of a setting may mean. Each of these gives the value, or a fault: the end of a sentence that begins
 * with the setting's name.
 */

export type Parsed<Value> = { value: Value } | { fault: string }

/** Whose `X-Forwarded-For` is trusted: none, that many proxies, or proxies at these addresses. */
export type TrustProxy = false | number | readonly string[]

export function anyText(text: string): Parsed<string> {
  return { value: text }
}

export function anySecret(text: string): Parsed<Secret> {
  return { value: new Secret(text) }
}

export function pattern(allowed: RegExp, fault: string) {
  return (text: string): Parsed<string> => (allowed.test(text) ? { value: text } : { fault })
}

export function integer(min: number, max: number) {
  return (text: string): Parsed<number> => {
    const value = Number(text)
    const valid = /^\d+$/.test(text) && value >= min && value <= max
    return valid ? { value } : { fault: `is not a whole number from ${min} to ${max}` }
  }
}

export function oneOf<const Word extends string>(words: readonly Word[]) {
  return (text: string): Parsed<Word> => {
    const value = words.find((word) => word === text.toLowerCase())
    return value === undefined ? { fault: `is none of ${words.join(', ')}` } : { value }
  }
}

export function onOff(text: string): Parsed<boolean> {
  const parsed = oneOf(['on', 'off', 'true', 'false'])(text)
  return 'fault' in parsed
    ? { fault: 'is neither on nor off' }
    : { value: parsed.value === 'on' || parsed.value === 'true' }
}

export function listOf<const Word extends string>(words: readonly Word[]) {
  return (text: string): Parsed<readonly Word[]> => {
    const given = splitList(text)
    const unknown = given.filter((item) => words.every((word) => word !== item))
    if (unknown.length > 0)
      return { fault: `names ${unknown.join(', ')}, and may name only ${words.join(', ')}` }
    return given.length === 0
      ? { fault: 'names nothing' }
      : { value: words.filter((word) => given.includes(word)) }
  }
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** An http or https address of a host alone; given back without a slash at its end. */
export function origin(text: string): Parsed<string> {
  const parsed = httpUrl(text)
  if ('fault' in parsed) return parsed
  const url = new URL(text)
  if (url.pathname !== '/' || text.includes('?') || text.includes('#')) {
    return { fault: 'must end after the host and port: no path, query or fragment' }
  }
  return { value: url.origin }
}

/** The origin of our own, under its one name. */
export function ownOrigin(text: string): Parsed<string> {
  const parsed = origin(text)
  return 'fault' in parsed ? parsed : { value: underOneName(parsed.value) }
}

export function httpUrl(text: string): Parsed<string> {
  if (!URL.canParse(text)) return { fault: 'is not an absolute address' }
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { fault: 'does not begin with http:// or https://' }
  if (url.username !== '' || url.password !== '') return { fault: 'must not carry a user name or password' }
  return { value: text }
}

/** An http or https address with its path; given back without a slash at its end. */
export function serverUrl(text: string): Parsed<string> {
  const parsed = httpUrl(text)
  if ('fault' in parsed) return parsed
  const { search, hash } = new URL(text)
  if (search !== '' || hash !== '') return { fault: 'must have no query or fragment' }
  return { value: text.replace(/\/+$/, '') }
}

/** An OpenID Connect issuer; on http only on this machine. */
export function oidcIssuer(text: string): Parsed<string> {
  const parsed = serverUrl(text)
  if ('fault' in parsed) return parsed
  const { protocol, hostname } = new URL(text)
  if (protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname))
    return { fault: 'must begin with https://, unless it is on this machine' }
  // As it stands: the issuer says it in the same way, slash at its end or not.
  return { value: text }
}

export function domainList(text: string): Parsed<readonly string[]> {
  const words = splitList(text)
  const domains = words.flatMap((word) => parseEmailDomain(word) ?? [])
  const all = domains.length === words.length && domains.every((domain) => domain.includes('.'))
  return all && words.length > 0 ? { value: domains } : { fault: 'must list domains such as example.com' }
}

/** A mail server, with name and password or without. */
export function smtpUrl(text: string): Parsed<Secret> {
  if (!/^smtps?:\/\//.test(text)) return { fault: 'does not begin with smtp:// or smtps://' }
  const fault = {
    fault: 'is not a well-formed address (a password with special characters must be percent-encoded)',
  }
  if (!URL.canParse(text)) return fault
  const { hostname, pathname, search, hash, username, password } = new URL(text)
  if (hostname === '') return { fault: 'does not name a host' }
  if (!['', '/'].includes(pathname) || search !== '' || hash !== '')
    return { fault: 'must end after the host and port: no path, query or fragment' }
  if ((username === '') !== (password === ''))
    return { fault: 'must have both a name and a password, or neither' }
  return isDecodable(username + password) ? { value: new Secret(text) } : fault
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** An address, or a name with the address in angle brackets. */
export function mailSender(text: string): Parsed<string> {
  const [, name = '', address = text] = /^([^<>]*?)\s*<([^<>]*)>$/.exec(text) ?? []
  const valid =
    /^[^\s@<>"(),:;\\]+@[^\s@<>"(),:;\\]+$/.test(address) &&
    !/[\p{Cc}",:;\\]/u.test(name) &&
    text.length <= 320
  return valid
    ? { value: text }
    : { fault: 'is neither an e-mail address nor a name with one in angle brackets' }
}

export function secretText(text: string): Parsed<Secret> {
  return /^[\x21-\x7e]+$/.test(text)
    ? { value: new Secret(text) }
    : { fault: 'holds characters that no key has' }
}

export function modelList(text: string): Parsed<readonly ModelRef[]> {
  const models: ModelRef[] = []
  for (const item of splitList(text)) {
    const slash = item.indexOf('/')
    const vendor = modelVendors.find((name) => name === item.slice(0, slash))
    const model = item.slice(slash + 1)
    if (vendor === undefined || !/^[\x21-\x7e]{1,200}$/.test(model)) {
      return { fault: `names ${item}, and must name each model as vendor/model` }
    }
    models.push({ vendor, model })
  }
  return models.length === 0 ? { fault: 'names nothing' } : { value: models }
}

export function imageModelList(text: string): Parsed<readonly ModelRef[]> {
  const parsed = modelList(text)
  if ('fault' in parsed) return parsed
  return parsed.value.some(({ vendor }) => vendor === 'anthropic')
    ? { fault: 'names a model of anthropic, which draws nothing' }
    : parsed
}

export function trustedOrigins(text: string): Parsed<readonly string[] | 'any'> {
  if (text.toLowerCase() === 'any') return { value: 'any' }
  const parsed = splitList(text).map(origin)
  const fault = parsed.find((each) => 'fault' in each)
  return fault ?? { value: parsed.flatMap((each) => ('value' in each ? [each.value] : [])) }
}

export function trustedNetworks(text: string): Parsed<readonly string[]> {
  const networks = splitList(text)
  return networks.every((network) => ipaddr.isValidCIDR(network))
    ? { value: networks }
    : { fault: 'must list networks in CIDR form' }
}

export function databaseUrl(text: string): Parsed<Secret> {
  if (!/^postgres(ql)?:\/\//.test(text)) return { fault: 'does not begin with postgresql://' }
  try {
    addressesOf({ url: text })
    passesOverStandbys({ url: text })
    return { value: new Secret(text) }
  } catch (error) {
    if (error instanceof BadAddress) return { fault: error.message }
    throw error
  }
}

export function secretKeys(text: string): Parsed<Secret> {
  return parseSecretKeys(text) === null
    ? { fault: 'must list base64 texts of exactly 32 bytes each' }
    : { value: new Secret(text) }
}

export function trustProxy(text: string): Parsed<TrustProxy> {
  if (text.toLowerCase() === 'off') return { value: false }
  if (/^\d{1,2}$/.test(text)) return { value: Number(text) === 0 ? false : Number(text) }
  const addresses = splitList(text)
  const wrong = addresses.filter((address) => !ipaddr.isValid(address) && !ipaddr.isValidCIDR(address))
  return wrong.length > 0 || addresses.length === 0
    ? { fault: 'is neither off, nor a number of proxies, nor a list of addresses' }
    : { value: addresses }
}
