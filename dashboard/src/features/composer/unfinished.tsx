import { useEffect, useState } from 'react'
import { Link } from '../../navigation.tsx'
import { showRelative } from '../../lib/time.ts'
import { useNow } from '../../lib/use-now.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { announce } from '../../ui/toast.tsx'
import styles from './composer.module.css'
import { contentFor, type Draft, textsOf } from './draft.ts'
import { discard, type StoredDraft, listKept, type Place, putBack } from './kept-drafts.ts'
import { words } from './words.ts'

type UnfinishedProps = {
  place: Place
  /** The draft that is open. */
  id: string
  /** Whether nothing stands in it yet. */
  blank: boolean
}

/** What else was begun in this browser, and neither sent nor discarded. */
export function Unfinished({ place, id, blank }: UnfinishedProps) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const now = useNow()
  const { kept, reload } = useKept(place)
  const others = kept.filter((one) => one.id !== id)
  if (others.length === 0) return null
  const { postId } = place
  const what = postId === null ? words.unfinished.posts : words.unfinished.changes
  return (
    <details className={styles.unfinished} open={blank}>
      <summary>{words.unfinished.inThisBrowser(what, others.length)}</summary>
      <ul aria-label={what}>
        {others.map((one) => (
          <li key={one.id}>
            <Link
              to="/w/$workspaceId/compose"
              params={{ workspaceId }}
              search={{ draft: one.id, ...(postId === null ? {} : { postId }) }}
            >
              {excerpt(one.draft)}
            </Link>
            <span>{showRelative(one.savedAt, zone, now)}</span>
            <Button
              variant="quiet"
              aria-label={words.unfinished.discardOne(excerpt(one.draft))}
              onClick={() => {
                discard(place, one.id)
                reload()
                announce(words.unfinished.discarded, {
                  label: words.unfinished.undo,
                  run: () => {
                    putBack(place, one)
                    reload()
                  },
                })
              }}
            >
              {words.unfinished.discard}
            </Button>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** The kept drafts of a place, also as other tabs change them. */
function useKept(place: Place): { kept: readonly StoredDraft[]; reload: () => void } {
  const { workspaceId, personId, postId } = place
  const [kept, setKept] = useState(() => listKept(place))
  const reload = () => setKept(listKept({ workspaceId, personId, postId }))
  useEffect(() => {
    const onStorage = () => setKept(listKept({ workspaceId, personId, postId }))
    addEventListener('storage', onStorage)
    return () => removeEventListener('storage', onStorage)
  }, [workspaceId, personId, postId])
  return { kept, reload }
}

const EXCERPT = 60

function excerpt(draft: Draft): string {
  const contents = [draft.shared, ...draft.channelIds.map((id) => contentFor(draft, id))]
  const texts = contents.flatMap((content) => textsOf(content).map((text) => text.trim()))
  const text = texts.find((one) => one !== '') ?? words.unfinished.withoutText
  return text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text
}
