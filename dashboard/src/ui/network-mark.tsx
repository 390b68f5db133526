import type { SVGProps } from 'react'
import { FlaskConical, Plug } from './icons.ts'
import styles from './channel-mark.module.css'

/*
 * A small drawing of our own for each network, white on the colour that its brand rules name: enough to tell accounts apart.
 * They are no logos, and stand for nothing but where an account is.
 */

type Drawing = (props: SVGProps<SVGSVGElement>) => React.JSX.Element

function filled(path: string): Drawing {
  return (props) => (
    <svg viewBox="0 0 24 24" fill="currentColor" {...props}>
      <path d={path} fillRule="evenodd" />
    </svg>
  )
}

function drawn(path: string): Drawing {
  return (props) => (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={3}
      strokeLinecap="round"
      strokeLinejoin="round"
      {...props}
    >
      <path d={path} />
    </svg>
  )
}

const networks: Readonly<Record<string, { drawing: Drawing; className: string | undefined }>> = {
  bluesky: {
    className: styles.bluesky,
    drawing: filled(
      'M12 11C10.5 7.5 7 4.5 4.4 4 3 3.8 2.8 5 3 7c.2 2.6.9 5.5 4.5 6.2-3 .6-3.5 2.6-1.6 4.6C8.5 20.5 11 18.5 12 15.5c1 3 3.5 5 6.1 2.3 1.9-2 1.4-4-1.6-4.6 3.6-.7 4.3-3.6 4.5-6.2.2-2 0-3.2-1.4-3C17 4.5 13.5 7.5 12 11Z',
    ),
  },
  mastodon: {
    className: styles.mastodon,
    drawing: drawn('M5 18V9a3.5 3.5 0 0 1 7 0v5V9a3.5 3.5 0 0 1 7 0v9'),
  },
  x: { className: styles.x, drawing: drawn('M5 5l14 14M19 5L5 19') },
  linkedin: {
    className: styles.linkedin,
    drawing: drawn('M6 11v8M6 5.5v.1M11.5 19v-8M11.5 14a3.2 3.2 0 0 1 6.5 0v5'),
  },
  telegram: {
    className: styles.telegram,
    drawing: filled('M3 11.5 21 4l-3 16-5.5-4-3 3-.5-5 7-6.5-8.5 5.5Z'),
  },
  discord: {
    className: styles.discord,
    drawing: filled(
      'M7 5.5C9 4.8 15 4.8 17 5.5c2 2.5 3.5 7 3.5 11-1.5 1.5-3 2-4.5 2.5l-1.2-2h-5.6L8 19c-1.5-.5-3-1-4.5-2.5 0-4 1.5-8.5 3.5-11ZM9 10.5a1.7 1.9 0 1 0 0 3.8 1.7 1.9 0 0 0 0-3.8Zm6 0a1.7 1.9 0 1 0 0 3.8 1.7 1.9 0 0 0 0-3.8Z',
    ),
  },
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
