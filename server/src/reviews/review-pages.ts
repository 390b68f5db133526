import { roleHas } from '@postrider/contract'
import { html, type Html, preformatted } from '../platform/html.ts'
import { findMembership, holdMembership } from '../members/member-store.ts'
import { findMedia, type MediaRow } from '../media/media-store.ts'
import { listWorkspacesOf } from '../members/membership-store.ts'
import {
  faultNotice,
  hidden,
  minute,
  notice,
  type Page,
  type PageAnswer,
  type PageRequest,
  type PageRoute,
  personalPage,
  type PersonalPageRequest,
  refusalPage,
  signInFirst,
  statusOf,
} from '../pages/page-kit.ts'
import { personalAct } from '../sign-in/personal-act.ts'
import { holdSession, type SignedIn } from '../sign-in/session-store.ts'
import type { PeopleParts } from '../sign-in/sign-in.ts'
import { isRefusal, refuse, type Refusal } from '../operations/refusal.ts'
import { isUuid } from '../platform/uuid.ts'
import { writeInTransaction } from '../operations/write-transaction.ts'
import { listApprovals, workspaceOfApproval } from '../approvals/approval-store.ts'
import { decideApproval, noSuchRequest } from './decide-approval.ts'
import { showApproval, type ShownApproval } from './show-approval.ts'

type Parts = Pick<PeopleParts, 'db' | 'recordAct'>
const NOTE_MAX = 2_000

/** The page behind each `reviewUrl`, on which a person decides with one click, and the list of what waits for them. */
export function reviewPages(parts: Parts): PageRoute[] {
  return [
    personalPage('reviewList', 'GET /review', (request) => showList(parts, request), '/review'),
    {
      id: 'reviewPage',
      at: 'GET /review/:approvalId',
      answer: (request) => showReview(parts, request, null),
    },
    { id: 'decideByForm', at: 'POST /review/:approvalId', answer: (request) => decide(parts, request) },
  ]
}

async function showList({ db }: Parts, { signedIn }: PersonalPageRequest): Promise<PageAnswer> {
  const workspaces = await listWorkspacesOf(db, signedIn.personId)
  const sections = []
  for (const { workspaceId, name, role } of workspaces) {
    if (!roleHas(role, 'approvals:decide')) continue
    const requests = await listApprovals(db, workspaceId, { all: false })
    const items = requests.map(
      ({ approvalId, requestedAt }) =>
        html`<li><a href="/review/${approvalId}">Asked ${minute(requestedAt)}</a></li>`,
    )
    sections.push(
      html`<h2>${name}</h2>
        ${
          items.length === 0
            ? html`<p>Nothing waits.</p>`
            : html`<ul>
                ${items}
              </ul>`
        }`,
    )
  }
  return {
    title: 'Waiting for you',
    body: html`<h1>Waiting for you</h1>
      ${sections}`,
  }
}

/** Where a person sees a request: which workspace has it, and whether they may decide there. */
type Place = { readonly workspaceId: string; readonly memberId: string; readonly mayDecide: boolean }

/** Null for a request that does not exist, and alike for one of a workspace of which they are no member. */
async function findPlace({ db }: Parts, { personId }: SignedIn, approvalId: string): Promise<Place | null> {
  const workspaceId = isUuid(approvalId) ? await workspaceOfApproval(db, approvalId) : null
  const membership = workspaceId === null ? null : await findMembership(db, workspaceId, personId)
  if (workspaceId === null || membership === null) return null
  const { memberId, role } = membership
  return { workspaceId, memberId, mayDecide: roleHas(role, 'approvals:decide') }
}

async function showReview(parts: Parts, request: PageRequest, refusal: Refusal | null): Promise<PageAnswer> {
  const { signedIn, params } = request
  const approvalId = params['approvalId'] ?? ''
  if (signedIn === null) return signInFirst(`/review/${approvalId}`)
  const place = await findPlace(parts, signedIn, approvalId)
  if (place === null) return refusalPage(noSuchRequest())
  const found = await parts.db.begin(async (tx) => {
    const shown = await showApproval(tx, place.workspaceId, approvalId)
    if (shown === null) return null
    const ids = shown.destinations.flatMap(({ media }) => media.flat())
    return { shown, media: await findMedia(tx, place.workspaceId, [...new Set(ids)]) }
  })
  return found === null ? refusalPage(noSuchRequest()) : reviewPage(found.shown, found.media, place, refusal)
}

async function decide(parts: Parts, request: PageRequest): Promise<PageAnswer> {
  const { signedIn, params, field, browser } = request
  const approvalId = params['approvalId'] ?? ''
  if (signedIn === null) return signInFirst(`/review/${approvalId}`)
  const place = await findPlace(parts, signedIn, approvalId)
  if (place === null) return refusalPage(noSuchRequest())
  const { workspaceId, memberId } = place
  const verdict = field('verdict') === 'approve' ? 'approve' : 'reject'
  const note = field('note').trim().slice(0, NOTE_MAX) || null
  const decided = await writeInTransaction(parts.db, async (tx) => {
    // They may have signed out, been removed, or have another role, since the page was opened.
    const [, role] = await Promise.all([holdSession(tx, signedIn), holdMembership(tx, workspaceId, memberId)])
    if (role === null) return noSuchRequest()
    if (!roleHas(role, 'approvals:decide')) return mayNotDecide()
    const seen = Buffer.from(field('digest'), 'hex')
    const { name: memberName } = signedIn
    const decision = { workspaceId, approvalId, verdict, memberId, memberName, note, seen } as const
    const result = await decideApproval(tx, decision)
    if (isRefusal(result)) return result
    const { postId } = result
    const details = { subject: { approvalId, postId }, after: { verdict, note } }
    await parts.recordAct(tx, {
      ...personalAct(signedIn, browser.client, 'decideApproval', details),
      workspaceId,
    })
    return result
  })
  return isRefusal(decided) ? showReview(parts, request, decided) : { to: `/review/${approvalId}` }
}

function reviewPage(
  shown: ShownApproval,
  media: ReadonlyMap<string, MediaRow>,
  place: Place,
  refusal: Refusal | null,
): Page {
  const { request, askedBy, destinations } = shown
  const title = request.status === 'pending' ? 'A post waits for you' : 'A post that waited for a person'
  return {
    title,
    ...statusOf(refusal),
    body: html`<h1>${title}</h1>
      <p>“${askedBy}” asked at ${minute(request.requestedAt)} to publish this.</p>
      ${faultNotice(refusal)}${standing(shown)}${destinations.map((one) => preview(one, media, place.workspaceId))}
      ${decisionForms(shown, place)}
      <footer><a href="/review">All that waits</a> · <a href="/account">Your account</a></footer>`,
  }
}

function standing({ request, unchanged }: ShownApproval): Html | null {
  const { status, expiresAt, decidedAt, decidedBy, note } = request
  switch (status) {
    case 'pending':
      return unchanged
        ? html`<p>It waits for a decision until ${minute(expiresAt)}.</p>`
        : notice('The post has changed since. It cannot be approved by this request.')
    case 'approved':
    case 'rejected': {
      const why = note === null ? '' : `: ${note}`
      return notice(
        `${decidedBy ?? 'Somebody'} ${status} it${decidedAt === null ? '' : ` at ${minute(decidedAt)}`}${why}`,
      )
    }
    case 'superseded':
      return notice('The post was edited or cancelled after that, which closed this request.')
    case 'expired':
      return notice('Nobody decided in time, so nothing was published.')
    default:
      return status satisfies never
  }
}

function preview(
  shown: ShownApproval['destinations'][number],
  media: ReadonlyMap<string, MediaRow>,
  workspaceId: string,
): Html {
  const { channel, channelId, status, publishAt, settings, parts, media: mediaIds } = shown
  const where =
    channel === null
      ? `Channel ${channelId}`
      : `@${channel.handle}, “${channel.displayName}” (${channel.provider})`
  const besides = status === 'draft' ? null : html` <small>(${status})</small>`
  const extra = Object.keys(settings).length === 0 ? null : html`<p>With ${JSON.stringify(settings)}</p>`
  const time = publishAt === null ? null : html`<p>To be published at ${minute(publishAt)}.</p>`
  const content = parts.map((text, index) => {
    const items = (mediaIds[index] ?? []).map((mediaId) =>
      mediaPreview(mediaId, media.get(mediaId), workspaceId),
    )
    return [preformatted(text), ...items]
  })
  return html`<h2>${where}${besides}</h2>
    ${time}${extra}${content}`
}

function mediaPreview(mediaId: string, row: MediaRow | undefined, workspaceId: string): Html {
  const alt = row?.altText ?? ''
  const described = alt === '' ? html`<p><em>Without alt text</em></p>` : html`<p>Alt text: ${alt}</p>`
  if (row?.kind !== 'image')
    return html`<p>A file: ${row?.kind ?? 'gone'}</p>
      ${described}`
  return html`<p><img src="/app/api/workspaces/${workspaceId}/media/${mediaId}/content" alt="${alt}" /></p>
    ${described}`
}

function decisionForms({ request, unchanged, digest }: ShownApproval, { mayDecide }: Place): Html | null {
  if (request.status !== 'pending') return null
  if (!mayDecide) return notice('Your role in this workspace lets you see this, and not decide about it.')
  const action = `/review/${request.approvalId}`
  const seen = hidden('digest', digest.toString('hex'))
  const approve = html`<form method="post" action="${action}">
    ${seen} <button name="verdict" value="approve">Approve: publish it</button>
  </form>`
  return html`${unchanged ? approve : null}
    <form method="post" action="${action}">
      ${seen}
      <label
        >Why not, for whoever asked<textarea name="note" rows="2" maxlength="${NOTE_MAX}"></textarea>
      </label>
      <button class="danger" name="verdict" value="reject">Reject: keep it back</button>
    </form>`
}

function mayNotDecide(): Refusal<'missing_permission'> {
  return refuse('missing_permission', 'Your role in this workspace does not let you decide. Ask an owner.', {
    requiredPermission: 'approvals:decide',
  })
}
