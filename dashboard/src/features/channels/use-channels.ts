import type { app } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { read } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'

const NONE: readonly app.ManagedChannel[] = []

/** The channels of the workspace, and the name of each. */
export function useChannels() {
  const { workspaceId } = useSession().workspace
  const query = useQuery(read('listManagedChannels', { params: { workspaceId } }))
  const channels = query.data ?? NONE
  const nameOf = useCallback(
    (channelId: string) =>
      channels.find((one) => one.channelId === channelId)?.displayName ?? 'A removed channel',
    [channels],
  )
  return { query, channels, nameOf }
}
