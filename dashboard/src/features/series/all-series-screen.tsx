import type { SeriesSummary } from '@postrider/contract'
import { Link } from '../../navigation.tsx'
import type { ReactNode } from 'react'
import { usePages } from '../../api/use-pages.ts'
import { showMoment } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Repeat } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { Empty, Unread } from '../../ui/states.tsx'
import { usePlaceName } from '../channels/use-place-name.ts'
import { listNames } from '../../lib/list-names.ts'
import { ruleWords } from './rule.ts'
import { SeriesStatus } from './series-status.tsx'
import styles from './series.module.css'
import { words } from './words.ts'

const PAGE = 50

export function AllSeriesScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const mayWrite = useMay('posts:write')
  const { pages, items } = usePages('appListSeries', { params: { workspaceId } }, { limit: PAGE })
  return (
    <Page title={words.title} lead={words.lead}>
      <Unread of={pages} />
      {pages.data !== undefined && items.length === 0 ? (
        <Empty icon={<Repeat aria-hidden />} title={words.none}>
          {mayWrite ? (
            <>
              <p>{words.noneHint}</p>
              <Link className={buttonClass('primary')} to="/w/$workspaceId/compose" params={{ workspaceId }}>
                {words.write}
              </Link>
            </>
          ) : null}
        </Empty>
      ) : null}
      {items.length === 0 ? null : (
        <Rows label={words.title}>
          {items.map((series) => (
            <SeriesRow key={series.seriesId} series={series} />
          ))}
        </Rows>
      )}
      {pages.hasNextPage ? (
        <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          {words.older}
        </Button>
      ) : null}
    </Page>
  )
}

function SeriesRow({ series }: { series: SeriesSummary }) {
  const { workspaceId } = useSession().workspace
  const placeName = usePlaceName()
  const { seriesId, status, text, nextAt, channelIds, startsAt } = series
  return (
    <Row
      title={
        <Link to="/w/$workspaceId/series/$seriesId" params={{ workspaceId, seriesId }} dir="auto">
          {text || words.withoutText}
        </Link>
      }
      tags={<SeriesStatus status={status} />}
      detail={ruleWords(series)}
    >
      <p className={styles.muted}>
        {nextAt === null ? words.noNext : words.next(showMoment(nextAt, startsAt.timeZone))} ·{' '}
        {listNames(channelIds.map(placeName))}
      </p>
    </Row>
  )
}
