import { onFirstUse } from '../../platform/process/on-first-use.ts'
import { bluesky } from './bluesky/bluesky.ts'
import { discord } from './discord/discord.ts'
import { facebook } from './meta/facebook/facebook.ts'
import { instagram } from './meta/instagram/instagram.ts'
import { linkedin } from './linkedin/linkedin.ts'
import { mastodon } from './mastodon/mastodon.ts'
import { nostr } from './nostr/nostr.ts'
import type { Provider, Providers } from './port/port.ts'
import { sandboxProfessional, sandboxShort } from './sandbox/sandbox.ts'
import { telegram } from './telegram/telegram.ts'
import { threads } from './meta/threads/threads.ts'
import { wordpress } from './wordpress/wordpress.ts'
import { x } from './x/x.ts'
import { youtube } from './youtube/youtube.ts'

/*
 * The networks that this server speaks to. What is imported here is light: facts, limits and schemas. The code of a
 * network is loaded when it is first needed.
 */
const all: readonly Provider[] = [
  bluesky,
  discord,
  facebook,
  instagram,
  linkedin,
  mastodon,
  nostr,
  telegram,
  threads,
  wordpress,
  x,
  youtube,
  sandboxShort,
  sandboxProfessional,
]

/**
 * By provider name. Each adapter is loaded once: to import a module again takes longer than to judge an answer. One that
 * failed is loaded again.
 */
export const providers: Providers = new Map(
  all.map((provider) => [provider.provider, { ...provider, load: onFirstUse(provider.load).get }]),
)
