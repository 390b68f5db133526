import { useQuery } from '@tanstack/react-query'
import { Link } from '../../navigation.tsx'
import { CircleCheck, CircleDashed, X } from '../../ui/icons.ts'
import { type ReactNode, useState } from 'react'
import { read, useWrite } from '../../api/queries.ts'
import { viewerZone } from '../../lib/time.ts'
import { clockZone } from '../../lib/zone-clock.ts'
import { placeOf } from '../../lib/zones.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button, buttonClass, IconButton } from '../../ui/button.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import { useChannels } from '../channels/use-channels.ts'
import styles from './first-run.module.css'
import { words } from './words.ts'

const CLOSED = 'postrider.first-run.closed'

/** The way to the first post, for a workspace that has none. Once closed, it does not come back. */
export function FirstRun(): ReactNode {
  const { workspaceId } = useSession().workspace
  const [closed, setClosed] = useState(() => localStorage.getItem(CLOSED) !== null)
  const mayWrite = useMay('posts:write')
  const { query, channels } = useChannels()
  const posts = useQuery({
    ...read('appListPosts', { params: { workspaceId }, query: { limit: 1 } }),
    enabled: !closed && mayWrite,
  })
  if (
    closed ||
    !mayWrite ||
    query.data === undefined ||
    posts.data === undefined ||
    posts.data.items.length > 0
  )
    return null
  const connected = channels.some(({ enabled }) => enabled)
  const params = { workspaceId }
  return (
    <section className={styles.card} aria-labelledby="first-run">
      <h2 id="first-run">{words.title}</h2>
      <IconButton
        className={styles.close}
        label={words.dismiss}
        onClick={() => {
          localStorage.setItem(CLOSED, '1')
          setClosed(true)
        }}
      >
        <X aria-hidden />
      </IconButton>
      <ol className={styles.steps}>
        <Step done title={words.account}>
          {words.accountHint}
        </Step>
        <ZoneStep />
        <Step done={connected} title={words.connect}>
          {connected ? words.connected(channels.length) : words.connectHint}{' '}
          <Link to="/w/$workspaceId/channels" params={params}>
            {words.channels}
          </Link>
        </Step>
        <Step done={false} title={words.write}>
          {words.writeHint}
        </Step>
      </ol>
      <Link
        className={buttonClass('primary', styles.act)}
        to={connected ? '/w/$workspaceId/compose' : '/w/$workspaceId/channels'}
        params={params}
      >
        {connected ? words.write : words.connect}
      </Link>
    </section>
  )
}

/** Until it is set, times are in UTC: offered is the zone of the browser. */
function ZoneStep() {
  const { workspaceId, timeZone } = useSession().workspace
  const mayManage = useMay('workspace:manage')
  const update = useWrite('updateWorkspace')
  const own = viewerZone()
  const isOwn = clockZone(timeZone) === clockZone(own)
  return (
    <Step done={isOwn} title={words.zone(placeOf(timeZone))}>
      {isOwn || !mayManage ? (
        words.zoneHint
      ) : (
        <>
          {words.browserZone(placeOf(own))}{' '}
          <Button
            busy={update.isPending}
            onClick={() =>
              update.mutate(
                { params: { workspaceId }, body: { timeZone: own } },
                { onSuccess: () => announce(words.zoneChanged(placeOf(own))) },
              )
            }
          >
            {words.useZone(placeOf(own))}
          </Button>
          <WriteProblem error={update.error} />
        </>
      )}
    </Step>
  )
}

function Step({ done, title, children }: { done: boolean; title: string; children: ReactNode }) {
  const Icon = done ? CircleCheck : CircleDashed
  return (
    <li className={done ? styles.done : undefined}>
      <Icon aria-label={done ? words.done : words.toDo} />
      <div>
        <h3>{title}</h3>
        <div>{children}</div>
      </div>
    </li>
  )
}
