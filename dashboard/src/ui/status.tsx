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
    explain: 'Not scheduled. Nothing goes out until it is.',
  },
  scheduled: { label: 'Scheduled', tone: 'blue', icon: Clock, explain: 'Goes out at its time.' },
  publishing: {
    label: 'Publishing',
    tone: 'blue',
    icon: Send,
    explain: 'It is being sent to the network now.',
  },
  published: {
    label: 'Published',
    tone: 'green',
    icon: CircleCheck,
    explain: 'Every part is out, with evidence.',
  },
  partially_published: {
    label: 'Partly published',
    tone: 'amber',
    icon: ListChecks,
    explain: 'At least one part is out, and not all of them.',
  },
  failed: {
    label: 'Failed',
    tone: 'red',
    icon: CircleX,
    explain: 'The network refused it, and provably nothing is out.',
  },
  delayed: {
    label: 'Delayed',
    tone: 'amber',
    icon: Hourglass,
    explain: 'Not possible now, and provably nothing is out. It is tried again automatically.',
  },
  reconnect_required: {
    label: 'Reconnect channel',
    tone: 'red',
    icon: Unplug,
    explain: 'The network no longer accepts the authorization. It goes out once the channel is reconnected.',
  },
  checking: {
    label: 'Checking',
    tone: 'violet',
    icon: CircleHelp,
    explain:
      'The call was made and its result cannot be proven: it may be out. It is not sent again until that is known.',
  },
  cancelled: { label: 'Cancelled', tone: 'gray', icon: Ban, explain: 'Cancelled before anything was sent.' },
  expired: {
    label: 'Expired',
    tone: 'gray',
    icon: ClockAlert,
    explain: 'Its allowed time was over before the work was done.',
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
