import type { DestinationStatus } from '@postrider/contract'
import {
  Ban,
  CircleCheck,
  CircleDashed,
  CircleHelp,
  CircleX,
  Clock,
  ClockAlert,
  Hourglass,
  ListChecks,
  type Icon,
  Send,
  Unplug,
} from './icons.ts'
import styles from './status.module.css'
import { words } from './words.ts'

export type Tone = 'gray' | 'blue' | 'green' | 'amber' | 'red' | 'violet'

type StatusLook = {
  readonly label: string
  readonly tone: Tone
  /** Every status has a shape of its own, so that colour is never the only sign. */
  readonly icon: Icon
  readonly explain: string
}

/** How each status is shown. A status without words here does not compile. */
export const statusLooks: Record<DestinationStatus, StatusLook> = {
  draft: {
    label: words.draft,
    tone: 'gray',
    icon: CircleDashed,
    explain: words.draftHint,
  },
  scheduled: { label: words.scheduled, tone: 'blue', icon: Clock, explain: words.scheduledHint },
  publishing: {
    label: words.publishing,
    tone: 'blue',
    icon: Send,
    explain: words.publishingHint,
  },
  published: {
    label: words.published,
    tone: 'green',
    icon: CircleCheck,
    explain: words.publishedHint,
  },
  partially_published: {
    label: words.partlyPublished,
    tone: 'amber',
    icon: ListChecks,
    explain: words.partlyPublishedHint,
  },
  failed: {
    label: words.failed,
    tone: 'red',
    icon: CircleX,
    explain: words.failedHint,
  },
  delayed: {
    label: words.delayed,
    tone: 'amber',
    icon: Hourglass,
    explain: words.delayedHint,
  },
  reconnect_required: {
    label: words.reconnect,
    tone: 'red',
    icon: Unplug,
    explain: words.reconnectHint,
  },
  checking: {
    label: words.checking,
    tone: 'violet',
    icon: CircleHelp,
    explain: words.checkingHint,
  },
  cancelled: { label: words.cancelled, tone: 'gray', icon: Ban, explain: words.cancelledHint },
  expired: {
    label: words.expired,
    tone: 'gray',
    icon: ClockAlert,
    explain: words.expiredHint,
  },
}

export function StatusBadge({ status }: { status: DestinationStatus }) {
  const { label, tone, icon: Icon, explain } = statusLooks[status]
  return (
    <span className={`${styles.badge} ${styles[tone]}`} title={explain}>
      <Icon aria-hidden />
      {label}
    </span>
  )
}

/** The shape and colour alone, for where there is little room; its name is there for everyone. */
export function StatusMark({ status }: { status: DestinationStatus }) {
  const { label, tone, icon: Icon } = statusLooks[status]
  return (
    <span className={`${styles.mark} ${styles[tone]}`} role="img" aria-label={label} title={label}>
      <Icon aria-hidden />
    </span>
  )
}

/** A small word with a colour, for what has no status of its own. */
export function Tag({ tone = 'gray', children }: { tone?: Tone; children: React.ReactNode }) {
  return <span className={`${styles.badge} ${styles[tone]}`}>{children}</span>
}
