import { createHash } from 'node:crypto'
import { allChannels } from '../../networks/channels/channel-store.ts'
import { listWorkspacesOf } from '../members/membership-store.ts'
import type { RecordAct } from '../../edge/operations/act.ts'
import { isRefusal, refuse, type Refusal } from '../../edge/operations/refusal.ts'
import {
  type PageAnswer,
  type PageRequest,
  type PageRoute,
  type PersonalPageRequest,
  proveFirst,
  signInFirst,
} from '../pages/page-kit.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { allowClient, denyClient, readConsentRequest } from './consent.ts'
import { type ConsentForm, readConsentForm, readNarrowing, untouchedForm } from './read-consent-form.ts'
import { consentPage, endedPage, type WorkspaceChoice } from './consent-page.ts'
import { PREFIX } from './endpoints.ts'

export type ConsentParts = {
  readonly db: Db
  readonly recordAct: RecordAct
  readonly server: () => Promise<AuthorizationServer>
}

const CONSENT = `${PREFIX}/consent/:uid` as const

/** The page on which a person decides whether a client is let in. */
export function consentPages(parts: ConsentParts): PageRoute[] {
  return [
    {
      id: 'oauthConsent',
      at: `GET ${CONSENT}`,
      answer: forProven(pathOf, (request) => show(parts, request)),
    },
    {
      id: 'oauthConsent',
      at: `POST ${CONSENT}`,
      answer: forProven(pathOf, (request) => decide(parts, request)),
    },
  ]
}

/** For people who are signed in and have just shown who they are; others do that first, and come back. */
export function forProven(
  path: (request: PageRequest) => string,
  answer: (request: PersonalPageRequest) => Promise<PageAnswer>,
): (request: PageRequest) => Promise<PageAnswer> {
  return async (request) => {
    const { signedIn } = request
    if (signedIn === null) return signInFirst(path(request))
    return signedIn.fresh ? answer({ ...request, signedIn }) : proveFirst(path(request))
  }
}

async function show(
  parts: ConsentParts,
  request: PersonalPageRequest,
  sent: { form: ConsentForm | null; refusal: Refusal } | null = null,
): Promise<PageAnswer> {
  const { signedIn, raw } = request
  const asked = await readConsentRequest(await parts.server(), raw)
  if (asked === null) return endedPage()
  const workspaces = await workspacesOf(parts.db, signedIn.personId)
  return consentPage({
    request: asked,
    personName: signedIn.name,
    workspaces,
    action: pathOf(request),
    shownTo: proofOf(request, pathOf(request)),
    form: sent?.form ?? untouchedForm(workspaces[0]?.workspaceId ?? '', asked.permissions),
    refusal: sent?.refusal ?? null,
  })
}

export async function workspacesOf(db: Db, personId: string): Promise<WorkspaceChoice[]> {
  const workspaces = await listWorkspacesOf(db, personId)
  return Promise.all(
    workspaces.map(async (workspace) => ({
      ...workspace,
      channels: await allChannels(db, workspace.workspaceId),
    })),
  )
}

async function decide(parts: ConsentParts, request: PersonalPageRequest): Promise<PageAnswer> {
  const { signedIn, raw, field, browser, requestId } = request
  const server = await parts.server()
  const asked = await readConsentRequest(server, raw)
  if (asked === null) return endedPage()
  // What is ticked in it was ticked by another session, perhaps by another person.
  if (field('shownTo') !== proofOf(request, pathOf(request)))
    return show(parts, request, { form: null, refusal: shownToAnother() })
  if (field('decision') !== 'allow') return { to: await denyClient(server, raw) }
  const form = readConsentForm(request)
  const narrowing = readNarrowing(form)
  if (isRefusal(narrowing)) return show(parts, request, { form, refusal: narrowing })
  const decider = { ...signedIn, address: browser.client.address, requestId }
  const allowed = await allowClient({ ...parts, server }, raw, asked, { ...form, ...narrowing }, decider)
  return isRefusal(allowed) ? show(parts, request, { form, refusal: allowed }) : { to: allowed.returnTo }
}

function pathOf({ params }: PageRequest): string {
  return CONSENT.replace(':uid', encodeURIComponent(params['uid'] ?? ''))
}

/** What the form of a request carries when it was shown to this session: another session cannot have been shown it. */
export function proofOf({ browser }: PageRequest, what: string): string {
  const shown = `consent ${what} ${browser.session}`
  return createHash('sha256').update(shown).digest('base64url')
}

export function shownToAnother(): Refusal<'validation_failed'> {
  const detail = 'You have signed in again since this page was shown. Check the request, then decide again.'
  return refuse('validation_failed', detail)
}
