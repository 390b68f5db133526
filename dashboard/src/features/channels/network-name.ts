import { networkNames, shownHandle } from '@postrider/contract/names'
import { words } from './words.ts'

export { shownHandle }

const ownWords: Readonly<Record<string, string>> = {
  'sandbox-short': words.sandboxShortName,
  'sandbox-professional': words.sandboxLongName,
}

/** A network as people call it. */
export function networkName(provider: string): string {
  return (
    ownWords[provider] ??
    networkNames[provider]?.displayName ??
    provider.slice(0, 1).toUpperCase() + provider.slice(1)
  )
}

/** Where people see an account; null where its handle does not tell. */
export function profileAddress(provider: string, handle: string): string | null {
  if (provider === 'bluesky') return `https://bsky.app/profile/${encodeURIComponent(handle)}`
  if (provider === 'facebook') return `https://www.facebook.com/${encodeURIComponent(handle)}`
  if (provider === 'x') return `https://x.com/${encodeURIComponent(handle)}`
  if (provider === 'instagram') return `https://www.instagram.com/${encodeURIComponent(handle)}/`
  if (provider === 'threads') return `https://www.threads.com/@${encodeURIComponent(handle)}`
  if (provider === 'youtube') {
    // A channel without a handle goes by its id.
    const path = /^UC[\w-]{22}$/.test(handle) ? `channel/${handle}` : `@${encodeURIComponent(handle)}`
    return `https://www.youtube.com/${path}`
  }
  const [name = '', server] = handle.split('@')
  if (provider === 'mastodon' && server !== undefined && /^[\w.-]+(:\d+)?$/.test(server))
    return `https://${server}/@${encodeURIComponent(name)}`
  if (provider === 'wordpress' && /^[\w.-]+(:\d+)?(\/[\w./-]*)?$/.test(handle)) return `https://${handle}`
  if (provider === 'nostr') return `https://njump.me/${encodeURIComponent(handle)}`
  return provider === 'telegram' && /^\w{4,}$/.test(handle) ? `https://t.me/${handle}` : null
}
