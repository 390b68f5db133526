import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleDashed, X } from '../../ui/icons.ts'
import { type ReactNode, useState } from 'react'
import { read, useWrite } from '../../api/queries.ts'
import { viewerZone } from '../../lib/time.ts'
import { placeOf } from '../../lib/zones.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button, buttonClass, IconButton } from '../../ui/button.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import { useChannels } from '../channels/use-channels.ts'
import styles from './first-run.module.css'

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
      <h2 id="first-run">From here to the first post</h2>
      <IconButton
        className={styles.close}
        label="Close this for good"
        onClick={() => {
          localStorage.setItem(CLOSED, '1')
          setClosed(true)
        }}
      >
        <X aria-hidden />
      </IconButton>
      <ol className={styles.steps}>
        <Step done title="You are in">
          You sign in with what you entered, and invite others under Members.
        </Step>
        <ZoneStep />
        <Step done={connected} title="Connect a channel">
          {connected
            ? `${channels.length === 1 ? 'One channel is' : `${channels.length} channels are`} connected.`
            : 'An account of a network, or one of the sandbox network in one click.'}{' '}
          <Link to="/w/$workspaceId/channels" params={params}>
            Channels
          </Link>
        </Step>
        <Step done={false} title="Write the first post">
          You see here when it goes out, and on its page what proves that it did.
        </Step>
      </ol>
      <Link
        className={buttonClass('primary', styles.act)}
        to={connected ? '/w/$workspaceId/compose' : '/w/$workspaceId/channels'}
        params={params}
      >
        {connected ? 'Write the first post' : 'Connect a channel'}
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
  const isOwn = timeZone === own
  return (
    <Step done={isOwn} title={`Times are in ${placeOf(timeZone)}`}>
      {isOwn || !mayManage ? (
        'Posts are planned and shown in it. It can be changed under Settings.'
      ) : (
        <>
          Your browser is in {placeOf(own)}.{' '}
          <Button
            busy={update.isPending}
            onClick={() =>
              update.mutate(
                { params: { workspaceId }, body: { timeZone: own } },
                { onSuccess: () => announce(`Times are in ${placeOf(own)} now.`) },
              )
            }
          >
            Use {placeOf(own)} time
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
      <Icon aria-label={done ? 'Done' : 'To do'} />
      <div>
        <h3>{title}</h3>
        <div>{children}</div>
      </div>
    </li>
  )
}
