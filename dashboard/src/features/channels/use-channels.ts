import type { app } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { read } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'
import type { MarkedChannel } from '../../ui/channel-mark.tsx'
import { words } from './words.ts'

const NONE: readonly app.ManagedChannel[] = []

/** The channels of the workspace, and the name and mark of each. */
export function useChannels() {
  const { workspaceId } = useSession().workspace
  const query = useQuery(read('listManagedChannels', { params: { workspaceId } }))
  const channels = query.data ?? NONE
  const known = useMemo(() => new Map(channels.map((one) => [one.channelId, one])), [channels])
  const channelOf = useCallback(
    ({ channelId, provider = '' }: { channelId: string; provider?: string }): MarkedChannel =>
      known.get(channelId) ?? { channelId, provider, displayName: words.removedChannel },
    [known],
  )
  const nameOf = useCallback((channelId: string) => channelOf({ channelId }).displayName, [channelOf])
  return { query, channels, channelOf, nameOf }
}
