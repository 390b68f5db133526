import type { Post } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { listNames } from '../../lib/list-names.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice, Unread } from '../../ui/states.tsx'
import { useChannels } from '../channels/use-channels.ts'
import styles from './composer.module.css'
import { type Draft, draftOfPost, groupsOf, mergeDrafts, textsOf, timeOn } from './draft.ts'
import { words } from './words.ts'

type ConflictProps = {
  postId: string
  draft: Draft
  /** Goes on from the version that is saved now, with this text. */
  onTake: (theirs: Post, draft: Draft) => void
}

/** Another person saved the post meanwhile: both versions side by side, and nothing is lost of either. */
export function Conflict({ postId, draft, onTake }: ConflictProps) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const post = useQuery({
    ...read('appReadPost', { params: { workspaceId, postId } }),
    queryKey: ['appReadPost', 'conflict', postId],
    staleTime: 0,
  })
  if (post.data === undefined) return <Unread of={post} lines={3} />
  const theirs = draftOfPost(post.data, zone)
  const both = mergeDrafts(theirs, draft)
  return (
    <section className={styles.conflict} aria-label={words.conflict.title}>
      <Notice tone="amber" live>
        <p>
          <strong>{words.conflict.saved}</strong> {words.conflict.choose}
        </p>
      </Notice>
      <div className={styles.versions}>
        <Version
          title={words.conflict.theirs}
          draft={theirs}
          act={words.conflict.takeTheirs}
          onTake={() => onTake(post.data, theirs)}
        />
        <Version
          title={words.conflict.yours}
          draft={draft}
          act={words.conflict.keepMine}
          onTake={() => onTake(post.data, draft)}
        />
        <Version
          title={words.conflict.both}
          draft={both}
          act={words.conflict.combine}
          onTake={() => onTake(post.data, both)}
        />
      </div>
    </section>
  )
}

function Version({
  title,
  draft,
  act,
  onTake,
}: {
  title: string
  draft: Draft
  act: string
  onTake: () => void
}) {
  const { nameOf } = useChannels()
  const groups = groupsOf(draft)
  return (
    <article className={styles.version} aria-label={title}>
      <h2>{title}</h2>
      {groups.map(({ content, channelIds }) => (
        <div key={channelIds.join(' ')}>
          {groups.length > 1 ? <h3>{listNames(channelIds.map(nameOf))}</h3> : null}
          {textsOf(content).map((text, index) => (
            <p key={index} className={styles.previewText}>
              {text}
            </p>
          ))}
        </div>
      ))}
      {draft.time.state === 'scheduled' ? <p>{draft.time.words}</p> : null}
      {draft.channelIds.map((id) => {
        const own = timeOn(draft, id)
        return own === null || own === draft.time ? null : (
          <p key={id}>
            {nameOf(id)}: {own.words}
          </p>
        )
      })}
      <Button onClick={onTake}>{act}</Button>
    </article>
  )
}
