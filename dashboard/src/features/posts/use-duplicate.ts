import type { Post } from '@postrider/contract'
import { navigate } from '../../navigation.tsx'
import { chooseTime } from '../../lib/chosen-time.ts'
import { useSession } from '../../session.tsx'
import { announce } from '../../ui/toast.tsx'
import { duplicateOf, restOf } from '../composer/draft.ts'
import { keep, newDraftId } from '../composer/kept-drafts.ts'
import { words } from './words.ts'

/** Opens a new post in the composer with what another one has: nothing is sent by that. */
export function useDuplicate(post: Post) {
  const { workspace, me } = useSession()
  const { workspaceId } = workspace

  function open(draft: ReturnType<typeof duplicateOf>): void {
    const place = { workspaceId, personId: me.person.personId, postId: null }
    const id = newDraftId()
    if (keep(place, { id, draft, editToken: null }) === null) announce(words.cantKeep)
    else void navigate({ to: '/w/$workspaceId/compose', params: { workspaceId }, search: { draft: id } })
  }
  const time = { state: 'scheduled', ...chooseTime() } as const
  return {
    duplicate: (channelIds?: readonly string[]) => open(duplicateOf(post, time, channelIds)),
    /** What was not published of a thread on one channel, as a post of its own. */
    duplicateRest: (channelId: string) => open(restOf(post, time, channelId)),
  }
}
