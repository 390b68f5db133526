import type { MediaItem } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ImagePlus, Images } from '../../ui/icons.ts'
import { type ReactNode, useState } from 'react'
import { read } from '../../api/queries.ts'
import { usePages } from '../../api/use-pages.ts'
import { showTime } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loading, ProblemNotice } from '../../ui/states.tsx'
import { Tag } from '../../ui/status.tsx'
import { Thumbnail } from '../composer/media-strip.tsx'
import { useUploads } from '../composer/use-uploads.tsx'
import styles from './media.module.css'

const PAGE = 40

export function MediaScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const mayWrite = useMay('media:write')
  const { pages: media, items } = usePages(
    'appListMedia',
    { params: { workspaceId }, query: {} },
    { limit: PAGE },
  )
  return (
    <Page
      title="Media"
      lead="Files that posts can carry. They are checked, freed of metadata, and never change."
      actions={mayWrite ? <Upload /> : undefined}
    >
      {media.isPending ? <Loading /> : null}
      {media.isError ? <ProblemNotice error={media.error} onRetry={() => void media.refetch()} /> : null}
      {media.isSuccess && items.length === 0 ? (
        <Empty icon={<Images aria-hidden />} title="No media yet">
          <p>Upload a picture here, or drop it onto a post while you write.</p>
        </Empty>
      ) : null}
      <ul className={styles.grid} aria-label="Media">
        {items.map((item) => (
          <Item key={item.mediaId} item={item} />
        ))}
      </ul>
      {media.hasNextPage ? (
        <Button busy={media.isFetchingNextPage} onClick={() => void media.fetchNextPage()}>
          Show older media
        </Button>
      ) : null}
    </Page>
  )
}

function Item({ item }: { item: MediaItem }) {
  const { timeZone: zone } = useSession().workspace
  const [open, setOpen] = useState(false)
  const { altText, width, height, size, contentType, createdAt } = item
  return (
    <li className={styles.item}>
      <Thumbnail item={item} />
      {altText === null ? <Tag tone="amber">No alt text</Tag> : <p className={styles.alt}>{altText}</p>}
      <p className={styles.facts}>
        {contentType}
        {width === null ? '' : `, ${width} × ${height}`}, {inKilobytes(size)}
        <br />
        {showTime(createdAt, zone)}
      </p>
      <Button variant="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
        Where it is used
      </Button>
      {open ? <Uses mediaId={item.mediaId} /> : null}
    </li>
  )
}

function Uses({ mediaId }: { mediaId: string }) {
  const { workspaceId } = useSession().workspace
  const posts = useQuery(read('listPostsWithMedia', { params: { workspaceId, mediaId } }))
  if (posts.isPending) return <Loading lines={2} />
  if (posts.isError) return <ProblemNotice error={posts.error} onRetry={() => void posts.refetch()} />
  if (posts.data.length === 0) return <p className={styles.facts}>In no post yet.</p>
  return (
    <ul className={styles.uses} aria-label="Posts with it">
      {posts.data.map(({ postId, text }) => (
        <li key={postId}>
          <Link to="/w/$workspaceId/posts/$postId" params={{ workspaceId, postId }}>
            {text || 'Media without text'}
          </Link>
        </li>
      ))}
    </ul>
  )
}

function inKilobytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

function Upload() {
  const uploads = useUploads(() => undefined)
  return (
    <>
      {uploads.element}
      <Button variant="primary" onClick={uploads.choose}>
        <ImagePlus aria-hidden />
        Upload
      </Button>
    </>
  )
}
