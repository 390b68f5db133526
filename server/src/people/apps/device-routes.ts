import { isRefusal, type Refusal } from '../../edge/operations/refusal.ts'
import type { PageAnswer, PageRoute, PersonalPageRequest } from '../pages/page-kit.ts'
import { DEVICE_PAGE } from './authorization-server.ts'
import { codePage, consentPage, decidedPage } from './consent-page.ts'
import { type ConsentParts, forProven, proofOf, shownToAnother, workspacesOf } from './consent-routes.ts'
import { allowDevice, denyDevice, type DeviceRequest, OVER, readDeviceRequest } from './device.ts'
import { type ConsentForm, readConsentForm, readNarrowing, untouchedForm } from './read-consent-form.ts'

/** The page on which a person enters the code that a device shows, and decides whether it is let in (RFC 8628). */
export function devicePages(parts: ConsentParts): PageRoute[] {
  const path = () => DEVICE_PAGE
  return [
    { id: 'oauthDevice', at: `GET ${DEVICE_PAGE}`, answer: forProven(path, async () => ask()) },
    {
      id: 'oauthDevice',
      at: `POST ${DEVICE_PAGE}`,
      answer: forProven(path, (request) => decide(parts, request)),
    },
  ]
}

function ask(typed = '', refusal: Refusal | null = null): PageAnswer {
  return codePage({ action: DEVICE_PAGE, typed, refusal })
}

async function decide(parts: ConsentParts, request: PersonalPageRequest): Promise<PageAnswer> {
  const { signedIn, field, browser, requestId } = request
  const server = await parts.server()
  const decider = { ...signedIn, address: browser.client.address, requestId }
  const asked = await readDeviceRequest({ ...parts, server }, field('code'), decider)
  if (isRefusal(asked)) return ask(field('code'), asked)
  const decision = field('decision')
  if (decision === '') return show(parts, request, asked)
  // What is ticked in it was ticked by another session, perhaps by another person.
  if (field('shownTo') !== proofOf(request, asked.userCode))
    return show(parts, request, asked, { form: null, refusal: shownToAnother() })
  if (decision !== 'allow') {
    const refused = await denyDevice(parts, asked, decider)
    return refused === null ? decidedPage(false) : ask(field('code'), refused)
  }
  const form = readConsentForm(request)
  const narrowing = readNarrowing(form)
  if (isRefusal(narrowing)) return show(parts, request, asked, { form, refusal: narrowing })
  const refused = await allowDevice({ ...parts, server }, asked, { ...form, ...narrowing }, decider)
  if (refused === OVER) return ask(field('code'), OVER)
  return refused === null ? decidedPage(true) : show(parts, request, asked, { form, refusal: refused })
}

async function show(
  parts: ConsentParts,
  request: PersonalPageRequest,
  asked: DeviceRequest,
  sent: { form: ConsentForm | null; refusal: Refusal } | null = null,
): Promise<PageAnswer> {
  const { personId, name } = request.signedIn
  const workspaces = await workspacesOf(parts.db, personId)
  return consentPage({
    request: asked,
    personName: name,
    workspaces,
    action: DEVICE_PAGE,
    shownTo: proofOf(request, asked.userCode),
    form: sent?.form ?? untouchedForm(workspaces[0]?.workspaceId ?? '', asked.permissions),
    refusal: sent?.refusal ?? null,
  })
}
