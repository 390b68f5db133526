import type { app } from '@postrider/contract'
import { Link } from '../../navigation.tsx'
import { ScrollText } from '../../ui/icons.ts'
import { type ReactNode, useState } from 'react'
import { addresses } from 'virtual:operations'
import { usePages } from '../../api/use-pages.ts'
import { saveFile } from '../../lib/save-file.ts'
import { showTime } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Page } from '../../ui/page.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { Empty, Unread } from '../../ui/states.tsx'
import { useChannels } from '../channels/use-channels.ts'
import { useAuthors } from '../posts/use-authors.ts'
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
    { params: { workspaceId }, query: queryOf(wanted) },
    { limit: PAGE, enabled: mayRead },
  )
  const isFiltered = wanted.who !== undefined || wanted.action !== undefined
  if (!mayRead) return <Page title={words.audit}>{words.auditHidden}</Page>
  return (
    <Page
      title={words.audit}
      lead={words.auditLead}
      actions={
        items.length === 0 ? undefined : (
          <Button onClick={() => saveFile('audit-log.csv', 'text/csv;charset=utf-8', csvOf(items))}>
            {words.export}
          </Button>
        )
      }
    >
      <Unread of={audit} />
      <Filters {...{ items, wanted }} onChange={setWanted} />
      {audit.data !== undefined && items.length === 0 ? (
        <Empty
          icon={<ScrollText aria-hidden />}
          title={isFiltered ? words.auditNoneFiltered : words.auditNone}
        />
      ) : null}
      {items.length === 0 ? null : (
        <Rows label={words.audit}>
          {items.map((entry) => (
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

function queryOf({ who, action }: Wanted) {
  return { ...(who === undefined ? {} : { who }), ...(action === undefined ? {} : { action }) }
}

type FiltersProps = {
  items: readonly app.AuditEntry[]
  wanted: Wanted
  onChange: (wanted: Wanted) => void
}

/** What agents and people do alike has one name. */
const actions = [
  ...new Set(
    Object.entries(addresses)
      .filter(([, address]) => !address.startsWith('GET '))
      .map(([id]) => id.replace(/^app([A-Z])/, (_, first: string) => first.toLowerCase())),
  ),
].toSorted((a, b) => a.localeCompare(b))

function Filters({ items, wanted, onChange }: FiltersProps) {
  const known = useAuthors()
  const names = [...new Set([...known, ...items.map(({ actor }) => actor.name)])].toSorted((a, b) =>
    a.localeCompare(b),
  )
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
            aria-label={words.postOf(actionWords(action), showTime(at, zone, 'seconds'))}
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
