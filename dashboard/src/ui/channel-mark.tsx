import { useState } from 'react'
import { addressOf } from '../api/address.ts'
import { useSession } from '../session.tsx'
import styles from './channel-mark.module.css'
import { NetworkMark } from './network-mark.tsx'
import { Picture } from './picture.tsx'

/** What is needed of a channel to show whose account it is, and where. */
export type MarkedChannel = {
  readonly channelId: string
  readonly displayName: string
  readonly provider: string
  /** Where the network has the account's picture: the server has a copy. */
  readonly avatarUrl?: string | null
}

const HUES = 8

/** The account, as its picture, or its initials on a colour of its own, with the network. It repeats a name that is said beside it. */
export function ChannelMark({
  channel,
  size = 'small',
}: {
  channel: MarkedChannel
  size?: 'small' | 'large'
}) {
  const { channelId, displayName, provider, avatarUrl = null } = channel
  return (
    <span className={`${styles.mark} ${styles[size]}`} aria-hidden title={displayName}>
      <span className={`${styles.account} ${styles[`hue${hueOf(channelId)}`]}`}>
        {initialsOf(displayName)}
        {avatarUrl === null ? null : <AccountPicture key={avatarUrl} channelId={channelId} />}
      </span>
      <NetworkMark provider={provider} className={styles.corner} />
    </span>
  )
}

/** It covers the initials once it is there; where it is not to be had, they stay. */
function AccountPicture({ channelId }: { channelId: string }) {
  const { workspaceId } = useSession().workspace
  const [isThere, setThere] = useState(false)
  const src = addressOf('readChannelPicture', { params: { workspaceId, channelId } })
  return (
    <Picture
      className={`${styles.picture} ${isThere ? '' : styles.coming}`}
      {...{ src, alt: '', draggable: false, loading: 'lazy' }}
      onLoad={() => setThere(true)}
    />
  )
}

/** The marks of several channels; those that do not fit are counted. Their names are there for everyone. */
export function ChannelMarks({ channels, most }: { channels: readonly MarkedChannel[]; most: number }) {
  // The count takes the room of one.
  const shown = channels.length > most ? channels.slice(0, most - 1) : channels
  const names = channels.map(({ displayName }) => displayName).join(', ')
  return (
    <span className={styles.marks} title={names}>
      {shown.map((channel) => (
        <ChannelMark key={channel.channelId} channel={channel} />
      ))}
      {shown.length < channels.length ? (
        <span className={styles.more} aria-hidden>
          +{channels.length - shown.length}
        </span>
      ) : null}
      <span className="visually-hidden">{names}</span>
    </span>
  )
}

/** Always the same of an id: the ends of ids differ most. */
function hueOf(channelId: string): number {
  return Number.parseInt(channelId.slice(-2), 16) % HUES || 0
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
  const letters = words.slice(0, 2).map((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? '')
  return letters.join('').toUpperCase() || '?'
}
