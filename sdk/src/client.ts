import type { Destination, MediaItem, Operations, Post, PostSummary, SeriesSummary, Template } from './api.ts'
import { Call, Listing, type Page } from './call.ts'
import { conflictsOf, type ContentEdit } from './edit.ts'
import { EditConflictError, isProblem } from './errors.ts'
import type { WebhookEvent } from './events.ts'
import { checkNumbers } from './numbers.ts'
import { PostNews } from './post-news.ts'
import { isSettled, nextLookMs } from './settled.ts'
import {
  type Asked,
  type CallOptions,
  type ClientOptions,
  type OperationId,
  pause,
  Transport,
} from './transport.ts'

type Body<Id extends OperationId> = Operations[Id]['body']
type Query<Id extends OperationId> = Operations[Id]['query']
type Result<Id extends OperationId> = Operations[Id]['answer']
type When = Body<'scheduleDestination'>['publishAt']

/** A post to command: as it was read, so that the command is refused when it has changed since. */
export type ReadPost = Pick<Post, 'postId' | 'editToken' | 'destinations'>

export type EventPage = Page<WebhookEvent> & {
  /** Where to go on, now or later. */
  readonly nextCursor: string
  readonly hasMore: boolean
}

/**
 * A client of one workspace. Every write carries an idempotency key, made once per call, so that repeating it, by the client
 * or by you, never has a second effect. Reads and writes reject with a `PostriderError`; a write whose result is not known
 * says so (`outcome`).
 */
export class Postrider {
  readonly posts: Posts
  readonly series: SeriesOfPosts
  readonly templates: Templates
  readonly media: Media
  readonly ai: Ai
  readonly events: Events
  readonly webhooks: Webhooks
  readonly #transport: Transport

  /** Throws a TypeError when `baseUrl` is no http(s) address. */
  constructor(options: ClientOptions) {
    this.#transport = new Transport(options)
    this.posts = new Posts(this.#transport)
    this.series = new SeriesOfPosts(this.#transport)
    this.templates = new Templates(this.#transport)
    this.media = new Media(this.#transport)
    this.ai = new Ai(this.#transport)
    this.events = new Events(this.#transport)
    this.webhooks = new Webhooks(this.#transport)
  }

  /** Who the credential is here, what it may do, and which networks there are. */
  me(options?: CallOptions): Call<Result<'readMe'>> {
    return new Call(this.#transport.send('readMe', {}, options))
  }

  /** Any operation by its id, with what it takes. */
  call<Id extends OperationId>(id: Id, asked: Asked<Id> = {}, options?: CallOptions): Call<Result<Id>> {
    return new Call(this.#transport.send(id, asked, options))
  }

  /** The enabled channels of the workspace, by name. */
  channels(options?: CallOptions): Call<Result<'listChannels'>> {
    return new Call(this.#transport.send('listChannels', {}, options))
  }

  /** What is published from `from` to before `to`, 62 days at most, ordered by time. */
  calendar(query: Query<'readCalendar'>, options?: CallOptions): Call<Result<'readCalendar'>> {
    return new Call(this.#transport.send('readCalendar', { query }, options))
  }
}

class Posts {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** What `create` would say of the plan; stores nothing. */
  check(plan: Body<'checkPost'>, options?: CallOptions): Call<Result<'checkPost'>> {
    return new Call(this.#transport.send('checkPost', { body: plan }, options))
  }

  /** The same of up to 100 plans, each as if those before it that are ready had been created: look at each `status`, and `check.ready`. */
  checkMany(plans: Body<'checkPosts'>['posts'], options?: CallOptions): Call<Result<'checkPosts'>> {
    return new Call(this.#transport.send('checkPosts', { body: { posts: plans } }, options))
  }

  /** Creates one destination for each channel. `immediate` waits for a person to approve it. */
  create(plan: Body<'createPost'>, options?: CallOptions): Call<Post> {
    return new Call(this.#transport.send('createPost', { body: plan }, options))
  }

  /**
   * Creates up to 100 posts, each with its own result: look at each `status`. They have one `idempotencyKey`, in `how`, or each row has its own.
   * Calling it again with the same rows has no further effect.
   */
  createMany(
    rows: Body<'createPosts'>['posts'],
    how: Omit<Body<'createPosts'>, 'posts'> = {},
    options?: CallOptions,
  ): Call<Result<'createPosts'>> {
    return new Call(this.#transport.send('createPosts', { body: { posts: rows, ...how } }, options))
  }

  /** Creates the posts of a CSV file or a plan, all or none. Calling it again makes nothing twice. */
  import(file: Body<'importPosts'>, options?: CallOptions): Call<Result<'importPosts'>> {
    return new Call(this.#transport.send('importPosts', { body: file }, options))
  }

  /** Posts with what became of them, as the text of a file that `import` takes. */
  export(query: Query<'exportPosts'>, options?: CallOptions): Call<Result<'exportPosts'>> {
    return new Call(this.#transport.send('exportPosts', { query }, options))
  }

  /** Posts, newest first. Awaited it is a page; iterated it is all of them. */
  list(query: Query<'listPosts'> = {}, options?: CallOptions): Listing<PostSummary> {
    return new Listing<PostSummary>(this.#transport.send('listPosts', { query }, options), ({ nextCursor }) =>
      nextCursor === null ? null : this.list({ ...query, cursor: nextCursor }, options),
    )
  }

  /** With `include: 'history'`, what happened to it, too. */
  read(postId: string, { include, ...options }: Query<'readPost'> & CallOptions = {}): Call<Post> {
    const query = include === undefined ? {} : { include }
    return new Call(this.#transport.send('readPost', { params: { postId }, query }, options))
  }

  /**
   * Changes what the post says: fields that are left out stay as they are. When the post has changed since it was read, it
   * is read again, and the edit repeated where nobody touched the same fields; else this rejects with an
   * `EditConflictError`, and nothing is changed.
   */
  async edit(post: Post, change: ContentEdit, options: CallOptions = {}): Promise<Post> {
    let base = post
    for (let tries = 0; ; tries += 1) {
      try {
        // A refused edit had no effect and leaves its key unused: all tries are one effect, under one key.
        return await this.#edit(base, change, options)
      } catch (error) {
        if (!isProblem(error, 'stale_edit_token') || tries === EDIT_TRIES) throw error
        const current = await this.read(post.postId, options)
        const fields = conflictsOf(change, post, current)
        if (fields.length > 0) throw new EditConflictError(fields, current)
        base = current
      }
    }
  }

  #edit({ postId, editToken }: Post, content: ContentEdit, options: CallOptions): Call<Post> {
    return new Call(
      this.#transport.send('editPost', { params: { postId }, body: { editToken, content } }, options),
    )
  }

  /** Gives the draft on one channel a time. */
  schedule(
    post: ReadPost,
    command: { readonly channelId?: string; readonly publishAt: When },
    options?: CallOptions,
  ): Call<Destination> {
    return this.#command('scheduleDestination', post, command, options)
  }

  /** Gives all drafts of the post this time; all or nothing. What is not a draft stays as it is. */
  scheduleAll({ postId, editToken }: ReadPost, publishAt: When, options?: CallOptions): Call<Post> {
    const body = { editToken, publishAt }
    return new Call(
      this.#transport.send('scheduleDestination', { params: { postId }, body }, options),
    ) as Call<Post>
  }

  /** Gives what is scheduled on one channel another time. */
  reschedule(
    post: ReadPost,
    command: { readonly channelId?: string; readonly publishAt: When },
    options?: CallOptions,
  ): Call<Destination> {
    return this.#command('rescheduleDestination', post, command, options)
  }

  /** Gives all that is scheduled of the post another time, or moves each time by a duration such as `P1D`; all or nothing. What is not scheduled stays as it is. */
  rescheduleAll(post: ReadPost, time: When | { readonly shift: string }, options?: CallOptions): Call<Post> {
    const { postId, editToken } = post
    const body =
      typeof time === 'object' && 'shift' in time ? { ...time, editToken } : { editToken, publishAt: time }
    return new Call(
      this.#transport.send('rescheduleDestination', { params: { postId }, body }, options),
    ) as Call<Post>
  }

  /** Schedules what failed on one channel again, or goes on with a thread whose rest was refused; with other content where `content` is given. */
  retry(
    post: ReadPost,
    command: { readonly channelId?: string } & Pick<Body<'retryDestination'>, 'publishAt' | 'content'>,
    options?: CallOptions,
  ): Call<Destination> {
    return this.#command('retryDestination', post, command, options)
  }

  /** Adds channels to a post of which nothing has begun, and takes others from it. */
  changeChannels(
    { postId, editToken }: ReadPost,
    change: Omit<Body<'changeChannels'>, 'editToken'>,
    options?: CallOptions,
  ): Call<Post> {
    const body = { editToken, ...change }
    return new Call(this.#transport.send('changeChannels', { params: { postId }, body }, options))
  }

  /** Adds labels to posts, and removes others: of all of them or of none, in any status. */
  label(
    postIds: readonly string[],
    change: Pick<Body<'labelPosts'>, 'add' | 'remove'>,
    options?: CallOptions,
  ): Call<Result<'labelPosts'>> {
    return new Call(this.#transport.send('labelPosts', { body: { postIds, ...change } }, options))
  }

  /** The labels that posts have. */
  labels(options?: CallOptions): Call<Result<'listLabels'>> {
    return new Call(this.#transport.send('listLabels', {}, options))
  }

  /** What became of all posts with a label, as of a campaign; with `from` and `to`, in that range and the one before. */
  labelResults(
    label: string,
    { from, to, ...options }: Omit<Query<'readLabelResults'>, 'label'> & CallOptions = {},
  ): Call<Result<'readLabelResults'>> {
    const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
    return new Call(this.#transport.send('readLabelResults', { query: { label, ...range } }, options))
  }

  /** Asks a person to approve the draft: see `approval.reviewUrl`. */
  requestApproval({ postId, editToken }: ReadPost, options?: CallOptions): Call<Post> {
    return new Call(
      this.#transport.send('requestApproval', { params: { postId }, body: { editToken } }, options),
    )
  }

  /** Cancels every channel of the post that still can be. */
  cancel(post: ReadPost, options?: CallOptions): Call<Post> {
    const { postId, editToken } = post
    return new Call(
      this.#transport.send('cancelDestination', { params: { postId }, body: { editToken } }, options),
    ) as Call<Post>
  }

  /** Cancels the post on one channel. */
  cancelOn(post: ReadPost, channelId: string, options?: CallOptions): Call<Destination> {
    return this.#command('cancelDestination', post, { channelId }, options)
  }

  /**
   * Resolves with the post once nothing more becomes of it by itself. `checking` is such an end: its result is not known, so
   * it is neither failed nor published, and is not to be published again. The post is read again when an event says that it
   * changed, and every two minutes; where events may not be read, at growing intervals.
   */
  async waitFor(postId: string, options: CallOptions = {}): Promise<Post> {
    const first = await this.read(postId, options).withResponse()
    const news = new PostNews(this.#transport, first, options)
    let post = first.data
    for (let looks = 0; !isSettled(post); looks += 1) {
      await pause(nextLookMs(post, looks, Date.now()), options.signal)
      if (!(await news.hasChanged())) continue
      post = await this.read(postId, options)
    }
    return post
  }

  #command(
    id: 'scheduleDestination' | 'rescheduleDestination' | 'retryDestination' | 'cancelDestination',
    post: ReadPost,
    command: { readonly channelId?: string },
    options: CallOptions | undefined,
  ): Call<Destination> {
    const { postId } = post
    const { channelId, controlToken } = commanded(post, command.channelId)
    const body = { ...command, channelId, controlToken } as Body<'retryDestination'>
    return new Call(this.#transport.send(id, { params: { postId }, body }, options)) as Call<Destination>
  }
}

class SeriesOfPosts {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** A post again and again by a rule. Its occurrences become posts some days ahead, each once. */
  create(series: Body<'createSeries'>, options?: CallOptions): Call<Result<'createSeries'>> {
    return new Call(this.#transport.send('createSeries', { body: series }, options))
  }

  list(query: Query<'listSeries'> = {}, options?: CallOptions): Listing<SeriesSummary> {
    return new Listing<SeriesSummary>(
      this.#transport.send('listSeries', { query }, options),
      ({ nextCursor }) => (nextCursor === null ? null : this.list({ ...query, cursor: nextCursor }, options)),
    )
  }

  /** With its next occurrences, those from a day on, or one alone with its whole content. */
  read(
    seriesId: string,
    { from, only, ...options }: Query<'readSeries'> & CallOptions = {},
  ): Call<Result<'readSeries'>> {
    const query = { ...(from === undefined ? {} : { from }), ...(only === undefined ? {} : { only }) }
    return new Call(this.#transport.send('readSeries', { params: { seriesId }, query }, options))
  }

  /** One occurrence, those from a day on, or all; `effects` says what became of posts that were made already. */
  edit(seriesId: string, change: Body<'editSeries'>, options?: CallOptions): Call<Result<'editSeries'>> {
    return new Call(this.#transport.send('editSeries', { params: { seriesId }, body: change }, options))
  }

  /** Leaves one occurrence out, or takes it up again. */
  skip(
    seriesId: string,
    occurrence: Body<'skipOccurrence'>,
    options?: CallOptions,
  ): Call<Result<'skipOccurrence'>> {
    return new Call(
      this.#transport.send('skipOccurrence', { params: { seriesId }, body: occurrence }, options),
    )
  }

  /** Pauses, resumes or ends it. */
  setStatus(
    seriesId: string,
    status: Body<'setSeriesStatus'>,
    options?: CallOptions,
  ): Call<Result<'setSeriesStatus'>> {
    return new Call(this.#transport.send('setSeriesStatus', { params: { seriesId }, body: status }, options))
  }
}

class Templates {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Texts with fields, `{{name}}`. `posts.create` and `posts.check` take its id and the values as `template`. */
  create(template: Body<'createTemplate'>, options?: CallOptions): Call<Template> {
    return new Call(this.#transport.send('createTemplate', { body: template }, options))
  }

  /** All of them, by name. */
  list(options?: CallOptions): Call<Result<'listTemplates'>> {
    return new Call(this.#transport.send('listTemplates', {}, options))
  }

  read(templateId: string, options?: CallOptions): Call<Template> {
    return new Call(this.#transport.send('readTemplate', { params: { templateId } }, options))
  }

  /** Puts what is given in the place of what it was: what is left out is gone. */
  change(
    { templateId, editToken }: Pick<Template, 'templateId' | 'editToken'>,
    template: Omit<Body<'changeTemplate'>, 'editToken'>,
    options?: CallOptions,
  ): Call<Template> {
    const body = { ...template, editToken }
    return new Call(this.#transport.send('changeTemplate', { params: { templateId }, body }, options))
  }

  /** Posts that were made from it stay. */
  delete(templateId: string, options?: CallOptions): Call<Result<'deleteTemplate'>> {
    return new Call(this.#transport.send('deleteTemplate', { params: { templateId } }, options))
  }
}

class Media {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Uploads a file; its bytes decide what it is, and never change. */
  upload(
    file: Blob | Uint8Array | ArrayBuffer,
    fields: Pick<Body<'uploadMedia'>, 'altText'> = {},
    options?: CallOptions,
  ): Call<MediaItem> {
    // The browser's types want it to be no shared memory.
    // oxlint-disable-next-line typescript/no-unnecessary-type-assertion
    const blob = file instanceof Blob ? file : new Blob([file as ArrayBuffer])
    return new Call(this.#transport.send('uploadMedia', { body: fields, file: blob }, options))
  }

  /** Has the server fetch a file from a public https address. */
  uploadFrom(
    sourceUrl: string,
    fields: Pick<Body<'uploadMedia'>, 'altText'> = {},
    options?: CallOptions,
  ): Call<MediaItem> {
    return new Call(this.#transport.send('uploadMedia', { body: { ...fields, sourceUrl } }, options))
  }

  /** An address to which others can `PUT` one file, without a credential; ask again with the same key for what was uploaded. */
  uploadAddress(
    idempotencyKey: string,
    fields: Pick<Body<'createUploadAddress'>, 'altText'> = {},
    options?: CallOptions,
  ): Call<Operations['createUploadAddress']['answer']> {
    const body = { ...fields, idempotencyKey }
    return new Call(this.#transport.send('createUploadAddress', { body }, options))
  }

  /** The media of the workspace, newest first. */
  list(query: Query<'listMedia'> = {}, options?: CallOptions): Listing<MediaItem> {
    return new Listing<MediaItem>(this.#transport.send('listMedia', { query }, options), ({ nextCursor }) =>
      nextCursor === null ? null : this.list({ ...query, cursor: nextCursor }, options),
    )
  }

  read(mediaId: string, options?: CallOptions): Call<MediaItem> {
    return new Call(this.#transport.send('readMedia', { params: { mediaId } }, options))
  }

  /** Changes the alt text, for all posts that carry the file; null for none. Refused once it is published with one, or may be. */
  describe(mediaId: string, altText: string | null, options?: CallOptions): Call<MediaItem> {
    return new Call(this.#transport.send('updateMedia', { params: { mediaId }, body: { altText } }, options))
  }

  /** Deletes a file that no post carries. */
  delete(mediaId: string, options?: CallOptions): Call<Operations['deleteMedia']['answer']> {
    return new Call(this.#transport.send('deleteMedia', { params: { mediaId } }, options))
  }

  /** The bytes of an image, `width` pixels wide at most. */
  content(mediaId: string, query: Query<'readMediaContent'> = {}, options?: CallOptions): Call<ArrayBuffer> {
    return new Call(this.#transport.send('readMediaContent', { params: { mediaId }, query }, options))
  }
}

class Ai {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Has a model write texts that fit; posts nothing. */
  drafts(body: Body<'generatePostDrafts'>, options?: CallOptions): Call<Result<'generatePostDrafts'>> {
    return new Call(this.#transport.send('generatePostDrafts', { body }, options))
  }

  /** Has a model draw an image, which becomes a media item. */
  image(body: Body<'generatePostImage'>, options?: CallOptions): Call<Result<'generatePostImage'>> {
    return new Call(this.#transport.send('generatePostImage', { body }, options))
  }

  models(options?: CallOptions): Call<Result<'listAiModels'>> {
    return new Call(this.#transport.send('listAiModels', {}, options))
  }
}

class Events {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** The events behind a cursor, oldest first; iterated, it ends when there are no further ones now. */
  list(query: Query<'listEvents'> = {}, options?: CallOptions): Listing<WebhookEvent, EventPage> {
    const asked = this.#transport.send('listEvents', { query }, options) as ConstructorParameters<
      typeof Listing<WebhookEvent, EventPage>
    >[0]
    return new Listing<WebhookEvent, EventPage>(asked, ({ nextCursor, hasMore }) =>
      hasMore ? this.list({ ...query, cursor: nextCursor }, options) : null,
    )
  }

  /**
   * Page after page of events, and then those to come, for ever: ask for the next page once this one is dealt with, and keep
   * its `nextCursor`, null before the first page. Ends by `break`, or with the reason of the signal.
   */
  async *follow(
    { cursor: from, ...filters }: EventsFrom = {},
    { pollMs = 2_000, ...options }: CallOptions & { readonly pollMs?: number } = {},
  ): AsyncGenerator<EventPage> {
    checkNumbers({ pollMs })
    let cursor = from ?? undefined
    for (;;) {
      const query = cursor === undefined ? filters : { ...filters, cursor }
      const page: EventPage = await this.list(query, options)
      cursor = page.nextCursor
      if (page.items.length > 0) yield page
      if (!page.hasMore) await pause(pollMs, options.signal)
    }
  }
}

/** Where to go on from: null or nothing for the oldest event. */
type EventsFrom = Omit<Query<'listEvents'>, 'cursor'> & { readonly cursor?: string | null | undefined }

/** How often an edit is repeated on a post that others are changing all the time. */
const EDIT_TRIES = 5

/** The destination on a channel; where none is named, the only one. Throws a TypeError where there is none, or no only one. */
function commanded({ destinations }: ReadPost, channelId: string | undefined): Destination {
  const found =
    channelId === undefined ? destinations : destinations.filter((one) => one.channelId === channelId)
  const [destination] = found
  if (destination !== undefined && found.length === 1) return destination
  throw new TypeError(
    channelId === undefined
      ? `The post is on ${destinations.length} channels: name one of them as channelId.`
      : `The post is not on the channel ${channelId}.`,
  )
}

/** The webhook endpoints that this credential created. Needs `webhooks:write`; those of others are unknown to it. */
class Webhooks {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  list(options?: CallOptions): Call<Result<'listOwnEndpoints'>> {
    return new Call(this.#transport.send('listOwnEndpoints', {}, options))
  }

  /** Its answer holds the signing secret, once. It is sent once: after an error list the endpoints first. */
  create(endpoint: Body<'createOwnEndpoint'>, options?: CallOptions): Call<Result<'createOwnEndpoint'>> {
    return new Call(this.#transport.send('createOwnEndpoint', { body: endpoint }, options))
  }

  /** Its signing secret is never shown again. */
  read(endpointId: string, options?: CallOptions): Call<Result<'readOwnEndpoint'>> {
    return new Call(this.#transport.send('readOwnEndpoint', { params: { endpointId } }, options))
  }

  /** A new signing secret, shown once. The one before signs beside it for 24 hours, or ends at once. It is sent once. */
  rotateSecret(
    endpointId: string,
    how: Body<'rotateOwnEndpointSecret'> = { atOnce: false },
    options?: CallOptions,
  ): Call<Result<'rotateOwnEndpointSecret'>> {
    const asked = { params: { endpointId }, body: how }
    return new Call(this.#transport.send('rotateOwnEndpointSecret', asked, options))
  }

  /** Sends an invented event, signed as any other. */
  test(
    endpointId: string,
    requested: Body<'testOwnEndpoint'> = {},
    options?: CallOptions,
  ): Call<Result<'testOwnEndpoint'>> {
    return new Call(
      this.#transport.send('testOwnEndpoint', { params: { endpointId }, body: requested }, options),
    )
  }

  /** The latest events first; for the next page, send the last `eventId` as `before`. */
  deliveries(
    endpointId: string,
    query: Query<'listOwnDeliveries'> = {},
    options?: CallOptions,
  ): Call<Result<'listOwnDeliveries'>> {
    return new Call(this.#transport.send('listOwnDeliveries', { params: { endpointId }, query }, options))
  }

  /** The attempts at one delivery, oldest first. */
  attempts(
    endpointId: string,
    eventId: string,
    options?: CallOptions,
  ): Call<Result<'listOwnDeliveryAttempts'>> {
    return new Call(
      this.#transport.send('listOwnDeliveryAttempts', { params: { endpointId, eventId } }, options),
    )
  }

  /** Sends the same bytes under the same event id again. */
  resend(endpointId: string, eventId: string, options?: CallOptions): Call<Result<'resendOwnDelivery'>> {
    return new Call(this.#transport.send('resendOwnDelivery', { params: { endpointId, eventId } }, options))
  }

  /** Sends all events of its types since a time again, or only those whose delivery failed. */
  replay(
    endpointId: string,
    what: Body<'replayOwnDeliveries'>,
    options?: CallOptions,
  ): Call<Result<'replayOwnDeliveries'>> {
    return new Call(
      this.#transport.send('replayOwnDeliveries', { params: { endpointId }, body: what }, options),
    )
  }

  /** Nothing more is sent to it. */
  delete(endpointId: string, options?: CallOptions): Call<Result<'deleteOwnEndpoint'>> {
    return new Call(this.#transport.send('deleteOwnEndpoint', { params: { endpointId } }, options))
  }
}
