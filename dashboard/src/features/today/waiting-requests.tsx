import { useQuery } from '@tanstack/react-query'
import { Link } from '../../navigation.tsx'
import { read } from '../../api/queries.ts'
import { useNow } from '../../lib/use-now.ts'
import { useMay, useSession } from '../../session.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { CircleCheckBig } from '../../ui/icons.ts'
import { Row, Rows } from '../../ui/rows.tsx'
import { publishesWords } from '../approvals/when.ts'
import { Head } from './head.tsx'
import styles from './today.module.css'
import { words } from './words.ts'

const SHOWN = 3

/** The first requests for approval; nothing where none waits. */
export function WaitingRequests() {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const mayDecide = useMay('approvals:decide')
  const now = useNow()
  const requests = useQuery(read('listApprovals', { params: { workspaceId }, query: {} })).data ?? []
  if (requests.length === 0) return null
  return (
    <section aria-labelledby="waiting">
      <Head
        id="waiting"
        title={
          <>
            {words.waiting} <span className={styles.count}>{requests.length}</span>
          </>
        }
      >
        {requests.length > SHOWN ? (
          <Link to="/w/$workspaceId/approvals" params={{ workspaceId }}>
            {words.seeAll}
          </Link>
        ) : null}
      </Head>
      <Rows label={words.waiting}>
        {requests.slice(0, SHOWN).map(({ approvalId, text, publishAt, moreTimes }) => (
          <Row
            key={approvalId}
            icon={<CircleCheckBig aria-hidden />}
            title={
              <span className={styles.clamped} dir="auto">
                {text || words.noText}
              </span>
            }
            detail={<span>{publishesWords({ publishAt, moreTimes }, zone, now)}</span>}
            actions={
              <Link
                className={buttonClass()}
                to="/w/$workspaceId/approvals"
                params={{ workspaceId }}
                search={{ request: approvalId }}
              >
                {mayDecide ? words.review : words.look}
              </Link>
            }
          />
        ))}
      </Rows>
    </section>
  )
}
