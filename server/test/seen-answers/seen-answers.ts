import { bluesky } from './bluesky.ts'
import { discord } from './discord.ts'
import { facebook } from './facebook.ts'
import { instagram } from './instagram.ts'
import { linkedin } from './linkedin.ts'
import { mastodon } from './mastodon.ts'
import { nostr } from './nostr.ts'
import { telegram } from './telegram.ts'
import { threads } from './threads.ts'
import { wordpress } from './wordpress.ts'
import { x } from './x.ts'
import { youtube } from './youtube.ts'
import type { SeenAt } from './seen-answer.ts'

/** By network. */
export const seenAnswers: Readonly<Record<string, SeenAt>> = {
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
}
