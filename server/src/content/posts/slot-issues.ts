import type { ChannelSlots } from '../../engine/destinations/queue-slot-store.ts'
import { type Issue, MAX_YEARS_AHEAD } from './create/plan-issues.ts'

type Named = Pick<ChannelSlots, 'channelId' | 'displayName'>

function issueOf(
  { channelId }: Named,
  pointer: string,
  found: Pick<Issue, 'code' | 'message' | 'fix'>,
): Issue {
  return { ...found, severity: 'error', channelId, pointer }
}

/** Why a destination gets no posting time, and what to do: the channel has none. */
export function noTimes(channel: Named, pointer: string): Issue {
  return issueOf(channel, pointer, {
    code: 'posting_times_missing',
    message: `${channel.displayName} has no posting times.`,
    fix: 'Choose a time for it, or ask an owner or admin to give it posting times.',
  })
}

/** The one that is named is none. */
export function unknown(channel: Named, at: Date, pointer: string): Issue {
  return issueOf(channel, pointer, {
    code: 'posting_time_unknown',
    message: `${at.toISOString()} is no posting time of ${channel.displayName}.`,
    fix: 'Choose one of its posting times, or schedule the post for that time without the queue.',
  })
}

/** The one that is named belongs to another. */
export function isGone(channel: Named, at: Date, pointer: string): Issue {
  return issueOf(channel, pointer, {
    code: 'posting_time_taken',
    message: `The posting time ${at.toISOString()} of ${channel.displayName} is taken by another post.`,
    fix: 'Choose another one, or take the next in the queue.',
  })
}

/** All are taken. */
export function noneFree(channel: Named, queue: 'next' | 'first', pointer: string): Issue {
  const { displayName } = channel
  return issueOf(
    channel,
    pointer,
    queue === 'next'
      ? {
          code: 'posting_time_taken',
          message: `${displayName} has no free posting time after its queue within ${MAX_YEARS_AHEAD} years.`,
          fix: 'Take the first free one, or choose a time.',
        }
      : {
          code: 'posting_time_taken',
          message: `${displayName} has no free posting time within ${MAX_YEARS_AHEAD} years.`,
          fix: 'Choose a time, or ask an owner or admin to give it more posting times.',
        },
  )
}
