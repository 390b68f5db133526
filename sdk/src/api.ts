// Printed from the contract by `npm run generate`. Not edited by hand. Ids are lower-case UUIDs; instants in answers are
// ISO 8601 in UTC with milliseconds.

/** What is added to the links of posts that are created or edited from then on. Links that have one of the parameters stay as they are, and so do links in code. */
export type LinkTags = {
  readonly parameters: readonly {
    readonly name: string
    /** Text, with `{channel}` (the handle), `{network}` and `{label}` (the first label of the post) in it. A parameter whose value would be empty is left out. */
    readonly value: string
  }[]
  /** Only links to these hosts and their subdomains; all hosts if empty. */
  readonly hosts: readonly string[]
}

/** Who is asking, where, and with what rights. */
export type Me = {
  readonly workspace: {
    readonly id: string
    readonly name: string
    readonly timeZone: string
    readonly linkTags: LinkTags | null
  }
  readonly credential: {
    readonly type: 'agent_key' | 'oauth'
    readonly name: string
    readonly permissions: readonly Permission[]
    readonly expiresAt: string | null
    /** What it is limited to besides its permissions; null and false limit nothing. */
    readonly limits: {
      readonly channelIds: readonly string[] | null
      readonly label: string | null
      readonly postsPerDay: number | null
      readonly publishWithinHours: number | null
      /** Whether it may only check, and create, edit and cancel drafts: it schedules nothing, asks for no immediate post, and changes nothing that has a time. */
      readonly draftsOnly: boolean
      readonly networks: readonly string[] | null
      readonly latestPublishAt: string | null
      readonly postsLeftToday: number | null
      readonly dayEndsAt: string | null
    }
    /** What of its posts waits for a person, besides immediate ones, which always do: by the policies of the workspace and of the credential. */
    readonly approval: {
      /** Whether everything that a credential would publish waits for a person. */
      readonly all: boolean
      readonly withinMinutes: number | null
      readonly firstPosts: number | null
      readonly firstPostsLeft: number | null
    }
  }
  readonly user: { readonly id: string; readonly name: string; readonly email: string }
  readonly providers: readonly {
    readonly provider: string
    readonly displayName: string
    /** The usual limit; a channel may have its own. */
    readonly maxCharacters: number
    /** How the channel counts: Unicode code points, user-perceived characters (grapheme clusters), X weights (a link is 23, most CJK and emoji are 2), as Mastodon does (grapheme clusters; a link is 23, and the domain of a mention counts nothing), as LinkedIn does (UTF-16 units; reserved signs such as brackets are 2), or as Threads does (code points; emoji as their bytes in UTF-8). */
    readonly characterCounting:
      | 'code_points'
      | 'graphemes'
      | 'x_weighted'
      | 'mastodon'
      | 'linkedin'
      | 'threads'
    readonly supports: {
      readonly threads: boolean
      /** Whether a doubtful result can be looked up at the provider. */
      readonly lookup: boolean
      /** Whether a post may carry a `firstComment`. */
      readonly firstComment: boolean
    }
    /** JSON Schema of what `targets[].settings` may hold for this provider. Every setting is optional. */
    readonly settings: { readonly [name: string]: unknown }
  }[]
}

export type KindLimits = {
  readonly kind: 'image' | 'video' | 'audio' | 'document'
  readonly contentTypes: readonly string[]
  readonly maxBytes: number
  readonly maxWidth: number | null
  readonly maxHeight: number | null
  readonly maxSeconds: number | null
  /** Left out where any is taken. */
  readonly videoCodecs?: readonly string[]
  /** Left out where any is taken. */
  readonly audioCodecs?: readonly string[]
  /** Whether what is too large or of another type is scaled and converted at publishing, never cropped. Otherwise it is refused. */
  readonly fitted: boolean
}

/** What the provider takes besides text. */
export type MediaLimits = {
  /** How many items one part may carry. */
  readonly maxItems: number
  /** Whether one part may carry items of several kinds. */
  readonly mixedKinds: boolean
  /** How long an alt text may be; 0 where there is none. */
  readonly maxAltCharacters: number
  readonly kinds: readonly KindLimits[]
}

export type PostingTime = {
  readonly weekday: 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday'
  /** Hours and minutes by the clocks of the workspace, from `00:00` to `23:59`. */
  readonly time: string
}

/** A connected account at a provider. */
export type Channel = {
  readonly channelId: string
  readonly provider: string
  readonly displayName: string
  readonly handle: string
  readonly avatarUrl: string | null
  readonly connectionStatus: 'connected' | 'reconnect_required'
  readonly authorizedUntil: string | null
  readonly publication: {
    /** Whether a post can be published there now. */
    readonly available: boolean
    readonly reason: string | null
  }
  /** The limit of one part, counted by `characterCounting`. */
  readonly maxCharacters: number
  /** How the channel counts: Unicode code points, user-perceived characters (grapheme clusters), X weights (a link is 23, most CJK and emoji are 2), as Mastodon does (grapheme clusters; a link is 23, and the domain of a mention counts nothing), as LinkedIn does (UTF-16 units; reserved signs such as brackets are 2), or as Threads does (code points; emoji as their bytes in UTF-8). */
  readonly characterCounting: 'code_points' | 'graphemes' | 'x_weighted' | 'mastodon' | 'linkedin' | 'threads'
  /** The limit of one part in bytes of UTF-8, where the provider has one besides `maxCharacters`. */
  readonly maxBytes?: number
  /** The account's tier at the provider, where that decides on the limit; left out while it is not known. Reconnecting the channel refreshes it. */
  readonly subscription?: string
  /** What the provider takes besides text. */
  readonly media: MediaLimits
  readonly capabilities: {
    /** Whether a post may have a `thread` there. */
    readonly threads: boolean
    /** Whether a post may have a `firstComment` there. */
    readonly firstComment: boolean
  }
  /** The groups that it is in. A `groupId` stands for all channels of the group wherever a `channelId` of a new post, a check or a filter is taken. */
  readonly groups: readonly { readonly groupId: string; readonly name: string }[]
  /** When posts of its queue are published every week, in the time zone of the workspace. */
  readonly postingTimes: readonly PostingTime[]
}

export type CalendarEntry = {
  readonly postId: string
  readonly channelId: string
  readonly provider: string
  /** - `draft`: Not scheduled; nothing will be published until it is.
- `scheduled`: Waiting for its time, or safely back in the queue.
- `publishing`: Being published.
- `published`: Every part is live, with evidence.
- `partially_published`: At least one part is live, and the rest is not. If `expiresAt` is null, the rest was refused for good: `error` says why, and nothing more is sent unless you retry it.
- `failed`: Refused for good. Nothing was published.
- `delayed`: Not published yet: Postrider tries again at `checkAgainAt`. Announced once for as long as it waits for the same thing.
- `reconnect_required`: The provider refused the authorization: the owner must reconnect the channel.
- `checking`: The result is not confirmed. It is neither failed nor published: do not publish it again.
- `cancelled`: Cancelled before anything was sent.
- `expired`: Stopped: its deadline passed before everything was published. */
  readonly status: DestinationStatus
  readonly publishAt: string | null
  readonly publishedAt: string | null
  /** The first 280 characters. */
  readonly text: string
  /** The `mediaId` of its first file, where that is an image. */
  readonly imageId: string | null
  readonly releaseUrl: string | null
  /** Whether a person has to approve the post: not at all, not decided yet, or decided. A rejected post can be edited, and asks again. */
  readonly reviewStatus: 'not_required' | 'pending' | 'approved' | 'rejected'
  readonly editToken: string
  readonly controlToken: string
  /** The name in `createdBy`. */
  readonly author: string
  readonly seriesId: string | null
  /** What the post is found by, besides its text. Labels are not published. */
  readonly labels: readonly string[]
}

export type ThreadPart = {
  /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
  readonly text: string
  /** Media of the part, in order. `media` of a channel says what it accepts. */
  readonly mediaIds?: readonly string[]
}

/** A local time. One that the clocks of the zone leave out, or show twice, is refused with the instants that may be meant. */
export type LocalTime = {
  /** What a clock shows there: a date-time without an offset. Seconds may be left out; digits after the third are 0. */
  readonly local: string
  /** The IANA name of a time zone. */
  readonly timeZone: string
}

/** A posting time of the channel, taken with this request, which no other post in the queue gets. With several channels, each has its own. */
export type QueueTime = {
  /** `next` is the first free one after all that is queued on the channel, `first` the earliest free one; a date-time is that one, if it is free. */
  readonly queue: 'next' | 'first' | (string & Record<never, never>) | Date
}

export type Target = {
  /** A channel, or a channel group: each of its channels that no other target names gets this. */
  readonly channelId: string
  /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
  readonly text: string
  /** Media of the part, in order. `media` of a channel says what it accepts. */
  readonly mediaIds?: readonly string[]
  /** Follow-up parts, each published as a reply to the one before. */
  readonly thread?: readonly ThreadPart[]
  /** A comment on the post, published last, as a reply to the first part. Only for channels with `capabilities.firstComment`. */
  readonly firstComment?: {
    /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
    readonly text: string
  }
  /** `false` publishes the links as they are, without the workspace's link tags. */
  readonly tagLinks?: boolean
  /** Provider settings, checked against the provider's own schema. */
  readonly settings?: { readonly [name: string]: unknown }
  /** When to publish on this channel, instead of the `publishAt` of all; only with `scheduled`. */
  readonly publishAt?: string | Date | LocalTime | QueueTime
}

/** A file that posts can carry. Its bytes never change. */
export type MediaItem = {
  readonly mediaId: string
  readonly kind: 'image' | 'video' | 'audio' | 'document'
  readonly contentType: string
  /** Bytes, as stored. */
  readonly size: number
  readonly width: number | null
  readonly height: number | null
  readonly durationSeconds: number | null
  readonly videoCodec: string | null
  readonly audioCodec: string | null
  /** Whether it is an image that moves. */
  readonly animated: boolean
  readonly altText: string | null
  readonly createdAt: string
}

export type PostIssue = {
  /** - `channel_unknown`: The workspace has no such channel.
- `channel_disabled`: The channel is disabled.
- `channel_reconnect_required`: The owner has to reconnect the channel.
- `channel_authorization_ends`: The channel's authorization ends before the post is due.
- `channel_duplicate`: A channel is named twice.
- `channels_too_many`: A channel group has more channels than a post takes.
- `group_empty`: The channel group has no channel.
- `credential_limit`: This credential is limited to less.
- `text_empty`: A part has neither visible text nor media.
- `text_too_long`: The text is longer than the channel takes.
- `text_repeated`: The channel has had this text lately, or a series repeats it.
- `occurrence_unfit`: What an occurrence of a series has of its own does not fit what the series is now.
- `thread_unsupported`: The network has no threads.
- `first_comment_unsupported`: The channel takes no first comment.
- `provider_rule`: The network has a rule of its own against it.
- `settings_invalid`: The settings are not what the network takes.
- `publish_at_in_past`: The time is not in the future.
- `publish_at_too_far`: The time is more than two years ahead.
- `posting_times_missing`: The channel has no posting times.
- `posting_time_unknown`: The time is no posting time of the channel.
- `posting_time_taken`: Another post has this posting time of the channel, or all of the next two years are taken.
- `media_unknown`: The workspace has no such media item.
- `media_too_many`: A part has more media than the network takes.
- `media_kinds_mixed`: The network takes no media of several kinds together.
- `media_kind_unsupported`: The network takes no media of this kind.
- `media_type_unsupported`: The network takes no file of this type.
- `media_codec_unsupported`: The network takes no video or sound that is coded like this.
- `media_too_large`: The file is larger than the network takes.
- `media_too_long`: The recording is longer than the network takes.
- `media_converted`: The file will be scaled or converted.
- `media_not_reachable`: The network fetches media itself, and cannot reach this server.
- `media_dropped`: An edit takes media away without naming them.
- `own_content_replaced`: An edit replaces a channel's own content.
- `alt_text_missing`: A media item has no alt text.
- `alt_text_too_long`: The alt text is longer than the network takes. */
  readonly code:
    | 'channel_unknown'
    | 'channel_disabled'
    | 'channel_reconnect_required'
    | 'channel_authorization_ends'
    | 'channel_duplicate'
    | 'channels_too_many'
    | 'group_empty'
    | 'credential_limit'
    | 'text_empty'
    | 'text_too_long'
    | 'text_repeated'
    | 'occurrence_unfit'
    | 'thread_unsupported'
    | 'first_comment_unsupported'
    | 'provider_rule'
    | 'settings_invalid'
    | 'publish_at_in_past'
    | 'publish_at_too_far'
    | 'posting_times_missing'
    | 'posting_time_unknown'
    | 'posting_time_taken'
    | 'media_unknown'
    | 'media_too_many'
    | 'media_kinds_mixed'
    | 'media_kind_unsupported'
    | 'media_type_unsupported'
    | 'media_codec_unsupported'
    | 'media_too_large'
    | 'media_too_long'
    | 'media_converted'
    | 'media_not_reachable'
    | 'media_dropped'
    | 'own_content_replaced'
    | 'alt_text_missing'
    | 'alt_text_too_long'
  /** An `error` has the plan refused; a `warning` does not. */
  readonly severity: 'error' | 'warning'
  readonly channelId?: string
  readonly partIndex?: number
  readonly mediaId?: string
  /** A JSON Pointer into the request (RFC 6901). */
  readonly pointer: string
  readonly message: string
  /** What to change. */
  readonly fix: string
}

export type PostCheck = {
  /** Whether create would accept exactly this plan. */
  readonly ready: boolean
  readonly destinations: readonly {
    readonly channelId: string
    readonly provider: string
    readonly ready: boolean
    /** When it would be published, where the plan has a time. */
    readonly publishAt?: string
    readonly maxCharacters: number
    readonly parts: readonly {
      readonly index: number
      readonly characters: number
      /** What would be published, where link tags or a template make it. */
      readonly text?: string
    }[]
  }[]
  /** The media of the plan, each once. */
  readonly media: readonly MediaItem[]
  readonly issues: readonly PostIssue[]
}

export type PostSummary = {
  readonly postId: string
  readonly reference: string | null
  /** What the post is found by, besides its text. Labels are not published. */
  readonly labels: readonly string[]
  /** The first 280 characters. */
  readonly text: string
  /** The `mediaId` of its first file, where that is an image. */
  readonly imageId: string | null
  /** Whether a person has to approve the post: not at all, not decided yet, or decided. A rejected post can be edited, and asks again. */
  readonly reviewStatus: 'not_required' | 'pending' | 'approved' | 'rejected'
  readonly publishAt: string | null
  readonly destinations: readonly {
    readonly channelId: string
    readonly provider: string
    /** - `draft`: Not scheduled; nothing will be published until it is.
- `scheduled`: Waiting for its time, or safely back in the queue.
- `publishing`: Being published.
- `published`: Every part is live, with evidence.
- `partially_published`: At least one part is live, and the rest is not. If `expiresAt` is null, the rest was refused for good: `error` says why, and nothing more is sent unless you retry it.
- `failed`: Refused for good. Nothing was published.
- `delayed`: Not published yet: Postrider tries again at `checkAgainAt`. Announced once for as long as it waits for the same thing.
- `reconnect_required`: The provider refused the authorization: the owner must reconnect the channel.
- `checking`: The result is not confirmed. It is neither failed nor published: do not publish it again.
- `cancelled`: Cancelled before anything was sent.
- `expired`: Stopped: its deadline passed before everything was published. */
    readonly status: DestinationStatus
    readonly publishAt: string | null
    readonly releaseUrl: string | null
    readonly controlToken: string
  }[]
  readonly editToken: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** The text with its media, its follow-up parts and its first comment, in the order they are published. */
export type Content = {
  /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
  readonly text: string
  /** Media of the part, in order. `media` of a channel says what it accepts. */
  readonly mediaIds?: readonly string[]
  /** Follow-up parts, each published as a reply to the one before. */
  readonly thread?: readonly ThreadPart[]
  /** A comment on the post, published last, as a reply to the first part. Only for channels with `capabilities.firstComment`. */
  readonly firstComment?: {
    /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
    readonly text: string
  }
  /** `false` publishes the links as they are, without the workspace's link tags. */
  readonly tagLinks?: boolean
}

/** Why it is not published, in our words. */
export type DestinationError = {
  /** - `content_refused`: The network refuses the content.
- `media_refused`: The network refuses a file.
- `permission_refused`: The account may not publish this.
- `duplicate_refused`: The network takes it for a repetition.
- `parent_missing`: The post that it replies to is gone.
- `processing_failed`: The network could not process it.
- `not_published`: It is proven not to be out.
- `rate_limited`: The network asks for a pause.
- `provider_unavailable`: The network cannot answer now.
- `provider_disabled`: The network is not set up on this server.
- `not_reached`: The network was not reached.
- `media_unavailable`: A stored file cannot be read now.
- `not_recorded`: The attempt could not be recorded, and so was not made.
- `target_refused`: The address may not be called.
- `signer_away`: The remote signer of the account did not answer.
- `adapter_fault`: Our code for the network failed.
- `access_renewed`: The access was renewed first.
- `secret_unreadable`: What the channel holds to act at the network cannot be decrypted.
- `reconnect_required`: The network refused the authorization.
- `result_unproven`: A call was made, and its result is not proven.
- `allowed_time_over`: Its deadline passed.
- `test`: Of a test event: nothing happened. */
  readonly code:
    | 'content_refused'
    | 'media_refused'
    | 'permission_refused'
    | 'duplicate_refused'
    | 'parent_missing'
    | 'processing_failed'
    | 'not_published'
    | 'rate_limited'
    | 'provider_unavailable'
    | 'provider_disabled'
    | 'not_reached'
    | 'media_unavailable'
    | 'not_recorded'
    | 'target_refused'
    | 'signer_away'
    | 'adapter_fault'
    | 'access_renewed'
    | 'secret_unreadable'
    | 'reconnect_required'
    | 'result_unproven'
    | 'allowed_time_over'
    | 'test'
  readonly message: string
  readonly provider: string
  /** Whether the same content may succeed: false where it was refused for good, or where a call was made whose result is not known. It says nothing of commands: which one is allowed now stands in `allowedActions`. */
  readonly retryable: boolean
}

/** One post on one channel. */
export type Destination = {
  readonly channelId: string
  readonly provider: string
  readonly displayName: string
  /** - `draft`: Not scheduled; nothing will be published until it is.
- `scheduled`: Waiting for its time, or safely back in the queue.
- `publishing`: Being published.
- `published`: Every part is live, with evidence.
- `partially_published`: At least one part is live, and the rest is not. If `expiresAt` is null, the rest was refused for good: `error` says why, and nothing more is sent unless you retry it.
- `failed`: Refused for good. Nothing was published.
- `delayed`: Not published yet: Postrider tries again at `checkAgainAt`. Announced once for as long as it waits for the same thing.
- `reconnect_required`: The provider refused the authorization: the owner must reconnect the channel.
- `checking`: The result is not confirmed. It is neither failed nor published: do not publish it again.
- `cancelled`: Cancelled before anything was sent.
- `expired`: Stopped: its deadline passed before everything was published. */
  readonly status: DestinationStatus
  readonly publishAt: string | null
  /** Whether `publishAt` is a posting time that it took from the queue. */
  readonly queued: boolean
  readonly publishedAt: string | null
  readonly releaseUrl: string | null
  readonly checkAgainAt: string | null
  readonly expiresAt: string | null
  readonly waitReason: string | null
  readonly error: DestinationError | null
  /** The latest `error`, kept until it is published: also while it is tried again. */
  readonly lastError: DestinationError | null
  readonly content: Content | null
  /** Compare-and-swap value for commands on this destination. */
  readonly controlToken: string
  readonly settleUrl: string | null
  readonly latestChange: {
    readonly at: string
    readonly by: { readonly type: 'agent_key' | 'oauth' | 'person' | 'service'; readonly name: string }
    /** What it changed. */
    readonly fields: readonly string[]
  } | null
  /** What each command would answer now, to this credential. */
  readonly allowedActions: {
    readonly edit: { readonly allowed: boolean; readonly reason: string | null }
    readonly schedule: { readonly allowed: boolean; readonly reason: string | null }
    readonly reschedule: { readonly allowed: boolean; readonly reason: string | null }
    readonly cancel: { readonly allowed: boolean; readonly reason: string | null }
    readonly retry: { readonly allowed: boolean; readonly reason: string | null }
  }
  readonly parts: readonly {
    readonly index: number
    /** - `post`: The first part.
- `reply`: A part of the thread, which answers to the part before it.
- `first_comment`: The first comment, which answers to the first part. The last one. */
    readonly kind: 'post' | 'reply' | 'first_comment'
    /** - `pending`: Not sent yet.
- `publishing`: Being sent, or being processed by the provider.
- `published`: Live, with evidence.
- `failed`: Refused. Not published.
- `checking`: The result is not confirmed.
- `skipped`: Will not be sent, because the destination ended before it. */
    readonly status: 'pending' | 'publishing' | 'published' | 'failed' | 'checking' | 'skipped'
    readonly text: string
    readonly mediaIds: readonly string[]
    readonly publishedAt: string | null
    readonly releaseUrl: string | null
  }[]
}

export type HistoryEntry = {
  readonly at: string
  readonly endedAt: string | null
  /** Null where it concerns the whole post. */
  readonly channelId: string | null
  readonly kind: 'post' | 'approval' | 'attempt' | 'event'
  /** What happened, in words. */
  readonly text: string
  /** The evidence of an attempt, oldest first. */
  readonly steps: readonly string[]
}

/** A post with all its destinations and tokens. */
export type Post = {
  readonly postId: string
  readonly reference: string | null
  /** The series that it is an occurrence of. */
  readonly seriesId: string | null
  /** What the post is found by, besides its text. Labels are not published. */
  readonly labels: readonly string[]
  readonly content: Content | null
  /** The media of all its parts, each once. Empty for a credential without `media:read`. */
  readonly media: readonly MediaItem[]
  /** Whether a person has to approve the post: not at all, not decided yet, or decided. A rejected post can be edited, and asks again. */
  readonly reviewStatus: 'not_required' | 'pending' | 'approved' | 'rejected'
  readonly approval: {
    readonly status: 'pending' | 'approved' | 'rejected' | 'expired'
    readonly reason: string | null
    /** Where a person decides. */
    readonly reviewUrl: string
    readonly requestedAt: string
    /** Until when a person can decide. */
    readonly expiresAt: string
    readonly decidedAt: string | null
    readonly note: string | null
  } | null
  /** Compare-and-swap value for editing. */
  readonly editToken: string
  readonly latestChange: {
    readonly at: string
    readonly by: { readonly type: 'agent_key' | 'oauth' | 'person' | 'service'; readonly name: string }
    /** What it changed. */
    readonly fields: readonly string[]
  } | null
  readonly destinations: readonly Destination[]
  /** What happened and what proves it, oldest first, 100 entries at most: only where it was asked for. */
  readonly history?: readonly HistoryEntry[]
  readonly createdBy: {
    readonly type: 'agent_key' | 'oauth' | 'person'
    readonly id: string | null
    readonly name: string
  }
  readonly createdAt: string
  readonly updatedAt: string
  /** Answers of an edit only: media that a new `thread` dropped without naming it, and content of their own that channels lost. */
  readonly warnings?: readonly PostIssue[]
}

/** A post to create, with its own key: what `createPost` takes. */
export type NewPost = {
  /** Your own key for this one effect, of visible ASCII characters. Send it again only with an unchanged request. All credentials of a workspace share its keys, for each operation: whoever repeats the request gets the first result. */
  readonly idempotencyKey: string
  /** `draft` waits, `scheduled` is published at `publishAt`, `immediate` is published once a person has approved it. */
  readonly state: 'draft' | 'scheduled' | 'immediate'
  /** The template to use. Other fields, such as `channelIds`, replace what the template says. */
  readonly template?: {
    readonly templateId: string
    /** A value for each field of the template. */
    readonly fields?: { readonly [name: string]: string }
  }
  /** The channels, or channel groups, that get the shared content. Either this or `targets`. */
  readonly channelIds?: readonly string[]
  /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
  readonly text?: string
  /** Media of the part, in order. `media` of a channel says what it accepts. */
  readonly mediaIds?: readonly string[]
  /** Follow-up parts, each published as a reply to the one before. */
  readonly thread?: readonly ThreadPart[]
  /** A comment on the post, published last, as a reply to the first part. Only for channels with `capabilities.firstComment`. */
  readonly firstComment?: {
    /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
    readonly text: string
  }
  /** `false` publishes the links as they are, without the workspace's link tags. */
  readonly tagLinks?: boolean
  /** One entry per channel, each with its own content. Either this or `channelIds`. */
  readonly targets?: readonly Target[]
  /** What the post is found by, besides its text. Labels are not published. */
  readonly labels?: readonly string[]
  /** When to publish: required for `scheduled` unless each target has its own, refused otherwise. */
  readonly publishAt?: string | Date | LocalTime | QueueTime
  /** With a `publishAt` of all: the first channel is published then, the last so many minutes later, the others evenly between them. */
  readonly spreadMinutes?: number
  /** Your own name for the post, of visible ASCII characters. A workspace has each once, for good: a create with one that a post has is refused, whatever its idempotency key. */
  readonly reference?: string
}

/** A problem (RFC 9457). */
export type Problem = {
  /** The page that explains this code. */
  readonly type: string
  readonly title: string
  readonly status: number
  /** What to do, for this request. */
  readonly detail: string
  /** The path of the request. */
  readonly instance: string
  /** What went wrong, by its stable name:

- `malformed_request` (400, 413, 415): Invalid request
- `validation_failed` (400): Invalid input
- `confirmation_required` (400): Confirmation required
- `idempotency_key_required` (400): Idempotency key required
- `invalid_cursor` (400): Invalid cursor
- `cursor_expired` (410): Cursor expired
- `invalid_credential` (401): Invalid key or token
- `not_signed_in` (401): Sign-in required
- `sign_in_failed` (401): Sign-in failed
- `missing_permission` (403): Permission required
- `credential_limit` (403): Outside the limits of this key or app
- `fresh_proof_required` (403): Confirm it's you
- `cross_site_request` (403): Request blocked
- `not_found` (404): Not found
- `method_not_allowed` (405, 501): Method not allowed
- `stale_edit_token` (409): Changed meanwhile
- `stale_control_token` (409): Post has changed on this channel
- `invalid_state` (409): Not possible in this status
- `already_exists` (409): Already exists
- `last_owner` (409): Owner required
- `unsafe_retry` (409): Retry could publish twice
- `idempotency_in_progress` (409): Still in progress
- `link_not_valid` (410): Link not valid
- `batch_refused` (409): Another row was refused
- `import_refused` (422): Can't import this file
- `idempotency_key_reused` (422): Idempotency key already used
- `post_not_publishable` (422): Can't publish this post
- `precondition_failed` (412): Changed in the meantime
- `range_not_satisfiable` (416): Range not available
- `media_too_large` (413): File too large
- `unsupported_media` (415): File type not supported
- `media_rejected` (422): File rejected
- `media_unavailable` (503): File missing
- `media_not_image` (409): Only images can be downloaded
- `search_too_broad` (422): Search too broad
- `publish_time_in_past` (422): Time is in the past
- `channel_unavailable` (422): Channel unavailable
- `subscription_unconfirmed` (422): Subscription not confirmed
- `rate_limited` (429): Too many requests
- `internal_error` (500): Something went wrong
- `ai_failed` (502): No usable AI result
- `ai_not_configured` (409): AI isn't set up
- `not_ready` (503): Temporarily unavailable */
  readonly code: ProblemCode
  readonly requestId: string
  readonly errors?: readonly {
    /** A JSON Pointer into the body (RFC 6901), `?name` for a query parameter, `@name` for a header. */
    readonly pointer: string
    readonly code: string
    readonly detail: string
    /** The instants that a local time may mean. */
    readonly candidates?: readonly string[]
    /** Of the file of an import. */
    readonly line?: number
    /** In that line; of CSV, the number of the cell. */
    readonly column?: number
    /** Of a file that is to be uploaded. */
    readonly altText?: string
  }[]
  /** The destination's status. */
  readonly currentStatus?: string
  /** The statuses in which the command is allowed. */
  readonly allowedStatuses?: readonly string[]
  /** When the latest change was made. */
  readonly changedAt?: string
  /** Who made the latest change; the publishing engine is a `service`. */
  readonly changedBy?: { readonly type: 'agent_key' | 'oauth' | 'person' | 'service'; readonly name: string }
  /** The names of the fields that the latest change was of. */
  readonly changed?: readonly string[]
  /** The permission that is missing. */
  readonly requiredPermission?: string
  /** The permissions that the credential has. */
  readonly grantedPermissions?: readonly string[]
  /** The limit of the credential that forbids it, as `GET /me` names it. */
  readonly limit?: 'channelIds' | 'label' | 'postsPerDay' | 'publishWithinHours' | 'draftsOnly' | 'networks'
  /** As the header `Retry-After`. */
  readonly retryAfterSeconds?: number
  /** The cursor that begins with the oldest event that is kept. */
  readonly oldestCursor?: string
  /** What the post check found. */
  readonly issues?: readonly PostIssue[]
  /** Where a person decides. */
  readonly reviewUrl?: string
}

export type ImportedPost = {
  readonly id: string
  /** Where it begins in the file. */
  readonly line: number
  /** Your own name for the post, of visible ASCII characters. A workspace has each once, for good: a create with one that a post has is refused, whatever its idempotency key. */
  readonly reference: string
  /** False for a post that is there already, and stays as it is. */
  readonly created: boolean
  /** Null in a dry run. */
  readonly postId: string | null
  /** The first 280 characters. */
  readonly text: string
  /** What the post is found by, besides its text. Labels are not published. */
  readonly labels: readonly string[]
  /** Whether a person has to approve the post: not at all, not decided yet, or decided. A rejected post can be edited, and asks again. */
  readonly reviewStatus: 'not_required' | 'pending' | 'approved' | 'rejected'
  /** As they are created: empty for a post that is there already. */
  readonly destinations: readonly {
    readonly channelId: string
    /** - `draft`: Not scheduled; nothing will be published until it is.
- `scheduled`: Waiting for its time, or safely back in the queue.
- `publishing`: Being published.
- `published`: Every part is live, with evidence.
- `partially_published`: At least one part is live, and the rest is not. If `expiresAt` is null, the rest was refused for good: `error` says why, and nothing more is sent unless you retry it.
- `failed`: Refused for good. Nothing was published.
- `delayed`: Not published yet: Postrider tries again at `checkAgainAt`. Announced once for as long as it waits for the same thing.
- `reconnect_required`: The provider refused the authorization: the owner must reconnect the channel.
- `checking`: The result is not confirmed. It is neither failed nor published: do not publish it again.
- `cancelled`: Cancelled before anything was sent.
- `expired`: Stopped: its deadline passed before everything was published. */
    readonly status: DestinationStatus
    readonly publishAt: string | null
  }[]
}

export type PostImport = {
  readonly created: number
  /** In the order of the file. */
  readonly posts: readonly ImportedPost[]
}

/** Changes to one part. The rest of it is kept. */
export type PartChange = {
  /** 0 is the first part; those of `thread` follow, then the first comment. */
  readonly index: number
  /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
  readonly text?: string
  /** Media of the part, in order. `media` of a channel says what it accepts. */
  readonly mediaIds?: readonly string[]
}

/** The changes. A field that is left out is kept, and one that is given is replaced as a whole. `mediaIds: []`, `thread: []` and `firstComment: null` remove. */
export type ContentChange = {
  /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
  readonly text?: string
  /** Media of the part, in order. `media` of a channel says what it accepts. */
  readonly mediaIds?: readonly string[]
  /** Follow-up parts, each published as a reply to the one before. */
  readonly thread?: readonly ThreadPart[]
  readonly firstComment?: {
    /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
    readonly text: string
  } | null
  /** `false` publishes the links as they are, without the workspace's link tags. */
  readonly tagLinks?: boolean
  /** Changes individual parts and keeps the others. Cannot be combined with `text`, `mediaIds`, `thread` or `firstComment`. */
  readonly parts?: readonly PartChange[]
}

/** What changes for one channel of the post, as in `ChannelContentChange`. */
export type TargetChange = {
  readonly channelId: string
  /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
  readonly text?: string
  /** Media of the part, in order. `media` of a channel says what it accepts. */
  readonly mediaIds?: readonly string[]
  /** Follow-up parts, each published as a reply to the one before. */
  readonly thread?: readonly ThreadPart[]
  readonly firstComment?: {
    /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
    readonly text: string
  } | null
  /** `false` publishes the links as they are, without the workspace's link tags. */
  readonly tagLinks?: boolean
  /** Provider settings, checked against the provider's own schema. */
  readonly settings?: { readonly [name: string]: unknown }
  /** Changes individual parts and keeps the others. Cannot be combined with `text`, `mediaIds`, `thread` or `firstComment`. */
  readonly parts?: readonly PartChange[]
}

export type TimedCommand = {
  readonly channelId: string
  /** The destination's `controlToken`, as read last. It is replaced whenever the destination changes. */
  readonly controlToken: string
  readonly publishAt: string | Date | LocalTime | QueueTime
}

/** The changes for this channel. A field that is left out is kept, and one that is given is replaced as a whole. `mediaIds: []`, `thread: []`, `firstComment: null` and `settings: {}` remove. */
export type ChannelContentChange = {
  /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
  readonly text?: string
  /** Media of the part, in order. `media` of a channel says what it accepts. */
  readonly mediaIds?: readonly string[]
  /** Follow-up parts, each published as a reply to the one before. */
  readonly thread?: readonly ThreadPart[]
  readonly firstComment?: {
    /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
    readonly text: string
  } | null
  /** `false` publishes the links as they are, without the workspace's link tags. */
  readonly tagLinks?: boolean
  /** Provider settings, checked against the provider's own schema. */
  readonly settings?: { readonly [name: string]: unknown }
  /** Changes individual parts and keeps the others. Cannot be combined with `text`, `mediaIds`, `thread` or `firstComment`. */
  readonly parts?: readonly PartChange[]
}

/** What became of the posts with a label. */
export type LabelResults = {
  /** A label of posts, such as the name of a campaign. Compared without case. */
  readonly label: string
  readonly posts: number
  /** How many destinations are in each status; 0 is left out. */
  readonly statuses: {
    readonly draft?: number
    readonly scheduled?: number
    readonly publishing?: number
    readonly published?: number
    readonly partially_published?: number
    readonly failed?: number
    readonly delayed?: number
    readonly reconnect_required?: number
    readonly checking?: number
    readonly cancelled?: number
    readonly expired?: number
  }
  readonly channels: readonly {
    readonly channelId: string
    readonly provider: string
    /** How many destinations are in each status; 0 is left out. */
    readonly statuses: {
      readonly draft?: number
      readonly scheduled?: number
      readonly publishing?: number
      readonly published?: number
      readonly partially_published?: number
      readonly failed?: number
      readonly delayed?: number
      readonly reconnect_required?: number
      readonly checking?: number
      readonly cancelled?: number
      readonly expired?: number
    }
  }[]
  readonly firstPublishedAt: string | null
  readonly lastPublishedAt: string | null
  /** The next that is planned. */
  readonly nextPublishAt: string | null
  /** The same of the range before, which is as long. */
  readonly before?: {
    readonly from: string
    readonly to: string
    readonly posts: number
    /** How many destinations are in each status; 0 is left out. */
    readonly statuses: {
      readonly draft?: number
      readonly scheduled?: number
      readonly publishing?: number
      readonly published?: number
      readonly partially_published?: number
      readonly failed?: number
      readonly delayed?: number
      readonly reconnect_required?: number
      readonly checking?: number
      readonly cancelled?: number
      readonly expired?: number
    }
  }
  /** What failed, expired, was published in part, or is unconfirmed or without access: the newest 100. */
  readonly troubled: readonly {
    readonly postId: string
    readonly channelId: string
    /** - `draft`: Not scheduled; nothing will be published until it is.
- `scheduled`: Waiting for its time, or safely back in the queue.
- `publishing`: Being published.
- `published`: Every part is live, with evidence.
- `partially_published`: At least one part is live, and the rest is not. If `expiresAt` is null, the rest was refused for good: `error` says why, and nothing more is sent unless you retry it.
- `failed`: Refused for good. Nothing was published.
- `delayed`: Not published yet: Postrider tries again at `checkAgainAt`. Announced once for as long as it waits for the same thing.
- `reconnect_required`: The provider refused the authorization: the owner must reconnect the channel.
- `checking`: The result is not confirmed. It is neither failed nor published: do not publish it again.
- `cancelled`: Cancelled before anything was sent.
- `expired`: Stopped: its deadline passed before everything was published. */
    readonly status: DestinationStatus
  }[]
}

export type SeriesTarget = {
  /** A channel, or a channel group: each of its channels that no other target names gets this. */
  readonly channelId: string
  /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
  readonly text: string
  /** Media of the part, in order. `media` of a channel says what it accepts. */
  readonly mediaIds?: readonly string[]
  /** Follow-up parts, each published as a reply to the one before. */
  readonly thread?: readonly ThreadPart[]
  /** A comment on the post, published last, as a reply to the first part. Only for channels with `capabilities.firstComment`. */
  readonly firstComment?: {
    /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
    readonly text: string
  }
  /** `false` publishes the links as they are, without the workspace's link tags. */
  readonly tagLinks?: boolean
  /** Provider settings, checked against the provider's own schema. */
  readonly settings?: { readonly [name: string]: unknown }
}

export type OccurrenceContent = {
  /** The channels, or channel groups, that get the shared content. Either this or `targets`. */
  readonly channelIds?: readonly string[]
  /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
  readonly text?: string
  /** Media of the part, in order. `media` of a channel says what it accepts. */
  readonly mediaIds?: readonly string[]
  /** Follow-up parts, each published as a reply to the one before. */
  readonly thread?: readonly ThreadPart[]
  /** A comment on the post, published last, as a reply to the first part. Only for channels with `capabilities.firstComment`. */
  readonly firstComment?: {
    /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
    readonly text: string
  }
  /** `false` publishes the links as they are, without the workspace's link tags. */
  readonly tagLinks?: boolean
  /** One entry per channel, each with its own content. Either this or `channelIds`. */
  readonly targets?: readonly SeriesTarget[]
  /** What the post is found by, besides its text. Labels are not published. */
  readonly labels?: readonly string[]
}

/** One day of a series, and its post. */
export type Occurrence = {
  /** A day by the clocks of the series: the name of its occurrence on that day. */
  readonly date: string
  readonly publishAt: string
  /** `planned`: its post is made seven days before. `made`: it is the post `postId`. `waiting`: its post was refused, and is tried again until the deadline. `missed`: it was not made in time. `skipped`: it is left out. */
  readonly status: 'planned' | 'made' | 'waiting' | 'missed' | 'skipped'
  readonly reason: string | null
  readonly postId: string | null
  /** Whether it has content or a time of its own. */
  readonly changed: boolean
  /** The first 280 characters. */
  readonly text: string
  /** The channels of its post; empty before it is made. */
  readonly channels: readonly {
    readonly channelId: string
    /** - `draft`: Not scheduled; nothing will be published until it is.
- `scheduled`: Waiting for its time, or safely back in the queue.
- `publishing`: Being published.
- `published`: Every part is live, with evidence.
- `partially_published`: At least one part is live, and the rest is not. If `expiresAt` is null, the rest was refused for good: `error` says why, and nothing more is sent unless you retry it.
- `failed`: Refused for good. Nothing was published.
- `delayed`: Not published yet: Postrider tries again at `checkAgainAt`. Announced once for as long as it waits for the same thing.
- `reconnect_required`: The provider refused the authorization: the owner must reconnect the channel.
- `checking`: The result is not confirmed. It is neither failed nor published: do not publish it again.
- `cancelled`: Cancelled before anything was sent.
- `expired`: Stopped: its deadline passed before everything was published. */
    readonly status: DestinationStatus
    readonly waitReason: string | null
  }[]
  readonly content?: OccurrenceContent
}

/** Content that is posted again and again. */
export type Series = {
  readonly seriesId: string
  readonly status: 'active' | 'paused' | 'ended'
  readonly reason: string | null
  /** When it repeats, as in RFC 5545: `FREQ` (`DAILY`, `WEEKLY` or `MONTHLY`) with `INTERVAL`, `BYDAY`, `BYMONTHDAY` and `WKST`, ending with `COUNT` or `UNTIL` (a day, inclusive). 1000 occurrences at most. */
  readonly rule: string
  /** The time of day and its zone, and the day before which there is no occurrence. `COUNT` and `INTERVAL` count from it. */
  readonly startsAt: {
    /** What a clock shows there: a date-time without an offset. Seconds may be left out; digits after the third are 0. */
    readonly local: string
    /** The IANA name of a time zone. */
    readonly timeZone: string
  }
  /** Days of the rule without an occurrence. */
  readonly except: readonly string[]
  /** In whose name its posts are made: of who created, edited or resumed it last. Their limits and approval rules apply. */
  readonly postsBy: { readonly type: 'agent_key' | 'oauth' | 'person'; readonly name: string }
  /** The next occurrence; null for none. */
  readonly nextAt: string | null
  /** Compare-and-swap value for changes. */
  readonly editToken: string
  readonly latestChange: {
    readonly at: string
    readonly by: { readonly type: 'agent_key' | 'oauth' | 'person' | 'service'; readonly name: string }
    /** What it changed. */
    readonly fields: readonly string[]
  } | null
  readonly createdAt: string
  readonly updatedAt: string
  /** The channels, or channel groups, that get the shared content. Either this or `targets`. */
  readonly channelIds?: readonly string[]
  /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
  readonly text?: string
  /** Media of the part, in order. `media` of a channel says what it accepts. */
  readonly mediaIds?: readonly string[]
  /** Follow-up parts, each published as a reply to the one before. */
  readonly thread?: readonly ThreadPart[]
  /** A comment on the post, published last, as a reply to the first part. Only for channels with `capabilities.firstComment`. */
  readonly firstComment?: {
    /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
    readonly text: string
  }
  /** `false` publishes the links as they are, without the workspace's link tags. */
  readonly tagLinks?: boolean
  /** One entry per channel, each with its own content. Either this or `channelIds`. */
  readonly targets?: readonly SeriesTarget[]
  /** What the post is found by, besides its text. Labels are not published. */
  readonly labels?: readonly string[]
  /** Instead of `text`, with `channelIds`: occurrences turn through these, in the order of the rule. */
  readonly contents?: readonly Content[]
  /** In order, 100 at most. */
  readonly occurrences: readonly Occurrence[]
  /** Warnings, where it was created or edited. */
  readonly issues?: readonly PostIssue[]
  /** What a change did to posts that were made. */
  readonly effects?: readonly {
    /** A day by the clocks of the series: the name of its occurrence on that day. */
    readonly date: string
    readonly postId: string
    /** `cancelled`: its post is made again where the series still has the day. `kept`: it stays as it is, for the `reason`. */
    readonly effect: 'cancelled' | 'kept'
    readonly reason: string | null
  }[]
}

export type SeriesSummary = {
  readonly seriesId: string
  readonly status: 'active' | 'paused' | 'ended'
  readonly reason: string | null
  /** When it repeats, as in RFC 5545: `FREQ` (`DAILY`, `WEEKLY` or `MONTHLY`) with `INTERVAL`, `BYDAY`, `BYMONTHDAY` and `WKST`, ending with `COUNT` or `UNTIL` (a day, inclusive). 1000 occurrences at most. */
  readonly rule: string
  /** The time of day and its zone, and the day before which there is no occurrence. `COUNT` and `INTERVAL` count from it. */
  readonly startsAt: {
    /** What a clock shows there: a date-time without an offset. Seconds may be left out; digits after the third are 0. */
    readonly local: string
    /** The IANA name of a time zone. */
    readonly timeZone: string
  }
  /** Days of the rule without an occurrence. */
  readonly except: readonly string[]
  /** In whose name its posts are made: of who created, edited or resumed it last. Their limits and approval rules apply. */
  readonly postsBy: { readonly type: 'agent_key' | 'oauth' | 'person'; readonly name: string }
  /** The next occurrence; null for none. */
  readonly nextAt: string | null
  /** Compare-and-swap value for changes. */
  readonly editToken: string
  readonly latestChange: {
    readonly at: string
    readonly by: { readonly type: 'agent_key' | 'oauth' | 'person' | 'service'; readonly name: string }
    /** What it changed. */
    readonly fields: readonly string[]
  } | null
  readonly createdAt: string
  readonly updatedAt: string
  /** The first 280 characters of its first content. */
  readonly text: string
  readonly channelIds: readonly string[]
}

/** What posts are made from: texts with fields. */
export type Template = {
  readonly templateId: string
  readonly name: string
  /** The fields of its texts, in their order. */
  readonly fields: readonly string[]
  /** Compare-and-swap value for changes. */
  readonly editToken: string
  readonly createdAt: string
  readonly updatedAt: string
  /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
  readonly text: string
  /** Media of the part, in order. `media` of a channel says what it accepts. */
  readonly mediaIds?: readonly string[]
  /** Follow-up parts, each published as a reply to the one before. */
  readonly thread?: readonly ThreadPart[]
  /** A comment on the post, published last, as a reply to the first part. Only for channels with `capabilities.firstComment`. */
  readonly firstComment?: {
    /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
    readonly text: string
  }
  /** `false` publishes the links as they are, without the workspace's link tags. */
  readonly tagLinks?: boolean
  /** The channels, or channel groups, that get the shared content. Either this or `targets`. */
  readonly channelIds?: readonly string[]
  /** What the post is found by, besides its text. Labels are not published. */
  readonly labels?: readonly string[]
}

export type TemplateSummary = {
  readonly templateId: string
  readonly name: string
  /** The fields of its texts, in their order. */
  readonly fields: readonly string[]
  /** Compare-and-swap value for changes. */
  readonly editToken: string
  readonly createdAt: string
  readonly updatedAt: string
  /** The first 280 characters. */
  readonly text: string
  readonly channelIds: readonly string[]
  /** What the post is found by, besides its text. Labels are not published. */
  readonly labels: readonly string[]
}

/** Where one file can be uploaded. `media` is what was uploaded with this key already. */
export type UploadAddress = {
  /** A secret: whoever knows it can upload the file. */
  readonly uploadUrl: string
  readonly expiresAt: string
  /** The most bytes that a file of each kind may have. */
  readonly maxBytes: {
    readonly image: number
    readonly video: number
    readonly audio: number
    readonly document: number
  }
  readonly media: MediaItem | null
}

/** Where a draft is to fit. */
export type DraftDestination = {
  /** A connected channel: its own limit holds. Either this or `provider`. */
  readonly id?: string
  /** A provider, for its usual limit. Beside `id` it must be that channel's. */
  readonly provider?: string
  /** A limit of your own for each part, counted as the destination counts. */
  readonly maxCharacters?: number
}

/** One text, and the destinations it fits. */
export type DraftVariant = {
  readonly destinations: readonly {
    readonly id: string | null
    readonly provider: string
    /** How long the longest part is, counted as the destination counts. */
    readonly characters: number
    readonly maxCharacters: number
  }[]
  readonly text: string
  /** The follow-up parts, as a post takes them; only for `thread`. */
  readonly thread?: readonly { readonly text: string }[]
  /** That of the destination with the least room left. */
  readonly characters: number
  /** That of the destination with the least room left. */
  readonly maxCharacters: number
}

/** What the model wrote. Nothing is posted or scheduled. */
export type PostDrafts = {
  readonly generationId: string
  readonly model: string
  /** One for all destinations, or with `tailored` one for each, in the order of the request. */
  readonly variants: readonly DraftVariant[]
  readonly usage: {
    /** How often the model was asked, repairs included. */
    readonly calls: number
    readonly inputTokens: number
    readonly outputTokens: number
  }
}

/** What the model generated, as a media item that posts can carry. */
export type PostImage = {
  readonly generationId: string
  readonly model: string
  /** A file that posts can carry. Its bytes never change. */
  readonly media: MediaItem
}

/** The models on offer, and what of them the workspace may use today. */
export type AiModels = {
  /** Empty while no vendor of models is configured. */
  readonly models: readonly {
    readonly modelId: string
    readonly provider: 'openai' | 'anthropic' | 'google'
    readonly makes: 'text' | 'image'
    /** Whether it is used when a request names none; for images, of its vendor. */
    readonly default: boolean
  }[]
  readonly budget: {
    readonly tokensPerDay: number
    /** Today, with what is reserved for requests under way. */
    readonly tokensUsed: number
    readonly imagesPerDay: number
    readonly imagesUsed: number
    /** When the next day (UTC) begins. */
    readonly resetsAt: string
  }
}

/** One change of one post destination, as webhooks carry it. */
export type Event = {
  /** Unchanged across delivery attempts, replays and this list: recognise repeats by it. */
  readonly id: string
  readonly type: EventType
  readonly createdAt: string
  readonly data: {
    readonly post: { readonly postId: string }
    readonly destination: {
      readonly channelId: string
      readonly provider: string
      readonly publishAt: string | null
      readonly releaseUrl: string | null
      /** - `draft`: Not scheduled; nothing will be published until it is.
- `scheduled`: Waiting for its time, or safely back in the queue.
- `publishing`: Being published.
- `published`: Every part is live, with evidence.
- `partially_published`: At least one part is live, and the rest is not. If `expiresAt` is null, the rest was refused for good: `error` says why, and nothing more is sent unless you retry it.
- `failed`: Refused for good. Nothing was published.
- `delayed`: Not published yet: Postrider tries again at `checkAgainAt`. Announced once for as long as it waits for the same thing.
- `reconnect_required`: The provider refused the authorization: the owner must reconnect the channel.
- `checking`: The result is not confirmed. It is neither failed nor published: do not publish it again.
- `cancelled`: Cancelled before anything was sent.
- `expired`: Stopped: its deadline passed before everything was published. */
      readonly status: DestinationStatus
    }
  }
  readonly checkAgainAt?: string
  /** Why it is not published, in our words. */
  readonly error?: DestinationError
}

/** A change of a post as a whole. Webhooks carry it where an endpoint names its type. */
export type PostEvent = {
  /** Unchanged across delivery attempts, replays and this list: recognise repeats by it. */
  readonly id: string
  readonly type: PostEventType
  readonly createdAt: string
  readonly data: {
    readonly post: { readonly postId: string }
    /** The channels of the post. */
    readonly channelIds: readonly string[]
    readonly by: { readonly type: 'agent_key' | 'oauth' | 'person'; readonly name: string }
    /** The fields that an edit changed, as for stale tokens. */
    readonly changed?: readonly string[]
    readonly approval?: {
      readonly status: 'pending' | 'approved' | 'rejected'
      /** Where a person decides. */
      readonly reviewUrl?: string
      readonly expiresAt?: string
      /** What the person said who decided. */
      readonly note?: string
    }
  }
}

/** Where events are sent. */
export type Endpoint = {
  readonly endpointId: string
  /** What looks like a secret in its query is masked. */
  readonly url: string
  readonly description: string
  readonly eventTypes: readonly (
    | 'post.created'
    | 'post.edited'
    | 'approval.requested'
    | 'approval.decided'
    | EventType
  )[]
  readonly status: 'active' | 'disabled'
  readonly statusSince: string
  readonly disabledReason: 'by_hand' | 'failing' | 'secret_lost' | 'credential_ended' | null
  readonly failingSince: string | null
  /** Whether deliveries of the last 24 hours that failed are sent again once the endpoint answers. Refusals for good are not. */
  readonly autoReplay: boolean
  readonly credentialId: string | null
  readonly createdAt: string
}

/** One event owed to one endpoint. */
export type Delivery = {
  readonly eventId: string
  readonly eventType: 'post.created' | 'post.edited' | 'approval.requested' | 'approval.decided' | EventType
  /** The post that the event is about; null for a test, and once the event is no longer kept. */
  readonly postId: string | null
  readonly test: boolean
  readonly status: 'pending' | 'sending' | 'delivered' | 'failed'
  /** Of the present round. */
  readonly attempts: number
  readonly round: number
  readonly nextAt: string | null
  readonly httpStatus: number | null
  readonly error: string | null
  readonly settledAt: string | null
  readonly createdAt: string
}

export type DestinationStatus =
  | 'draft'
  | 'scheduled'
  | 'publishing'
  | 'published'
  | 'partially_published'
  | 'failed'
  | 'delayed'
  | 'reconnect_required'
  | 'checking'
  | 'cancelled'
  | 'expired'

export type EventType =
  | 'post.scheduled'
  | 'post.published'
  | 'post.partial'
  | 'post.failed'
  | 'post.delayed'
  | 'post.reconnect_required'
  | 'post.recovery_required'
  | 'post.cancelled'
  | 'post.expired'

export type PostEventType = 'post.created' | 'post.edited' | 'approval.requested' | 'approval.decided'

export type Permission =
  | 'channels:read'
  | 'calendar:read'
  | 'posts:read'
  | 'posts:write'
  | 'media:read'
  | 'media:write'
  | 'ai:generate'
  | 'webhooks:write'

export type ProblemCode =
  | 'malformed_request'
  | 'validation_failed'
  | 'confirmation_required'
  | 'idempotency_key_required'
  | 'invalid_cursor'
  | 'cursor_expired'
  | 'invalid_credential'
  | 'not_signed_in'
  | 'sign_in_failed'
  | 'missing_permission'
  | 'credential_limit'
  | 'fresh_proof_required'
  | 'cross_site_request'
  | 'not_found'
  | 'method_not_allowed'
  | 'stale_edit_token'
  | 'stale_control_token'
  | 'invalid_state'
  | 'already_exists'
  | 'last_owner'
  | 'unsafe_retry'
  | 'idempotency_in_progress'
  | 'link_not_valid'
  | 'batch_refused'
  | 'import_refused'
  | 'idempotency_key_reused'
  | 'post_not_publishable'
  | 'precondition_failed'
  | 'range_not_satisfiable'
  | 'media_too_large'
  | 'unsupported_media'
  | 'media_rejected'
  | 'media_unavailable'
  | 'media_not_image'
  | 'search_too_broad'
  | 'publish_time_in_past'
  | 'channel_unavailable'
  | 'subscription_unconfirmed'
  | 'rate_limited'
  | 'internal_error'
  | 'ai_failed'
  | 'ai_not_configured'
  | 'not_ready'

/** What each operation takes, and what it answers with. */

export type Operations = {
  readMe: { params: undefined; query: undefined; body: undefined; answer: Me }
  listChannels: { params: undefined; query: undefined; body: undefined; answer: readonly Channel[] }
  readCalendar: {
    params: undefined
    query: {
      /** RFC 3339 date-time with `Z` or an offset; a time without an offset is refused, and so is one finer than a millisecond: digits after the third are 0. `:60` is the next second. */
      readonly from: string | Date
      /** RFC 3339 date-time with `Z` or an offset; a time without an offset is refused, and so is one finer than a millisecond: digits after the third are 0. `:60` is the next second. */
      readonly to: string | Date
      /** A channel, or a channel group: any of its channels. */
      readonly channelId?: string
      /** Destinations in this status. `published` takes in `partially_published`, `scheduled` takes in `delayed`. */
      readonly status?: 'all' | DestinationStatus
      /** Also drafts that have a time. */
      readonly includeDrafts?: boolean
      /** Only what belongs to posts that have this label now. */
      readonly label?: string
    }
    body: undefined
    answer: readonly CalendarEntry[]
  }
  checkPost: {
    params: undefined
    query: undefined
    body: {
      /** `draft` waits, `scheduled` is published at `publishAt`, `immediate` is published once a person has approved it. */
      readonly state: 'draft' | 'scheduled' | 'immediate'
      /** The template to use. Other fields, such as `channelIds`, replace what the template says. */
      readonly template?: {
        readonly templateId: string
        /** A value for each field of the template. */
        readonly fields?: { readonly [name: string]: string }
      }
      /** The channels, or channel groups, that get the shared content. Either this or `targets`. */
      readonly channelIds?: readonly string[]
      /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
      readonly text?: string
      /** Media of the part, in order. `media` of a channel says what it accepts. */
      readonly mediaIds?: readonly string[]
      /** Follow-up parts, each published as a reply to the one before. */
      readonly thread?: readonly ThreadPart[]
      /** A comment on the post, published last, as a reply to the first part. Only for channels with `capabilities.firstComment`. */
      readonly firstComment?: {
        /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
        readonly text: string
      }
      /** `false` publishes the links as they are, without the workspace's link tags. */
      readonly tagLinks?: boolean
      /** One entry per channel, each with its own content. Either this or `channelIds`. */
      readonly targets?: readonly Target[]
      /** What the post is found by, besides its text. Labels are not published. */
      readonly labels?: readonly string[]
      /** When to publish: required for `scheduled` unless each target has its own, refused otherwise. */
      readonly publishAt?: string | Date | LocalTime | QueueTime
      /** With a `publishAt` of all: the first channel is published then, the last so many minutes later, the others evenly between them. */
      readonly spreadMinutes?: number
      /** The post that the plan is to change: it is no repetition of itself. */
      readonly postId?: string
    }
    answer: PostCheck
  }
  listPosts: {
    params: undefined
    query: {
      /** The `nextCursor` of the answer before, unchanged. Opaque. */
      readonly cursor?: string
      /** How many items at most. */
      readonly limit?: number
      /** Text to find. */
      readonly q?: string
      /** Destinations in this status. `published` takes in `partially_published`, `scheduled` takes in `delayed`. */
      readonly status?: 'all' | DestinationStatus
      /** A channel, or a channel group: any of its channels. */
      readonly channelId?: string
      /** `publishAt` or `publishedAt` not before this. */
      readonly from?: string | Date
      /** `publishAt` or `publishedAt` before this. */
      readonly to?: string | Date
      /** Whether a person has to approve the post: not at all, not decided yet, or decided. A rejected post can be edited, and asks again. */
      readonly reviewStatus?: 'not_required' | 'pending' | 'approved' | 'rejected'
      /** The name in `createdBy`, as it stands there. */
      readonly author?: string
      /** The id in `createdBy`: of a key or an app. */
      readonly createdById?: string
      /** Changed at this time or later, itself or on a channel. */
      readonly updatedSince?: string | Date
      /** Only what belongs to posts that have this label now. */
      readonly label?: string
      /** Your own key for this one effect, of visible ASCII characters. Send it again only with an unchanged request. All credentials of a workspace share its keys, for each operation: whoever repeats the request gets the first result. */
      readonly idempotencyKey?: string
      /** The `reference` of one post; with `*` at its end, all that begin so. */
      readonly reference?: string
    }
    body: undefined
    answer: { readonly items: readonly PostSummary[]; readonly nextCursor: string | null }
  }
  readPost: {
    params: { readonly postId: string }
    query: {
      /** Also what happened: attempts, evidence, events, decisions. */
      readonly include?: 'history'
    }
    body: undefined
    answer: Post
  }
  createPost: {
    params: undefined
    query: undefined
    body: {
      /** `draft` waits, `scheduled` is published at `publishAt`, `immediate` is published once a person has approved it. */
      readonly state: 'draft' | 'scheduled' | 'immediate'
      /** The template to use. Other fields, such as `channelIds`, replace what the template says. */
      readonly template?: {
        readonly templateId: string
        /** A value for each field of the template. */
        readonly fields?: { readonly [name: string]: string }
      }
      /** The channels, or channel groups, that get the shared content. Either this or `targets`. */
      readonly channelIds?: readonly string[]
      /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
      readonly text?: string
      /** Media of the part, in order. `media` of a channel says what it accepts. */
      readonly mediaIds?: readonly string[]
      /** Follow-up parts, each published as a reply to the one before. */
      readonly thread?: readonly ThreadPart[]
      /** A comment on the post, published last, as a reply to the first part. Only for channels with `capabilities.firstComment`. */
      readonly firstComment?: {
        /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
        readonly text: string
      }
      /** `false` publishes the links as they are, without the workspace's link tags. */
      readonly tagLinks?: boolean
      /** One entry per channel, each with its own content. Either this or `channelIds`. */
      readonly targets?: readonly Target[]
      /** What the post is found by, besides its text. Labels are not published. */
      readonly labels?: readonly string[]
      /** When to publish: required for `scheduled` unless each target has its own, refused otherwise. */
      readonly publishAt?: string | Date | LocalTime | QueueTime
      /** With a `publishAt` of all: the first channel is published then, the last so many minutes later, the others evenly between them. */
      readonly spreadMinutes?: number
      /** Your own name for the post, of visible ASCII characters. A workspace has each once, for good: a create with one that a post has is refused, whatever its idempotency key. */
      readonly reference?: string
      /** Checks everything and stores nothing. What would be created is answered with 200 instead of 201: its ids and tokens belong to nothing, and its key stays unused. */
      readonly dryRun?: boolean
    }
    answer: Post
  }
  createPosts: {
    params: undefined
    query: undefined
    body: {
      readonly posts: readonly NewPost[]
      /** Creates all posts, or none where a row is refused: the others then say `batch_refused`. */
      readonly allOrNothing?: boolean
      /** Checks everything and stores nothing. What would be created is answered with 200 instead of 201: its ids and tokens belong to nothing, and its key stays unused. */
      readonly dryRun?: boolean
    }
    answer: {
      /** One for each row, in the same order, with a `post` or a `problem`. */
      readonly results: readonly {
        /** What the row alone would have been answered with. */
        readonly status: number
        /** The answer of an earlier request. */
        readonly replayed?: boolean
        /** A post with all its destinations and tokens. */
        readonly post?: Post
        /** A problem (RFC 9457). */
        readonly problem?: Problem
      }[]
    }
  }
  importPosts: {
    params: undefined
    query: undefined
    body: {
      /** `csv` has a header; `plan` is what `postrider plan` reads, as YAML or JSON. */
      readonly format: 'csv' | 'plan'
      /** The text of the file. */
      readonly file: string
      /** For CSV: the permanent name of the import. A plan has its own. */
      readonly name?: string
      /** The channels, or channel groups, of posts that name none. */
      readonly channelIds?: readonly string[]
      /** The IANA name of the zone of local times; that of the workspace if left out. */
      readonly timeZone?: string
      /** Media items by the names, or addresses, that stand for them in the file. */
      readonly media?: { readonly [name: string]: string }
      /** Checks everything and stores nothing. What would be created is answered with 200 instead of 201: its ids and tokens belong to nothing, and its key stays unused. */
      readonly dryRun?: boolean
    }
    answer: PostImport
  }
  exportPosts: {
    params: undefined
    query: {
      /** `yaml` and `json` are a plan. */
      readonly format: 'csv' | 'yaml' | 'json'
      /** The name of the plan: posts of it are named by their ids in it. */
      readonly plan?: string
      /** `publishAt` or `publishedAt` not before this. */
      readonly from?: string | Date
      /** `publishAt` or `publishedAt` before this. */
      readonly to?: string | Date
      /** Destinations in this status. `published` takes in `partially_published`, `scheduled` takes in `delayed`. */
      readonly status?: 'all' | DestinationStatus
      /** A channel, or a channel group: any of its channels. */
      readonly channelId?: string
      /** Only what belongs to posts that have this label now. */
      readonly label?: string
    }
    body: undefined
    answer: {
      readonly posts: number
      /** The text of the file. */
      readonly file: string
    }
  }
  editPost: {
    params: { readonly postId: string }
    query: undefined
    body: {
      /** The post's `editToken`, as read last. It is replaced by every edit. */
      readonly editToken: string
      readonly content: ContentChange | { readonly targets: readonly TargetChange[] }
      /** Refuses what would otherwise be done with `warnings`. */
      readonly keepOwn?: boolean
    }
    answer: Post
  }
  changeChannels: {
    params: { readonly postId: string }
    query: undefined
    body: {
      /** The post's `editToken`, as read last. It is replaced by every edit. */
      readonly editToken: string
      readonly add?: readonly {
        readonly channelId: string
        /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
        readonly text?: string
        /** Media of the part, in order. `media` of a channel says what it accepts. */
        readonly mediaIds?: readonly string[]
        /** Follow-up parts, each published as a reply to the one before. */
        readonly thread?: readonly ThreadPart[]
        readonly firstComment?: {
          /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
          readonly text: string
        } | null
        /** `false` publishes the links as they are, without the workspace's link tags. */
        readonly tagLinks?: boolean
        /** Provider settings, checked against the provider's own schema. */
        readonly settings?: { readonly [name: string]: unknown }
        readonly publishAt?: string | Date | LocalTime | QueueTime
      }[]
      readonly remove?: readonly string[]
    }
    answer: Post
  }
  scheduleDestination: {
    params: { readonly postId: string }
    query: undefined
    body: TimedCommand
    answer: Destination
  }
  rescheduleDestination: {
    params: { readonly postId: string }
    query: undefined
    body: {
      readonly channelId?: string
      /** The destination's `controlToken`, as read last. It is replaced whenever the destination changes. */
      readonly controlToken?: string
      /** The post's `editToken`, as read last. It is replaced by every edit. */
      readonly editToken?: string
      readonly publishAt?: string | Date | LocalTime | QueueTime
      /** Instead of `publishAt`, with `editToken`: by how much each time moves, as an ISO 8601 duration of weeks, days, hours and minutes, with a minus for earlier. A day is 24 hours, also where the clocks change. */
      readonly shift?: string
    }
    answer: Destination | Post
  }
  cancelDestination: {
    params: { readonly postId: string }
    query: undefined
    body: {
      readonly channelId?: string
      /** The destination's `controlToken`, as read last. It is replaced whenever the destination changes. */
      readonly controlToken?: string
      /** The post's `editToken`, as read last. It is replaced by every edit. */
      readonly editToken?: string
    }
    answer: Destination | Post
  }
  retryDestination: {
    params: { readonly postId: string }
    query: undefined
    body: {
      readonly channelId: string
      /** The destination's `controlToken`, as read last. It is replaced whenever the destination changes. */
      readonly controlToken: string
      readonly publishAt: string | Date | LocalTime | QueueTime
      /** The changes for this channel. A field that is left out is kept, and one that is given is replaced as a whole. `mediaIds: []`, `thread: []`, `firstComment: null` and `settings: {}` remove. */
      readonly content?: ChannelContentChange
    }
    answer: Destination
  }
  requestApproval: {
    params: { readonly postId: string }
    query: undefined
    body: {
      /** The post's `editToken`, as read last. It is replaced by every edit. */
      readonly editToken: string
    }
    answer: Post
  }
  labelPosts: {
    params: undefined
    query: undefined
    body: {
      readonly postIds: readonly string[]
      /** What the post is found by, besides its text. Labels are not published. */
      readonly add?: readonly string[]
      /** What the post is found by, besides its text. Labels are not published. */
      readonly remove?: readonly string[]
    }
    answer: {
      readonly posts: readonly {
        readonly postId: string
        /** What the post is found by, besides its text. Labels are not published. */
        readonly labels: readonly string[]
      }[]
    }
  }
  listLabels: {
    params: undefined
    query: undefined
    body: undefined
    answer: { readonly labels: readonly string[] }
  }
  readLabelResults: {
    params: undefined
    query: {
      /** A label of posts, such as the name of a campaign. Compared without case. */
      readonly label: string
      /** RFC 3339 date-time with `Z` or an offset; a time without an offset is refused, and so is one finer than a millisecond: digits after the third are 0. `:60` is the next second. */
      readonly from?: string | Date
      /** RFC 3339 date-time with `Z` or an offset; a time without an offset is refused, and so is one finer than a millisecond: digits after the third are 0. `:60` is the next second. */
      readonly to?: string | Date
    }
    body: undefined
    answer: LabelResults
  }
  createSeries: {
    params: undefined
    query: undefined
    body: {
      /** When it repeats, as in RFC 5545: `FREQ` (`DAILY`, `WEEKLY` or `MONTHLY`) with `INTERVAL`, `BYDAY`, `BYMONTHDAY` and `WKST`, ending with `COUNT` or `UNTIL` (a day, inclusive). 1000 occurrences at most. */
      readonly rule: string
      /** The time of day and its zone, and the day before which there is no occurrence. `COUNT` and `INTERVAL` count from it. */
      readonly startsAt: {
        /** What a clock shows there: a date-time without an offset. Seconds may be left out; digits after the third are 0. */
        readonly local: string
        /** The IANA name of a time zone. */
        readonly timeZone: string
      }
      /** Days of the rule without an occurrence. */
      readonly except?: readonly string[]
      /** The channels, or channel groups, that get the shared content. Either this or `targets`. */
      readonly channelIds?: readonly string[]
      /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
      readonly text?: string
      /** Media of the part, in order. `media` of a channel says what it accepts. */
      readonly mediaIds?: readonly string[]
      /** Follow-up parts, each published as a reply to the one before. */
      readonly thread?: readonly ThreadPart[]
      /** A comment on the post, published last, as a reply to the first part. Only for channels with `capabilities.firstComment`. */
      readonly firstComment?: {
        /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
        readonly text: string
      }
      /** `false` publishes the links as they are, without the workspace's link tags. */
      readonly tagLinks?: boolean
      /** One entry per channel, each with its own content. Either this or `channelIds`. */
      readonly targets?: readonly SeriesTarget[]
      /** What the post is found by, besides its text. Labels are not published. */
      readonly labels?: readonly string[]
      /** Instead of `text`, with `channelIds`: occurrences turn through these, in the order of the rule. */
      readonly contents?: readonly Content[]
      /** Checks everything and stores nothing, answered with 200. */
      readonly dryRun?: boolean
    }
    answer: Series
  }
  listSeries: {
    params: undefined
    query: {
      /** The `nextCursor` of the answer before, unchanged. Opaque. */
      readonly cursor?: string
      /** How many items at most. */
      readonly limit?: number
      readonly status?: 'active' | 'paused' | 'ended'
    }
    body: undefined
    answer: { readonly items: readonly SeriesSummary[]; readonly nextCursor: string | null }
  }
  readSeries: {
    params: { readonly seriesId: string }
    query: {
      /** A day by the clocks of the series: the name of its occurrence on that day. */
      readonly from?: string
      /** Only this occurrence, with the whole `content` that its post will have. */
      readonly only?: string
    }
    body: undefined
    answer: Series
  }
  editSeries: {
    params: { readonly seriesId: string }
    query: undefined
    body: {
      /** The post's `editToken`, as read last. It is replaced by every edit. */
      readonly editToken: string
      /** A day by the clocks of the series: the name of its occurrence on that day. */
      readonly only?: string
      /** A day by the clocks of the series: the name of its occurrence on that day. */
      readonly from?: string
      /** With `only`: its time, not from a queue. `null`: that of the series again. */
      readonly publishAt?: string | Date | LocalTime | QueueTime | null
      /** When it repeats, as in RFC 5545: `FREQ` (`DAILY`, `WEEKLY` or `MONTHLY`) with `INTERVAL`, `BYDAY`, `BYMONTHDAY` and `WKST`, ending with `COUNT` or `UNTIL` (a day, inclusive). 1000 occurrences at most. */
      readonly rule?: string
      /** The time of day and its zone, and the day before which there is no occurrence. `COUNT` and `INTERVAL` count from it. */
      readonly startsAt?: {
        /** What a clock shows there: a date-time without an offset. Seconds may be left out; digits after the third are 0. */
        readonly local: string
        /** The IANA name of a time zone. */
        readonly timeZone: string
      }
      /** Days of the rule without an occurrence. */
      readonly except?: readonly string[]
      /** The channels, or channel groups, that get the shared content. Either this or `targets`. */
      readonly channelIds?: readonly string[]
      /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
      readonly text?: string
      /** Media of the part, in order. `media` of a channel says what it accepts. */
      readonly mediaIds?: readonly string[]
      /** Follow-up parts, each published as a reply to the one before. */
      readonly thread?: readonly ThreadPart[]
      readonly firstComment?: {
        /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
        readonly text: string
      } | null
      /** `false` publishes the links as they are, without the workspace's link tags. */
      readonly tagLinks?: boolean
      /** One entry per channel, each with its own content. Either this or `channelIds`. */
      readonly targets?: readonly SeriesTarget[]
      /** What the post is found by, besides its text. Labels are not published. */
      readonly labels?: readonly string[]
      /** Instead of `text`, with `channelIds`: occurrences turn through these, in the order of the rule. */
      readonly contents?: readonly Content[]
      /** Changes nothing. */
      readonly dryRun?: boolean
    }
    answer: Series
  }
  skipOccurrence: {
    params: { readonly seriesId: string }
    query: undefined
    body: {
      /** The post's `editToken`, as read last. It is replaced by every edit. */
      readonly editToken: string
      /** A day by the clocks of the series: the name of its occurrence on that day. */
      readonly date: string
      /** `false` takes it up again. */
      readonly skip?: boolean
    }
    answer: Series
  }
  setSeriesStatus: {
    params: { readonly seriesId: string }
    query: undefined
    body: {
      /** The post's `editToken`, as read last. It is replaced by every edit. */
      readonly editToken: string
      readonly status: 'active' | 'paused' | 'ended'
    }
    answer: Series
  }
  createTemplate: {
    params: undefined
    query: undefined
    body: {
      readonly name: string
      /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
      readonly text: string
      /** Media of the part, in order. `media` of a channel says what it accepts. */
      readonly mediaIds?: readonly string[]
      /** Follow-up parts, each published as a reply to the one before. */
      readonly thread?: readonly ThreadPart[]
      /** A comment on the post, published last, as a reply to the first part. Only for channels with `capabilities.firstComment`. */
      readonly firstComment?: {
        /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
        readonly text: string
      }
      /** `false` publishes the links as they are, without the workspace's link tags. */
      readonly tagLinks?: boolean
      /** The channels, or channel groups, that get the shared content. Either this or `targets`. */
      readonly channelIds?: readonly string[]
      /** What the post is found by, besides its text. Labels are not published. */
      readonly labels?: readonly string[]
    }
    answer: Template
  }
  listTemplates: {
    params: undefined
    query: undefined
    body: undefined
    answer: { readonly templates: readonly TemplateSummary[] }
  }
  readTemplate: {
    params: { readonly templateId: string }
    query: undefined
    body: undefined
    answer: Template
  }
  changeTemplate: {
    params: { readonly templateId: string }
    query: undefined
    body: {
      /** The post's `editToken`, as read last. It is replaced by every edit. */
      readonly editToken: string
      readonly name: string
      /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
      readonly text: string
      /** Media of the part, in order. `media` of a channel says what it accepts. */
      readonly mediaIds?: readonly string[]
      /** Follow-up parts, each published as a reply to the one before. */
      readonly thread?: readonly ThreadPart[]
      /** A comment on the post, published last, as a reply to the first part. Only for channels with `capabilities.firstComment`. */
      readonly firstComment?: {
        /** The text. Each channel has its own limit and its own way of counting. May be empty if the part has media. */
        readonly text: string
      }
      /** `false` publishes the links as they are, without the workspace's link tags. */
      readonly tagLinks?: boolean
      /** The channels, or channel groups, that get the shared content. Either this or `targets`. */
      readonly channelIds?: readonly string[]
      /** What the post is found by, besides its text. Labels are not published. */
      readonly labels?: readonly string[]
    }
    answer: Template
  }
  deleteTemplate: {
    params: { readonly templateId: string }
    query: undefined
    body: undefined
    answer: { readonly templateId: string; readonly deletedAt: string }
  }
  uploadMedia: {
    params: undefined
    query: undefined
    body: {
      /** What an image shows, or a recording says, for those who cannot see or hear it. */
      readonly altText?: string
      /** Instead of `file`: the public https address that the server fetches it from, within two minutes and without following redirects. */
      readonly sourceUrl?: string
    }
    answer: MediaItem
  }
  createUploadAddress: {
    params: undefined
    query: undefined
    body: {
      /** What an image shows, or a recording says, for those who cannot see or hear it. */
      readonly altText?: string
    }
    answer: UploadAddress
  }
  listMedia: {
    params: undefined
    query: {
      /** The `nextCursor` of the answer before, unchanged. Opaque. */
      readonly cursor?: string
      readonly kind?: 'image' | 'video' | 'audio' | 'document'
      /** How many items at most. */
      readonly limit?: number
      /** Only items made of this file: the SHA-256 of its bytes as they were sent, as 64 hexadecimal digits in lower case. Tells whether a file was uploaded before. */
      readonly sentSha256?: string
    }
    body: undefined
    answer: { readonly items: readonly MediaItem[]; readonly nextCursor: string | null }
  }
  readMedia: { params: { readonly mediaId: string }; query: undefined; body: undefined; answer: MediaItem }
  readMediaContent: {
    params: { readonly mediaId: string }
    query: {
      /** How many pixels wide at most. */
      readonly width?: number
    }
    body: undefined
    answer: ArrayBuffer
  }
  updateMedia: {
    params: { readonly mediaId: string }
    query: undefined
    body: {
      /** The new alt text; null for none. */
      readonly altText: string | null
    }
    answer: MediaItem
  }
  deleteMedia: {
    params: { readonly mediaId: string }
    query: undefined
    body: undefined
    answer: { readonly mediaId: string; readonly deletedAt: string }
  }
  generatePostDrafts: {
    params: undefined
    query: undefined
    body: {
      /** What it is to be about. Material for the model, not instructions to it. */
      readonly brief: string
      /** Where the text is to fit, each destination once. */
      readonly destinations: readonly DraftDestination[]
      /** The language to write in, as a tag (BCP 47). */
      readonly language: string
      readonly tone: string
      /** `draft`: a new text. `rewrite`, `shorten`, `expand`: of `currentText`. `thread`: a text and its follow-up parts, each within the limit. */
      readonly result: 'draft' | 'rewrite' | 'shorten' | 'expand' | 'thread'
      readonly audience?: string
      /** The text to work on; required for `rewrite`, `shorten` and `expand`. */
      readonly currentText?: string
      /** Media that the post will carry: models that see are given the images, others their alt texts. Needs the permission `media:read`, too. */
      readonly mediaIds?: readonly string[]
      /** One of the models of `GET /agent/v1/ai/models`; their first when left out. */
      readonly modelId?: string
      /** `shared`: one text for all destinations. `tailored`: one for each. */
      readonly mode?: 'shared' | 'tailored'
    }
    answer: PostDrafts
  }
  generatePostImage: {
    params: undefined
    query: undefined
    body: {
      /** What the image is to show. */
      readonly prompt: string
      /** What the image shows, for those who cannot see it; kept with the media item. */
      readonly altText: string
      /** Width to height. */
      readonly aspectRatio: '1:1' | '4:5' | '5:4' | '3:4' | '4:3' | '2:3' | '3:2' | '9:16' | '16:9'
      /** Whose model draws; `openai` is also the server at OPENAI_BASE_URL. */
      readonly provider: 'openai' | 'google'
      /** One of the image models of that vendor; its first when left out. */
      readonly modelId?: string
    }
    answer: PostImage
  }
  listAiModels: { params: undefined; query: undefined; body: undefined; answer: AiModels }
  listEvents: {
    params: undefined
    query: {
      /** The `nextCursor` of the answer before, unchanged. Opaque. */
      readonly cursor?: string
      /** How many items at most. */
      readonly limit?: number
      /** Only events whose `createdAt` is not before this. */
      readonly since?: string | Date
      /** Only events of this type. */
      readonly type?: 'post.created' | 'post.edited' | 'approval.requested' | 'approval.decided' | EventType
      /** Only events of this post. */
      readonly postId?: string
      /** Only what belongs to posts that have this label now. */
      readonly label?: string
    }
    body: undefined
    answer: {
      readonly items: readonly (Event | PostEvent)[]
      /** Where to go on, now or later. */
      readonly nextCursor: string
      /** Whether there are further events now. */
      readonly hasMore: boolean
    }
  }
  listOwnEndpoints: { params: undefined; query: undefined; body: undefined; answer: readonly Endpoint[] }
  createOwnEndpoint: {
    params: undefined
    query: undefined
    body: {
      /** An https address. */
      readonly url: string
      readonly eventTypes: readonly (
        | 'post.created'
        | 'post.edited'
        | 'approval.requested'
        | 'approval.decided'
        | EventType
      )[]
      readonly description?: string
      /** Whether deliveries of the last 24 hours that failed are sent again once the endpoint answers. Refusals for good are not. */
      readonly autoReplay?: boolean
    }
    answer: {
      readonly endpointId: string
      /** Where events are sent. */
      readonly endpoint: Endpoint
      /** The signing secret. Shown only once. */
      readonly secret: string
    }
  }
  readOwnEndpoint: {
    params: { readonly endpointId: string }
    query: undefined
    body: undefined
    answer: Endpoint
  }
  rotateOwnEndpointSecret: {
    params: { readonly endpointId: string }
    query: undefined
    body: { readonly atOnce: boolean }
    answer: {
      /** Shown only once. */
      readonly secret: string
      readonly overlapUntil: string | null
    }
  }
  testOwnEndpoint: {
    params: { readonly endpointId: string }
    query: undefined
    body: {
      readonly type?: 'post.created' | 'post.edited' | 'approval.requested' | 'approval.decided' | EventType
    }
    answer: {
      readonly eventId: string
      readonly type: 'post.created' | 'post.edited' | 'approval.requested' | 'approval.decided' | EventType
    }
  }
  listOwnDeliveries: {
    params: { readonly endpointId: string }
    query: {
      readonly status?: 'pending' | 'sending' | 'delivered' | 'failed'
      readonly before?: string
      /** How many items at most. */
      readonly limit?: number
    }
    body: undefined
    answer: readonly Delivery[]
  }
  listOwnDeliveryAttempts: {
    params: { readonly endpointId: string; readonly eventId: string }
    query: undefined
    body: undefined
    answer: readonly {
      readonly round: number
      readonly number: number
      readonly endedAt: string
      readonly durationMs: number | null
      readonly httpStatus: number | null
      readonly error: string | null
    }[]
  }
  resendOwnDelivery: {
    params: { readonly endpointId: string; readonly eventId: string }
    query: undefined
    body: undefined
    answer: { readonly endpointId: string; readonly eventId: string }
  }
  replayOwnDeliveries: {
    params: { readonly endpointId: string }
    query: undefined
    body: {
      /** RFC 3339 date-time with `Z` or an offset; a time without an offset is refused, and so is one finer than a millisecond: digits after the third are 0. `:60` is the next second. */
      readonly since: string | Date
      readonly onlyFailed: boolean
    }
    answer: { readonly count: number }
  }
  deleteOwnEndpoint: {
    params: { readonly endpointId: string }
    query: undefined
    body: undefined
    answer: { readonly endpointId: string; readonly deletedAt: string }
  }
}

/** How each operation is asked for. `key`: it takes an idempotency key. `file`: it is sent as a form. */

export const operations = {
  readMe: { method: 'GET', path: '/agent/v1/me' },
  listChannels: { method: 'GET', path: '/agent/v1/channels' },
  readCalendar: { method: 'GET', path: '/agent/v1/calendar' },
  checkPost: { method: 'POST', path: '/agent/v1/post-checks' },
  listPosts: { method: 'GET', path: '/agent/v1/posts' },
  readPost: { method: 'GET', path: '/agent/v1/posts/{postId}' },
  createPost: { method: 'POST', path: '/agent/v1/posts', key: true, confirmed: true },
  createPosts: { method: 'POST', path: '/agent/v1/posts/batch', confirmed: true },
  importPosts: { method: 'POST', path: '/agent/v1/posts/import', confirmed: true },
  exportPosts: { method: 'GET', path: '/agent/v1/posts/export' },
  editPost: { method: 'POST', path: '/agent/v1/posts/{postId}/edit', key: true, confirmed: true },
  changeChannels: { method: 'POST', path: '/agent/v1/posts/{postId}/channels', key: true, confirmed: true },
  scheduleDestination: {
    method: 'POST',
    path: '/agent/v1/posts/{postId}/schedule',
    key: true,
    confirmed: true,
  },
  rescheduleDestination: {
    method: 'POST',
    path: '/agent/v1/posts/{postId}/reschedule',
    key: true,
    confirmed: true,
  },
  cancelDestination: { method: 'POST', path: '/agent/v1/posts/{postId}/cancel', key: true, confirmed: true },
  retryDestination: { method: 'POST', path: '/agent/v1/posts/{postId}/retry', key: true, confirmed: true },
  requestApproval: { method: 'POST', path: '/agent/v1/posts/{postId}/approval', key: true, confirmed: true },
  labelPosts: { method: 'POST', path: '/agent/v1/posts/labels', key: true, confirmed: true },
  listLabels: { method: 'GET', path: '/agent/v1/labels' },
  readLabelResults: { method: 'GET', path: '/agent/v1/labels/results' },
  createSeries: { method: 'POST', path: '/agent/v1/series', key: true, confirmed: true },
  listSeries: { method: 'GET', path: '/agent/v1/series' },
  readSeries: { method: 'GET', path: '/agent/v1/series/{seriesId}' },
  editSeries: { method: 'POST', path: '/agent/v1/series/{seriesId}/edit', key: true, confirmed: true },
  skipOccurrence: { method: 'POST', path: '/agent/v1/series/{seriesId}/skip', key: true, confirmed: true },
  setSeriesStatus: { method: 'POST', path: '/agent/v1/series/{seriesId}/status', key: true, confirmed: true },
  createTemplate: { method: 'POST', path: '/agent/v1/templates', key: true, confirmed: true },
  listTemplates: { method: 'GET', path: '/agent/v1/templates' },
  readTemplate: { method: 'GET', path: '/agent/v1/templates/{templateId}' },
  changeTemplate: { method: 'POST', path: '/agent/v1/templates/{templateId}', key: true, confirmed: true },
  deleteTemplate: { method: 'DELETE', path: '/agent/v1/templates/{templateId}' },
  uploadMedia: { method: 'POST', path: '/agent/v1/media', key: true, file: 'file', confirmed: true },
  createUploadAddress: { method: 'POST', path: '/agent/v1/media/uploads', confirmed: true },
  listMedia: { method: 'GET', path: '/agent/v1/media' },
  readMedia: { method: 'GET', path: '/agent/v1/media/{mediaId}' },
  readMediaContent: { method: 'GET', path: '/agent/v1/media/{mediaId}/content', bytes: true },
  updateMedia: { method: 'POST', path: '/agent/v1/media/{mediaId}', key: true, confirmed: true },
  deleteMedia: { method: 'DELETE', path: '/agent/v1/media/{mediaId}' },
  generatePostDrafts: { method: 'POST', path: '/agent/v1/ai/post-drafts', key: true, confirmed: true },
  generatePostImage: { method: 'POST', path: '/agent/v1/ai/post-images', key: true, confirmed: true },
  listAiModels: { method: 'GET', path: '/agent/v1/ai/models' },
  listEvents: { method: 'GET', path: '/agent/v1/events' },
  listOwnEndpoints: { method: 'GET', path: '/agent/v1/webhook-endpoints' },
  createOwnEndpoint: { method: 'POST', path: '/agent/v1/webhook-endpoints' },
  readOwnEndpoint: { method: 'GET', path: '/agent/v1/webhook-endpoints/{endpointId}' },
  rotateOwnEndpointSecret: { method: 'POST', path: '/agent/v1/webhook-endpoints/{endpointId}/rotate' },
  testOwnEndpoint: { method: 'POST', path: '/agent/v1/webhook-endpoints/{endpointId}/test' },
  listOwnDeliveries: { method: 'GET', path: '/agent/v1/webhook-endpoints/{endpointId}/deliveries' },
  listOwnDeliveryAttempts: {
    method: 'GET',
    path: '/agent/v1/webhook-endpoints/{endpointId}/deliveries/{eventId}/attempts',
  },
  resendOwnDelivery: {
    method: 'POST',
    path: '/agent/v1/webhook-endpoints/{endpointId}/deliveries/{eventId}/resend',
  },
  replayOwnDeliveries: { method: 'POST', path: '/agent/v1/webhook-endpoints/{endpointId}/replay' },
  deleteOwnEndpoint: { method: 'DELETE', path: '/agent/v1/webhook-endpoints/{endpointId}' },
} as const
