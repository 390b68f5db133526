/*
 * What the server says with the names of its API, as people read it on a page: there, nobody knows `publishAt`. `{}` stands for what is
 * filled in, `<>` for what is told plainly, too. `npm run check:words` finds the sentences, and fails where one is missing here.
 */
export const plainSentences: readonly (readonly [said: string, plain: string])[] = [
  ['Column `{}`: {}', 'Column “{}”: <>'],
  // imports: the names of a file's columns are its writer's own
  [
    'A file holds {} posts. Shorten the time between `from` and `to`, or add a filter.',
    'A file holds {} posts. Choose a shorter period, or add a filter.',
  ],
  [
    'The texts of these posts are too long for one file. Shorten the time between `from` and `to`, or add a filter.',
    'The texts of these posts are too long for one file. Choose a shorter period, or add a filter.',
  ],
  [
    'This row is the same as line {}. Remove one of them, or give both an `id`.',
    'This row is the same as line {}. Remove one of them, or give both an “id”.',
  ],
  [
    '{} is also on line {}. Rows with the same `id` form one post, so each must name different `channels`.',
    '{} is also on line {}. Rows with the same “id” form one post, so each must name different channels.',
  ],
  [
    'Name the `channels` that the cell `{}` is for.',
    'Name the channels that the cell “{}” is for, in the column “channels”.',
  ],
  [
    'Line {} has another `{}` for {}. Rows with the same `id` form one post: repeat what its first row has, or leave this empty.',
    'Line {} has another “{}” for {}. Rows with the same “id” form one post: repeat what its first row has, or leave this empty.',
  ],
  [
    '`name` is missing. It identifies the import and its posts permanently.',
    'The name is missing. It identifies the import and its posts permanently.',
  ],
  [
    '`name` is not allowed with a plan, which has its own name.',
    'A plan has its own name. Leave the name out.',
  ],
  [
    'This workspace has no post {}. Leave `postId` empty to create one.',
    'This workspace has no post {}. Leave “postId” empty to create one.',
  ],
  ['Upload {}, then put its `mediaId` into `media`.', 'Upload {}.'],
  ['There is no column `text`. {}', 'There is no column “text”. <>'],
  [
    '{} has no channels. Give it `channels`, or set `channels` for all posts.',
    '{} has no channels. Give it some, or set “channels” for all posts.',
  ],
  ['This post is empty. Give it `text` or `media`.', 'This post is empty. Give it text or media.'],
  ['Give exactly one of `file`, `url` and `mediaId`.', 'Give exactly one of “file”, “url” and “mediaId”.'],

  // drafts and images by models
  [
    '{} has no threads. Leave it out, or ask for another `result`.',
    '{} has no threads. Leave it out, or choose another result.',
  ],
  ['A destination needs the `id` of a channel, or a `provider`.', 'Choose a channel or a network.'],
  [
    'There is no channel {} in this workspace. Take the `channelId` from the list of channels.',
    'Channel {} is not in this workspace.',
  ],
  ['The channel is one of {}, not of {}. Leave `provider` out.', 'The channel belongs to {}, not to {}.'],
  [
    'More than {} characters on {} need an account with a subscription ({}). Name the connected channel by its `id`.',
    'More than {} characters on {} need an account with a subscription ({}). Choose the connected channel.',
  ],
  [
    'This credential lacks `media:read`, which drafts about media need. Use one that has it, or leave `mediaIds` out.',
    'Drafts about media need the permission to see media.',
  ],
  [
    '`language` is no language tag (BCP 47), such as `en`, `de-AT` or `zh-Hant`.',
    'This is no language tag (BCP 47), such as “en”, “de-AT” or “zh-Hant”.',
  ],
  ['`currentText` is missing: `{}` needs a text to work on.', 'There is no text to work on.'],
  ['`altText` is empty. Say what the image shows.', 'The alt text is empty. Say what the image shows.'],
  [
    '`modelId` is none of the models of this server: {}.',
    'This server does not have that model. It has: {}.',
  ],

  // what was entered
  ['`url` must be an http or https address.', 'The address must begin with http or https.'],
  [
    '`expiresAt` is in the past. Give a later time, or none.',
    'The end is in the past. Choose a later time, or none.',
  ],
  ['`{}` is not a date-time that exists.', '{} is not a date and time that exists.'],
  ['`from` is not a day that exists.', 'That day doesn’t exist.'],
  ['`to` must be later than `from`.', 'The end must be later than the start.'],
  [
    '`to` can be at most {} days after `from`. Ask for shorter ranges, one after the other.',
    'The period can have at most {} days.',
  ],
  [
    '`{}` needs `{}`: a range is compared with as long a one before it.',
    'Choose both ends: the period is compared with an equally long one before it.',
  ],
  ['Say which channels to `add`, or to `remove`.', 'Choose which channels to add or remove.'],
  ['Say which labels to `add`, or to `remove`.', 'Choose which labels to add or remove.'],

  // lists
  ['Send the `nextCursor` of the previous page, with the same filters.', 'Reload the list.'],
  ['Send the `nextCursor` of the previous page, with the same search.', 'Reload the list.'],
  ['Send the `nextCursor` of the previous page, with the same `kind` and `sentSha256`.', 'Reload the list.'],
  [
    'The search had to read too many posts. Add a filter (`status`, `channelId`, `author`, `createdById`), shorten the time between `from` and `to`, or search for something that newer posts contain.',
    'The search had to read too many posts. Add a filter, choose a shorter period, or search for something that newer posts contain.',
  ],
  [
    'Too many posts have this label to count them now. List them with `label`.',
    'Too many posts have this label to count them now. Filter the list by it instead.',
  ],

  // what a post and its channels allow
  [
    'This server cannot connect accounts of the network {} in this way. `listNetworks` says what it can.',
    'This server can’t connect accounts of the network {} in this way.',
  ],
  ['This needs the permission `posts:write`.', 'This needs the permission to write posts.'],
  [
    'This credential lacks `media:read`, which the check of a plan with media needs. Use one that has it, or leave the media out.',
    'Posts with media need the permission to see media.',
  ],
  [
    'The file is {}, but its `Content-Type` says otherwise. Send the right type, or none.',
    'The file is {}, but was sent as something else. Export it again.',
  ],
  [
    'The rest of a thread takes no posting time. Give `publishAt` a date-time.',
    'The rest of a thread takes no posting time. Choose a time.',
  ],
  ['With `keepOwn` nothing is changed. {}', 'Nothing was changed. <>'],
  [
    'The channel had its own `{}`, which this edit of all channels replaces.',
    'The channel had content of its own, which this edit of all channels replaces.',
  ],
  ['Name the channels to change in `targets`.', 'Choose the channels to change.'],
  [
    'Name its `mediaIds`, `[]` for none, or change single parts with `parts`.',
    'Add the media again, or change single posts of the thread.',
  ],
  [
    '`publishAt` ({}) is not in the future; it is {} now.',
    'The time ({}) is not in the future. It is {} now.',
  ],
  ['`publishAt` is more than {} years ahead.', 'The time is more than {} years ahead.'],
  ['Take the `channelId` from the list of channels.', 'Choose a channel from the list.'],
  ['Upload the file and use the `mediaId` from the answer.', 'Upload the file.'],
  [
    'Leave `thread` out for this channel, or give the channel its own content in `targets`.',
    'Leave the follow-ups out for this channel, or give it its own text.',
  ],
  [
    'Leave `firstComment` out for this channel, or give the channel its own content in `targets`.',
    'Leave the first comment out for this channel, or give it its own text.',
  ],
  [
    'Leave the media out for this channel, or give the channel its own content in `targets`.',
    'Leave the media out for this channel, or give it its own content.',
  ],
  [
    'Give the channel its own content in `targets`. It takes {}.',
    'Give the channel its own content. It takes {}.',
  ],
  ['Add an `altText`.', 'Add alt text.'],
  ['`publishAt` is missing. For the whole post, `shift` can replace it.', 'The time is missing.'],
  [
    'Send `shift` with `editToken`, for the whole post, and without `publishAt`.',
    'Only a whole post can be moved by a duration.',
  ],
  ['`shift` must not be zero.', 'Choose a duration other than zero.'],
  ['`minutes` must not be zero.', 'Choose a duration other than zero.'],
  ['Say by how many `minutes` to move.', 'The duration is missing.'],
  ['Send `minutes` for `move` alone.', 'Only a move has a duration.'],
  ['`publishAt` is not a date-time that exists.', 'This date and time does not exist.'],
  [
    'The post is no longer `scheduled` on one of these channels. Read it again.',
    'The post is no longer scheduled on one of these channels. Look at it again.',
  ],
  [
    'Nothing of the post is `scheduled`: on each channel, it is a draft, or publishing has started or finished.',
    'Nothing of the post is scheduled: on each channel, it is a draft, or publishing has started or finished.',
  ],
  ['`text` is missing: a channel that is added needs it.', 'A channel that is added needs a text.'],
  ['Only a post that is `checking` can be resolved.', 'Only a post that is being checked can be resolved.'],
  [
    "This server can't decrypt the channel's access. Nothing was sent, and it retries automatically. `postrider doctor` says which key is missing.",
    'This server can’t decrypt the channel’s access. Nothing was sent, and it retries automatically. Your server operator can find out which key is missing (`postrider doctor`).',
  ],
  [
    'This server could not record the attempt in time, so nothing was sent. Publishing resumes automatically. `/readyz` shows whether the database is away or slow.',
    'This server could not record the attempt in time, so nothing was sent. Publishing resumes automatically.',
  ],

  // networks
  ['Attach one video, or leave `reel` out.', 'Attach one video, or don’t publish it as a reel.'],
  [
    'Leave `link` out and write the address in the text, or leave the media out.',
    'Leave the link card out and write the address in the text, or leave the media out.',
  ],
  ['Leave `firstComment` or `story` out.', 'Leave the first comment out, or don’t publish it as a story.'],
  [
    'Leave the text out for this channel, or leave `story` out.',
    'Leave the text out for this channel, or don’t publish it as a story.',
  ],
  [
    'Threads shows the preview of `link` only if the post has no media.',
    'Threads shows the link card only if the post has no media.',
  ],
  ['Leave `link` out, or publish without media.', 'Leave the link card out, or publish without media.'],
  [
    'Set `settings.title`, or write a text: its first line is the title.',
    'Write a text: its first line is the title.',
  ],
  ['Set `settings.title`, or begin with a shorter line.', 'Begin with a shorter line.'],
  ['Shorten the first line, or set `settings.title`.', 'Shorten the first line.'],
  [
    'Upload it as a video, or set `settings.stillImages` to publish the still.',
    'Upload it as a video, or allow a still for this channel.',
  ],
  [
    'The channel has no playlist with this `playlistId` that videos can be added to.',
    'The channel doesn’t have the chosen playlist, or no videos can be added to it.',
  ],
  [
    'Give it one video as the first item of `mediaIds`, or leave this channel out.',
    'Put one video first, or leave this channel out.',
  ],

  // series
  [
    'Add more `contents`, so that each is repeated later, or plan fewer occurrences.',
    'Add more texts, so that each is repeated later, or plan fewer occurrences.',
  ],
  [
    '`{}` is not allowed with `contents`: each of them has its own.',
    'Each content has its own of this: leave it out of the series.',
  ],
  [
    '`timeZone` must be the IANA name of a time zone, such as `Europe/Berlin`; `{}` is none.',
    'The time zone needs an IANA name, such as Europe/Berlin. “{}” is none.',
  ],
  [
    '`local` is not a date-time that exists, to the millisecond at most, such as `2026-12-01T09:00`.',
    'The start is not a date and time that exists.',
  ],
  [
    'The rule has no occurrence on {}. Leave the day out of `except`.',
    'The rule has no occurrence on {}, so the day can’t be skipped.',
  ],
  [
    'On {}, {} in {} {}. Choose another time of day, or put the day into `except`.',
    'On {}, {} in {} {}. Choose another time of day, or skip the day.',
  ],
  [
    'All occurrences of the rule are in the past. Change the rule, or `startsAt`.',
    'All occurrences of the rule are in the past. Change the rule, or the start.',
  ],
  [
    'The rule has no occurrences, or hardly any. Change its days, or `INTERVAL`.',
    'The rule has no occurrences, or hardly any. Change its days, or how often it repeats.',
  ],
  [
    'The rule has no occurrence from {} on. Change the rule, or `startsAt`.',
    'The rule has no occurrence from {} on. Change the rule, or the start.',
  ],
  [
    '`publishAt` belongs to one occurrence: name it with `only`.',
    'A time belongs to one occurrence. Choose which.',
  ],
  [
    '`from` is in the past: today is {}. Name a day from today on.',
    'That day is in the past: today is {}. Choose a day from today on.',
  ],
  [
    'The series already has {} future changes. Use the date of an existing change in `from`: it replaces that change and all later ones.',
    'The series already has {} future changes. Change it from the day of one of them: that replaces it and all later ones.',
  ],
  ['Edit it with `only`, or skip it.', 'Edit this occurrence alone, or skip it.'],
  [
    '`{}` is not allowed with `only`: one occurrence can have only its own content and time.',
    'One occurrence can have only its own content and time.',
  ],
  [
    'The series has no occurrence on {}. Its `occurrences` name the days.',
    'The series has no occurrence on {}.',
  ],

  // access, templates, webhooks
  [
    'Your role here is {}, which lacks `{}`. Ask an owner for another role.',
    'Your role here is {}, which doesn’t allow this. Ask an owner for another role.',
  ],
  [
    'This server sends no mail. Share the link yourself (`"deliverBy": "link"`).',
    'This server sends no mail. Share the link yourself.',
  ],
  [
    'The workspace has no template {}. `GET /agent/v1/templates` lists them.',
    'This workspace doesn’t have template {}.',
  ],
  [
    '`targets` is not allowed beside `template`: each target carries its own content. Give `channelIds`.',
    'A post made from a template has the same content on all channels.',
  ],
  [
    '`{}` begins no field. A field is `{{name}}`, of letters, digits, `_`, `-`, `.` and spaces. `constructor`, `prototype` and `__proto__` are none.',
    '“{}” begins no field. A field is a name between {{ and }}, of letters, digits, _, -, . and spaces. constructor, prototype and __proto__ are none.',
  ],
  [
    'This credential is limited to some channels, and so are the templates that it writes. Name some of them in `channelIds`.',
    'Your access is limited to some channels, and so are the templates that you write. Choose some of them.',
  ],
  [
    'This credential is limited to some of the posts, and an endpoint gets the events of all. Read `GET /agent/v1/events` instead.',
    'This access is limited to some of the posts, and an endpoint gets the events of all.',
  ],
]
