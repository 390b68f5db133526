// Printed from the networks by `npm run generate`. Not edited by hand.

export type NetworkNames = {
  readonly displayName: string
  /** The handles that people write with an @; null for none. */
  readonly atHandles: RegExp | null
}

export const networkNames: Readonly<Record<string, NetworkNames>> = {
  bluesky: { displayName: 'Bluesky', atHandles: /^(?!did:)/ },
  discord: { displayName: 'Discord', atHandles: null },
  facebook: { displayName: 'Facebook', atHandles: null },
  instagram: { displayName: 'Instagram', atHandles: /^/ },
  linkedin: { displayName: 'LinkedIn', atHandles: null },
  mastodon: { displayName: 'Mastodon', atHandles: /^/ },
  nostr: { displayName: 'Nostr', atHandles: null },
  telegram: { displayName: 'Telegram', atHandles: /^[A-Za-z]/ },
  threads: { displayName: 'Threads', atHandles: /^/ },
  wordpress: { displayName: 'WordPress', atHandles: null },
  x: { displayName: 'X', atHandles: /^/ },
  youtube: { displayName: 'YouTube', atHandles: /^(?!UC[\w-]{22}$)/ },
  'sandbox-short': { displayName: 'Sandbox (short posts)', atHandles: /^/ },
  'sandbox-professional': { displayName: 'Sandbox (professional)', atHandles: /^/ },
}
