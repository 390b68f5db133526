// Printed from the contract by `npm run generate`. Not edited by hand. Ids are lower-case UUIDs; instants in answers are
// ISO 8601 in UTC with milliseconds.

/** Added to links when posts are created or edited, except links that have one of the parameters, or are in code. */
export type LinkTags = {
  readonly parameters: readonly {
    readonly name: string
    /** May contain `{channel}` (the handle), `{network}` and `{label}` (the first label of the post). Empty values are omitted. */
    readonly value: string
  }[]
  /** Only links to these hosts and their subdomains; empty for all. */
  readonly hosts: readonly string[]
}

/** Who you are, where, and what you may do. */
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
    /** Limits beyond its permissions; null and false set none. */
    readonly limits: {
      readonly channelIds: readonly string[] | null
      readonly label: string | null
      readonly postsPerDay: number | null
      readonly publishWithinHours: number | null
      /** Whether it may only check posts, and create, edit and cancel drafts. */
      readonly draftsOnly: boolean
      readonly networks: readonly string[] | null
      readonly latestPublishAt: string | null
      readonly postsLeftToday: number | null
      readonly dayEndsAt: string | null
    }
    /** Which of its posts wait for approval, by the policies of workspace and credential; immediate ones always do. */
    readonly approval: {
      /** Whether everything that a credential would publish waits for approval. */
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
    /** How the channel counts: Unicode code points; graphemes (user-perceived characters); X weights (a link is 23, most CJK and emoji are 2); Mastodon (graphemes; a link is 23, the domain of a mention 0); LinkedIn (UTF-16 units; reserved characters such as brackets are 2); Threads (code points; emoji as UTF-8 bytes). */
    readonly characterCounting:
      | 'code_points'
      | 'graphemes'
      | 'x_weighted'
      | 'mastodon'
      | 'linkedin'
      | 'threads'
    readonly supports: {
      readonly threads: boolean
      /** Whether an uncertain result can be looked up at the provider. */
      readonly lookup: boolean
      /** Whether posts can have a `firstComment`. */
      readonly firstComment: boolean
    }
    /** JSON Schema of `targets[].settings` for this provider. Every setting is optional. */
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
  readonly minBytes?: number
  readonly minWidth?: number
  readonly minHeight?: number
  readonly minSeconds?: number
  /** Width divided by height. */
  readonly minRatio?: number
  /** Width divided by height. */
  readonly maxRatio?: number
  /** Width times height. */
  readonly maxPixels?: number
  /** Of images: the types in which an animation keeps moving. Empty if the network shows a still. */
  readonly animatedTypes?: readonly string[]
  /** Absent if any is accepted. */
  readonly videoCodecs?: readonly string[]
  /** Absent if any is accepted. */
  readonly audioCodecs?: readonly string[]
  /** Frames per second. */
  readonly minFrameRate?: number
  /** Frames per second. */
  readonly maxFrameRate?: number
  readonly maxAudioChannels?: number
  /** In hertz. */
  readonly maxAudioSampleRate?: number
  /** Whether files that are too large or of another type are scaled and converted (never cropped) instead of refused. */
  readonly fitted: boolean
}

/** What the provider accepts besides text. */
export type MediaLimits = {
  /** The most items in one part. */
  readonly maxItems: number
  /** Whether one part can have items of several kinds. */
  readonly mixedKinds: boolean
  /** 0 if alt texts are not supported. */
  readonly maxAltCharacters: number
  readonly kinds: readonly KindLimits[]
}

export type PostingTime = {
  readonly weekday: 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday'
  /** Local time, `00:00` to `23:59`. */
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
    /** Whether posts can be published there now. */
    readonly available: boolean
    readonly reason: string | null
  }
  /** The limit of one part, counted by `characterCounting`. */
  readonly maxCharacters: number
  /** How the channel counts: Unicode code points; graphemes (user-perceived characters); X weights (a link is 23, most CJK and emoji are 2); Mastodon (graphemes; a link is 23, the domain of a mention 0); LinkedIn (UTF-16 units; reserved characters such as brackets are 2); Threads (code points; emoji as UTF-8 bytes). */
  readonly characterCounting: 'code_points' | 'graphemes' | 'x_weighted' | 'mastodon' | 'linkedin' | 'threads'
  /** The limit of one part in UTF-8 bytes, if the provider also has one. */
  readonly maxBytes?: number
  /** The account's tier at the provider, if known and the limit depends on it. Reconnecting the channel refreshes it. */
  readonly subscription?: string
  /** What the provider accepts besides text. */
  readonly media: MediaLimits
  readonly capabilities: {
    /** Whether posts can have a `thread`. */
    readonly threads: boolean
    /** Whether posts can have a `firstComment`. */
    readonly firstComment: boolean
  }
  /** The groups it is in. New posts, checks and filters accept a `groupId` as a `channelId`, for all channels of the group. */
  readonly groups: readonly { readonly groupId: string; readonly name: string }[]
  /** When its queue is published each week, in the time zone of the workspace. */
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
- `partially_published`: At least one part is live, but not all. If `expiresAt` is null, the rest was refused for good: `error` says why, and nothing more is sent unless you retry it.
- `failed`: Refused for good. Nothing was published.
- `delayed`: Not published yet: Postrider tries again at `checkAgainAt`, or, if that is null, after the posts ahead of it on the channel (`waitReason`). Announced once per cause.
- `reconnect_required`: The provider refused the authorization: the owner must reconnect the channel.
- `checking`: The result is not confirmed. It is neither failed nor published: do not publish it again.
- `cancelled`: Cancelled before anything was sent.
- `expired`: Stopped: its deadline passed before everything was published. */
  readonly status: DestinationStatus
  readonly publishAt: string | null
  readonly publishedAt: string | null
  /** The first 280 characters. */
  readonly text: string
  /** The `mediaId` of its first file, if that is an image. */
  readonly imageId: string | null
  readonly releaseUrl: string | null
  /** Whether a person must approve the post, and what they decided. Editing a rejected post asks again. */
  readonly reviewStatus: 'not_required' | 'pending' | 'approved' | 'rejected'
  readonly editToken: string
  readonly controlToken: string
  /** The name in `createdBy`. */
  readonly author: string
  readonly seriesId: string | null
  /** Never published. */
  readonly labels: readonly string[]
}

export type ThreadPart = {
  /** Each channel has its own limit and way of counting. May be empty if the part has media. */
  readonly text: string
  /** Media of the part, in order. See `media` of the channel for what it accepts. */
  readonly mediaIds?: readonly string[]
}

/** A local time. One that does not exist in the zone, or exists twice, is refused with the possible instants. */
export type LocalTime = {
  /** Date-time without an offset, to the millisecond. Seconds are optional. */
  readonly local: string
  /** An IANA name, kept as it is written. */
  readonly timeZone: string
}

/** A posting time of the channel, reserved by this request. With several channels, each gets its own. */
export type QueueTime = {
  /** `next`: the first free one after everything in the queue. `first`: the earliest free one. A date-time: that one, if it is free. */
  readonly queue: 'next' | 'first' | (string & Record<never, never>) | Date
}

export type Target = {
  /** A channel, or a channel group for those of its channels that no other target names. */
  readonly channelId: string
  /** Each channel has its own limit and way of counting. May be empty if the part has media. */
  readonly text: string
  /** Media of the part, in order. See `media` of the channel for what it accepts. */
  readonly mediaIds?: readonly string[]
  /** Follow-up parts, each published as a reply to the one before. */
  readonly thread?: readonly ThreadPart[]
  /** Published last, as a reply to the first part, on channels with `capabilities.firstComment`. */
  readonly firstComment?: {
    /** Each channel has its own limit and way of counting. May be empty if the part has media. */
    readonly text: string
  }
  /** `false` publishes the links as they are, without the workspace's link tags. */
  readonly tagLinks?: boolean
  /** Checked against the provider's schema. */
  readonly settings?: { readonly [name: string]: unknown }
  /** For this channel, instead of the shared `publishAt`; only with `scheduled`. */
  readonly publishAt?: string | Date | LocalTime | QueueTime
}

/** A file for posts. Its bytes never change. */
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
  readonly frameRate: number | null
  readonly audioChannels: number | null
  readonly audioSampleRate: number | null
  /** Whether it is an animated image. */
  readonly animated: boolean
  readonly altText: string | null
  readonly createdAt: string
}

export type PostIssue = {
  /** - `channel_unknown`: The workspace has no such channel.
- `channel_disabled`: The channel is disabled.
- `channel_reconnect_required`: The owner must reconnect the channel.
- `channel_authorization_ends`: The channel's authorization ends before the post is due.
- `channel_duplicate`: A channel is named twice.
- `channels_too_many`: A channel group has more channels than a post can have.
- `group_empty`: The channel group has no channel.
- `credential_limit`: It is outside the limits of this credential.
- `text_empty`: A part has neither visible text nor media.
- `text_too_long`: The text is longer than the channel accepts.
- `text_repeated`: The channel had this text recently, or a series repeats it.
- `occurrence_unfit`: What was changed of one occurrence no longer fits the series.
- `thread_unsupported`: The network has no threads.
- `first_comment_unsupported`: The channel does not support first comments.
- `provider_rule`: It breaks a rule of the network.
- `settings_invalid`: The network does not accept these settings.
- `publish_at_in_past`: The time is not in the future.
- `publish_at_too_far`: The time is more than two years ahead.
- `posting_times_missing`: The channel has no posting times.
- `posting_time_unknown`: The time is not a posting time of the channel.
- `posting_time_taken`: Another post has this posting time, or all are taken for the next two years.
- `media_unknown`: The workspace has no such media item.
- `media_too_many`: A part has more media than the network accepts.
- `media_kinds_mixed`: The network does not accept different kinds of media together.
- `media_kind_unsupported`: The network does not accept this kind of media.
- `media_type_unsupported`: The network does not accept this file type.
- `media_codec_unsupported`: The network does not accept this codec, frame rate or audio format.
- `media_too_small`: The file is smaller than the network accepts.
- `media_too_large`: The file is larger than the network accepts.
- `media_too_long`: The recording is longer than the network accepts.
- `media_too_short`: The recording is shorter than the network accepts.
- `media_ratio_unsupported`: The network does not accept this ratio of width to height.
- `media_animation_lost`: The network shows an animation as a still.
- `alt_text_dropped`: The network takes no alt texts.
- `media_converted`: The file will be scaled or converted.
- `media_not_reachable`: The network fetches media itself, but cannot reach this server.
- `media_dropped`: An edit removes media without saying so.
- `own_content_replaced`: An edit replaces a channel's own content.
- `alt_text_missing`: A media item has no alt text.
- `alt_text_too_long`: The alt text is longer than the network accepts. */
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
    | 'media_too_small'
    | 'media_too_large'
    | 'media_too_long'
    | 'media_too_short'
    | 'media_ratio_unsupported'
    | 'media_animation_lost'
    | 'alt_text_dropped'
    | 'media_converted'
    | 'media_not_reachable'
    | 'media_dropped'
    | 'own_content_replaced'
    | 'alt_text_missing'
    | 'alt_text_too_long'
  /** Only an `error` refuses the plan. */
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
  /** Whether create would accept this plan. */
  readonly ready: boolean
  readonly destinations: readonly {
    readonly channelId: string
    readonly provider: string
    readonly ready: boolean
    /** When it would be published, if the plan has a time. */
    readonly publishAt?: string
    readonly maxCharacters: number
    readonly parts: readonly {
      readonly index: number
      readonly characters: number
      /** What would be published, if link tags or a template change it. */
      readonly text?: string
    }[]
  }[]
  /** The media of the plan. */
  readonly media: readonly MediaItem[]
  readonly issues: readonly PostIssue[]
}

/** As for `checkPost`. */
export type PlanToCheck = {
  /** The post that the plan changes: its own texts are no duplicates, and it is no post of today. */
  readonly postId?: string
  /** `scheduled` is published at `publishAt`, `immediate` once a person has approved it. */
  readonly state: 'draft' | 'scheduled' | 'immediate'
  /** The template to use. Other fields, such as `channelIds`, override it. */
  readonly template?: {
    readonly templateId: string
    /** A value for each field of the template. */
    readonly fields?: { readonly [name: string]: string }
  }
  /** Channels or channel groups that get the shared content. Either this or `targets`. */
  readonly channelIds?: readonly string[]
  /** Each channel has its own limit and way of counting. May be empty if the part has media. */
  readonly text?: string
  /** Media of the part, in order. See `media` of the channel for what it accepts. */
  readonly mediaIds?: readonly string[]
  /** Follow-up parts, each published as a reply to the one before. */
  readonly thread?: readonly ThreadPart[]
  /** Published last, as a reply to the first part, on channels with `capabilities.firstComment`. */
  readonly firstComment?: {
    /** Each channel has its own limit and way of counting. May be empty if the part has media. */
    readonly text: string
  }
  /** `false` publishes the links as they are, without the workspace's link tags. */
  readonly tagLinks?: boolean
  /** One entry per channel, each with its own content. Either this or `channelIds`. */
  readonly targets?: readonly Target[]
  /** Never published. */
  readonly labels?: readonly string[]
  /** Required for `scheduled`, unless each target has its own; refused otherwise. */
  readonly publishAt?: string | Date | LocalTime | QueueTime
  /** With a shared `publishAt`: the first channel is published then, the last so many minutes later, the others evenly in between. */
  readonly spreadMinutes?: number
}

/** A problem (RFC 9457). */
export type Problem = {
  /** The page that explains this code. */
  readonly type: string
  readonly title: string
  readonly status: number
  /** What to do about this request. */
  readonly detail: string
  /** The path of the request. */
  readonly instance: string
  /** The stable name of the problem:

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
- `arrived_late` (412): Arrived too late
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
    /** The instants that a local time can mean. */
    readonly candidates?: readonly string[]
    /** In the imported file. */
    readonly line?: number
    /** In that line; for CSV, the number of the cell. */
    readonly column?: number
    /** Of a file to upload. */
    readonly altText?: string
  }[]
  /** The destination's status. */
  readonly currentStatus?: string
  /** The statuses that allow the command. */
  readonly allowedStatuses?: readonly string[]
  /** When the latest change was made. */
  readonly changedAt?: string
  /** Who made it; the publishing engine is a `service`. */
  readonly changedBy?: { readonly type: 'agent_key' | 'oauth' | 'person' | 'service'; readonly name: string }
  /** The changed fields. */
  readonly changed?: readonly string[]
  /** The missing permission. */
  readonly requiredPermission?: string
  /** The permissions of the credential. */
  readonly grantedPermissions?: readonly string[]
  /** The limit that forbids it, as in `readMe`. */
  readonly limit?: 'channelIds' | 'label' | 'postsPerDay' | 'publishWithinHours' | 'draftsOnly' | 'networks'
  /** As in `Retry-After`. */
  readonly retryAfterSeconds?: number
  /** The cursor of the oldest event kept. */
  readonly oldestCursor?: string
  /** What the check found. */
  readonly issues?: readonly PostIssue[]
  /** Where a person decides. */
  readonly reviewUrl?: string
}

export type PostSummary = {
  readonly postId: string
  readonly reference: string | null
  /** Never published. */
  readonly labels: readonly string[]
  /** The first 280 characters. */
  readonly text: string
  /** The `mediaId` of its first file, if that is an image. */
  readonly imageId: string | null
  /** Whether a person must approve the post, and what they decided. Editing a rejected post asks again. */
  readonly reviewStatus: 'not_required' | 'pending' | 'approved' | 'rejected'
  readonly publishAt: string | null
  readonly destinations: readonly {
    readonly channelId: string
    readonly provider: string
    /** - `draft`: Not scheduled; nothing will be published until it is.
- `scheduled`: Waiting for its time, or safely back in the queue.
- `publishing`: Being published.
- `published`: Every part is live, with evidence.
- `partially_published`: At least one part is live, but not all. If `expiresAt` is null, the rest was refused for good: `error` says why, and nothing more is sent unless you retry it.
- `failed`: Refused for good. Nothing was published.
- `delayed`: Not published yet: Postrider tries again at `checkAgainAt`, or, if that is null, after the posts ahead of it on the channel (`waitReason`). Announced once per cause.
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

/** Text with media, follow-up parts and first comment, in the order they are published. */
export type Content = {
  /** Each channel has its own limit and way of counting. May be empty if the part has media. */
  readonly text: string
  /** Media of the part, in order. See `media` of the channel for what it accepts. */
  readonly mediaIds?: readonly string[]
  /** Follow-up parts, each published as a reply to the one before. */
  readonly thread?: readonly ThreadPart[]
  /** Published last, as a reply to the first part, on channels with `capabilities.firstComment`. */
  readonly firstComment?: {
    /** Each channel has its own limit and way of counting. May be empty if the part has media. */
    readonly text: string
  }
  /** `false` publishes the links as they are, without the workspace's link tags. */
  readonly tagLinks?: boolean
}

export type ChangedBy = { readonly type: 'agent_key' | 'oauth' | 'person' | 'service'; readonly name: string }

/** Why it is not published. */
export type DestinationError = {
  /** - `content_refused`: The network refuses the content.
- `media_refused`: The network refuses a file.
- `permission_refused`: The account may not publish this.
- `duplicate_refused`: The network takes it for a duplicate.
- `parent_missing`: The post that it replies to is gone.
- `processing_failed`: The network could not process it.
- `not_published`: It is proven not to be published.
- `rate_limited`: The network asks for a pause.
- `provider_unavailable`: The network is not available now.
- `provider_disabled`: The network is not set up on this server.
- `not_reached`: The network was not reached.
- `media_unavailable`: A stored file cannot be read now.
- `not_recorded`: The attempt could not be recorded, so it was not made.
- `target_refused`: The address may not be called.
- `signer_away`: The remote signer of the account did not answer.
- `adapter_fault`: Our code for the network failed.
- `access_renewed`: The access was renewed first.
- `not_shown_yet`: The network does not show yet what was just made there.
- `secret_unreadable`: The channel's stored credentials cannot be decrypted.
- `reconnect_required`: The network refused the authorization.
- `result_unproven`: A call was made, but its result is not proven.
- `allowed_time_over`: Its deadline passed.
- `test`: Only in test events. */
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
    | 'not_shown_yet'
    | 'secret_unreadable'
    | 'reconnect_required'
    | 'result_unproven'
    | 'allowed_time_over'
    | 'test'
  readonly message: string
  readonly provider: string
  /** Whether the same content may succeed: false if it was refused for good, or if the result of a call is unknown. See `allowedActions` for what you can do now. */
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
- `partially_published`: At least one part is live, but not all. If `expiresAt` is null, the rest was refused for good: `error` says why, and nothing more is sent unless you retry it.
- `failed`: Refused for good. Nothing was published.
- `delayed`: Not published yet: Postrider tries again at `checkAgainAt`, or, if that is null, after the posts ahead of it on the channel (`waitReason`). Announced once per cause.
- `reconnect_required`: The provider refused the authorization: the owner must reconnect the channel.
- `checking`: The result is not confirmed. It is neither failed nor published: do not publish it again.
- `cancelled`: Cancelled before anything was sent.
- `expired`: Stopped: its deadline passed before everything was published. */
  readonly status: DestinationStatus
  readonly publishAt: string | null
  /** Whether `publishAt` is a posting time from the queue. */
  readonly queued: boolean
  readonly publishedAt: string | null
  readonly releaseUrl: string | null
  readonly checkAgainAt: string | null
  readonly expiresAt: string | null
  readonly waitReason: string | null
  readonly error: DestinationError | null
  /** The latest `error`, kept until it is published. */
  readonly lastError: DestinationError | null
  readonly content: Content | null
  /** Needed for commands on this destination. */
  readonly controlToken: string
  readonly settleUrl: string | null
  readonly latestChange: {
    readonly at: string
    readonly by: ChangedBy
    /** What it changed. */
    readonly fields: readonly string[]
  } | null
  /** Which commands this credential can use now. */
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
- `reply`: A part of the thread, which replies to the part before it.
- `first_comment`: The first comment, published last as a reply to the first part. */
    readonly kind: 'post' | 'reply' | 'first_comment'
    /** - `pending`: Not sent yet.
- `publishing`: Being sent, or processed by the provider.
- `published`: Live, with evidence.
- `failed`: Refused. Not published.
- `checking`: The result is not confirmed.
- `skipped`: Will not be sent: the destination ended before. */
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
  /** Null for the whole post. */
  readonly channelId: string | null
  /** `warning`: what the attempt before it goes without, such as the card of a link. */
  readonly kind: 'post' | 'approval' | 'attempt' | 'warning' | 'event'
  /** What happened, in words. */
  readonly text: string
  /** The evidence of an attempt, oldest first. */
  readonly steps: readonly string[]
}

/** A post with all its destinations and tokens. */
export type Post = {
  readonly postId: string
  readonly reference: string | null
  /** The series it belongs to. */
  readonly seriesId: string | null
  /** Never published. */
  readonly labels: readonly string[]
  readonly content: Content | null
  /** The media of all parts. Empty without the permission `media:read`. */
  readonly media: readonly MediaItem[]
  /** Whether a person must approve the post, and what they decided. Editing a rejected post asks again. */
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
  /** Needed to edit, move or cancel the post. Replaced by each change of content, review or a time. */
  readonly editToken: string
  readonly latestChange: {
    readonly at: string
    readonly by: ChangedBy
    /** What it changed. */
    readonly fields: readonly string[]
  } | null
  readonly destinations: readonly Destination[]
  /** What happened and what proves it, oldest first, at most 100 entries. Only with `include=history`. */
  readonly history?: readonly HistoryEntry[]
  readonly createdBy: {
    readonly type: 'agent_key' | 'oauth' | 'person'
    readonly id: string | null
    readonly name: string
  }
  readonly createdAt: string
  readonly updatedAt: string
  /** Only after an edit: media that a new `thread` dropped, and channels' own content that was replaced. */
  readonly warnings?: readonly PostIssue[]
}

/** As for `createPost`. */
export type NewPost = {
  /** Unless the batch has one. */
  readonly idempotencyKey?: string
  /** `scheduled` is published at `publishAt`, `immediate` once a person has approved it. */
  readonly state: 'draft' | 'scheduled' | 'immediate'
  /** The template to use. Other fields, such as `channelIds`, override it. */
  readonly template?: {
    readonly templateId: string
    /** A value for each field of the template. */
    readonly fields?: { readonly [name: string]: string }
  }
  /** Channels or channel groups that get the shared content. Either this or `targets`. */
  readonly channelIds?: readonly string[]
  /** Each channel has its own limit and way of counting. May be empty if the part has media. */
  readonly text?: string
  /** Media of the part, in order. See `media` of the channel for what it accepts. */
  readonly mediaIds?: readonly string[]
  /** Follow-up parts, each published as a reply to the one before. */
  readonly thread?: readonly ThreadPart[]
  /** Published last, as a reply to the first part, on channels with `capabilities.firstComment`. */
  readonly firstComment?: {
    /** Each channel has its own limit and way of counting. May be empty if the part has media. */
    readonly text: string
  }
  /** `false` publishes the links as they are, without the workspace's link tags. */
  readonly tagLinks?: boolean
  /** One entry per channel, each with its own content. Either this or `channelIds`. */
  readonly targets?: readonly Target[]
  /** Never published. */
  readonly labels?: readonly string[]
  /** Required for `scheduled`, unless each target has its own; refused otherwise. */
  readonly publishAt?: string | Date | LocalTime | QueueTime
  /** With a shared `publishAt`: the first channel is published then, the last so many minutes later, the others evenly in between. */
  readonly spreadMinutes?: number
  /** Your own name for the post, unique in the workspace forever: creating another post with it is refused, whatever the idempotency key. */
  readonly reference?: string
}

export type ImportedPost = {
  readonly id: string
  /** Its first line in the file. */
  readonly line: number
  /** Your own name for the post, unique in the workspace forever: creating another post with it is refused, whatever the idempotency key. */
  readonly reference: string
  /** False if the post already exists: it is not changed. */
  readonly created: boolean
  /** Null in a dry run. */
  readonly postId: string | null
  /** The first 280 characters. */
  readonly text: string
  /** Never published. */
  readonly labels: readonly string[]
  /** Whether a person must approve the post, and what they decided. Editing a rejected post asks again. */
  readonly reviewStatus: 'not_required' | 'pending' | 'approved' | 'rejected'
  /** As created; empty if the post already exists. */
  readonly destinations: readonly {
    readonly channelId: string
    /** - `draft`: Not scheduled; nothing will be published until it is.
- `scheduled`: Waiting for its time, or safely back in the queue.
- `publishing`: Being published.
- `published`: Every part is live, with evidence.
- `partially_published`: At least one part is live, but not all. If `expiresAt` is null, the rest was refused for good: `error` says why, and nothing more is sent unless you retry it.
- `failed`: Refused for good. Nothing was published.
- `delayed`: Not published yet: Postrider tries again at `checkAgainAt`, or, if that is null, after the posts ahead of it on the channel (`waitReason`). Announced once per cause.
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

/** Omitted fields are kept. */
export type PartChange = {
  /** 0 is the first part, then `thread`, then the first comment. */
  readonly index: number
  /** Each channel has its own limit and way of counting. May be empty if the part has media. */
  readonly text?: string
  /** Media of the part, in order. See `media` of the channel for what it accepts. */
  readonly mediaIds?: readonly string[]
}

/** Omitted fields are kept, others replaced as a whole. `mediaIds: []`, `thread: []` and `firstComment: null` remove. */
export type ContentChange = {
  /** Each channel has its own limit and way of counting. May be empty if the part has media. */
  readonly text?: string
  /** Media of the part, in order. See `media` of the channel for what it accepts. */
  readonly mediaIds?: readonly string[]
  /** Follow-up parts, each published as a reply to the one before. */
  readonly thread?: readonly ThreadPart[]
  readonly firstComment?: {
    /** Each channel has its own limit and way of counting. May be empty if the part has media. */
    readonly text: string
  } | null
  /** `false` publishes the links as they are, without the workspace's link tags. */
  readonly tagLinks?: boolean
  /** Changes single parts and keeps the others. Not together with `text`, `mediaIds`, `thread` or `firstComment`. */
  readonly parts?: readonly PartChange[]
}

/** As in `ChannelContentChange`. */
export type TargetChange = {
  readonly channelId: string
  /** Each channel has its own limit and way of counting. May be empty if the part has media. */
  readonly text?: string
  /** Media of the part, in order. See `media` of the channel for what it accepts. */
  readonly mediaIds?: readonly string[]
  /** Follow-up parts, each published as a reply to the one before. */
  readonly thread?: readonly ThreadPart[]
  readonly firstComment?: {
    /** Each channel has its own limit and way of counting. May be empty if the part has media. */
    readonly text: string
  } | null
  /** `false` publishes the links as they are, without the workspace's link tags. */
  readonly tagLinks?: boolean
  /** Checked against the provider's schema. */
  readonly settings?: { readonly [name: string]: unknown }
  /** Changes single parts and keeps the others. Not together with `text`, `mediaIds`, `thread` or `firstComment`. */
  readonly parts?: readonly PartChange[]
}

/** As in `ContentChange`, for this channel; `settings: {}` removes its settings. */
export type ChannelContentChange = {
  /** Each channel has its own limit and way of counting. May be empty if the part has media. */
  readonly text?: string
  /** Media of the part, in order. See `media` of the channel for what it accepts. */
  readonly mediaIds?: readonly string[]
  /** Follow-up parts, each published as a reply to the one before. */
  readonly thread?: readonly ThreadPart[]
  readonly firstComment?: {
    /** Each channel has its own limit and way of counting. May be empty if the part has media. */
    readonly text: string
  } | null
  /** `false` publishes the links as they are, without the workspace's link tags. */
  readonly tagLinks?: boolean
  /** Checked against the provider's schema. */
  readonly settings?: { readonly [name: string]: unknown }
  /** Changes single parts and keeps the others. Not together with `text`, `mediaIds`, `thread` or `firstComment`. */
  readonly parts?: readonly PartChange[]
}

/** The results of the posts with a label. */
export type LabelResults = {
  /** Such as the name of a campaign. Case-insensitive. */
  readonly label: string
  readonly posts: number
  /** How many destinations are in each status; zeros are omitted. */
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
    /** How many destinations are in each status; zeros are omitted. */
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
  /** The next planned time. */
  readonly nextPublishAt: string | null
  /** The same for the previous range of equal length. */
  readonly before?: {
    readonly from: string
    readonly to: string
    readonly posts: number
    /** How many destinations are in each status; zeros are omitted. */
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
  /** Failed, expired, partially published, unconfirmed or without access: the newest 100. */
  readonly troubled: readonly {
    readonly postId: string
    readonly channelId: string
    /** - `draft`: Not scheduled; nothing will be published until it is.
- `scheduled`: Waiting for its time, or safely back in the queue.
- `publishing`: Being published.
- `published`: Every part is live, with evidence.
- `partially_published`: At least one part is live, but not all. If `expiresAt` is null, the rest was refused for good: `error` says why, and nothing more is sent unless you retry it.
- `failed`: Refused for good. Nothing was published.
- `delayed`: Not published yet: Postrider tries again at `checkAgainAt`, or, if that is null, after the posts ahead of it on the channel (`waitReason`). Announced once per cause.
- `reconnect_required`: The provider refused the authorization: the owner must reconnect the channel.
- `checking`: The result is not confirmed. It is neither failed nor published: do not publish it again.
- `cancelled`: Cancelled before anything was sent.
- `expired`: Stopped: its deadline passed before everything was published. */
    readonly status: DestinationStatus
  }[]
}

export type SeriesTarget = {
  /** A channel, or a channel group for those of its channels that no other target names. */
  readonly channelId: string
  /** Each channel has its own limit and way of counting. May be empty if the part has media. */
  readonly text: string
  /** Media of the part, in order. See `media` of the channel for what it accepts. */
  readonly mediaIds?: readonly string[]
  /** Follow-up parts, each published as a reply to the one before. */
  readonly thread?: readonly ThreadPart[]
  /** Published last, as a reply to the first part, on channels with `capabilities.firstComment`. */
  readonly firstComment?: {
    /** Each channel has its own limit and way of counting. May be empty if the part has media. */
    readonly text: string
  }
  /** `false` publishes the links as they are, without the workspace's link tags. */
  readonly tagLinks?: boolean
  /** Checked against the provider's schema. */
  readonly settings?: { readonly [name: string]: unknown }
}

export type OccurrenceContent = {
  /** Channels or channel groups that get the shared content. Either this or `targets`. */
  readonly channelIds?: readonly string[]
  /** Each channel has its own limit and way of counting. May be empty if the part has media. */
  readonly text?: string
  /** Media of the part, in order. See `media` of the channel for what it accepts. */
  readonly mediaIds?: readonly string[]
  /** Follow-up parts, each published as a reply to the one before. */
  readonly thread?: readonly ThreadPart[]
  /** Published last, as a reply to the first part, on channels with `capabilities.firstComment`. */
  readonly firstComment?: {
    /** Each channel has its own limit and way of counting. May be empty if the part has media. */
    readonly text: string
  }
  /** `false` publishes the links as they are, without the workspace's link tags. */
  readonly tagLinks?: boolean
  /** One entry per channel, each with its own content. Either this or `channelIds`. */
  readonly targets?: readonly SeriesTarget[]
  /** Never published. */
  readonly labels?: readonly string[]
}

/** One day of a series, and its post. */
export type Occurrence = {
  /** A day in the time zone of the series. It names the occurrence on that day. */
  readonly date: string
  readonly publishAt: string
  /** `planned`: its post is created seven days before. `made`: it is the post `postId`. `waiting`: its post was refused and is retried until the deadline. `missed`: it was not created in time. `skipped`: left out. */
  readonly status: 'planned' | 'made' | 'waiting' | 'missed' | 'skipped'
  readonly reason: string | null
  readonly postId: string | null
  /** Whether it has its own content or time. */
  readonly changed: boolean
  /** The first 280 characters. */
  readonly text: string
  /** The channels of its post; empty before it is created. */
  readonly channels: readonly {
    readonly channelId: string
    /** - `draft`: Not scheduled; nothing will be published until it is.
- `scheduled`: Waiting for its time, or safely back in the queue.
- `publishing`: Being published.
- `published`: Every part is live, with evidence.
- `partially_published`: At least one part is live, but not all. If `expiresAt` is null, the rest was refused for good: `error` says why, and nothing more is sent unless you retry it.
- `failed`: Refused for good. Nothing was published.
- `delayed`: Not published yet: Postrider tries again at `checkAgainAt`, or, if that is null, after the posts ahead of it on the channel (`waitReason`). Announced once per cause.
- `reconnect_required`: The provider refused the authorization: the owner must reconnect the channel.
- `checking`: The result is not confirmed. It is neither failed nor published: do not publish it again.
- `cancelled`: Cancelled before anything was sent.
- `expired`: Stopped: its deadline passed before everything was published. */
    readonly status: DestinationStatus
    readonly waitReason: string | null
  }[]
  readonly content?: OccurrenceContent
}

/** Content that is posted repeatedly. */
export type Series = {
  readonly seriesId: string
  readonly status: 'active' | 'paused' | 'ended'
  readonly reason: string | null
  /** When it repeats, as in RFC 5545: `FREQ` (`DAILY`, `WEEKLY` or `MONTHLY`) with `INTERVAL`, `BYDAY`, `BYMONTHDAY` and `WKST`, ending with `COUNT` or `UNTIL` (a day, inclusive). At most 1000 occurrences. */
  readonly rule: string
  /** Time of day, time zone, and the first possible day: `COUNT` and `INTERVAL` count from it. */
  readonly startsAt: {
    /** Date-time without an offset, to the millisecond. Seconds are optional. */
    readonly local: string
    /** An IANA name, kept as it is written. */
    readonly timeZone: string
  }
  /** Days of the rule that are left out. */
  readonly except: readonly string[]
  /** Who its posts are created as: whoever last created, edited or resumed it, with their limits and approval rules. */
  readonly postsBy: { readonly type: 'agent_key' | 'oauth' | 'person'; readonly name: string }
  /** The next occurrence. */
  readonly nextAt: string | null
  /** Needed for changes. */
  readonly editToken: string
  readonly latestChange: {
    readonly at: string
    readonly by: ChangedBy
    /** What it changed. */
    readonly fields: readonly string[]
  } | null
  readonly createdAt: string
  readonly updatedAt: string
  /** Channels or channel groups that get the shared content. Either this or `targets`. */
  readonly channelIds?: readonly string[]
  /** Each channel has its own limit and way of counting. May be empty if the part has media. */
  readonly text?: string
  /** Media of the part, in order. See `media` of the channel for what it accepts. */
  readonly mediaIds?: readonly string[]
  /** Follow-up parts, each published as a reply to the one before. */
  readonly thread?: readonly ThreadPart[]
  /** Published last, as a reply to the first part, on channels with `capabilities.firstComment`. */
  readonly firstComment?: {
    /** Each channel has its own limit and way of counting. May be empty if the part has media. */
    readonly text: string
  }
  /** `false` publishes the links as they are, without the workspace's link tags. */
  readonly tagLinks?: boolean
  /** One entry per channel, each with its own content. Either this or `channelIds`. */
  readonly targets?: readonly SeriesTarget[]
  /** Never published. */
  readonly labels?: readonly string[]
  /** Instead of `text`, with `channelIds`: occurrences use these in turn. */
  readonly contents?: readonly Content[]
  /** In order, at most 100. */
  readonly occurrences: readonly Occurrence[]
  /** Warnings, after it was created or edited. */
  readonly issues?: readonly PostIssue[]
  /** What the change did to existing posts. */
  readonly effects?: readonly {
    /** A day in the time zone of the series. It names the occurrence on that day. */
    readonly date: string
    readonly postId: string
    /** `cancelled`: its post is created again if the series still has the day. `kept`: unchanged, for the `reason`. */
    readonly effect: 'cancelled' | 'kept'
    readonly reason: string | null
  }[]
}

export type SeriesSummary = {
  readonly seriesId: string
  readonly status: 'active' | 'paused' | 'ended'
  readonly reason: string | null
  /** When it repeats, as in RFC 5545: `FREQ` (`DAILY`, `WEEKLY` or `MONTHLY`) with `INTERVAL`, `BYDAY`, `BYMONTHDAY` and `WKST`, ending with `COUNT` or `UNTIL` (a day, inclusive). At most 1000 occurrences. */
  readonly rule: string
  /** Time of day, time zone, and the first possible day: `COUNT` and `INTERVAL` count from it. */
  readonly startsAt: {
    /** Date-time without an offset, to the millisecond. Seconds are optional. */
    readonly local: string
    /** An IANA name, kept as it is written. */
    readonly timeZone: string
  }
  /** Days of the rule that are left out. */
  readonly except: readonly string[]
  /** Who its posts are created as: whoever last created, edited or resumed it, with their limits and approval rules. */
  readonly postsBy: { readonly type: 'agent_key' | 'oauth' | 'person'; readonly name: string }
  /** The next occurrence. */
  readonly nextAt: string | null
  /** Needed for changes. */
  readonly editToken: string
  readonly latestChange: {
    readonly at: string
    readonly by: ChangedBy
    /** What it changed. */
    readonly fields: readonly string[]
  } | null
  readonly createdAt: string
  readonly updatedAt: string
  /** The first 280 characters. */
  readonly text: string
  readonly channelIds: readonly string[]
}

/** Texts with fields, to create posts from. */
export type Template = {
  readonly templateId: string
  readonly name: string
  /** The fields in its texts, in order. */
  readonly fields: readonly string[]
  /** Needed for changes. */
  readonly editToken: string
  readonly createdAt: string
  readonly updatedAt: string
  /** Each channel has its own limit and way of counting. May be empty if the part has media. */
  readonly text: string
  /** Media of the part, in order. See `media` of the channel for what it accepts. */
  readonly mediaIds?: readonly string[]
  /** Follow-up parts, each published as a reply to the one before. */
  readonly thread?: readonly ThreadPart[]
  /** Published last, as a reply to the first part, on channels with `capabilities.firstComment`. */
  readonly firstComment?: {
    /** Each channel has its own limit and way of counting. May be empty if the part has media. */
    readonly text: string
  }
  /** `false` publishes the links as they are, without the workspace's link tags. */
  readonly tagLinks?: boolean
  /** Channels or channel groups that get the shared content. Either this or `targets`. */
  readonly channelIds?: readonly string[]
  /** Never published. */
  readonly labels?: readonly string[]
}

export type TemplateSummary = {
  readonly templateId: string
  readonly name: string
  /** The fields in its texts, in order. */
  readonly fields: readonly string[]
  /** Needed for changes. */
  readonly editToken: string
  readonly createdAt: string
  readonly updatedAt: string
  /** The first 280 characters. */
  readonly text: string
  readonly channelIds: readonly string[]
  /** Never published. */
  readonly labels: readonly string[]
}

/** `media` is what was already uploaded with this key. */
export type UploadAddress = {
  /** Secret: anyone who has it can upload the file. */
  readonly uploadUrl: string
  readonly expiresAt: string
  /** The size limit of each kind, in bytes. */
  readonly maxBytes: {
    readonly image: number
    readonly video: number
    readonly audio: number
    readonly document: number
  }
  readonly media: MediaItem | null
}

/** What a draft must fit. */
export type DraftDestination = {
  /** A connected channel, for its own limit. Either this or `provider`. */
  readonly id?: string
  /** A provider, for its usual limit. Together with `id`, that channel's. */
  readonly provider?: string
  /** Your own limit for each part, counted like the destination. */
  readonly maxCharacters?: number
}

/** One text, and the destinations it fits. */
export type DraftVariant = {
  readonly destinations: readonly {
    readonly id: string | null
    readonly provider: string
    /** The length of the longest part, counted like the destination. */
    readonly characters: number
    readonly maxCharacters: number
  }[]
  readonly text: string
  /** The follow-up parts; only for `thread`. */
  readonly thread?: readonly { readonly text: string }[]
  /** For the destination with the least room left. */
  readonly characters: number
  /** For the destination with the least room left. */
  readonly maxCharacters: number
}

/** What the model wrote. Nothing is posted. */
export type PostDrafts = {
  readonly generationId: string
  readonly model: string
  /** One for all destinations, or with `tailored` one for each, in the same order. */
  readonly variants: readonly DraftVariant[]
  readonly usage: {
    /** How often the model was asked, including repairs. */
    readonly calls: number
    readonly inputTokens: number
    readonly outputTokens: number
  }
}

/** The generated image, as a media item. */
export type PostImage = {
  readonly generationId: string
  readonly model: string
  /** A file for posts. Its bytes never change. */
  readonly media: MediaItem
}

/** The available models, and the budget of today. */
export type AiModels = {
  /** Empty if no AI provider is configured. */
  readonly models: readonly {
    readonly modelId: string
    readonly provider: 'openai' | 'anthropic' | 'google'
    readonly makes: 'text' | 'image'
    /** Whether it is used when a request names none; for images, per vendor. */
    readonly default: boolean
  }[]
  readonly budget: {
    readonly tokensPerDay: number
    /** Today, including reservations of running requests. */
    readonly tokensUsed: number
    readonly imagesPerDay: number
    readonly imagesUsed: number
    /** The next midnight UTC. */
    readonly resetsAt: string
  }
}

/** One change of one destination, as webhooks carry it. */
export type Event = {
  /** The same in all delivery attempts, replays and lists: recognise repeats by it. */
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
- `partially_published`: At least one part is live, but not all. If `expiresAt` is null, the rest was refused for good: `error` says why, and nothing more is sent unless you retry it.
- `failed`: Refused for good. Nothing was published.
- `delayed`: Not published yet: Postrider tries again at `checkAgainAt`, or, if that is null, after the posts ahead of it on the channel (`waitReason`). Announced once per cause.
- `reconnect_required`: The provider refused the authorization: the owner must reconnect the channel.
- `checking`: The result is not confirmed. It is neither failed nor published: do not publish it again.
- `cancelled`: Cancelled before anything was sent.
- `expired`: Stopped: its deadline passed before everything was published. */
      readonly status: DestinationStatus
    }
  }
  readonly checkAgainAt?: string
  /** Why it is not published. */
  readonly error?: DestinationError
}

/** A change of a post as a whole. Only for endpoints that name its type. */
export type PostEvent = {
  /** The same in all delivery attempts, replays and lists: recognise repeats by it. */
  readonly id: string
  readonly type: PostEventType
  readonly createdAt: string
  readonly data: {
    readonly post: { readonly postId: string }
    /** The channels of the post. */
    readonly channelIds: readonly string[]
    readonly by: ChangedBy
    /** The fields that an edit changed. */
    readonly changed?: readonly string[]
    readonly approval?: {
      readonly status: 'pending' | 'approved' | 'rejected'
      /** Where a person decides. */
      readonly reviewUrl?: string
      readonly expiresAt?: string
      /** The note of the person who decided. */
      readonly note?: string
    }
    readonly duplicate?: {
      readonly channelId: string
      /** The place of the part, from 0. */
      readonly part: number
      /** The id of the second post at its network. */
      readonly remoteId: string
      readonly releaseUrl: string | null
      /** The id of the post that the part is known by. */
      readonly firstRemoteId: string
      readonly firstReleaseUrl: string | null
    }
  }
}

/** Where events are sent. */
export type Endpoint = {
  readonly endpointId: string
  /** Apparent secrets in its query are masked. */
  readonly url: string
  readonly description: string
  readonly eventTypes: readonly (
    | 'post.created'
    | 'post.edited'
    | 'approval.requested'
    | 'approval.decided'
    | 'post.duplicate_found'
    | EventType
  )[]
  readonly status: 'active' | 'disabled'
  readonly statusSince: string
  readonly disabledReason: 'by_hand' | 'failing' | 'secret_lost' | 'credential_ended' | 'right_lost' | null
  readonly failingSince: string | null
  /** Whether failed deliveries of the last 24 hours are resent once the endpoint answers again, except final refusals. */
  readonly autoReplay: boolean
  readonly credentialId: string | null
  readonly createdAt: string
}

/** One event for one endpoint. */
export type Delivery = {
  readonly eventId: string
  readonly eventType:
    | 'post.created'
    | 'post.edited'
    | 'approval.requested'
    | 'approval.decided'
    | 'post.duplicate_found'
    | EventType
  /** Null for a test, or once the event is no longer kept. */
  readonly postId: string | null
  readonly test: boolean
  readonly status: 'pending' | 'sending' | 'delivered' | 'failed'
  /** In the current round. */
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

export type PostEventType =
  | 'post.created'
  | 'post.edited'
  | 'approval.requested'
  | 'approval.decided'
  | 'post.duplicate_found'

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
  | 'arrived_late'
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
      /** RFC 3339 date-time with `Z` or an offset, to the millisecond: further digits must be 0. `:60` is the next second. */
      readonly from: string | Date
      /** RFC 3339 date-time with `Z` or an offset, to the millisecond: further digits must be 0. `:60` is the next second. */
      readonly to: string | Date
      /** A channel, or a channel group: any of its channels. */
      readonly channelId?: string
      /** Destinations in this status. `published` includes `partially_published`, `scheduled` includes `delayed`. */
      readonly status?: 'all' | DestinationStatus
      /** Includes drafts with a time. */
      readonly includeDrafts?: boolean
      /** Only posts that have this label now. */
      readonly label?: string
    }
    body: undefined
    answer: readonly CalendarEntry[]
  }
  checkPost: {
    params: undefined
    query: undefined
    body: {
      /** `scheduled` is published at `publishAt`, `immediate` once a person has approved it. */
      readonly state: 'draft' | 'scheduled' | 'immediate'
      /** The template to use. Other fields, such as `channelIds`, override it. */
      readonly template?: {
        readonly templateId: string
        /** A value for each field of the template. */
        readonly fields?: { readonly [name: string]: string }
      }
      /** Channels or channel groups that get the shared content. Either this or `targets`. */
      readonly channelIds?: readonly string[]
      /** Each channel has its own limit and way of counting. May be empty if the part has media. */
      readonly text?: string
      /** Media of the part, in order. See `media` of the channel for what it accepts. */
      readonly mediaIds?: readonly string[]
      /** Follow-up parts, each published as a reply to the one before. */
      readonly thread?: readonly ThreadPart[]
      /** Published last, as a reply to the first part, on channels with `capabilities.firstComment`. */
      readonly firstComment?: {
        /** Each channel has its own limit and way of counting. May be empty if the part has media. */
        readonly text: string
      }
      /** `false` publishes the links as they are, without the workspace's link tags. */
      readonly tagLinks?: boolean
      /** One entry per channel, each with its own content. Either this or `channelIds`. */
      readonly targets?: readonly Target[]
      /** Never published. */
      readonly labels?: readonly string[]
      /** Required for `scheduled`, unless each target has its own; refused otherwise. */
      readonly publishAt?: string | Date | LocalTime | QueueTime
      /** With a shared `publishAt`: the first channel is published then, the last so many minutes later, the others evenly in between. */
      readonly spreadMinutes?: number
      /** The post that the plan changes: its own texts are no duplicates, and it is no post of today. */
      readonly postId?: string
    }
    answer: PostCheck
  }
  checkPosts: {
    params: undefined
    query: undefined
    body: { readonly posts: readonly PlanToCheck[] }
    answer: {
      /** One per row, in the same order, with a `check` or a `problem`. */
      readonly results: readonly {
        /** The HTTP status of this row. */
        readonly status: number
        readonly check?: PostCheck
        /** A problem (RFC 9457). */
        readonly problem?: Problem
      }[]
    }
  }
  listPosts: {
    params: undefined
    query: {
      /** The `nextCursor` of the previous answer. Opaque. */
      readonly cursor?: string
      /** The maximum number of items. */
      readonly limit?: number
      /** Text to find. */
      readonly q?: string
      /** Destinations in this status. `published` includes `partially_published`, `scheduled` includes `delayed`. */
      readonly status?: 'all' | DestinationStatus
      /** A channel, or a channel group: any of its channels. */
      readonly channelId?: string
      /** `publishAt` or `publishedAt` not before this. */
      readonly from?: string | Date
      /** `publishAt` or `publishedAt` before this. */
      readonly to?: string | Date
      /** Whether a person must approve the post, and what they decided. Editing a rejected post asks again. */
      readonly reviewStatus?: 'not_required' | 'pending' | 'approved' | 'rejected'
      /** The exact name in `createdBy`. */
      readonly author?: string
      /** The id in `createdBy`. */
      readonly createdById?: string
      /** Posts changed at this time or later. */
      readonly updatedSince?: string | Date
      /** Only posts that have this label now. */
      readonly label?: string
      /** Your own key for this one effect. Reuse it only to repeat the same request. Keys are shared by all credentials of a workspace, per operation: repeating the request returns the first result. */
      readonly idempotencyKey?: string
      /** The `reference` of one post, or with `*` at its end a prefix. */
      readonly reference?: string
    }
    body: undefined
    answer: {
      readonly items: readonly PostSummary[]
      readonly nextCursor: string | null
      /** With `from` or `to`, on the first page: how many posts that match all else are drafts without a time, which are in no range; counted up to 100. Left out where too many posts would have to be read to count them. */
      readonly undatedDrafts?: number
    }
  }
  readPost: {
    params: { readonly postId: string }
    query: {
      /** Adds what happened: attempts, evidence, events, decisions. */
      readonly include?: 'history'
    }
    body: undefined
    answer: Post
  }
  createPost: {
    params: undefined
    query: undefined
    body: {
      /** `scheduled` is published at `publishAt`, `immediate` once a person has approved it. */
      readonly state: 'draft' | 'scheduled' | 'immediate'
      /** The template to use. Other fields, such as `channelIds`, override it. */
      readonly template?: {
        readonly templateId: string
        /** A value for each field of the template. */
        readonly fields?: { readonly [name: string]: string }
      }
      /** Channels or channel groups that get the shared content. Either this or `targets`. */
      readonly channelIds?: readonly string[]
      /** Each channel has its own limit and way of counting. May be empty if the part has media. */
      readonly text?: string
      /** Media of the part, in order. See `media` of the channel for what it accepts. */
      readonly mediaIds?: readonly string[]
      /** Follow-up parts, each published as a reply to the one before. */
      readonly thread?: readonly ThreadPart[]
      /** Published last, as a reply to the first part, on channels with `capabilities.firstComment`. */
      readonly firstComment?: {
        /** Each channel has its own limit and way of counting. May be empty if the part has media. */
        readonly text: string
      }
      /** `false` publishes the links as they are, without the workspace's link tags. */
      readonly tagLinks?: boolean
      /** One entry per channel, each with its own content. Either this or `channelIds`. */
      readonly targets?: readonly Target[]
      /** Never published. */
      readonly labels?: readonly string[]
      /** Required for `scheduled`, unless each target has its own; refused otherwise. */
      readonly publishAt?: string | Date | LocalTime | QueueTime
      /** With a shared `publishAt`: the first channel is published then, the last so many minutes later, the others evenly in between. */
      readonly spreadMinutes?: number
      /** Your own name for the post, unique in the workspace forever: creating another post with it is refused, whatever the idempotency key. */
      readonly reference?: string
      /** Checks everything and stores nothing. Returns what would be created, with 200 instead of 201 and meaningless ids and tokens. */
      readonly dryRun?: boolean
    }
    answer: Post
  }
  createPosts: {
    params: undefined
    query: undefined
    body: {
      readonly posts: readonly NewPost[]
      /** Creates all posts, or none if a row is refused: the others then say `batch_refused`. */
      readonly allOrNothing?: boolean
      /** Checks everything and stores nothing. Returns what would be created, with 200 instead of 201 and meaningless ids and tokens. */
      readonly dryRun?: boolean
    }
    answer: {
      /** One per row, in the same order, with a `post` or a `problem`. */
      readonly results: readonly {
        /** The HTTP status of this row. */
        readonly status: number
        /** Whether it is the result of an earlier request. */
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
      /** `csv` has a header; `plan` is a plan for `postrider plan`, as YAML or JSON. */
      readonly format: 'csv' | 'plan'
      /** The content of the file. */
      readonly file: string
      /** For CSV: the permanent name of the import. A plan has its own. */
      readonly name?: string
      /** For posts that name no channels or channel groups. */
      readonly channelIds?: readonly string[]
      /** The IANA time zone of local times; that of the workspace if omitted. */
      readonly timeZone?: string
      /** Media items by their names or addresses in the file. */
      readonly media?: { readonly [name: string]: string }
      /** Checks everything and stores nothing. Returns what would be created, with 200 instead of 201 and meaningless ids and tokens. */
      readonly dryRun?: boolean
    }
    answer: PostImport
  }
  exportPosts: {
    params: undefined
    query: {
      /** `yaml` and `json` are a plan. */
      readonly format: 'csv' | 'yaml' | 'json'
      /** The name of the plan. Its own posts keep their ids in it. */
      readonly plan?: string
      /** `publishAt` or `publishedAt` not before this. */
      readonly from?: string | Date
      /** `publishAt` or `publishedAt` before this. */
      readonly to?: string | Date
      /** Destinations in this status. `published` includes `partially_published`, `scheduled` includes `delayed`. */
      readonly status?: 'all' | DestinationStatus
      /** A channel, or a channel group: any of its channels. */
      readonly channelId?: string
      /** Only posts that have this label now. */
      readonly label?: string
    }
    body: undefined
    answer: {
      readonly posts: number
      /** The content of the file. */
      readonly file: string
    }
  }
  editPost: {
    params: { readonly postId: string }
    query: undefined
    body: {
      /** The current `editToken`. Every change of content, review or a time replaces it, also that of one channel. */
      readonly editToken: string
      readonly content: ContentChange | { readonly targets: readonly TargetChange[] }
      /** Refuses the edit if it would have `warnings`. */
      readonly keepOwn?: boolean
    }
    answer: Post
  }
  changeChannels: {
    params: { readonly postId: string }
    query: undefined
    body: {
      /** The current `editToken`. Every change of content, review or a time replaces it, also that of one channel. */
      readonly editToken: string
      readonly add?: readonly {
        readonly channelId: string
        /** Each channel has its own limit and way of counting. May be empty if the part has media. */
        readonly text?: string
        /** Media of the part, in order. See `media` of the channel for what it accepts. */
        readonly mediaIds?: readonly string[]
        /** Follow-up parts, each published as a reply to the one before. */
        readonly thread?: readonly ThreadPart[]
        readonly firstComment?: {
          /** Each channel has its own limit and way of counting. May be empty if the part has media. */
          readonly text: string
        } | null
        /** `false` publishes the links as they are, without the workspace's link tags. */
        readonly tagLinks?: boolean
        /** Checked against the provider's schema. */
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
    body: {
      readonly channelId?: string
      /** The destination's current `controlToken`. Every change replaces it. */
      readonly controlToken?: string
      /** The current `editToken`. Every change of content, review or a time replaces it, also that of one channel. */
      readonly editToken?: string
      readonly publishAt: string | Date | LocalTime | QueueTime
    }
    answer: Destination | Post
  }
  rescheduleDestination: {
    params: { readonly postId: string }
    query: undefined
    body: {
      readonly channelId?: string
      /** The destination's current `controlToken`. Every change replaces it. */
      readonly controlToken?: string
      /** The current `editToken`. Every change of content, review or a time replaces it, also that of one channel. */
      readonly editToken?: string
      readonly publishAt?: string | Date | LocalTime | QueueTime
      /** Instead of `publishAt`, with `editToken`: an ISO 8601 duration of weeks, days, hours and minutes, such as `P1D`, or `-PT90M` for earlier. A day is 24 hours. */
      readonly shift?: string
    }
    answer: Destination | Post
  }
  cancelDestination: {
    params: { readonly postId: string }
    query: undefined
    body: {
      readonly channelId?: string
      /** The destination's current `controlToken`. Every change replaces it. */
      readonly controlToken?: string
      /** The current `editToken`. Every change of content, review or a time replaces it, also that of one channel. */
      readonly editToken?: string
    }
    answer: Destination | Post
  }
  retryDestination: {
    params: { readonly postId: string }
    query: undefined
    body: {
      readonly channelId: string
      /** The destination's current `controlToken`. Every change replaces it. */
      readonly controlToken: string
      readonly publishAt: string | Date | LocalTime | QueueTime
      /** As in `ContentChange`, for this channel; `settings: {}` removes its settings. */
      readonly content?: ChannelContentChange
    }
    answer: Destination
  }
  requestApproval: {
    params: { readonly postId: string }
    query: undefined
    body: {
      /** The current `editToken`. Every change of content, review or a time replaces it, also that of one channel. */
      readonly editToken: string
    }
    answer: Post
  }
  labelPosts: {
    params: undefined
    query: undefined
    body: {
      readonly postIds: readonly string[]
      /** Never published. */
      readonly add?: readonly string[]
      readonly remove?: readonly string[]
    }
    answer: {
      readonly posts: readonly {
        readonly postId: string
        /** Never published. */
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
      /** Such as the name of a campaign. Case-insensitive. */
      readonly label: string
      /** RFC 3339 date-time with `Z` or an offset, to the millisecond: further digits must be 0. `:60` is the next second. */
      readonly from?: string | Date
      /** RFC 3339 date-time with `Z` or an offset, to the millisecond: further digits must be 0. `:60` is the next second. */
      readonly to?: string | Date
    }
    body: undefined
    answer: LabelResults
  }
  createSeries: {
    params: undefined
    query: undefined
    body: {
      /** When it repeats, as in RFC 5545: `FREQ` (`DAILY`, `WEEKLY` or `MONTHLY`) with `INTERVAL`, `BYDAY`, `BYMONTHDAY` and `WKST`, ending with `COUNT` or `UNTIL` (a day, inclusive). At most 1000 occurrences. */
      readonly rule: string
      /** Time of day, time zone, and the first possible day: `COUNT` and `INTERVAL` count from it. */
      readonly startsAt: {
        /** Date-time without an offset, to the millisecond. Seconds are optional. */
        readonly local: string
        /** An IANA name, kept as it is written. */
        readonly timeZone: string
      }
      /** Days of the rule that are left out. */
      readonly except?: readonly string[]
      /** Channels or channel groups that get the shared content. Either this or `targets`. */
      readonly channelIds?: readonly string[]
      /** Each channel has its own limit and way of counting. May be empty if the part has media. */
      readonly text?: string
      /** Media of the part, in order. See `media` of the channel for what it accepts. */
      readonly mediaIds?: readonly string[]
      /** Follow-up parts, each published as a reply to the one before. */
      readonly thread?: readonly ThreadPart[]
      /** Published last, as a reply to the first part, on channels with `capabilities.firstComment`. */
      readonly firstComment?: {
        /** Each channel has its own limit and way of counting. May be empty if the part has media. */
        readonly text: string
      }
      /** `false` publishes the links as they are, without the workspace's link tags. */
      readonly tagLinks?: boolean
      /** One entry per channel, each with its own content. Either this or `channelIds`. */
      readonly targets?: readonly SeriesTarget[]
      /** Never published. */
      readonly labels?: readonly string[]
      /** Instead of `text`, with `channelIds`: occurrences use these in turn. */
      readonly contents?: readonly Content[]
      /** Checks everything, stores nothing, returns 200. */
      readonly dryRun?: boolean
    }
    answer: Series
  }
  listSeries: {
    params: undefined
    query: {
      /** The `nextCursor` of the previous answer. Opaque. */
      readonly cursor?: string
      /** The maximum number of items. */
      readonly limit?: number
      readonly status?: 'active' | 'paused' | 'ended'
    }
    body: undefined
    answer: { readonly items: readonly SeriesSummary[]; readonly nextCursor: string | null }
  }
  readSeries: {
    params: { readonly seriesId: string }
    query: {
      /** A day in the time zone of the series. It names the occurrence on that day. */
      readonly from?: string
      /** Only this occurrence, with the whole `content` of its post. */
      readonly only?: string
    }
    body: undefined
    answer: Series
  }
  editSeries: {
    params: { readonly seriesId: string }
    query: undefined
    body: {
      /** The current `editToken`. Every change of content, review or a time replaces it, also that of one channel. */
      readonly editToken: string
      /** A day in the time zone of the series. It names the occurrence on that day. */
      readonly only?: string
      /** A day in the time zone of the series. It names the occurrence on that day. */
      readonly from?: string
      /** With `only`: its time, not from a queue. Null restores that of the series. */
      readonly publishAt?: string | Date | LocalTime | QueueTime | null
      /** When it repeats, as in RFC 5545: `FREQ` (`DAILY`, `WEEKLY` or `MONTHLY`) with `INTERVAL`, `BYDAY`, `BYMONTHDAY` and `WKST`, ending with `COUNT` or `UNTIL` (a day, inclusive). At most 1000 occurrences. */
      readonly rule?: string
      /** Time of day, time zone, and the first possible day: `COUNT` and `INTERVAL` count from it. */
      readonly startsAt?: {
        /** Date-time without an offset, to the millisecond. Seconds are optional. */
        readonly local: string
        /** An IANA name, kept as it is written. */
        readonly timeZone: string
      }
      /** Days of the rule that are left out. */
      readonly except?: readonly string[]
      /** Channels or channel groups that get the shared content. Either this or `targets`. */
      readonly channelIds?: readonly string[]
      /** Each channel has its own limit and way of counting. May be empty if the part has media. */
      readonly text?: string
      /** Media of the part, in order. See `media` of the channel for what it accepts. */
      readonly mediaIds?: readonly string[]
      /** Follow-up parts, each published as a reply to the one before. */
      readonly thread?: readonly ThreadPart[]
      readonly firstComment?: {
        /** Each channel has its own limit and way of counting. May be empty if the part has media. */
        readonly text: string
      } | null
      /** `false` publishes the links as they are, without the workspace's link tags. */
      readonly tagLinks?: boolean
      /** One entry per channel, each with its own content. Either this or `channelIds`. */
      readonly targets?: readonly SeriesTarget[]
      /** Never published. */
      readonly labels?: readonly string[]
      /** Instead of `text`, with `channelIds`: occurrences use these in turn. */
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
      /** The current `editToken`. Every change of content, review or a time replaces it, also that of one channel. */
      readonly editToken: string
      /** A day in the time zone of the series. It names the occurrence on that day. */
      readonly date: string
      /** `false` restores it. */
      readonly skip?: boolean
    }
    answer: Series
  }
  setSeriesStatus: {
    params: { readonly seriesId: string }
    query: undefined
    body: {
      /** The current `editToken`. Every change of content, review or a time replaces it, also that of one channel. */
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
      /** Each channel has its own limit and way of counting. May be empty if the part has media. */
      readonly text: string
      /** Media of the part, in order. See `media` of the channel for what it accepts. */
      readonly mediaIds?: readonly string[]
      /** Follow-up parts, each published as a reply to the one before. */
      readonly thread?: readonly ThreadPart[]
      /** Published last, as a reply to the first part, on channels with `capabilities.firstComment`. */
      readonly firstComment?: {
        /** Each channel has its own limit and way of counting. May be empty if the part has media. */
        readonly text: string
      }
      /** `false` publishes the links as they are, without the workspace's link tags. */
      readonly tagLinks?: boolean
      /** Channels or channel groups that get the shared content. Either this or `targets`. */
      readonly channelIds?: readonly string[]
      /** Never published. */
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
      /** The current `editToken`. Every change of content, review or a time replaces it, also that of one channel. */
      readonly editToken: string
      readonly name: string
      /** Each channel has its own limit and way of counting. May be empty if the part has media. */
      readonly text: string
      /** Media of the part, in order. See `media` of the channel for what it accepts. */
      readonly mediaIds?: readonly string[]
      /** Follow-up parts, each published as a reply to the one before. */
      readonly thread?: readonly ThreadPart[]
      /** Published last, as a reply to the first part, on channels with `capabilities.firstComment`. */
      readonly firstComment?: {
        /** Each channel has its own limit and way of counting. May be empty if the part has media. */
        readonly text: string
      }
      /** `false` publishes the links as they are, without the workspace's link tags. */
      readonly tagLinks?: boolean
      /** Channels or channel groups that get the shared content. Either this or `targets`. */
      readonly channelIds?: readonly string[]
      /** Never published. */
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
      /** What an image shows, or a recording says, for people who cannot see or hear it. */
      readonly altText?: string
      /** Instead of `file`: a public https address. The server fetches it within two minutes, without following redirects. */
      readonly sourceUrl?: string
    }
    answer: MediaItem
  }
  createUploadAddress: {
    params: undefined
    query: undefined
    body: {
      /** What an image shows, or a recording says, for people who cannot see or hear it. */
      readonly altText?: string
    }
    answer: UploadAddress
  }
  listMedia: {
    params: undefined
    query: {
      /** The `nextCursor` of the previous answer. Opaque. */
      readonly cursor?: string
      readonly kind?: 'image' | 'video' | 'audio' | 'document'
      /** The maximum number of items. */
      readonly limit?: number
      /** The SHA-256 of a file, in lower-case hexadecimal: finds what was uploaded with exactly these bytes. */
      readonly sentSha256?: string
    }
    body: undefined
    answer: { readonly items: readonly MediaItem[]; readonly nextCursor: string | null }
  }
  readMedia: { params: { readonly mediaId: string }; query: undefined; body: undefined; answer: MediaItem }
  readMediaContent: {
    params: { readonly mediaId: string }
    query: {
      /** The maximum width in pixels. */
      readonly width?: number
    }
    body: undefined
    answer: ArrayBuffer
  }
  updateMedia: {
    params: { readonly mediaId: string }
    query: undefined
    body: {
      /** Null removes it. */
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
      /** What it is about: material for the model, not instructions. */
      readonly brief: string
      /** What the text must fit, each destination once. */
      readonly destinations: readonly DraftDestination[]
      /** A language tag (BCP 47). */
      readonly language: string
      readonly tone: string
      /** `draft`: a new text. `rewrite`, `shorten`, `expand`: work on `currentText`. `thread`: a text with follow-up parts, each within the limit. */
      readonly result: 'draft' | 'rewrite' | 'shorten' | 'expand' | 'thread'
      readonly audience?: string
      /** Required for `rewrite`, `shorten` and `expand`. */
      readonly currentText?: string
      /** Media of the post: vision models get the images, others the alt texts. Also needs the permission `media:read`. */
      readonly mediaIds?: readonly string[]
      /** From `listAiModels`; the default if omitted. */
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
      /** What the image should show. */
      readonly prompt: string
      /** Kept with the media item. */
      readonly altText: string
      /** Width to height. */
      readonly aspectRatio: '1:1' | '4:5' | '5:4' | '3:4' | '4:3' | '2:3' | '3:2' | '9:16' | '16:9'
      /** `openai` is also the server at OPENAI_BASE_URL. */
      readonly provider: 'openai' | 'google'
      /** An image model of that vendor; its default if omitted. */
      readonly modelId?: string
    }
    answer: PostImage
  }
  listAiModels: { params: undefined; query: undefined; body: undefined; answer: AiModels }
  listEvents: {
    params: undefined
    query: {
      /** The `nextCursor` of the previous answer. Opaque. */
      readonly cursor?: string
      /** The maximum number of items. */
      readonly limit?: number
      /** Only events created at this time or later. */
      readonly since?: string | Date
      /** Only events of this type. */
      readonly type?:
        | 'post.created'
        | 'post.edited'
        | 'approval.requested'
        | 'approval.decided'
        | 'post.duplicate_found'
        | EventType
      /** Only events of this post. */
      readonly postId?: string
      /** Only posts that have this label now. */
      readonly label?: string
    }
    body: undefined
    answer: {
      readonly items: readonly (Event | PostEvent)[]
      /** Where to continue, now or later. */
      readonly nextCursor: string
      /** Whether there are more events now. */
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
        | 'post.duplicate_found'
        | EventType
      )[]
      readonly description?: string
      /** Whether failed deliveries of the last 24 hours are resent once the endpoint answers again, except final refusals. */
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
      readonly type?:
        | 'post.created'
        | 'post.edited'
        | 'approval.requested'
        | 'approval.decided'
        | 'post.duplicate_found'
        | EventType
    }
    answer: {
      readonly eventId: string
      readonly type:
        | 'post.created'
        | 'post.edited'
        | 'approval.requested'
        | 'approval.decided'
        | 'post.duplicate_found'
        | EventType
    }
  }
  listOwnDeliveries: {
    params: { readonly endpointId: string }
    query: {
      readonly status?: 'pending' | 'sending' | 'delivered' | 'failed'
      readonly before?: string
      /** The maximum number of items. */
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
      /** RFC 3339 date-time with `Z` or an offset, to the millisecond: further digits must be 0. `:60` is the next second. */
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

/** How each operation is asked for. `key`: it takes an idempotency key. `file`: it is sent as a form. `has`: what its answer has, as a path. */

export const operations = {
  readMe: { method: 'GET', path: '/agent/v1/me', has: '.workspace' },
  listChannels: { method: 'GET', path: '/agent/v1/channels', has: '[].channelId' },
  readCalendar: { method: 'GET', path: '/agent/v1/calendar', has: '[].postId' },
  checkPost: { method: 'POST', path: '/agent/v1/post-checks', has: '.ready' },
  checkPosts: { method: 'POST', path: '/agent/v1/post-checks/batch', has: '.results[].status' },
  listPosts: { method: 'GET', path: '/agent/v1/posts', has: '.items[].postId' },
  readPost: { method: 'GET', path: '/agent/v1/posts/{postId}', has: '.postId' },
  createPost: { method: 'POST', path: '/agent/v1/posts', key: true, confirmed: true, has: '.postId' },
  createPosts: { method: 'POST', path: '/agent/v1/posts/batch', confirmed: true, has: '.results[].status' },
  importPosts: { method: 'POST', path: '/agent/v1/posts/import', confirmed: true, has: '.created' },
  exportPosts: { method: 'GET', path: '/agent/v1/posts/export', has: '.posts' },
  editPost: {
    method: 'POST',
    path: '/agent/v1/posts/{postId}/edit',
    key: true,
    confirmed: true,
    has: '.postId',
  },
  changeChannels: {
    method: 'POST',
    path: '/agent/v1/posts/{postId}/channels',
    key: true,
    confirmed: true,
    has: '.postId',
  },
  scheduleDestination: {
    method: 'POST',
    path: '/agent/v1/posts/{postId}/schedule',
    key: true,
    confirmed: true,
    has: '.content',
  },
  rescheduleDestination: {
    method: 'POST',
    path: '/agent/v1/posts/{postId}/reschedule',
    key: true,
    confirmed: true,
    has: '.content',
  },
  cancelDestination: {
    method: 'POST',
    path: '/agent/v1/posts/{postId}/cancel',
    key: true,
    confirmed: true,
    has: '.content',
  },
  retryDestination: {
    method: 'POST',
    path: '/agent/v1/posts/{postId}/retry',
    key: true,
    confirmed: true,
    has: '.channelId',
  },
  requestApproval: {
    method: 'POST',
    path: '/agent/v1/posts/{postId}/approval',
    key: true,
    confirmed: true,
    has: '.postId',
  },
  labelPosts: {
    method: 'POST',
    path: '/agent/v1/posts/labels',
    key: true,
    confirmed: true,
    has: '.posts[].postId',
  },
  listLabels: { method: 'GET', path: '/agent/v1/labels', has: '.labels[]' },
  readLabelResults: { method: 'GET', path: '/agent/v1/labels/results', has: '.label' },
  createSeries: { method: 'POST', path: '/agent/v1/series', key: true, confirmed: true, has: '.seriesId' },
  listSeries: { method: 'GET', path: '/agent/v1/series', has: '.items[].seriesId' },
  readSeries: { method: 'GET', path: '/agent/v1/series/{seriesId}', has: '.seriesId' },
  editSeries: {
    method: 'POST',
    path: '/agent/v1/series/{seriesId}/edit',
    key: true,
    confirmed: true,
    has: '.seriesId',
  },
  skipOccurrence: {
    method: 'POST',
    path: '/agent/v1/series/{seriesId}/skip',
    key: true,
    confirmed: true,
    has: '.seriesId',
  },
  setSeriesStatus: {
    method: 'POST',
    path: '/agent/v1/series/{seriesId}/status',
    key: true,
    confirmed: true,
    has: '.seriesId',
  },
  createTemplate: {
    method: 'POST',
    path: '/agent/v1/templates',
    key: true,
    confirmed: true,
    has: '.templateId',
  },
  listTemplates: { method: 'GET', path: '/agent/v1/templates', has: '.templates[].templateId' },
  readTemplate: { method: 'GET', path: '/agent/v1/templates/{templateId}', has: '.templateId' },
  changeTemplate: {
    method: 'POST',
    path: '/agent/v1/templates/{templateId}',
    key: true,
    confirmed: true,
    has: '.templateId',
  },
  deleteTemplate: { method: 'DELETE', path: '/agent/v1/templates/{templateId}', has: '.templateId' },
  uploadMedia: {
    method: 'POST',
    path: '/agent/v1/media',
    key: true,
    file: 'file',
    confirmed: true,
    has: '.mediaId',
  },
  createUploadAddress: {
    method: 'POST',
    path: '/agent/v1/media/uploads',
    confirmed: true,
    has: '.uploadUrl',
  },
  listMedia: { method: 'GET', path: '/agent/v1/media', has: '.items[].mediaId' },
  readMedia: { method: 'GET', path: '/agent/v1/media/{mediaId}', has: '.mediaId' },
  readMediaContent: { method: 'GET', path: '/agent/v1/media/{mediaId}/content', bytes: true },
  updateMedia: {
    method: 'POST',
    path: '/agent/v1/media/{mediaId}',
    key: true,
    confirmed: true,
    has: '.mediaId',
  },
  deleteMedia: { method: 'DELETE', path: '/agent/v1/media/{mediaId}', has: '.mediaId' },
  generatePostDrafts: {
    method: 'POST',
    path: '/agent/v1/ai/post-drafts',
    key: true,
    confirmed: true,
    has: '.generationId',
  },
  generatePostImage: {
    method: 'POST',
    path: '/agent/v1/ai/post-images',
    key: true,
    confirmed: true,
    has: '.generationId',
  },
  listAiModels: { method: 'GET', path: '/agent/v1/ai/models', has: '.models[].modelId' },
  listEvents: { method: 'GET', path: '/agent/v1/events', has: '.items[].id' },
  listOwnEndpoints: { method: 'GET', path: '/agent/v1/webhook-endpoints', has: '[].endpointId' },
  createOwnEndpoint: { method: 'POST', path: '/agent/v1/webhook-endpoints', has: '.endpointId' },
  readOwnEndpoint: { method: 'GET', path: '/agent/v1/webhook-endpoints/{endpointId}', has: '.endpointId' },
  rotateOwnEndpointSecret: {
    method: 'POST',
    path: '/agent/v1/webhook-endpoints/{endpointId}/rotate',
    has: '.secret',
  },
  testOwnEndpoint: { method: 'POST', path: '/agent/v1/webhook-endpoints/{endpointId}/test', has: '.eventId' },
  listOwnDeliveries: {
    method: 'GET',
    path: '/agent/v1/webhook-endpoints/{endpointId}/deliveries',
    has: '[].eventId',
  },
  listOwnDeliveryAttempts: {
    method: 'GET',
    path: '/agent/v1/webhook-endpoints/{endpointId}/deliveries/{eventId}/attempts',
    has: '[].round',
  },
  resendOwnDelivery: {
    method: 'POST',
    path: '/agent/v1/webhook-endpoints/{endpointId}/deliveries/{eventId}/resend',
    has: '.endpointId',
  },
  replayOwnDeliveries: {
    method: 'POST',
    path: '/agent/v1/webhook-endpoints/{endpointId}/replay',
    has: '.count',
  },
  deleteOwnEndpoint: {
    method: 'DELETE',
    path: '/agent/v1/webhook-endpoints/{endpointId}',
    has: '.endpointId',
  },
} as const
