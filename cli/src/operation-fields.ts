// Printed from the contract by `npm run generate`. Not edited by hand.

/** One field of a request. `json`: it is written as JSON. */
export type Field = {
  readonly in: 'path' | 'query' | 'body'
  readonly type: 'text' | 'whole' | 'yes' | 'time' | 'json'
  readonly required?: true
  readonly choices?: readonly string[]
  readonly says: string
}

export type OperationShape = {
  readonly says: string
  readonly fields: Readonly<Record<string, Field>>
  readonly file?: true
}

export const operationFields = {
  readMe: { says: 'Read who you are here', fields: {} },
  listChannels: { says: 'List the enabled channels', fields: {} },
  readCalendar: {
    says: 'Read the calendar',
    fields: {
      from: {
        in: 'query',
        type: 'time',
        required: true,
        says: 'RFC 3339 date-time with `Z` or an offset, to the millisecond: further digits must be 0. `:60` is the next second.',
      },
      to: {
        in: 'query',
        type: 'time',
        required: true,
        says: 'RFC 3339 date-time with `Z` or an offset, to the millisecond: further digits must be 0. `:60` is the next second.',
      },
      channelId: { in: 'query', type: 'text', says: 'A channel, or a channel group: any of its channels.' },
      status: {
        in: 'query',
        type: 'text',
        choices: [
          'all',
          'draft',
          'scheduled',
          'publishing',
          'published',
          'partially_published',
          'failed',
          'delayed',
          'reconnect_required',
          'checking',
          'cancelled',
          'expired',
        ],
        says: 'Destinations in this status. `published` includes `partially_published`, `scheduled` includes `delayed`.',
      },
      includeDrafts: { in: 'query', type: 'yes', says: 'Includes drafts with a time.' },
      label: { in: 'query', type: 'text', says: 'Only posts that have this label now.' },
    },
  },
  checkPost: {
    says: 'Check a post plan without creating anything',
    fields: {
      state: {
        in: 'body',
        type: 'text',
        required: true,
        choices: ['draft', 'scheduled', 'immediate'],
        says: '`scheduled` is published at `publishAt`, `immediate` once a person has approved it.',
      },
      template: {
        in: 'body',
        type: 'json',
        says: 'The template to use. Other fields, such as `channelIds`, override it.',
      },
      channelIds: {
        in: 'body',
        type: 'json',
        says: 'Channels or channel groups that get the shared content. Either this or `targets`.',
      },
      text: {
        in: 'body',
        type: 'text',
        says: 'Each channel has its own limit and way of counting. May be empty if the part has media.',
      },
      mediaIds: {
        in: 'body',
        type: 'json',
        says: 'Media of the part, in order. See `media` of the channel for what it accepts.',
      },
      thread: {
        in: 'body',
        type: 'json',
        says: 'Follow-up parts, each published as a reply to the one before.',
      },
      firstComment: {
        in: 'body',
        type: 'json',
        says: 'Published last, as a reply to the first part, on channels with `capabilities.firstComment`.',
      },
      tagLinks: {
        in: 'body',
        type: 'yes',
        says: "`false` publishes the links as they are, without the workspace's link tags.",
      },
      targets: {
        in: 'body',
        type: 'json',
        says: 'One entry per channel, each with its own content. Either this or `channelIds`.',
      },
      labels: { in: 'body', type: 'json', says: 'Never published.' },
      publishAt: {
        in: 'body',
        type: 'time',
        says: 'Required for `scheduled`, unless each target has its own; refused otherwise.',
      },
      spreadMinutes: {
        in: 'body',
        type: 'whole',
        says: 'With a shared `publishAt`: the first channel is published then, the last so many minutes later, the others evenly in between.',
      },
      postId: {
        in: 'body',
        type: 'text',
        says: 'The post that the plan changes: its own texts are no duplicates, and it is no post of today.',
      },
    },
  },
  checkPosts: {
    says: 'Check up to 100 post plans',
    fields: { posts: { in: 'body', type: 'json', required: true, says: '' } },
  },
  listPosts: {
    says: 'List posts',
    fields: {
      cursor: { in: 'query', type: 'text', says: 'The `nextCursor` of the previous answer. Opaque.' },
      limit: { in: 'query', type: 'whole', says: 'The maximum number of items.' },
      q: { in: 'query', type: 'text', says: 'Text to find.' },
      status: {
        in: 'query',
        type: 'text',
        choices: [
          'all',
          'draft',
          'scheduled',
          'publishing',
          'published',
          'partially_published',
          'failed',
          'delayed',
          'reconnect_required',
          'checking',
          'cancelled',
          'expired',
        ],
        says: 'Destinations in this status. `published` includes `partially_published`, `scheduled` includes `delayed`.',
      },
      channelId: { in: 'query', type: 'text', says: 'A channel, or a channel group: any of its channels.' },
      from: { in: 'query', type: 'time', says: '`publishAt` or `publishedAt` not before this.' },
      to: { in: 'query', type: 'time', says: '`publishAt` or `publishedAt` before this.' },
      reviewStatus: {
        in: 'query',
        type: 'text',
        choices: ['not_required', 'pending', 'approved', 'rejected'],
        says: 'Whether a person must approve the post, and what they decided. Editing a rejected post asks again.',
      },
      author: { in: 'query', type: 'text', says: 'The exact name in `createdBy`.' },
      createdById: { in: 'query', type: 'text', says: 'The id in `createdBy`.' },
      updatedSince: { in: 'query', type: 'time', says: 'Posts changed at this time or later.' },
      label: { in: 'query', type: 'text', says: 'Only posts that have this label now.' },
      idempotencyKey: {
        in: 'query',
        type: 'text',
        says: 'Your own key for this one effect. Reuse it only to repeat the same request. Keys are shared by all credentials of a workspace, per operation: repeating the request returns the first result.',
      },
      reference: {
        in: 'query',
        type: 'text',
        says: 'The `reference` of one post, or with `*` at its end a prefix.',
      },
    },
  },
  readPost: {
    says: 'Read a post',
    fields: {
      postId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      include: {
        in: 'query',
        type: 'text',
        choices: ['history'],
        says: 'Adds what happened: attempts, evidence, events, decisions.',
      },
    },
  },
  createPost: {
    says: 'Create a post',
    fields: {
      state: {
        in: 'body',
        type: 'text',
        required: true,
        choices: ['draft', 'scheduled', 'immediate'],
        says: '`scheduled` is published at `publishAt`, `immediate` once a person has approved it.',
      },
      template: {
        in: 'body',
        type: 'json',
        says: 'The template to use. Other fields, such as `channelIds`, override it.',
      },
      channelIds: {
        in: 'body',
        type: 'json',
        says: 'Channels or channel groups that get the shared content. Either this or `targets`.',
      },
      text: {
        in: 'body',
        type: 'text',
        says: 'Each channel has its own limit and way of counting. May be empty if the part has media.',
      },
      mediaIds: {
        in: 'body',
        type: 'json',
        says: 'Media of the part, in order. See `media` of the channel for what it accepts.',
      },
      thread: {
        in: 'body',
        type: 'json',
        says: 'Follow-up parts, each published as a reply to the one before.',
      },
      firstComment: {
        in: 'body',
        type: 'json',
        says: 'Published last, as a reply to the first part, on channels with `capabilities.firstComment`.',
      },
      tagLinks: {
        in: 'body',
        type: 'yes',
        says: "`false` publishes the links as they are, without the workspace's link tags.",
      },
      targets: {
        in: 'body',
        type: 'json',
        says: 'One entry per channel, each with its own content. Either this or `channelIds`.',
      },
      labels: { in: 'body', type: 'json', says: 'Never published.' },
      publishAt: {
        in: 'body',
        type: 'time',
        says: 'Required for `scheduled`, unless each target has its own; refused otherwise.',
      },
      spreadMinutes: {
        in: 'body',
        type: 'whole',
        says: 'With a shared `publishAt`: the first channel is published then, the last so many minutes later, the others evenly in between.',
      },
      reference: {
        in: 'body',
        type: 'text',
        says: 'Your own name for the post, unique in the workspace forever: creating another post with it is refused, whatever the idempotency key.',
      },
      dryRun: {
        in: 'body',
        type: 'yes',
        says: 'Checks everything and stores nothing. Returns what would be created, with 200 instead of 201 and meaningless ids and tokens.',
      },
    },
  },
  createPosts: {
    says: 'Create up to 100 posts',
    fields: {
      idempotencyKey: {
        in: 'body',
        type: 'text',
        says: 'Of the whole batch. Repeat it with all rows unchanged but refused ones, which may change or be left out.',
      },
      posts: { in: 'body', type: 'json', required: true, says: '' },
      allOrNothing: {
        in: 'body',
        type: 'yes',
        says: 'Creates all posts, or none if a row is refused: the others then say `batch_refused`.',
      },
      dryRun: {
        in: 'body',
        type: 'yes',
        says: 'Checks everything and stores nothing. Returns what would be created, with 200 instead of 201 and meaningless ids and tokens.',
      },
    },
  },
  importPosts: {
    says: 'Import posts from a file',
    fields: {
      format: {
        in: 'body',
        type: 'text',
        required: true,
        choices: ['csv', 'plan'],
        says: '`csv` has a header; `plan` is a plan for `postrider plan`, as YAML or JSON.',
      },
      file: { in: 'body', type: 'text', required: true, says: 'The content of the file.' },
      name: {
        in: 'body',
        type: 'text',
        says: 'For CSV: the permanent name of the import. A plan has its own.',
      },
      channelIds: { in: 'body', type: 'json', says: 'For posts that name no channels or channel groups.' },
      timeZone: {
        in: 'body',
        type: 'text',
        says: 'The IANA time zone of local times; that of the workspace if omitted.',
      },
      media: { in: 'body', type: 'json', says: 'Media items by their names or addresses in the file.' },
      dryRun: {
        in: 'body',
        type: 'yes',
        says: 'Checks everything and stores nothing. Returns what would be created, with 200 instead of 201 and meaningless ids and tokens.',
      },
    },
  },
  exportPosts: {
    says: 'Export posts to a file',
    fields: {
      format: {
        in: 'query',
        type: 'text',
        required: true,
        choices: ['csv', 'yaml', 'json'],
        says: '`yaml` and `json` are a plan.',
      },
      plan: { in: 'query', type: 'text', says: 'The name of the plan. Its own posts keep their ids in it.' },
      from: { in: 'query', type: 'time', says: '`publishAt` or `publishedAt` not before this.' },
      to: { in: 'query', type: 'time', says: '`publishAt` or `publishedAt` before this.' },
      status: {
        in: 'query',
        type: 'text',
        choices: [
          'all',
          'draft',
          'scheduled',
          'publishing',
          'published',
          'partially_published',
          'failed',
          'delayed',
          'reconnect_required',
          'checking',
          'cancelled',
          'expired',
        ],
        says: 'Destinations in this status. `published` includes `partially_published`, `scheduled` includes `delayed`.',
      },
      channelId: { in: 'query', type: 'text', says: 'A channel, or a channel group: any of its channels.' },
      label: { in: 'query', type: 'text', says: 'Only posts that have this label now.' },
    },
  },
  editPost: {
    says: 'Edit a post',
    fields: {
      postId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      editToken: {
        in: 'body',
        type: 'text',
        required: true,
        says: 'The current `editToken`. Every change of content, review or a time replaces it, also that of one channel.',
      },
      content: { in: 'body', type: 'json', required: true, says: '' },
      keepOwn: { in: 'body', type: 'yes', says: 'Refuses the edit if it would have `warnings`.' },
    },
  },
  changeChannels: {
    says: 'Add or remove channels of a post',
    fields: {
      postId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      editToken: {
        in: 'body',
        type: 'text',
        required: true,
        says: 'The current `editToken`. Every change of content, review or a time replaces it, also that of one channel.',
      },
      add: { in: 'body', type: 'json', says: '' },
      remove: { in: 'body', type: 'json', says: '' },
    },
  },
  scheduleDestination: {
    says: 'Give a draft a time',
    fields: {
      postId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      channelId: { in: 'body', type: 'text', says: 'Lower-case UUID.' },
      controlToken: {
        in: 'body',
        type: 'text',
        says: "The destination's current `controlToken`. Every change replaces it.",
      },
      editToken: {
        in: 'body',
        type: 'text',
        says: 'The current `editToken`. Every change of content, review or a time replaces it, also that of one channel.',
      },
      publishAt: { in: 'body', type: 'time', required: true, says: '' },
    },
  },
  rescheduleDestination: {
    says: 'Give a scheduled destination, or the post, another time',
    fields: {
      postId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      channelId: { in: 'body', type: 'text', says: 'Lower-case UUID.' },
      controlToken: {
        in: 'body',
        type: 'text',
        says: "The destination's current `controlToken`. Every change replaces it.",
      },
      editToken: {
        in: 'body',
        type: 'text',
        says: 'The current `editToken`. Every change of content, review or a time replaces it, also that of one channel.',
      },
      publishAt: { in: 'body', type: 'time', says: '' },
      shift: {
        in: 'body',
        type: 'text',
        says: 'Instead of `publishAt`, with `editToken`: an ISO 8601 duration of weeks, days, hours and minutes, such as `P1D`, or `-PT90M` for earlier. A day is 24 hours.',
      },
    },
  },
  cancelDestination: {
    says: 'Cancel a destination, or the post',
    fields: {
      postId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      channelId: { in: 'body', type: 'text', says: 'Lower-case UUID.' },
      controlToken: {
        in: 'body',
        type: 'text',
        says: "The destination's current `controlToken`. Every change replaces it.",
      },
      editToken: {
        in: 'body',
        type: 'text',
        says: 'The current `editToken`. Every change of content, review or a time replaces it, also that of one channel.',
      },
    },
  },
  retryDestination: {
    says: 'Retry a failed destination',
    fields: {
      postId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      channelId: { in: 'body', type: 'text', required: true, says: 'Lower-case UUID.' },
      controlToken: {
        in: 'body',
        type: 'text',
        required: true,
        says: "The destination's current `controlToken`. Every change replaces it.",
      },
      publishAt: { in: 'body', type: 'time', required: true, says: '' },
      content: {
        in: 'body',
        type: 'json',
        says: 'As in `ContentChange`, for this channel; `settings: {}` removes its settings.',
      },
    },
  },
  requestApproval: {
    says: 'Ask for the approval of a draft',
    fields: {
      postId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      editToken: {
        in: 'body',
        type: 'text',
        required: true,
        says: 'The current `editToken`. Every change of content, review or a time replaces it, also that of one channel.',
      },
    },
  },
  labelPosts: {
    says: 'Add or remove labels',
    fields: {
      postIds: { in: 'body', type: 'json', required: true, says: '' },
      add: { in: 'body', type: 'json', says: 'Never published.' },
      remove: { in: 'body', type: 'json', says: '' },
    },
  },
  listLabels: { says: 'List labels', fields: {} },
  readLabelResults: {
    says: 'Read the results of a label',
    fields: {
      label: {
        in: 'query',
        type: 'text',
        required: true,
        says: 'Such as the name of a campaign. Case-insensitive.',
      },
      from: {
        in: 'query',
        type: 'time',
        says: 'RFC 3339 date-time with `Z` or an offset, to the millisecond: further digits must be 0. `:60` is the next second.',
      },
      to: {
        in: 'query',
        type: 'time',
        says: 'RFC 3339 date-time with `Z` or an offset, to the millisecond: further digits must be 0. `:60` is the next second.',
      },
    },
  },
  createSeries: {
    says: 'Create a series',
    fields: {
      rule: {
        in: 'body',
        type: 'text',
        required: true,
        says: 'When it repeats, as in RFC 5545: `FREQ` (`DAILY`, `WEEKLY` or `MONTHLY`) with `INTERVAL`, `BYDAY`, `BYMONTHDAY` and `WKST`, ending with `COUNT` or `UNTIL` (a day, inclusive). At most 1000 occurrences.',
      },
      startsAt: {
        in: 'body',
        type: 'json',
        required: true,
        says: 'Time of day, time zone, and the first possible day: `COUNT` and `INTERVAL` count from it.',
      },
      except: { in: 'body', type: 'json', says: 'Days of the rule that are left out.' },
      channelIds: {
        in: 'body',
        type: 'json',
        says: 'Channels or channel groups that get the shared content. Either this or `targets`.',
      },
      text: {
        in: 'body',
        type: 'text',
        says: 'Each channel has its own limit and way of counting. May be empty if the part has media.',
      },
      mediaIds: {
        in: 'body',
        type: 'json',
        says: 'Media of the part, in order. See `media` of the channel for what it accepts.',
      },
      thread: {
        in: 'body',
        type: 'json',
        says: 'Follow-up parts, each published as a reply to the one before.',
      },
      firstComment: {
        in: 'body',
        type: 'json',
        says: 'Published last, as a reply to the first part, on channels with `capabilities.firstComment`.',
      },
      tagLinks: {
        in: 'body',
        type: 'yes',
        says: "`false` publishes the links as they are, without the workspace's link tags.",
      },
      targets: {
        in: 'body',
        type: 'json',
        says: 'One entry per channel, each with its own content. Either this or `channelIds`.',
      },
      labels: { in: 'body', type: 'json', says: 'Never published.' },
      contents: {
        in: 'body',
        type: 'json',
        says: 'Instead of `text`, with `channelIds`: occurrences use these in turn.',
      },
      dryRun: { in: 'body', type: 'yes', says: 'Checks everything, stores nothing, returns 200.' },
    },
  },
  listSeries: {
    says: 'List series',
    fields: {
      cursor: { in: 'query', type: 'text', says: 'The `nextCursor` of the previous answer. Opaque.' },
      limit: { in: 'query', type: 'whole', says: 'The maximum number of items.' },
      status: { in: 'query', type: 'text', choices: ['active', 'paused', 'ended'], says: '' },
    },
  },
  readSeries: {
    says: 'Read a series',
    fields: {
      seriesId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      from: {
        in: 'query',
        type: 'text',
        says: 'A day in the time zone of the series. It names the occurrence on that day.',
      },
      only: {
        in: 'query',
        type: 'text',
        says: 'Only this occurrence, with the whole `content` of its post.',
      },
    },
  },
  editSeries: {
    says: 'Edit a series, or one occurrence of it',
    fields: {
      seriesId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      editToken: {
        in: 'body',
        type: 'text',
        required: true,
        says: 'The current `editToken`. Every change of content, review or a time replaces it, also that of one channel.',
      },
      only: {
        in: 'body',
        type: 'text',
        says: 'A day in the time zone of the series. It names the occurrence on that day.',
      },
      from: {
        in: 'body',
        type: 'text',
        says: 'A day in the time zone of the series. It names the occurrence on that day.',
      },
      publishAt: {
        in: 'body',
        type: 'time',
        says: 'With `only`: its time, not from a queue. Null restores that of the series.',
      },
      rule: {
        in: 'body',
        type: 'text',
        says: 'When it repeats, as in RFC 5545: `FREQ` (`DAILY`, `WEEKLY` or `MONTHLY`) with `INTERVAL`, `BYDAY`, `BYMONTHDAY` and `WKST`, ending with `COUNT` or `UNTIL` (a day, inclusive). At most 1000 occurrences.',
      },
      startsAt: {
        in: 'body',
        type: 'json',
        says: 'Time of day, time zone, and the first possible day: `COUNT` and `INTERVAL` count from it.',
      },
      except: { in: 'body', type: 'json', says: 'Days of the rule that are left out.' },
      channelIds: {
        in: 'body',
        type: 'json',
        says: 'Channels or channel groups that get the shared content. Either this or `targets`.',
      },
      text: {
        in: 'body',
        type: 'text',
        says: 'Each channel has its own limit and way of counting. May be empty if the part has media.',
      },
      mediaIds: {
        in: 'body',
        type: 'json',
        says: 'Media of the part, in order. See `media` of the channel for what it accepts.',
      },
      thread: {
        in: 'body',
        type: 'json',
        says: 'Follow-up parts, each published as a reply to the one before.',
      },
      firstComment: { in: 'body', type: 'json', says: '' },
      tagLinks: {
        in: 'body',
        type: 'yes',
        says: "`false` publishes the links as they are, without the workspace's link tags.",
      },
      targets: {
        in: 'body',
        type: 'json',
        says: 'One entry per channel, each with its own content. Either this or `channelIds`.',
      },
      labels: { in: 'body', type: 'json', says: 'Never published.' },
      contents: {
        in: 'body',
        type: 'json',
        says: 'Instead of `text`, with `channelIds`: occurrences use these in turn.',
      },
      dryRun: { in: 'body', type: 'yes', says: 'Changes nothing.' },
    },
  },
  skipOccurrence: {
    says: 'Skip or restore an occurrence',
    fields: {
      seriesId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      editToken: {
        in: 'body',
        type: 'text',
        required: true,
        says: 'The current `editToken`. Every change of content, review or a time replaces it, also that of one channel.',
      },
      date: {
        in: 'body',
        type: 'text',
        required: true,
        says: 'A day in the time zone of the series. It names the occurrence on that day.',
      },
      skip: { in: 'body', type: 'yes', says: '`false` restores it.' },
    },
  },
  setSeriesStatus: {
    says: 'Pause, resume or end a series',
    fields: {
      seriesId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      editToken: {
        in: 'body',
        type: 'text',
        required: true,
        says: 'The current `editToken`. Every change of content, review or a time replaces it, also that of one channel.',
      },
      status: { in: 'body', type: 'text', required: true, choices: ['active', 'paused', 'ended'], says: '' },
    },
  },
  createTemplate: {
    says: 'Create a template',
    fields: {
      name: { in: 'body', type: 'text', required: true, says: '' },
      text: {
        in: 'body',
        type: 'text',
        required: true,
        says: 'Each channel has its own limit and way of counting. May be empty if the part has media.',
      },
      mediaIds: {
        in: 'body',
        type: 'json',
        says: 'Media of the part, in order. See `media` of the channel for what it accepts.',
      },
      thread: {
        in: 'body',
        type: 'json',
        says: 'Follow-up parts, each published as a reply to the one before.',
      },
      firstComment: {
        in: 'body',
        type: 'json',
        says: 'Published last, as a reply to the first part, on channels with `capabilities.firstComment`.',
      },
      tagLinks: {
        in: 'body',
        type: 'yes',
        says: "`false` publishes the links as they are, without the workspace's link tags.",
      },
      channelIds: {
        in: 'body',
        type: 'json',
        says: 'Channels or channel groups that get the shared content. Either this or `targets`.',
      },
      labels: { in: 'body', type: 'json', says: 'Never published.' },
    },
  },
  listTemplates: { says: 'List templates', fields: {} },
  readTemplate: {
    says: 'Read a template',
    fields: { templateId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' } },
  },
  changeTemplate: {
    says: 'Change a template',
    fields: {
      templateId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      editToken: {
        in: 'body',
        type: 'text',
        required: true,
        says: 'The current `editToken`. Every change of content, review or a time replaces it, also that of one channel.',
      },
      name: { in: 'body', type: 'text', required: true, says: '' },
      text: {
        in: 'body',
        type: 'text',
        required: true,
        says: 'Each channel has its own limit and way of counting. May be empty if the part has media.',
      },
      mediaIds: {
        in: 'body',
        type: 'json',
        says: 'Media of the part, in order. See `media` of the channel for what it accepts.',
      },
      thread: {
        in: 'body',
        type: 'json',
        says: 'Follow-up parts, each published as a reply to the one before.',
      },
      firstComment: {
        in: 'body',
        type: 'json',
        says: 'Published last, as a reply to the first part, on channels with `capabilities.firstComment`.',
      },
      tagLinks: {
        in: 'body',
        type: 'yes',
        says: "`false` publishes the links as they are, without the workspace's link tags.",
      },
      channelIds: {
        in: 'body',
        type: 'json',
        says: 'Channels or channel groups that get the shared content. Either this or `targets`.',
      },
      labels: { in: 'body', type: 'json', says: 'Never published.' },
    },
  },
  deleteTemplate: {
    says: 'Delete a template',
    fields: { templateId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' } },
  },
  uploadMedia: {
    says: 'Upload a file',
    fields: {
      altText: {
        in: 'body',
        type: 'text',
        says: 'What an image shows, or a recording says, for people who cannot see or hear it.',
      },
      sourceUrl: {
        in: 'body',
        type: 'text',
        says: 'Instead of `file`: a public https address. The server fetches it within two minutes, without following redirects.',
      },
    },
    file: true,
  },
  createUploadAddress: {
    says: 'Get an address for one upload',
    fields: {
      idempotencyKey: {
        in: 'body',
        type: 'text',
        required: true,
        says: 'Your own key for this one effect. Reuse it only to repeat the same request. Keys are shared by all credentials of a workspace, per operation: repeating the request returns the first result.',
      },
      altText: {
        in: 'body',
        type: 'text',
        says: 'What an image shows, or a recording says, for people who cannot see or hear it.',
      },
    },
  },
  listMedia: {
    says: 'List media',
    fields: {
      cursor: { in: 'query', type: 'text', says: 'The `nextCursor` of the previous answer. Opaque.' },
      kind: { in: 'query', type: 'text', choices: ['image', 'video', 'audio', 'document'], says: '' },
      limit: { in: 'query', type: 'whole', says: 'The maximum number of items.' },
      sentSha256: {
        in: 'query',
        type: 'text',
        says: 'The SHA-256 of a file, in lower-case hexadecimal: finds what was uploaded with exactly these bytes.',
      },
    },
  },
  readMedia: {
    says: 'Read a media item',
    fields: { mediaId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' } },
  },
  readMediaContent: {
    says: 'Read the bytes of an image',
    fields: {
      mediaId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      width: { in: 'query', type: 'whole', says: 'The maximum width in pixels.' },
    },
  },
  updateMedia: {
    says: 'Change an alt text',
    fields: {
      mediaId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      altText: { in: 'body', type: 'json', required: true, says: 'Null removes it.' },
    },
  },
  deleteMedia: {
    says: 'Delete a file',
    fields: { mediaId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' } },
  },
  generatePostDrafts: {
    says: 'Generate drafts',
    fields: {
      brief: {
        in: 'body',
        type: 'text',
        required: true,
        says: 'What it is about: material for the model, not instructions.',
      },
      destinations: {
        in: 'body',
        type: 'json',
        required: true,
        says: 'What the text must fit, each destination once.',
      },
      language: { in: 'body', type: 'text', required: true, says: 'A language tag (BCP 47).' },
      tone: { in: 'body', type: 'text', required: true, says: '' },
      result: {
        in: 'body',
        type: 'text',
        required: true,
        choices: ['draft', 'rewrite', 'shorten', 'expand', 'thread'],
        says: '`draft`: a new text. `rewrite`, `shorten`, `expand`: work on `currentText`. `thread`: a text with follow-up parts, each within the limit.',
      },
      audience: { in: 'body', type: 'text', says: '' },
      currentText: { in: 'body', type: 'text', says: 'Required for `rewrite`, `shorten` and `expand`.' },
      mediaIds: {
        in: 'body',
        type: 'json',
        says: 'Media of the post: vision models get the images, others the alt texts. Also needs the permission `media:read`.',
      },
      modelId: { in: 'body', type: 'text', says: 'From `listAiModels`; the default if omitted.' },
      mode: {
        in: 'body',
        type: 'text',
        choices: ['shared', 'tailored'],
        says: '`shared`: one text for all destinations. `tailored`: one for each.',
      },
    },
  },
  generatePostImage: {
    says: 'Generate an image',
    fields: {
      prompt: { in: 'body', type: 'text', required: true, says: 'What the image should show.' },
      altText: { in: 'body', type: 'text', required: true, says: 'Kept with the media item.' },
      aspectRatio: {
        in: 'body',
        type: 'text',
        required: true,
        choices: ['1:1', '4:5', '5:4', '3:4', '4:3', '2:3', '3:2', '9:16', '16:9'],
        says: 'Width to height.',
      },
      provider: {
        in: 'body',
        type: 'text',
        required: true,
        choices: ['openai', 'google'],
        says: '`openai` is also the server at OPENAI_BASE_URL.',
      },
      modelId: { in: 'body', type: 'text', says: 'An image model of that vendor; its default if omitted.' },
    },
  },
  listAiModels: { says: 'List the models', fields: {} },
  listEvents: {
    says: 'Catch up on events',
    fields: {
      cursor: { in: 'query', type: 'text', says: 'The `nextCursor` of the previous answer. Opaque.' },
      limit: { in: 'query', type: 'whole', says: 'The maximum number of items.' },
      since: { in: 'query', type: 'time', says: 'Only events created at this time or later.' },
      type: {
        in: 'query',
        type: 'text',
        choices: [
          'post.scheduled',
          'post.published',
          'post.partial',
          'post.failed',
          'post.delayed',
          'post.reconnect_required',
          'post.recovery_required',
          'post.cancelled',
          'post.expired',
          'post.created',
          'post.edited',
          'approval.requested',
          'approval.decided',
          'post.duplicate_found',
        ],
        says: 'Only events of this type.',
      },
      postId: { in: 'query', type: 'text', says: 'Only events of this post.' },
      label: { in: 'query', type: 'text', says: 'Only posts that have this label now.' },
    },
  },
  listOwnEndpoints: { says: 'List your webhook endpoints', fields: {} },
  createOwnEndpoint: {
    says: 'Create a webhook endpoint',
    fields: {
      url: { in: 'body', type: 'text', required: true, says: 'An https address.' },
      eventTypes: { in: 'body', type: 'json', required: true, says: '' },
      description: { in: 'body', type: 'text', says: '' },
      autoReplay: {
        in: 'body',
        type: 'yes',
        says: 'Whether failed deliveries of the last 24 hours are resent once the endpoint answers again, except final refusals.',
      },
    },
  },
  readOwnEndpoint: {
    says: 'Read a webhook endpoint',
    fields: { endpointId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' } },
  },
  rotateOwnEndpointSecret: {
    says: 'Rotate the signing secret',
    fields: {
      endpointId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      atOnce: { in: 'body', type: 'yes', required: true, says: '' },
    },
  },
  testOwnEndpoint: {
    says: 'Send a test event',
    fields: {
      endpointId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      type: {
        in: 'body',
        type: 'text',
        choices: [
          'post.scheduled',
          'post.published',
          'post.partial',
          'post.failed',
          'post.delayed',
          'post.reconnect_required',
          'post.recovery_required',
          'post.cancelled',
          'post.expired',
          'post.created',
          'post.edited',
          'approval.requested',
          'approval.decided',
          'post.duplicate_found',
        ],
        says: '',
      },
    },
  },
  listOwnDeliveries: {
    says: 'List deliveries',
    fields: {
      endpointId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      status: { in: 'query', type: 'text', choices: ['pending', 'sending', 'delivered', 'failed'], says: '' },
      before: { in: 'query', type: 'text', says: 'Lower-case UUID.' },
      limit: { in: 'query', type: 'whole', says: 'The maximum number of items.' },
    },
  },
  listOwnDeliveryAttempts: {
    says: 'List the attempts of a delivery',
    fields: {
      endpointId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      eventId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
    },
  },
  resendOwnDelivery: {
    says: 'Resend a delivery',
    fields: {
      endpointId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      eventId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
    },
  },
  replayOwnDeliveries: {
    says: 'Resend everything since a time',
    fields: {
      endpointId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      since: {
        in: 'body',
        type: 'time',
        required: true,
        says: 'RFC 3339 date-time with `Z` or an offset, to the millisecond: further digits must be 0. `:60` is the next second.',
      },
      onlyFailed: { in: 'body', type: 'yes', required: true, says: '' },
    },
  },
  deleteOwnEndpoint: {
    says: 'Delete a webhook endpoint',
    fields: { endpointId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' } },
  },
} as const satisfies Record<string, OperationShape>
