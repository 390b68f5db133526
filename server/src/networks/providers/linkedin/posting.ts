import Type, { type Static } from 'typebox'
import { withoutEnd } from '../shared/address-end.ts'
import { toLittleText } from '../shared/little-text.ts'
import type { HttpResponse, Json } from '../port/calls.ts'
import type {
  Exchange,
  Origins,
  PrepareVerdict,
  PrepareWork,
  PublishWork,
  RemoteMedia,
  Verdict,
} from '../port/port.ts'
import { leaveOutPicture, readCard, type Procedure } from '../port/procedure.ts'
import { storedAs } from '../shared/stored-as.ts'
import { rejected, unknown } from '../port/verdicts.ts'
import { apiRequest, errorOf, refusalOf } from './answers.ts'
import { linkedinAuthorization, type LinkedinAuthorization } from './authorization.ts'
import { sendImage } from './upload.ts'

/** What is known before the call: the card of the post's link. */
const Article = Type.Object({
  source: Type.String(),
  title: Type.String({ minLength: 1 }),
  description: Type.String(),
  thumbnail: Type.Optional(Type.String()),
})
const preparedOf = storedAs(
  Type.Object({ article: Type.Union([Article, Type.Null()]) }),
  'What is prepared of a LinkedIn post',
)

const LINK = /https?:\/\/[^\s<>"]+/i
/** Our own choice, far within what LinkedIn takes of an image (`linkedin.ts`): a card is small. */
const CARD_PICTURE = {
  contentTypes: ['image/jpeg', 'image/png'],
  maxBytes: 5_000_000,
  maxWidth: 2_400,
  maxHeight: 2_400,
}
const MAX_TITLE = 400
const MAX_DESCRIPTION = 4_086

/** Makes the card of a link: LinkedIn reads no pages for posts by its API (articles-api). */
export function prepareAt({ api }: Origins): Procedure<PrepareWork, PrepareVerdict> {
  return function* prepare({ authorization, text, media, settings }) {
    const link = settings['linkCard'] !== false && media.length === 0 ? firstLink(text) : null
    const card = link === null ? null : yield* readCard(link, CARD_PICTURE)
    if (link === null || card === null || card.title === '') return prepared(null)
    const sent =
      card.picture === null ? null : yield* sendImage(api, linkedinAuthorization(authorization), card.picture)
    // A picture that is refused is no reason to keep the post back.
    if (sent !== null && 'is' in sent) {
      if (sent.is !== 'rejected') return sent
      yield* leaveOutPicture()
    }
    return prepared({
      source: link.href,
      title: firstUnits(card.title, MAX_TITLE),
      description: firstUnits(card.description, MAX_DESCRIPTION),
      ...(sent !== null && 'urn' in sent ? { thumbnail: sent.urn } : {}),
    })
  }
}

function prepared(article: Static<typeof Article> | null): PrepareVerdict {
  return { is: 'prepared', prepared: { article } }
}

/** The first UTF-16 units of a text, without half a character at the end. */
function firstUnits(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '')
}

function firstLink(text: string): URL | null {
  const [found = ''] = LINK.exec(text) ?? []
  return URL.parse(withoutEnd(found))
}

/** https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api: the answer is a header. */
export function publishAt({ api, site }: Origins): Exchange<PublishWork, Verdict> {
  return {
    request: (work) =>
      apiRequest(api, linkedinAuthorization(work.authorization), '/rest/posts', {
        method: 'POST',
        json: bodyOf(work),
      }),
    judge: (response, work) => judge(response, linkedinAuthorization(work.authorization), site),
  }
}

function bodyOf({ authorization, text, media, settings, prepared: known }: PublishWork) {
  const { visibility = 'PUBLIC', resharing = true } = settings
  const content = contentOf(media, known)
  return {
    author: linkedinAuthorization(authorization).author,
    commentary: toLittleText(text),
    visibility,
    distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
    ...(content === null ? {} : { content }),
    lifecycleState: 'PUBLISHED',
    isReshareDisabledByAuthor: !resharing,
  }
}

function contentOf(media: readonly RemoteMedia[], known: Json) {
  const [first, ...others] = media
  if (first !== undefined) {
    return others.length === 0
      ? { media: shown(first) }
      : { multiImage: { images: media.map((one) => shown(one)) } }
  }
  const { article } = preparedOf(known)
  return article === null ? null : { article }
}

/** LinkedIn keeps alt texts of images alone. */
function shown({ remoteId, kind, altText }: RemoteMedia) {
  return { id: remoteId, ...(kind === 'image' && altText !== null && altText !== '' ? { altText } : {}) }
}

const POST_URN = /^urn:li:(?:share|ugcPost):[0-9]+$/

function judge(response: HttpResponse, authorization: LinkedinAuthorization, site: string): Verdict {
  const { status, headers } = response
  const id = headers['x-restli-id'] ?? ''
  if (status === 201 && POST_URN.test(id)) return { is: 'published', remoteId: id, url: addressOf(site, id) }
  const refusal = refusalOf(response, authorization)
  if (refusal !== null) return refusal
  const error = errorOf(response)
  if (error !== null && [400, 415, 422].includes(status)) return judgeInvalid(error)
  return unknown(response, 'the post was made')
}

/** The address of a post. */
export function addressOf(site: string, urn: string): string {
  return `${site}/feed/update/${urn}/`
}

/** A post is validated before it is made. */
function judgeInvalid({ code = '', message }: { readonly code?: string; readonly message: string }) {
  if (code === 'DUPLICATE_POST' || /duplicate/i.test(message)) {
    return rejected(
      'duplicate_refused',
      'LinkedIn already has a post with the same content from this account.',
    )
  }
  if (/text length/i.test(message)) {
    return rejected('content_refused', 'The text is longer than LinkedIn allows.')
  }
  return rejected('content_refused', 'LinkedIn refuses the post as invalid.')
}
