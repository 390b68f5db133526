import { Link } from '../../navigation.tsx'
import { useSession } from '../../session.tsx'
import { CircleCheck, Hourglass, type Icon, Unplug } from '../../ui/icons.ts'
import { useChannels } from '../channels/use-channels.ts'
import { Head } from './head.tsx'
import styles from './today.module.css'
import { words } from './words.ts'

/** How the channels fare, in a line for each way. */
export function ChannelHealth() {
  const { workspaceId } = useSession().workspace
  const { channels } = useChannels()
  if (channels.length === 0) return null
  const lost = channels.filter((one) => one.enabled && one.connectionStatus === 'reconnect_required').length
  const paused = channels.filter((one) => one.enabled && one.pausedUntil !== null).length
  const disabled = channels.filter((one) => !one.enabled).length
  const well = channels.length - lost - paused - disabled
  const lines: [count: number, say: (count: number) => string, icon: Icon, tone: string | undefined][] = [
    [lost, words.lost, Unplug, styles.red],
    [paused, words.paused, Hourglass, styles.amber],
    [well, words.well, CircleCheck, styles.green],
    [disabled, words.disabled, Unplug, styles.gray],
  ]
  return (
    <section aria-labelledby="channel-health">
      <Head id="channel-health" title={words.channels}>
        <Link to="/w/$workspaceId/channels" params={{ workspaceId }}>
          {words.seeAll}
        </Link>
      </Head>
      <ul className={styles.box}>
        {lines
          .filter(([count]) => count > 0)
          .map(([count, say, Icon, tone]) => (
            <li key={say(0)} className={styles.channel}>
              <Icon className={tone} aria-hidden />
              <span>{say(count)}</span>
            </li>
          ))}
      </ul>
    </section>
  )
}
