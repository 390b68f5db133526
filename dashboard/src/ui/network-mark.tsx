import type { SVGProps } from 'react'
import { AtSign, BriefcaseBusiness, Camera, FlaskConical, Newspaper, Plug, RadioTower } from './icons.ts'
import { networkGlyphs } from './network-glyphs.ts'
import styles from './channel-mark.module.css'

type Drawing = (props: SVGProps<SVGSVGElement>) => React.JSX.Element

function glyph(path: string, viewBox = '0 0 24 24'): Drawing {
  return (props) => (
    <svg viewBox={viewBox} fill="currentColor" {...props}>
      <path d={path} />
    </svg>
  )
}

const { bluesky, discord, facebook, mastodon, telegram, x, youtube } = networkGlyphs

const networks: Readonly<Record<string, { drawing: Drawing; className: string | undefined }>> = {
  bluesky: { className: styles.bluesky, drawing: glyph(bluesky) },
  mastodon: { className: styles.mastodon, drawing: glyph(mastodon) },
  x: { className: styles.x, drawing: glyph(x) },
  facebook: { className: styles.facebook, drawing: glyph(facebook) },
  instagram: { className: styles.instagram, drawing: Camera },
  linkedin: { className: styles.linkedin, drawing: BriefcaseBusiness },
  // These have signs of ours: Nostr has no mark that is everybody's.
  nostr: { className: styles.nostr, drawing: RadioTower },
  wordpress: { className: styles.wordpress, drawing: Newspaper },
  // The disc is the circle of the mark.
  telegram: { className: styles.telegram, drawing: glyph(telegram, '4 4 16 16') },
  discord: { className: styles.discord, drawing: glyph(discord) },
  threads: { className: styles.threads, drawing: AtSign },
  youtube: { className: styles.youtube, drawing: glyph(youtube) },
}

/** The disc of a network. It repeats what is said beside it or in the label of what it is in. */
export function NetworkMark({
  provider,
  className = '',
}: {
  provider: string
  className?: string | undefined
}) {
  const sandbox = { drawing: FlaskConical, className: styles.sandbox }
  const other = { drawing: Plug, className: styles.sandbox }
  const known = provider.startsWith('sandbox-') ? sandbox : (networks[provider] ?? other)
  const Drawing = known.drawing
  return (
    <span className={`${styles.network} ${known.className} ${className}`} aria-hidden>
      <Drawing />
    </span>
  )
}
