import type { app } from '@postrider/contract'
import { Link } from '@tanstack/react-router'
import { ScrollText } from '../../ui/icons.ts'
import { type ReactNode, useMemo, useState } from 'react'
import { usePages } from '../../api/use-pages.ts'
import { saveFile } from '../../lib/save-file.ts'
import { showTime } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Page } from '../../ui/page.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { Empty, Loading, ProblemNotice } from '../../ui/states.tsx'
import { useChannels } from '../channels/use-channels.ts'
import { actionWords, changesOf, csvOf } from './audit-words.ts'
import styles from './settings.module.css'
import { words } from './words.ts'

const PAGE = 100

type Wanted = { readonly who: string | undefined; readonly action: string | undefined }

export function AuditScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const mayRead = useMay('audit:read')
  const [wanted, setWanted] = useState<Wanted>({ who: undefined, action: undefined })
  const { pages: audit, items } = usePages(
    'listAudit',
    { params: { workspaceId }, query: {} },
    { limit: PAGE, enabled: mayRead },
  )
  const shown = useMemo(
    () =>
      items.filter(
        ({ actor, action }) =>
          (wanted.who === undefined || actor.name === wanted.who) &&
          (wanted.action === undefined || action === wanted.action),
      ),
    [items, wanted],
  )
  if (!mayRead) return <Page title={words.audit}>{words.auditHidden}</Page>
  return (
    <Page
      title={words.audit}
      lead={words.auditLead}
      actions={
        shown.length === 0 ? undefined : (
          <Button onClick={() => saveFile('audit-log.csv', 'text/csv;charset=utf-8', csvOf(shown))}>
            {words.export}
          </Button>
        )
      }
    >
      {audit.isPending ? <Loading /> : null}
      {audit.isError ? <ProblemNotice error={audit.error} onRetry={() => void audit.refetch()} /> : null}
      {audit.isSuccess && items.length === 0 ? (
        <Empty icon={<ScrollText aria-hidden />} title={words.auditNone} />
      ) : null}
      {items.length === 0 ? null : <Filters {...{ items, wanted }} onChange={setWanted} />}
      {items.length > 0 && shown.length === 0 ? <p>{words.auditNoneShown(items.length)}</p> : null}
      {shown.length === 0 ? null : (
        <Rows label={words.audit}>
          {shown.map((entry) => (
            <Entry key={entry.auditId} entry={entry} />
          ))}
        </Rows>
      )}
      {audit.hasNextPage ? (
        <Button busy={audit.isFetchingNextPage} onClick={() => void audit.fetchNextPage()}>
          {words.older}
        </Button>
      ) : null}
    </Page>
  )
}

type FiltersProps = {
  items: readonly app.AuditEntry[]
  wanted: Wanted
  onChange: (wanted: Wanted) => void
}

/** Among what was read so far. */
function Filters({ items, wanted, onChange }: FiltersProps) {
  const names = [...new Set(items.map(({ actor }) => actor.name))].toSorted((a, b) => a.localeCompare(b))
  const actions = [...new Set(items.map(({ action }) => action))].toSorted((a, b) => a.localeCompare(b))
  return (
    <div className={styles.filters}>
      <Choice
        label={words.who}
        all={words.everyone}
        options={names.map((name) => [name, name])}
        value={wanted.who}
        onChange={(who) => onChange({ ...wanted, who })}
      />
      <Choice
        label={words.action}
        all={words.everyAction}
        options={actions.map((action) => [action, actionWords(action)])}
        value={wanted.action}
        onChange={(action) => onChange({ ...wanted, action })}
      />
    </div>
  )
}

function Entry({ entry }: { entry: app.AuditEntry }) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const { nameOf } = useChannels()
  const { at, actor, action, subject, address } = entry
  const { postId, channelId } = subject
  const others = Object.entries(subject).filter(
    ([name]) => !['workspaceId', 'postId', 'channelId'].includes(name),
  )
  const changes = changesOf(entry)
  return (
    <Row
      title={actionWords(action)}
      tags={actor.name}
      detail={
        <>
          <span>{showTime(at, zone, 'seconds')}</span>
          {address === null ? null : <span>{words.from(address)}</span>}
          {channelId === undefined ? null : <span>{nameOf(channelId)}</span>}
          {others.map(([name, id]) => (
            <span key={name}>
              {name.replace(/Id$/, '')} <code>{id}</code>
            </span>
          ))}
        </>
      }
      actions={
        postId === undefined ? undefined : (
          <Link
            className={buttonClass()}
            to="/w/$workspaceId/posts/$postId"
            params={{ workspaceId, postId }}
            aria-label={words.postOf(actionWords(action).toLowerCase(), showTime(at, zone, 'seconds'))}
          >
            {words.post}
          </Link>
        )
      }
    >
      {changes.length === 0 ? null : (
        <dl className={styles.changes}>
          {changes.map(({ what, from, to }) => (
            <div key={what}>
              <dt>{what}</dt>
              <dd>
                {from === null ? null : <del>{from}</del>}
                {from === null || to === null ? null : ' → '}
                {to === null ? null : <ins>{to}</ins>}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Row>
  )
}
