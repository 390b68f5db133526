import { type Answer, type editSeries as edit, postFieldNames, type RefusalCode } from '@postrider/contract'
import { isRefusal, type Refusal, refuse } from '../../edge/operations/refusal.ts'
import type { Caller } from '../../edge/operations/route.ts'
import type { Tx } from '../../platform/postgres/db.ts'
import { readPublishAt } from '../posts/plan/publish-time.ts'
import { refuseShape } from '../posts/plan/refuse-plan.ts'
import {
  contentOf,
  continued,
  type EditBody,
  findDay,
  finish,
  issuesOf,
  type Now,
  postsByOf,
  refuseField,
  type WriteOptions,
} from './change-series.ts'
import { checkSeries } from './check-series.ts'
import { changedContent, contentAt, mergeContent, type OwnChange } from './definition.ts'
import type { LocalDay } from './rule.ts'
import { type SeriesRow, storeOccurrence } from './series-store.ts'
import { timeOf } from './views.ts'

/** Gives one occurrence content or a time of its own. */
export async function editOccurrence(
  tx: Tx,
  caller: Caller,
  row: SeriesRow,
  { only, ...body }: EditBody & { readonly only: LocalDay },
  { providers, say, now }: WriteOptions & Now,
): Promise<Answer<typeof edit> | Refusal<RefusalCode<typeof edit>>> {
  const beside = (['from', 'rule', 'startsAt', 'except', 'contents', ...postFieldNames] as const).find(
    (name) => body[name] !== undefined,
  )
  if (beside !== undefined)
    return refuseField(
      `/${beside}`,
      'not_allowed',
      `\`${beside}\` is not allowed with \`only\`: one occurrence can have only its own content and time.`,
    )
  const occurrence = await findDay(tx, row, only, '/only')
  if (isRefusal(occurrence)) return occurrence
  const { day, known } = occurrence
  if (known?.status === 'made')
    return refuse('invalid_state', `The occurrence already has the post ${known.postId}. Edit that post.`, {
      currentStatus: 'made',
    })
  const at = body.publishAt == null ? null : readPublishAt(body.publishAt)
  if (at !== null && 'error' in at) return refuseShape([at.error])
  if (at !== null && !(at instanceof Date))
    return refuseField(
      '/publishAt',
      'not_allowed',
      'An occurrence cannot use the posting times of a queue. Give a time.',
    )
  const { publishAt: ownTime, ...ownContent } = known?.change ?? {}
  const was: OwnChange =
    ownTime === undefined || body.publishAt === null ? ownContent : { ...ownContent, publishAt: ownTime }
  const own = contentOf(body)
  const hasContent = Object.keys(own).length > 0
  const change: OwnChange = {
    ...was,
    ...(at === null ? {} : { publishAt: at.toISOString() }),
    ...(hasContent ? { content: mergeContent(was.content ?? {}, own) } : {}),
  }
  const publishAt = timeOf(day, { status: 'planned', publishAt: null, change })
  if (publishAt <= now)
    return refuse('publish_time_in_past', 'The time is not in the future. Choose a later one.')
  const content = changedContent(contentAt(day.definition.content, day.index), change.content ?? {})
  const upcoming = { first: publishAt, last: publishAt, times: [{ index: 0, at: publishAt }] }
  const checked = await checkSeries(tx, caller, content, upcoming, { providers, now, seriesId: row.seriesId })
  if (isRefusal(checked)) return checked
  await storeOccurrence(tx, row, {
    date: only,
    status: 'planned',
    publishAt: null,
    postId: null,
    editToken: null,
    reason: null,
    change: Object.keys(change).length === 0 ? null : change,
  })
  // Its rule had come to its end, and this occurrence is still to come.
  const isOver = row.status === 'ended'
  return finish(
    tx,
    row,
    { ...continued(isOver ? { ...row, status: 'active' } : row, now), postsBy: postsByOf(caller) },
    { caller, now, say, fields: ['occurrences'], details: { date: only }, issues: issuesOf(checked) },
  )
}
