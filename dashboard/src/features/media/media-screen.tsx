import { mediaTypeName } from '@postrider/contract/names'
import type { AnswerOf } from '../../api/client.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, navigate } from '../../navigation.tsx'
import { ImagePlus, Images } from '../../ui/icons.ts'
import { type ReactNode, useState } from 'react'
import { read, useWrite } from '../../api/queries.ts'
import { chooseTime } from '../../lib/chosen-time.ts'
import { showTime } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Unread } from '../../ui/states.tsx'
import { Tag } from '../../ui/status.tsx'
import { announce } from '../../ui/toast.tsx'
import { emptyDraft } from '../composer/draft.ts'
import { keep, newDraftId } from '../composer/kept-drafts.ts'
import { useUploads } from '../composer/use-uploads.tsx'
import { AltDialog } from './alt-dialog.tsx'
import { LibraryFilters } from './library-filters.tsx'
import styles from './media.module.css'
import { Thumbnail } from './thumbnail.tsx'
import { useLibrary } from './use-library.ts'
import { words } from './words.ts'

type Found = AnswerOf<'findMedia'>['items'][number]

export function MediaScreen(): ReactNode {
  const mayWrite = useMay('media:write')
  const { search, setSearch, pages, items, isSearched } = useLibrary()
  const isEmpty = pages.data !== undefined && items.length === 0
  return (
    <Page wide title={words.title} lead={words.lead} actions={mayWrite ? <Upload /> : undefined}>
      {isEmpty && !isSearched ? (
        <Empty icon={<Images aria-hidden />} title={words.none}>
          <p>{words.noneHint}</p>
        </Empty>
      ) : (
        <LibraryFilters search={search} onChange={setSearch} />
      )}
      <Unread of={pages} />
      {isEmpty && isSearched ? <p role="status">{words.nothingFound}</p> : null}
      <ul className={styles.grid} aria-label={words.title}>
        {items.map((item) => (
          <Item key={item.mediaId} item={item} />
        ))}
      </ul>
      {pages.hasNextPage ? (
        <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          {words.older}
        </Button>
      ) : null}
    </Page>
  )
}

function Item({ item }: { item: Found }) {
  const { timeZone: zone } = useSession().workspace
  const mayWrite = useMay('media:write')
  const mayPost = useMay('posts:write')
  const useIt = useInPost()
  const [open, setOpen] = useState<'uses' | 'alt' | 'removal' | null>(null)
  const { altText, width, height, size, contentType, createdAt, used } = item
  const typeName = mediaTypeName(contentType)
  const name = altText ?? typeName
  return (
    <li className={styles.item}>
      <Thumbnail item={item} />
      {altText === null ? <Tag tone="amber">{words.noAlt}</Tag> : <p className={styles.alt}>{altText}</p>}
      <p className={styles.facts}>
        {typeName}
        {width === null ? '' : `, ${width} × ${height}`}, {inKilobytes(size)}
        <br />
        {showTime(createdAt, zone)}
      </p>
      <div className={styles.acts}>
        {mayPost ? (
          <Button
            variant="quiet"
            aria-label={words.named(words.useInPost, name)}
            onClick={() => useIt(item.mediaId)}
          >
            {words.useInPost}
          </Button>
        ) : null}
        {mayWrite ? (
          <Button
            variant="quiet"
            aria-label={words.named(words.editAlt, name)}
            onClick={() => setOpen('alt')}
          >
            {words.editAlt}
          </Button>
        ) : null}
        {used ? (
          <Button
            variant="quiet"
            aria-expanded={open === 'uses'}
            onClick={() => setOpen(open === 'uses' ? null : 'uses')}
          >
            {words.whereUsed}
          </Button>
        ) : mayWrite ? (
          <Button
            variant="quiet"
            aria-label={words.named(words.remove, name)}
            onClick={() => setOpen('removal')}
          >
            {words.remove}
          </Button>
        ) : null}
      </div>
      {open === 'uses' ? <Uses mediaId={item.mediaId} /> : null}
      {open === 'alt' ? <AltDialog item={item} onClose={() => setOpen(null)} /> : null}
      {open === 'removal' ? <Removal mediaId={item.mediaId} onClose={() => setOpen(null)} /> : null}
    </li>
  )
}

/** Begins a post with the file in it. */
function useInPost(): (mediaId: string) => void {
  const { me, workspace } = useSession()
  const { workspaceId } = workspace
  return (mediaId) => {
    const draft = {
      ...emptyDraft([], { state: 'scheduled', ...chooseTime() }),
      shared: { parts: [{ text: '', mediaIds: [mediaId] }] },
    }
    const place = { workspaceId, personId: me.person.personId, postId: null }
    const id = newDraftId()
    const search = keep(place, { id, draft, editToken: null }) === null ? {} : { draft: id }
    void navigate({ to: '/w/$workspaceId/compose', params: { workspaceId }, search })
  }
}

function Removal({ mediaId, onClose }: { mediaId: string; onClose: () => void }) {
  const { workspaceId } = useSession().workspace
  const remove = useWrite('appDeleteMedia')
  return (
    <ConfirmDialog
      title={words.removeTitle}
      act={words.remove}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(
          { params: { workspaceId, mediaId } },
          {
            onSuccess() {
              announce(words.removed)
              onClose()
            },
          },
        )
      }
      onClose={onClose}
    >
      {words.removeText}
    </ConfirmDialog>
  )
}

function Uses({ mediaId }: { mediaId: string }) {
  const { workspaceId } = useSession().workspace
  const posts = useQuery(read('listPostsWithMedia', { params: { workspaceId, mediaId } }))
  if (posts.data === undefined) return <Unread of={posts} lines={2} />
  if (posts.data.length === 0) return <p className={styles.facts}>{words.inNoPost}</p>
  return (
    <ul className={styles.uses} aria-label={words.postsWithIt}>
      {posts.data.map(({ postId, text }) => (
        <li key={postId}>
          <Link to="/w/$workspaceId/posts/$postId" params={{ workspaceId, postId }}>
            {text || words.withoutText}
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
        {words.upload}
      </Button>
    </>
  )
}
