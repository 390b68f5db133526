import { useCallback } from 'react'
import { groupsOf } from './groups.ts'
import { useChannels } from './use-channels.ts'
import { words } from './words.ts'

/** The name of a channel, or of a group of them. */
export function usePlaceName(): (id: string) => string {
  const { channels, nameOf } = useChannels()
  return useCallback(
    (id: string) => {
      const group = groupsOf(channels).find(({ groupId }) => groupId === id)
      return group === undefined ? nameOf(id) : words.allOf(group.name)
    },
    [channels, nameOf],
  )
}
