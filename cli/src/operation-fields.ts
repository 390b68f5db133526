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
        says: 'RFC 3339 date-time with `Z` or an offset; a time without an offset is refused, and so is one finer than a millisecond: digits after the third are 0. `:60` is the next second.',
      },
      to: {
        in: 'query',
        type: 'time',
        required: true,
        says: 'RFC 3339 date-time with `Z` or an offset; a time without an offset is refused, and so is one finer than a millisecond: digits after the third are 0. `:60` is the next second.',
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
        says: 'Destinations in this status. `published` takes in `partially_published`, `scheduled` takes in `delayed`.',
      },
      includeDrafts: { in: 'query', type: 'yes', says: 'Also drafts that have a time.' },
      label: { in: 'query', type: 'text', says: 'Only what belongs to posts that have this label now.' },
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
        says: '`draft` waits, `scheduled` is published at `publishAt`, `immediate` is published once a person has approved it.',
      },
      template: {
        in: 'body',
        type: 'json',
        says: 'The template to use. Other fields, such as `channelIds`, replace what the template says.',
      },
      channelIds: {
        in: 'body',
        type: 'json',
        says: 'The channels, or channel groups, that get the shared content. Either this or `targets`.',
      },
      text: {
        in: 'body',
        type: 'text',
        says: 'The text. Each channel has its own limit and its own way of counting. May be empty if the part has media.',
      },
      mediaIds: {
        in: 'body',
        type: 'json',
        says: 'Media of the part, in order. `media` of a channel says what it accepts.',
      },
      thread: {
        in: 'body',
        type: 'json',
        says: 'Follow-up parts, each published as a reply to the one before.',
      },
      firstComment: {
        in: 'body',
        type: 'json',
        says: 'A comment on the post, published last, as a reply to the first part. Only for channels with `capabilities.firstComment`.',
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
      labels: {
        in: 'body',
        type: 'json',
        says: 'What the post is found by, besides its text. Labels are not published.',
      },
      publishAt: {
        in: 'body',
        type: 'time',
        says: 'When to publish: required for `scheduled` unless each target has its own, refused otherwise.',
      },
      spreadMinutes: {
        in: 'body',
        type: 'whole',
        says: 'With a `publishAt` of all: the first channel is published then, the last so many minutes later, the others evenly between them.',
      },
      postId: {
        in: 'body',
        type: 'text',
        says: 'The post that the plan is to change: it is no repetition of itself.',
      },
    },
  },
  listPosts: {
    says: 'List posts',
    fields: {
      cursor: {
        in: 'query',
        type: 'text',
        says: 'The `nextCursor` of the answer before, unchanged. Opaque.',
      },
      limit: { in: 'query', type: 'whole', says: 'How many items at most.' },
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
        says: 'Destinations in this status. `published` takes in `partially_published`, `scheduled` takes in `delayed`.',
      },
      channelId: { in: 'query', type: 'text', says: 'A channel, or a channel group: any of its channels.' },
      from: { in: 'query', type: 'time', says: '`publishAt` or `publishedAt` not before this.' },
      to: { in: 'query', type: 'time', says: '`publishAt` or `publishedAt` before this.' },
      reviewStatus: {
        in: 'query',
        type: 'text',
        choices: ['not_required', 'pending', 'approved', 'rejected'],
        says: 'Whether a person has to approve the post: not at all, not decided yet, or decided. A rejected post can be edited, and asks again.',
      },
      author: { in: 'query', type: 'text', says: 'The name in `createdBy`, as it stands there.' },
      createdById: { in: 'query', type: 'text', says: 'The id in `createdBy`: of a key or an app.' },
      updatedSince: {
        in: 'query',
        type: 'time',
        says: 'Changed at this time or later, itself or on a channel.',
      },
      label: { in: 'query', type: 'text', says: 'Only what belongs to posts that have this label now.' },
      idempotencyKey: {
        in: 'query',
        type: 'text',
        says: 'Your own key for this one effect, of visible ASCII characters. Send it again only with an unchanged request. All credentials of a workspace share its keys, for each operation: whoever repeats the request gets the first result.',
      },
      reference: {
        in: 'query',
        type: 'text',
        says: 'The `reference` of one post; with `*` at its end, all that begin so.',
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
        says: 'Also what happened: attempts, evidence, events, decisions.',
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
        says: '`draft` waits, `scheduled` is published at `publishAt`, `immediate` is published once a person has approved it.',
      },
      template: {
        in: 'body',
        type: 'json',
        says: 'The template to use. Other fields, such as `channelIds`, replace what the template says.',
      },
      channelIds: {
        in: 'body',
        type: 'json',
        says: 'The channels, or channel groups, that get the shared content. Either this or `targets`.',
      },
      text: {
        in: 'body',
        type: 'text',
        says: 'The text. Each channel has its own limit and its own way of counting. May be empty if the part has media.',
      },
      mediaIds: {
        in: 'body',
        type: 'json',
        says: 'Media of the part, in order. `media` of a channel says what it accepts.',
      },
      thread: {
        in: 'body',
        type: 'json',
        says: 'Follow-up parts, each published as a reply to the one before.',
      },
      firstComment: {
        in: 'body',
        type: 'json',
        says: 'A comment on the post, published last, as a reply to the first part. Only for channels with `capabilities.firstComment`.',
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
      labels: {
        in: 'body',
        type: 'json',
        says: 'What the post is found by, besides its text. Labels are not published.',
      },
      publishAt: {
        in: 'body',
        type: 'time',
        says: 'When to publish: required for `scheduled` unless each target has its own, refused otherwise.',
      },
      spreadMinutes: {
        in: 'body',
        type: 'whole',
        says: 'With a `publishAt` of all: the first channel is published then, the last so many minutes later, the others evenly between them.',
      },
      reference: {
        in: 'body',
        type: 'text',
        says: 'Your own name for the post, of visible ASCII characters. A workspace has each once, for good: a create with one that a post has is refused, whatever its idempotency key.',
      },
      dryRun: {
        in: 'body',
        type: 'yes',
        says: 'Checks everything and stores nothing. What would be created is answered with 200 instead of 201: its ids and tokens belong to nothing, and its key stays unused.',
      },
    },
  },
  createPosts: {
    says: 'Create up to 100 posts',
    fields: {
      posts: { in: 'body', type: 'json', required: true, says: '' },
      allOrNothing: {
        in: 'body',
        type: 'yes',
        says: 'Creates all posts, or none where a row is refused: the others then say `batch_refused`.',
      },
      dryRun: {
        in: 'body',
        type: 'yes',
        says: 'Checks everything and stores nothing. What would be created is answered with 200 instead of 201: its ids and tokens belong to nothing, and its key stays unused.',
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
        says: '`csv` has a header; `plan` is what `postrider plan` reads, as YAML or JSON.',
      },
      file: { in: 'body', type: 'text', required: true, says: 'The text of the file.' },
      name: {
        in: 'body',
        type: 'text',
        says: 'For CSV: the permanent name of the import. A plan has its own.',
      },
      channelIds: {
        in: 'body',
        type: 'json',
        says: 'The channels, or channel groups, of posts that name none.',
      },
      timeZone: {
        in: 'body',
        type: 'text',
        says: 'The IANA name of the zone of local times; that of the workspace if left out.',
      },
      media: {
        in: 'body',
        type: 'json',
        says: 'Media items by the names, or addresses, that stand for them in the file.',
      },
      dryRun: {
        in: 'body',
        type: 'yes',
        says: 'Checks everything and stores nothing. What would be created is answered with 200 instead of 201: its ids and tokens belong to nothing, and its key stays unused.',
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
      plan: {
        in: 'query',
        type: 'text',
        says: 'The name of the plan: posts of it are named by their ids in it.',
      },
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
        says: 'Destinations in this status. `published` takes in `partially_published`, `scheduled` takes in `delayed`.',
      },
      channelId: { in: 'query', type: 'text', says: 'A channel, or a channel group: any of its channels.' },
      label: { in: 'query', type: 'text', says: 'Only what belongs to posts that have this label now.' },
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
        says: "The post's `editToken`, as read last. It is replaced by every edit.",
      },
      content: { in: 'body', type: 'json', required: true, says: '' },
      keepOwn: { in: 'body', type: 'yes', says: 'Refuses what would otherwise be done with `warnings`.' },
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
        says: "The post's `editToken`, as read last. It is replaced by every edit.",
      },
      add: { in: 'body', type: 'json', says: '' },
      remove: { in: 'body', type: 'json', says: '' },
    },
  },
  scheduleDestination: {
    says: 'Give a draft a time',
    fields: {
      postId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      channelId: { in: 'body', type: 'text', required: true, says: 'Lower-case UUID.' },
      controlToken: {
        in: 'body',
        type: 'text',
        required: true,
        says: "The destination's `controlToken`, as read last. It is replaced whenever the destination changes.",
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
        says: "The destination's `controlToken`, as read last. It is replaced whenever the destination changes.",
      },
      editToken: {
        in: 'body',
        type: 'text',
        says: "The post's `editToken`, as read last. It is replaced by every edit.",
      },
      publishAt: { in: 'body', type: 'time', says: '' },
      shift: {
        in: 'body',
        type: 'text',
        says: 'Instead of `publishAt`, with `editToken`: by how much each time moves, as an ISO 8601 duration of weeks, days, hours and minutes, with a minus for earlier. A day is 24 hours, also where the clocks change.',
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
        says: "The destination's `controlToken`, as read last. It is replaced whenever the destination changes.",
      },
      editToken: {
        in: 'body',
        type: 'text',
        says: "The post's `editToken`, as read last. It is replaced by every edit.",
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
        says: "The destination's `controlToken`, as read last. It is replaced whenever the destination changes.",
      },
      publishAt: { in: 'body', type: 'time', required: true, says: '' },
      content: {
        in: 'body',
        type: 'json',
        says: 'The changes for this channel. A field that is left out is kept, and one that is given is replaced as a whole. `mediaIds: []`, `thread: []`, `firstComment: null` and `settings: {}` remove.',
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
        says: "The post's `editToken`, as read last. It is replaced by every edit.",
      },
    },
  },
  labelPosts: {
    says: 'Add or remove labels',
    fields: {
      postIds: { in: 'body', type: 'json', required: true, says: '' },
      add: {
        in: 'body',
        type: 'json',
        says: 'What the post is found by, besides its text. Labels are not published.',
      },
      remove: {
        in: 'body',
        type: 'json',
        says: 'What the post is found by, besides its text. Labels are not published.',
      },
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
        says: 'A label of posts, such as the name of a campaign. Compared without case.',
      },
      from: {
        in: 'query',
        type: 'time',
        says: 'RFC 3339 date-time with `Z` or an offset; a time without an offset is refused, and so is one finer than a millisecond: digits after the third are 0. `:60` is the next second.',
      },
      to: {
        in: 'query',
        type: 'time',
        says: 'RFC 3339 date-time with `Z` or an offset; a time without an offset is refused, and so is one finer than a millisecond: digits after the third are 0. `:60` is the next second.',
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
        says: 'When it repeats, as in RFC 5545: `FREQ` (`DAILY`, `WEEKLY` or `MONTHLY`) with `INTERVAL`, `BYDAY`, `BYMONTHDAY` and `WKST`, ending with `COUNT` or `UNTIL` (a day, inclusive). 1000 occurrences at most.',
      },
      startsAt: {
        in: 'body',
        type: 'json',
        required: true,
        says: 'The time of day and its zone, and the day before which there is no occurrence. `COUNT` and `INTERVAL` count from it.',
      },
      except: { in: 'body', type: 'json', says: 'Days of the rule without an occurrence.' },
      channelIds: {
        in: 'body',
        type: 'json',
        says: 'The channels, or channel groups, that get the shared content. Either this or `targets`.',
      },
      text: {
        in: 'body',
        type: 'text',
        says: 'The text. Each channel has its own limit and its own way of counting. May be empty if the part has media.',
      },
      mediaIds: {
        in: 'body',
        type: 'json',
        says: 'Media of the part, in order. `media` of a channel says what it accepts.',
      },
      thread: {
        in: 'body',
        type: 'json',
        says: 'Follow-up parts, each published as a reply to the one before.',
      },
      firstComment: {
        in: 'body',
        type: 'json',
        says: 'A comment on the post, published last, as a reply to the first part. Only for channels with `capabilities.firstComment`.',
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
      labels: {
        in: 'body',
        type: 'json',
        says: 'What the post is found by, besides its text. Labels are not published.',
      },
      contents: {
        in: 'body',
        type: 'json',
        says: 'Instead of `text`, with `channelIds`: occurrences turn through these, in the order of the rule.',
      },
      dryRun: { in: 'body', type: 'yes', says: 'Checks everything and stores nothing, answered with 200.' },
    },
  },
  listSeries: {
    says: 'List series',
    fields: {
      cursor: {
        in: 'query',
        type: 'text',
        says: 'The `nextCursor` of the answer before, unchanged. Opaque.',
      },
      limit: { in: 'query', type: 'whole', says: 'How many items at most.' },
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
        says: 'A day by the clocks of the series: the name of its occurrence on that day.',
      },
      only: {
        in: 'query',
        type: 'text',
        says: 'Only this occurrence, with the whole `content` that its post will have.',
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
        says: "The post's `editToken`, as read last. It is replaced by every edit.",
      },
      only: {
        in: 'body',
        type: 'text',
        says: 'A day by the clocks of the series: the name of its occurrence on that day.',
      },
      from: {
        in: 'body',
        type: 'text',
        says: 'A day by the clocks of the series: the name of its occurrence on that day.',
      },
      publishAt: {
        in: 'body',
        type: 'time',
        says: 'With `only`: its time, not from a queue. `null`: that of the series again.',
      },
      rule: {
        in: 'body',
        type: 'text',
        says: 'When it repeats, as in RFC 5545: `FREQ` (`DAILY`, `WEEKLY` or `MONTHLY`) with `INTERVAL`, `BYDAY`, `BYMONTHDAY` and `WKST`, ending with `COUNT` or `UNTIL` (a day, inclusive). 1000 occurrences at most.',
      },
      startsAt: {
        in: 'body',
        type: 'json',
        says: 'The time of day and its zone, and the day before which there is no occurrence. `COUNT` and `INTERVAL` count from it.',
      },
      except: { in: 'body', type: 'json', says: 'Days of the rule without an occurrence.' },
      channelIds: {
        in: 'body',
        type: 'json',
        says: 'The channels, or channel groups, that get the shared content. Either this or `targets`.',
      },
      text: {
        in: 'body',
        type: 'text',
        says: 'The text. Each channel has its own limit and its own way of counting. May be empty if the part has media.',
      },
      mediaIds: {
        in: 'body',
        type: 'json',
        says: 'Media of the part, in order. `media` of a channel says what it accepts.',
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
      labels: {
        in: 'body',
        type: 'json',
        says: 'What the post is found by, besides its text. Labels are not published.',
      },
      contents: {
        in: 'body',
        type: 'json',
        says: 'Instead of `text`, with `channelIds`: occurrences turn through these, in the order of the rule.',
      },
      dryRun: { in: 'body', type: 'yes', says: 'Changes nothing.' },
    },
  },
  skipOccurrence: {
    says: 'Skip an occurrence, or take it up again',
    fields: {
      seriesId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      editToken: {
        in: 'body',
        type: 'text',
        required: true,
        says: "The post's `editToken`, as read last. It is replaced by every edit.",
      },
      date: {
        in: 'body',
        type: 'text',
        required: true,
        says: 'A day by the clocks of the series: the name of its occurrence on that day.',
      },
      skip: { in: 'body', type: 'yes', says: '`false` takes it up again.' },
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
        says: "The post's `editToken`, as read last. It is replaced by every edit.",
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
        says: 'The text. Each channel has its own limit and its own way of counting. May be empty if the part has media.',
      },
      mediaIds: {
        in: 'body',
        type: 'json',
        says: 'Media of the part, in order. `media` of a channel says what it accepts.',
      },
      thread: {
        in: 'body',
        type: 'json',
        says: 'Follow-up parts, each published as a reply to the one before.',
      },
      firstComment: {
        in: 'body',
        type: 'json',
        says: 'A comment on the post, published last, as a reply to the first part. Only for channels with `capabilities.firstComment`.',
      },
      tagLinks: {
        in: 'body',
        type: 'yes',
        says: "`false` publishes the links as they are, without the workspace's link tags.",
      },
      channelIds: {
        in: 'body',
        type: 'json',
        says: 'The channels, or channel groups, that get the shared content. Either this or `targets`.',
      },
      labels: {
        in: 'body',
        type: 'json',
        says: 'What the post is found by, besides its text. Labels are not published.',
      },
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
        says: "The post's `editToken`, as read last. It is replaced by every edit.",
      },
      name: { in: 'body', type: 'text', required: true, says: '' },
      text: {
        in: 'body',
        type: 'text',
        required: true,
        says: 'The text. Each channel has its own limit and its own way of counting. May be empty if the part has media.',
      },
      mediaIds: {
        in: 'body',
        type: 'json',
        says: 'Media of the part, in order. `media` of a channel says what it accepts.',
      },
      thread: {
        in: 'body',
        type: 'json',
        says: 'Follow-up parts, each published as a reply to the one before.',
      },
      firstComment: {
        in: 'body',
        type: 'json',
        says: 'A comment on the post, published last, as a reply to the first part. Only for channels with `capabilities.firstComment`.',
      },
      tagLinks: {
        in: 'body',
        type: 'yes',
        says: "`false` publishes the links as they are, without the workspace's link tags.",
      },
      channelIds: {
        in: 'body',
        type: 'json',
        says: 'The channels, or channel groups, that get the shared content. Either this or `targets`.',
      },
      labels: {
        in: 'body',
        type: 'json',
        says: 'What the post is found by, besides its text. Labels are not published.',
      },
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
        says: 'What an image shows, or a recording says, for those who cannot see or hear it.',
      },
      sourceUrl: {
        in: 'body',
        type: 'text',
        says: 'Instead of `file`: the public https address that the server fetches it from, within two minutes and without following redirects.',
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
        says: 'Your own key for this one effect, of visible ASCII characters. Send it again only with an unchanged request. All credentials of a workspace share its keys, for each operation: whoever repeats the request gets the first result.',
      },
      altText: {
        in: 'body',
        type: 'text',
        says: 'What an image shows, or a recording says, for those who cannot see or hear it.',
      },
    },
  },
  listMedia: {
    says: 'List media',
    fields: {
      cursor: {
        in: 'query',
        type: 'text',
        says: 'The `nextCursor` of the answer before, unchanged. Opaque.',
      },
      kind: { in: 'query', type: 'text', choices: ['image', 'video', 'audio', 'document'], says: '' },
      limit: { in: 'query', type: 'whole', says: 'How many items at most.' },
      sentSha256: {
        in: 'query',
        type: 'text',
        says: 'Only items made of this file: the SHA-256 of its bytes as they were sent, as 64 hexadecimal digits in lower case. Tells whether a file was uploaded before.',
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
      width: { in: 'query', type: 'whole', says: 'How many pixels wide at most.' },
    },
  },
  updateMedia: {
    says: 'Change an alt text',
    fields: {
      mediaId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      altText: { in: 'body', type: 'json', required: true, says: 'The new alt text; null for none.' },
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
        says: 'What it is to be about. Material for the model, not instructions to it.',
      },
      destinations: {
        in: 'body',
        type: 'json',
        required: true,
        says: 'Where the text is to fit, each destination once.',
      },
      language: {
        in: 'body',
        type: 'text',
        required: true,
        says: 'The language to write in, as a tag (BCP 47).',
      },
      tone: { in: 'body', type: 'text', required: true, says: '' },
      result: {
        in: 'body',
        type: 'text',
        required: true,
        choices: ['draft', 'rewrite', 'shorten', 'expand', 'thread'],
        says: '`draft`: a new text. `rewrite`, `shorten`, `expand`: of `currentText`. `thread`: a text and its follow-up parts, each within the limit.',
      },
      audience: { in: 'body', type: 'text', says: '' },
      currentText: {
        in: 'body',
        type: 'text',
        says: 'The text to work on; required for `rewrite`, `shorten` and `expand`.',
      },
      mediaIds: {
        in: 'body',
        type: 'json',
        says: 'Media that the post will carry: models that see are given the images, others their alt texts. Needs the permission `media:read`, too.',
      },
      modelId: {
        in: 'body',
        type: 'text',
        says: 'One of the models of `GET /agent/v1/ai/models`; their first when left out.',
      },
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
      prompt: { in: 'body', type: 'text', required: true, says: 'What the image is to show.' },
      altText: {
        in: 'body',
        type: 'text',
        required: true,
        says: 'What the image shows, for those who cannot see it; kept with the media item.',
      },
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
        says: 'Whose model draws; `openai` is also the server at OPENAI_BASE_URL.',
      },
      modelId: {
        in: 'body',
        type: 'text',
        says: 'One of the image models of that vendor; its first when left out.',
      },
    },
  },
  listAiModels: { says: 'List the models', fields: {} },
  listEvents: {
    says: 'Catch up on events',
    fields: {
      cursor: {
        in: 'query',
        type: 'text',
        says: 'The `nextCursor` of the answer before, unchanged. Opaque.',
      },
      limit: { in: 'query', type: 'whole', says: 'How many items at most.' },
      since: { in: 'query', type: 'time', says: 'Only events whose `createdAt` is not before this.' },
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
        ],
        says: 'Only events of this type.',
      },
      postId: { in: 'query', type: 'text', says: 'Only events of this post.' },
      label: { in: 'query', type: 'text', says: 'Only what belongs to posts that have this label now.' },
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
        says: 'Whether deliveries of the last 24 hours that failed are sent again once the endpoint answers. Refusals for good are not.',
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
      limit: { in: 'query', type: 'whole', says: 'How many items at most.' },
    },
  },
  listOwnDeliveryAttempts: {
    says: 'List the attempts at a delivery',
    fields: {
      endpointId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      eventId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
    },
  },
  resendOwnDelivery: {
    says: 'Send a delivery again',
    fields: {
      endpointId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      eventId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
    },
  },
  replayOwnDeliveries: {
    says: 'Send everything since a time again',
    fields: {
      endpointId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' },
      since: {
        in: 'body',
        type: 'time',
        required: true,
        says: 'RFC 3339 date-time with `Z` or an offset; a time without an offset is refused, and so is one finer than a millisecond: digits after the third are 0. `:60` is the next second.',
      },
      onlyFailed: { in: 'body', type: 'yes', required: true, says: '' },
    },
  },
  deleteOwnEndpoint: {
    says: 'Delete a webhook endpoint',
    fields: { endpointId: { in: 'path', type: 'text', required: true, says: 'Lower-case UUID.' } },
  },
} as const satisfies Record<string, OperationShape>
