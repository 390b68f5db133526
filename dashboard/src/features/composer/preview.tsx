import type { app } from '@postrider/contract'
import { useQueries } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { read } from '../../api/queries.ts'
import { listNames } from '../../lib/list-names.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { ChannelMark } from '../../ui/channel-mark.tsx'
import { Link2 } from '../../ui/icons.ts'
import { networkName } from '../channels/network-name.ts'
import { useChannels } from '../channels/use-channels.ts'
import { Thumbnail } from '../media/thumbnail.tsx'
import { contentFor, type Draft, type DraftContent, type DraftPart, isBlank, isSame } from './draft.ts'
import styles from './preview.module.css'
import { cardOf, foldOf, hasMarkdown, type Segment, segmentsOf } from './rich-text.ts'
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
            <PartText provider={provider} text={part.text} />
            <PreviewMedia mediaIds={part.mediaIds} />
            <LinkCard {...{ provider, part, index }} />
            {hasMarkdown(provider, part.text) ? (
              <p className={styles.note}>{words.preview.markdown}</p>
            ) : null}
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
      {named.map(({ channelId, displayName, handle }, at) => (
        <Fragment key={channelId}>
          {at > 0 ? ', ' : ''}
          <strong data-testid="channel">{displayName}</strong>
          {channels.length === 1 ? <span> @{handle}</span> : null}
        </Fragment>
      ))}
      {named.length < channels.length ? (
        <span> {words.preview.same(channels.length - named.length)}</span>
      ) : null}
    </p>
  )
}

/** The text of a part, letter by letter as it goes out; what is marked, and where it is folded, is shown by looks alone. */
function PartText({ provider, text }: { provider: string; text: string }) {
  const fold = foldOf(provider, text)
  const whole = <Segments segments={segmentsOf(provider, text)} />
  return (
    <>
      <p className={styles.text} data-testid="text" dir="auto">
        {fold === null ? whole : <Folded {...{ provider, text, fold }} />}
      </p>
      {fold === null ? null : <p className={styles.note}>{words.preview.folded(networkName(provider))}</p>}
    </>
  )
}

function Folded({ provider, text, fold }: { provider: string; text: string; fold: number }) {
  return (
    <>
      <Segments segments={segmentsOf(provider, text.slice(0, fold))} />
      <span className={styles.fold} data-words={words.preview.fold} />
      <span className={styles.folded}>
        <Segments segments={segmentsOf(provider, text.slice(fold))} />
      </span>
    </>
  )
}

function Segments({ segments }: { segments: readonly Segment[] }) {
  return segments.map(({ is, text }, at) =>
    is === 'text' ? (
      text
    ) : (
      <span key={at} className={styles.marked}>
        {text}
      </span>
    ),
  )
}

function LinkCard({ provider, part, index }: { provider: string; part: DraftPart; index: number }) {
  const host = cardOf(provider, part, index)
  if (host === null) return null
  return (
    <div className={styles.card}>
      <Link2 aria-hidden />
      <div>
        <p>{words.preview.card(host)}</p>
        <p className={styles.note}>{words.preview.cardBy(networkName(provider))}</p>
      </div>
    </div>
  )
}

function PreviewMedia({ mediaIds }: { mediaIds: readonly string[] }) {
  const { workspaceId } = useSession().workspace
  const items = useQueries({
    queries: mediaIds.map((mediaId) => read('appReadMedia', { params: { workspaceId, mediaId } })),
  })
  if (mediaIds.length === 0) return null
  return (
    <div className={styles.media} data-count={Math.min(mediaIds.length, 4)}>
      {items.map(({ data }) => (data === undefined ? null : <Thumbnail key={data.mediaId} item={data} />))}
    </div>
  )
}
