import type { app } from '@postrider/contract'
import { useQueries } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { read } from '../../api/queries.ts'
import { listNames } from '../../lib/list-names.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { ChannelMark } from '../../ui/channel-mark.tsx'
import { networkName, shownHandle } from '../channels/network-name.ts'
import { useChannels } from '../channels/use-channels.ts'
import { MediaGrid } from '../preview/media-grid.tsx'
import { PartPreview } from '../preview/part-preview.tsx'
import { limitOf } from '../preview/text-limit.ts'
import { contentFor, type Draft, type DraftContent, type DraftPart, isBlank, isSame } from './draft.ts'
import styles from './preview.module.css'
import type { Tag } from './use-link-tags.ts'
import { words } from './words.ts'

type Shown = { readonly channels: readonly app.ManagedChannel[]; readonly content: DraftContent }

const SHOWN = 6

/** How the post reads on each network: channels that show the same are shown once. */
export function Preview({ draft, tag }: { draft: Draft; tag: Tag }) {
  const { channels } = useChannels()
  const [all, setAll] = useState(false)
  if (isBlank(draft)) return null
  const previews = previewsOf(channels, draft, tag)
  if (previews.length === 0) return null
  const hidden = previews.length - SHOWN
  return (
    <section className={styles.previews} aria-label={words.preview.title}>
      <h2>{words.preview.title}</h2>
      {(all ? previews : previews.slice(0, SHOWN)).map((shown) => (
        <ChannelPreview key={shown.channels[0]?.channelId} {...shown} />
      ))}
      {hidden > 0 ? (
        <Button onClick={() => setAll(!all)}>{all ? words.preview.fewer : words.preview.more(hidden)}</Button>
      ) : null}
    </section>
  )
}

/** What differs, by network and content. */
function previewsOf(channels: readonly app.ManagedChannel[], draft: Draft, tag: Tag): Shown[] {
  const chosen = new Set(draft.channelIds)
  const previews: { channels: app.ManagedChannel[]; content: DraftContent }[] = []
  for (const channel of channels.filter(({ channelId }) => chosen.has(channelId))) {
    const content = tag(contentFor(draft, channel.channelId), channel)
    const same = previews.find(
      (one) => one.channels[0]?.provider === channel.provider && isSame(one.content, content),
    )
    if (same === undefined) previews.push({ channels: [channel], content })
    else same.channels.push(channel)
  }
  return previews
}

function ChannelPreview({ channels, content }: Shown) {
  const [first] = channels
  if (first === undefined) return null
  const { provider } = first
  return (
    <article
      className={styles.preview}
      data-network={provider}
      aria-label={words.preview.on(listNames(channels.map(({ displayName }) => displayName)))}
    >
      {partsShown(content).map(({ comment, ...part }, index) => (
        <div key={index} className={comment ? `${styles.part} ${styles.comment}` : styles.part}>
          <ChannelMark channel={first} size="large" />
          <div className={styles.body}>
            {index === 0 ? <Names channels={channels} /> : null}
            {comment ? <p className={styles.note}>{words.preview.firstComment}</p> : null}
            <PartPreview
              {...{ provider, part, index }}
              limit={limitOf(channels)}
              media={<PreviewMedia provider={provider} mediaIds={part.mediaIds} />}
            />
          </div>
        </div>
      ))}
      <p className={styles.network}>{networkName(provider)}</p>
    </article>
  )
}

/** The parts in their order, the first comment last. */
function partsShown({ parts, firstComment }: DraftContent): (DraftPart & { comment: boolean })[] {
  const shown = parts.map((part) => ({ ...part, comment: false }))
  return firstComment === undefined ? shown : [...shown, { text: firstComment, mediaIds: [], comment: true }]
}

const NAMED = 3

/** Whose post it is: of several, the first few by name. */
function Names({ channels }: { channels: readonly app.ManagedChannel[] }) {
  const named = channels.length > NAMED + 1 ? channels.slice(0, NAMED) : channels
  return (
    <p className={styles.names}>
      {named.map(({ channelId, displayName, handle, provider }, at) => (
        <Fragment key={channelId}>
          {at > 0 ? ', ' : ''}
          <strong data-testid="channel">{displayName}</strong>
          {channels.length === 1 ? <span> {shownHandle(provider, handle)}</span> : null}
        </Fragment>
      ))}
      {named.length < channels.length ? (
        <span> {words.preview.same(channels.length - named.length)}</span>
      ) : null}
    </p>
  )
}

function PreviewMedia({ provider, mediaIds }: { provider: string; mediaIds: readonly string[] }) {
  const { workspaceId } = useSession().workspace
  const items = useQueries({
    queries: mediaIds.map((mediaId) => read('appReadMedia', { params: { workspaceId, mediaId } })),
  })
  return (
    <MediaGrid provider={provider} items={items.flatMap(({ data }) => data ?? [])} count={mediaIds.length} />
  )
}
