import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { jsonOf, readBody } from '../shared/answers.ts'
import type { HttpRequest, HttpResponse, Json } from '../port/calls.ts'
import type {
  LookupResult,
  LookupWork,
  PartWork,
  PrepareVerdict,
  PrepareWork,
  PublishWork,
  Refusal,
  RemoteMedia,
  UploadVerdict,
  UploadWork,
  Verdict,
} from '../port/port.ts'
import { call, leaveOutPicture, readCard, type Steps } from '../port/procedure.ts'
import { storedAs } from '../shared/stored-as.ts'
import { AWAY, gone, MEDIA_GONE, out, rejected, unavailable, unknown } from '../port/verdicts.ts'
import { requestAuthorization, blueskyAuthorization, type BlueskyAuthorization } from './authorization.ts'
import { tidOf } from './record-key.ts'
import { annotate, byteRange } from './rich-text.ts'
import { errorOf, query, refusalOf } from './xrpc.ts'

const POST = 'app.bsky.feed.post'
const GATE = 'app.bsky.feed.threadgate'
const QUOTE_GATE = 'app.bsky.feed.postgate'

const Cid = Type.String({ pattern: '^b[a-z2-7]{10,200}$' })
const Blob = Type.Object({
  $type: Type.Literal('blob'),
  ref: Type.Object({ $link: Cid }),
  mimeType: Type.String(),
  size: Type.Integer({ minimum: 1 }),
})
type Blob = Static<typeof Blob>
const Uploaded = Type.Object({ blob: Blob })
const Written = Type.Object({ uri: Type.String(), cid: Cid })
const WrittenTogether = Type.Object({ results: Type.Array(Written, { minItems: 1 }) })
const Record = Type.Object({
  uri: Type.String(),
  cid: Cid,
  value: Type.Object({ createdAt: Type.Optional(Type.Unknown()) }),
})
const Resolved = Type.Object({ did: Type.String({ pattern: '^did:[a-z]+:' }) })

const Fields = Type.Record(Type.String(), Type.Unsafe<Json>(Type.Unknown()))
type Fields = Static<typeof Fields>
/** Fields of the record, or why there can be none. */
type Made = { readonly fields: Fields } | { readonly refused: Refusal }

/** What is chosen before the call: the record and its key. All of it is the same for every repeat. */
const Prepared = Type.Object({
  rkey: Type.String({ pattern: '^[2-7a-z]{13}$' }),
  record: Fields,
  /** Records that belong to the post and are written in one commit with it: who may reply, who may quote. */
  gates: Type.Array(Type.Object({ collection: Type.String(), value: Fields })),
  /** When the records of earlier calls with this key were created. */
  dates: Type.Optional(Type.Array(Type.String())),
})
type Prepared = Static<typeof Prepared>
const preparedOf = storedAs(Prepared, 'What is prepared of a Bluesky post')

/* ------------------------------------------------------------------------------------------------------------ upload */

/** com.atproto.repo.uploadBlob: a blob that no record names is removed by the server after some hours. */
export function* upload(work: UploadWork): Steps<UploadVerdict> {
  const uploaded = yield* uploadBlob(blueskyAuthorization(work.authorization), work.file)
  if (!('blob' in uploaded)) return uploaded
  const { blob } = uploaded
  return { is: 'uploaded', media: { remoteId: blob.ref.$link, details: blob } }
}

function* uploadBlob(
  authorization: BlueskyAuthorization,
  file: UploadWork['file'],
): Steps<{ blob: Blob } | Refusal> {
  const response = yield* call({
    method: 'POST',
    url: new URL('/xrpc/com.atproto.repo.uploadBlob', authorization.server),
    authorization: requestAuthorization(authorization),
    file,
  })
  const uploaded = readBody(response, Uploaded)
  if (uploaded !== null) return uploaded
  const refusal = refusalOf(response)
  if (refusal !== null) return refusal
  const error = errorOf(response)
  if (response.status === 413 || (response.status === 400 && error === 'BlobTooLarge')) {
    return rejected('media_refused', "The file is larger than the account's server allows.")
  }
  if (response.status === 400 && error !== null) {
    return rejected('media_refused', "The account's server does not accept this file.")
  }
  return AWAY
}

/* ----------------------------------------------------------------------------------------------------------- prepare */

export function* prepare(work: PrepareWork): Steps<PrepareVerdict> {
  const authorization = blueskyAuthorization(work.authorization)
  const { text, settings, now, idempotencyKey } = work
  const former = Check(Prepared, work.former) ? work.former : null
  // Under one key there can be one record only, however late an earlier call arrives.
  const rkey = former?.rkey ?? tidOf(now, idempotencyKey)
  const createdAt = now.toISOString()

  const reply = yield* replyTo(authorization, work)
  if ('refused' in reply) return reply.refused
  const marked = yield* facetsOf(authorization, text)
  if ('refused' in marked) return marked.refused
  const { facets, firstLink } = marked
  const embed = yield* embedOf(authorization, work, firstLink)
  if ('refused' in embed) return embed.refused

  const { languages, labels, tags } = settings as {
    languages?: Json
    labels?: readonly string[]
    tags?: Json
  }
  const record: Fields = {
    $type: POST,
    text,
    createdAt,
    ...(facets.length === 0 ? {} : { facets }),
    ...reply.fields,
    ...embed.fields,
    ...(languages === undefined ? {} : { langs: languages }),
    ...(tags === undefined ? {} : { tags }),
    ...(labels === undefined || labels.length === 0
      ? {}
      : {
          labels: { $type: 'com.atproto.label.defs#selfLabels', values: labels.map((val) => ({ val })) },
        }),
  }
  const gates =
    work.parent === null ? gatesOf(work, `at://${authorization.did}/${POST}/${rkey}`, createdAt) : []
  const dates =
    former === null ? {} : { dates: [...(former.dates ?? []), former.record['createdAt'] as string] }
  const prepared: Prepared = { rkey, record, gates, ...dates }
  return { is: 'prepared', prepared }
}

/** Strong references need the CIDs of the parts before: they are read where they stand, which also shows that they do. */
function* replyTo(authorization: BlueskyAuthorization, { parent, root }: PartWork): Steps<Made> {
  if (parent === null) return { fields: {} }
  const first = root ?? parent
  const parentRef = yield* strongRef(authorization, parent.remoteId)
  if ('is' in parentRef) return { refused: parentRef }
  const rootRef =
    first.remoteId === parent.remoteId ? parentRef : yield* strongRef(authorization, first.remoteId)
  if ('is' in rootRef) return { refused: rootRef }
  return { fields: { reply: { root: rootRef, parent: parentRef } } }
}

function* strongRef(
  authorization: BlueskyAuthorization,
  uri: string,
): Steps<{ uri: string; cid: string } | Refusal> {
  const response = yield* call(readRecord(authorization, uri))
  const record = readBody(response, Record)
  if (record?.uri === uri) return { uri, cid: record.cid }
  return isMissing(response)
    ? rejected('parent_missing', 'The post that this one replies to is no longer on Bluesky.')
    : AWAY
}

/** Public, and asked of the account's own server, which has the last word on its records. */
function readRecord(authorization: BlueskyAuthorization, uri: string): HttpRequest {
  const [repo = '', collection = '', rkey = ''] = uri.replace(/^at:\/\//, '').split('/')
  return query(authorization.server, 'com.atproto.repo.getRecord', { repo, collection, rkey })
}

function isMissing(response: HttpResponse): boolean {
  return response.status === 400 && errorOf(response) === 'RecordNotFound'
}

const MAX_MENTIONS = 50

function* facetsOf(
  authorization: BlueskyAuthorization,
  text: string,
): Steps<{ facets: Fields[]; firstLink: string | null } | { refused: Refusal }> {
  const facets: Fields[] = []
  let firstLink: string | null = null
  const dids = new Map<string, string | null>()
  for (const one of annotate(text)) {
    const index = byteRange(text, one)
    if (one.is === 'link') {
      firstLink ??= one.uri
      facets.push({ index, features: [{ $type: 'app.bsky.richtext.facet#link', uri: one.uri }] })
    } else if (one.is === 'tag') {
      facets.push({ index, features: [{ $type: 'app.bsky.richtext.facet#tag', tag: one.tag }] })
    } else {
      if (!dids.has(one.handle) && dids.size < MAX_MENTIONS) {
        const resolved = yield* resolveMention(authorization, one.handle)
        if ('is' in resolved) return { refused: resolved }
        dids.set(one.handle, resolved.did)
      }
      const did = dids.get(one.handle) ?? null
      // A handle that nobody has stays text.
      if (did !== null) facets.push({ index, features: [{ $type: 'app.bsky.richtext.facet#mention', did }] })
    }
  }
  return { facets, firstLink }
}

/** Only a refusal by the server's own word says that nobody has the handle: what is sent without a mention stays so. */
function* resolveMention(
  authorization: BlueskyAuthorization,
  handle: string,
): Steps<{ did: string | null } | Refusal> {
  const response = yield* call(query(authorization.server, 'com.atproto.identity.resolveHandle', { handle }))
  const resolved = readBody(response, Resolved)
  if (resolved !== null) return resolved
  const refusal = refusalOf(response)
  if (refusal !== null) return refusal
  if (response.status === 400 && errorOf(response) !== null) return { did: null }
  return AWAY
}

/**
 * The lexicon takes 1,000,000 bytes of any image (https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/embed/external.json, as
 * of 2026-08-20, read 2026-11). The pixels are our own choice.
 */
const CARD_PICTURE = {
  contentTypes: ['image/jpeg', 'image/png'],
  maxBytes: 1_000_000,
  maxWidth: 1_200,
  maxHeight: 1_200,
}

function* embedOf(
  authorization: BlueskyAuthorization,
  { media, settings }: PartWork,
  firstLink: string | null,
): Steps<Made> {
  const [first] = media
  if (first?.kind === 'video') {
    const alt = first.altText === null ? {} : { alt: first.altText }
    return embedding({ $type: 'app.bsky.embed.video', video: blobOf(first), ...alt, ...aspectRatio(first) })
  }
  if (first !== undefined) {
    const images = media.map((item) => ({
      image: blobOf(item),
      alt: item.altText ?? '',
      ...aspectRatio(item),
    }))
    return embedding({ $type: 'app.bsky.embed.images', images })
  }
  if (firstLink === null || settings['linkCard'] === false) return { fields: {} }
  const card = yield* readCard(new URL(firstLink), CARD_PICTURE)
  if (card === null) return { fields: {} }
  const thumb = card.picture === null ? null : yield* uploadBlob(authorization, card.picture)
  // A picture that is refused is no reason to keep the post back.
  if (thumb !== null && 'is' in thumb) {
    if (thumb.is !== 'rejected') return { refused: thumb }
    yield* leaveOutPicture()
  }
  const { title, description } = card
  const picture = thumb !== null && 'blob' in thumb ? { thumb: thumb.blob } : {}
  return embedding({
    $type: 'app.bsky.embed.external',
    external: { uri: firstLink, title, description, ...picture },
  })
}

function embedding(embed: Fields): Made {
  return { fields: { embed } }
}

function blobOf({ details }: RemoteMedia): Blob {
  if (!Check(Blob, details)) throw new Error('an uploaded file has no blob')
  return details
}

function aspectRatio({ width, height }: RemoteMedia): Fields {
  return width == null || height == null ? {} : { aspectRatio: { width, height } }
}

const RULES: Readonly<Record<string, string>> = {
  mentioned: 'mentionRule',
  followers: 'followerRule',
  following: 'followingRule',
}

/** Who may reply and quote (app.bsky.feed.threadgate, app.bsky.feed.postgate): records with the post's own key. */
function gatesOf({ settings }: PartWork, post: string, createdAt: string): Prepared['gates'] {
  const { replies = 'everyone', quotes = true } = settings as {
    replies?: 'everyone' | 'nobody' | readonly string[]
    quotes?: boolean
  }
  const common = { post, createdAt }
  const allow = typeof replies === 'string' ? [] : replies.map((who) => ({ $type: `${GATE}#${RULES[who]}` }))
  return [
    ...(replies === 'everyone' ? [] : [{ collection: GATE, value: { $type: GATE, ...common, allow } }]),
    ...(quotes
      ? []
      : [
          {
            collection: QUOTE_GATE,
            value: { $type: QUOTE_GATE, ...common, embeddingRules: [{ $type: `${QUOTE_GATE}#disableRule` }] },
          },
        ]),
  ]
}

/* ----------------------------------------------------------------------------------------------------------- publish */

/**
 * Writes the record under its key. `swapRecord: null` says that nothing may be there yet, unless it is the very same
 * record, so a repeat writes nothing. A post with gates is written in one commit with them; there a repeat is refused,
 * since creating what is there is an error.
 */
export function publishRequest(work: PublishWork): HttpRequest {
  const { rkey, record, gates } = preparedOf(work.prepared)
  const session = blueskyAuthorization(work.authorization)
  const { did: repo, server } = session
  const authorization = requestAuthorization(session)
  if (gates.length === 0) {
    const url = new URL('/xrpc/com.atproto.repo.putRecord', server)
    const json = { repo, collection: POST, rkey, validate: true, record, swapRecord: null }
    return { method: 'POST', url, authorization, json }
  }
  const create = (collection: string, value: Fields) => ({
    $type: 'com.atproto.repo.applyWrites#create',
    collection,
    rkey,
    value,
  })
  const writes = [create(POST, record), ...gates.map(({ collection, value }) => create(collection, value))]
  const url = new URL('/xrpc/com.atproto.repo.applyWrites', server)
  return { method: 'POST', url, authorization, json: { repo, validate: true, writes } }
}

export function judgePublish(response: HttpResponse, work: PublishWork): Verdict {
  const { status } = response
  const body = jsonOf(response)
  const uri = postUri(work)
  if (status === 200) {
    const written = Check(WrittenTogether, body) ? body.results[0] : body
    if (Check(Written, written) && written.uri === uri) return published(uri)
  }
  const refusal = refusalOf(response)
  if (refusal !== null) return refusal
  const error = errorOf(response)
  if (status === 413 && error !== null)
    return rejected('content_refused', "The post is larger than the account's server allows.")
  if (status === 400 && error !== null) {
    if (error === 'InvalidRequest') {
      return rejected('content_refused', "The account's server refuses the post as invalid.")
    }
    // The PDS compares the size of each blob with what the record's lexicon takes (packages/pds/src/repo/prepare.ts).
    if (error === 'BlobTooLarge')
      return rejected('media_refused', 'A file of this post is larger than Bluesky takes.')
    // The same name says that the upload is there as another type than the record says: then it is made again.
    if (error === 'InvalidMimeType' && isWrongType(response))
      return rejected('media_refused', 'Bluesky does not take a file of this type in this place.')
    if (UPLOAD_GONE.includes(error)) return MEDIA_GONE
  }
  return unknown(response, 'the record was written')
}

const Message = Type.Object({ message: Type.String() })

function isWrongType(response: HttpResponse): boolean {
  const body = jsonOf(response)
  return Check(Message, body) && /^Wrong type of file/i.test(body.message)
}

/** The server no longer has an upload. */
const UPLOAD_GONE: readonly string[] = ['BlobNotFound', 'InvalidMimeType', 'InvalidSize']

/* ------------------------------------------------------------------------------------------------------------ lookup */

/** Looks for the record under its key: nobody else has that, so what is there is exact, and so is that nothing is. */
export function* lookup(work: LookupWork): Steps<LookupResult> {
  const uri = postUri(work)
  const { record, dates = [] } = preparedOf(work.prepared)
  const response = yield* call(readRecord(blueskyAuthorization(work.authorization), uri))
  if (isMissing(response)) return { is: 'absent', seen: 'by key', keepsKeys: true }
  if (REPO_HIDDEN.includes(errorOf(response) ?? ''))
    return gone("The account's server shows nothing of the account.")
  const found = readBody(response, Record)
  if (found?.uri !== uri) {
    return unavailable(`The check of the record was answered with status ${response.status}.`)
  }
  // By this call or an earlier one, or changed by another program since: it keeps the time at which it was created.
  if (![record['createdAt'], ...dates].includes(found.value.createdAt as string)) {
    return out('Another record has the key of this post.')
  }
  return { is: 'found', remoteId: uri, url: addressOf(uri), exact: true }
}

/** Of an account that is taken down, suspended, deactivated or gone (com.atproto.sync.getRecord names them, and the PDS uses them). */
const REPO_HIDDEN: readonly string[] = ['RepoNotFound', 'RepoTakendown', 'RepoSuspended', 'RepoDeactivated']

function published(uri: string): Verdict {
  return { is: 'published', remoteId: uri, url: addressOf(uri) }
}

function postUri({ authorization, prepared }: Pick<PublishWork, 'authorization' | 'prepared'>): string {
  return `at://${blueskyAuthorization(authorization).did}/${POST}/${preparedOf(prepared).rkey}`
}

/** Where a post is shown. The DID stays when the handle changes. */
function addressOf(uri: string): string {
  const [did = '', , rkey = ''] = uri.replace(/^at:\/\//, '').split('/')
  return `https://bsky.app/profile/${did}/post/${rkey}`
}
