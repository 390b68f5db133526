import { Link, navigate, useSearch } from '../../navigation.tsx'
import { FileText } from '../../ui/icons.ts'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { moreTimesOf, showTime, withMoreTimes } from '../../lib/time.ts'
import type { PostsSearch, Span } from '../../addresses.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { ChannelMark } from '../../ui/channel-mark.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Check } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Empty, Loading, Unread } from '../../ui/states.tsx'
import { StatusBadge, statusLooks, Tag } from '../../ui/status.tsx'
import { FirstPicture } from '../calendar/post-card.tsx'
import { placesOf } from '../channels/groups.ts'
import { useChannels } from '../channels/use-channels.ts'
import { words as channelWords } from '../channels/words.ts'
import { withLabel } from '../labels/label-key.ts'
import { LabelResults } from '../labels/label-results.tsx'
import { useLabels } from '../labels/use-labels.ts'
import { words as labelWords } from '../labels/words.ts'
import { BulkBar } from './bulk-bar.tsx'
import { ExportMenu } from './export-posts.tsx'
import { useAuthors } from './use-authors.ts'
import { type ListedPost, spans, useListed } from './use-listed.ts'
import styles from './posts.module.css'
import { words } from './words.ts'

const HERE = '/w/$workspaceId/posts'

// Few files are imported.
const ImportDialog = lazy(async () => {
  const { ImportDialog: dialog } = await import('./import-dialog.tsx')
  return { default: dialog }
})
const TYPING_MS = 250

export function PostsScreen(): ReactNode {
  const search = useSearch(HERE)
  const mayWrite = useMay('posts:write')
  const { isFiltered, items, more, query } = useListed(search)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(NONE)
  const [importing, setImporting] = useState(false)
  // What is no longer listed is no longer chosen, either: nothing is done to what is not seen.
  const selected = items.filter(({ postId }) => chosen.has(postId))
  const change = (next: Partial<PostsSearch>) =>
    void navigate({ to: HERE, search: (now) => ({ ...now, ...next }), replace: true })
  const choose = (postId: string, isChosen: boolean) => {
    const next = new Set(chosen)
    if (isChosen) next.add(postId)
    else next.delete(postId)
    setChosen(next)
  }

  return (
    <Page
      wide
      title={words.title}
      actions={
        <>
          {mayWrite ? <Button onClick={() => setImporting(true)}>{words.importMore}</Button> : null}
          <ExportMenu search={search} />
        </>
      }
    >
      {importing ? (
        <Suspense fallback={<Loading lines={3} />}>
          <ImportDialog onClose={() => setImporting(false)} />
        </Suspense>
      ) : null}
      <Filters search={search} onChange={change} />
      {search.label === undefined ? null : <LabelResults label={search.label} />}
      {mayWrite && items.length > 0 ? (
        <BulkBar posts={selected} onDone={() => setChosen(NONE)}>
          <Check
            label={selected.length === 0 ? words.selectAll : words.selected(selected.length)}
            checked={selected.length === items.length}
            onChange={(all) => setChosen(all ? new Set(items.map(({ postId }) => postId)) : NONE)}
          />
        </BulkBar>
      ) : null}
      <Unread of={query} />
      {query.data !== undefined && items.length === 0 ? <NoPosts filtered={isFiltered} /> : null}
      {items.length === 0 ? null : (
        <ul className={styles.list} aria-label={words.title}>
          {items.map((post) => (
            <PostRow
              key={post.postId}
              post={post}
              isChosen={chosen.has(post.postId)}
              onChoose={mayWrite ? (isChosen) => choose(post.postId, isChosen) : null}
            />
          ))}
        </ul>
      )}
      {more === null ? null : (
        <div className={styles.more}>
          <Button busy={more.isBusy} onClick={more.load}>
            {words.older}
          </Button>
        </div>
      )}
    </Page>
  )
}

const NONE: ReadonlySet<string> = new Set()

type FiltersProps = { search: PostsSearch; onChange: (next: Partial<PostsSearch>) => void }

function Filters({ search, onChange }: FiltersProps) {
  const { channels } = useChannels()
  const authors = useAuthors()
  const labelled = useLabels()
  const labels = search.label === undefined ? labelled : withLabel(labelled, search.label)
  const known =
    search.author === undefined || authors.includes(search.author) ? authors : [...authors, search.author]
  return (
    <div className={styles.filters}>
      <SearchBox value={search.q ?? ''} onChange={(q) => onChange({ q: q || undefined, sort: undefined })} />
      <Choice
        label={words.status}
        all={words.allStatuses}
        options={Object.entries(statusLooks).map(([status, { label }]) => [status, label])}
        value={search.status}
        onChange={(status) => onChange({ status })}
      />
      <Choice
        label={words.channel}
        all={words.allChannels}
        options={placesOf(channels, channelWords.allOf)}
        value={search.channelId}
        onChange={(channelId) => onChange({ channelId })}
      />
      <Choice
        label={words.author}
        all={words.allAuthors}
        options={known.map((name) => [name, name])}
        value={search.author}
        onChange={(author) => onChange({ author })}
      />
      <Choice
        label={labelWords.label}
        all={labelWords.all}
        options={labels.map((label) => [label, label])}
        value={search.label}
        onChange={(label) => onChange({ label })}
      />
      <Choice
        label={words.time}
        all={words.anyTime}
        options={Object.entries(spans).map(([span, { label }]) => [span, label])}
        value={search.span}
        onChange={(span) => onChange({ span: span as Span | undefined })}
      />
      <Choice
        label={words.order}
        all={words.newest}
        options={[
          ['next', words.next],
          ['last', words.latest],
        ]}
        value={search.sort}
        onChange={(sort) => onChange({ sort: sort as PostsSearch['sort'], q: undefined })}
      />
    </div>
  )
}

/** What is typed is looked for when the typing pauses. */
function SearchBox({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [typed, setTyped] = useState(value)
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => onChange(typed), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed, value, onChange])
  return <SearchField label={words.search} placeholder={words.searchHint} value={typed} onChange={setTyped} />
}

function NoPosts({ filtered }: { filtered: boolean }) {
  const { workspaceId } = useSession().workspace
  if (filtered)
    return (
      <Empty icon={<FileText aria-hidden />} title={words.noMatch}>
        <p>{words.noMatchHint}</p>
      </Empty>
    )
  return (
    <Empty icon={<FileText aria-hidden />} title={words.none}>
      <p>{words.noneHint}</p>
      <Link className={buttonClass('primary')} to="/w/$workspaceId/compose" params={{ workspaceId }}>
        {words.writeFirst}
      </Link>
    </Empty>
  )
}

const reviewTags = {
  not_required: null,
  approved: null,
  pending: words.waiting,
  rejected: words.rejected,
} as const

type PostRowProps = {
  post: ListedPost
  isChosen: boolean
  /** Null where this person changes no posts. */
  onChoose: ((isChosen: boolean) => void) | null
}

function PostRow({ post, isChosen, onChoose }: PostRowProps) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const { channelOf } = useChannels()
  const { postId, text, imageId, labels, publishAt, destinations } = post
  const review = reviewTags[post.reviewStatus]
  const shown = text || words.withoutText
  return (
    <li className={styles.item}>
      {onChoose === null ? null : (
        <input
          type="checkbox"
          aria-label={words.select(shown.slice(0, 60))}
          checked={isChosen}
          onChange={({ target }) => onChoose(target.checked)}
        />
      )}
      <Link className={styles.row} to="/w/$workspaceId/posts/$postId" params={{ workspaceId, postId }}>
        <span className={styles.text} dir="auto">
          {shown}
        </span>
        {imageId === null ? <span /> : <FirstPicture mediaId={imageId} />}
        <span className={styles.when}>
          {publishAt === null
            ? words.noTime
            : withMoreTimes(showTime(publishAt, zone), moreTimesOf(destinations))}
        </span>
        <span className={styles.meta}>
          {destinations.map((destination) => (
            <span key={destination.channelId} className={styles.where}>
              <ChannelMark channel={channelOf(destination)} />
              {channelOf(destination).displayName} <StatusBadge status={destination.status} />
            </span>
          ))}
          {review === null ? null : <Tag tone="amber">{review}</Tag>}
          {labels.map((label) => (
            <Tag key={label}>{label}</Tag>
          ))}
        </span>
      </Link>
    </li>
  )
}
