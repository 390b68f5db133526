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
    label: 'Draft',
    tone: 'gray',
    icon: CircleDashed,
    explain: 'Not scheduled.',
  },
  scheduled: { label: 'Scheduled', tone: 'blue', icon: Clock, explain: 'Will be published at its time.' },
  publishing: {
    label: 'Publishing',
    tone: 'blue',
    icon: Send,
    explain: 'Being sent to the network.',
  },
  published: {
    label: 'Published',
    tone: 'green',
    icon: CircleCheck,
    explain: 'Live on the network.',
  },
  partially_published: {
    label: 'Partly published',
    tone: 'amber',
    icon: ListChecks,
    explain: 'Some of the thread is live.',
  },
  failed: {
    label: 'Failed',
    tone: 'red',
    icon: CircleX,
    explain: 'Not published.',
  },
  delayed: {
    label: 'Delayed',
    tone: 'amber',
    icon: Hourglass,
    explain: 'Not published yet.',
  },
  reconnect_required: {
    label: 'Reconnect needed',
    tone: 'red',
    icon: Unplug,
    explain: 'No access to the channel. Reconnect it before the deadline to publish.',
  },
  checking: {
    label: 'Checking',
    tone: 'violet',
    icon: CircleHelp,
    explain: 'Sent, but not confirmed by the network. It may be live, so don’t publish it again.',
  },
  cancelled: { label: 'Cancelled', tone: 'gray', icon: Ban, explain: 'Cancelled before publishing.' },
  expired: {
    label: 'Expired',
    tone: 'gray',
    icon: ClockAlert,
    explain: 'Its deadline passed.',
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
