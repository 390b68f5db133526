import type { app } from '@postrider/contract'
import { ScrollText } from '../../ui/icons.ts'
import type { ReactNode } from 'react'
import { usePages } from '../../api/use-pages.ts'
import { showTime } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { Empty, Loading, ProblemNotice } from '../../ui/states.tsx'

const PAGE = 50

export function AuditScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const mayRead = useMay('audit:read')
  const { pages: audit, items } = usePages(
    'listAudit',
    { params: { workspaceId }, query: {} },
    { limit: PAGE, enabled: mayRead },
  )
  if (!mayRead)
    return <Page title="Audit log">Your role may not read the audit log. Ask an owner or admin.</Page>
  return (
    <Page
      title="Audit log"
      lead="Who changed what, when and from where. It is written with the change, and cannot be edited."
    >
      {audit.isPending ? <Loading /> : null}
      {audit.isError ? <ProblemNotice error={audit.error} onRetry={() => void audit.refetch()} /> : null}
      {audit.isSuccess && items.length === 0 ? (
        <Empty icon={<ScrollText aria-hidden />} title="Nothing was changed yet" />
      ) : null}
      {items.length === 0 ? null : (
        <Rows label="Audit log">
          {items.map((entry) => (
            <Entry key={entry.auditId} entry={entry} />
          ))}
        </Rows>
      )}
      {audit.hasNextPage ? (
        <Button busy={audit.isFetchingNextPage} onClick={() => void audit.fetchNextPage()}>
          Show older entries
        </Button>
      ) : null}
    </Page>
  )
}

function Entry({ entry: { at, actor, action, subject, before, after, address } }: { entry: app.AuditEntry }) {
  const { timeZone: zone } = useSession().workspace
  const ids = Object.entries(subject).filter(([name]) => name !== 'workspaceId')
  return (
    <Row
      title={inWords(action)}
      tags={actor.name}
      detail={
        <>
          <span>{showTime(at, zone, 'seconds')}</span>
          {address === null ? null : <span>from {address}</span>}
          {ids.map(([name, id]) => (
            <span key={name}>
              {name} <code>{id}</code>
            </span>
          ))}
          {before === null ? null : <span>before: {JSON.stringify(before)}</span>}
          {after === null ? null : <span>after: {JSON.stringify(after)}</span>}
        </>
      }
    />
  )
}

/** `appCreatePost` as `Create post`. */
function inWords(action: string): string {
  const spaced = action.replace(/^app(?=[A-Z])/, '').replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1).toLowerCase()
}
