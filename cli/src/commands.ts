import { contentNames, type FieldName, fieldRows, postFieldNames } from '@postrider/contract/plan'
import type { Command, Option, Options } from './command.ts'
import { optionsFrom } from './fields.ts'

const DRY_RUN = { says: 'Show what would change, without changing anything.' } satisfies Option
const KEY = {
  value: '<key>',
  says: 'Idempotency key: repeating the command with the same key has no second effect. Default: a new key.',
} satisfies Option
const CHANNEL = {
  value: '<channel>',
  says: 'Only on this channel: a handle, `provider:handle` or ID.',
} satisfies Option
const TIME =
  'When: `2027-01-01T09:00+01:00`, a local time such as `2027-01-01T09:00` with --time-zone, or relative to now: `+10m`, `+2h`, `+3d`.'
const ZONE = {
  value: '<zone>',
  says: 'Time zone of local times, such as Europe/Berlin. Default: the zone of the workspace.',
} satisfies Option
const QUEUE = {
  value: '<next or first>',
  says: 'Instead of a time: the next posting time after each channel’s queue, or the first free one.',
} satisfies Option
const writes = { 'dry-run': DRY_RUN, 'idempotency-key': KEY } satisfies Options
const ALT = { value: '<text>', many: true, says: 'Alt text, in the order of --media.' } satisfies Option

/** The options of fields of a post. */
function optionsOf(names: readonly FieldName[]): Options {
  const named = names.flatMap((name): [string, Option][] => {
    const { option, plan } = fieldRows[name]
    if (option === undefined) return []
    const { value, says } = option
    const many = plan.schema.type === 'array' ? { many: true as const } : {}
    const own: [string, Option] = [option.name, { value, ...many, says }]
    return name === 'mediaIds' ? [own, ['alt', ALT]] : [own]
  })
  return Object.fromEntries(named)
}

/** The options that take fields away. */
const removals: Options = Object.fromEntries(
  contentNames.flatMap((name) => {
    const { option } = fieldRows[name]
    return option?.removes === undefined ? [] : [[`no-${option.name}`, { says: option.removes }]]
  }),
)
const content = optionsOf(contentNames)
const ofPost = optionsOf(postFieldNames)
const planned = {
  to: {
    value: '<channel>',
    many: true,
    says: 'Channel: a handle, `provider:handle` or ID. Repeat, or separate with commas.',
  },
  ...content,
  at: { value: '<time>', says: TIME },
  queue: QUEUE,
  'time-zone': ZONE,
  spread: {
    value: '<minutes>',
    says: 'With --at and several channels: spread evenly over this many minutes.',
  },
  draft: { says: 'Save as a draft.' },
  ...ofPost,
  template: {
    value: '<name or ID>',
    says: 'Create it from a template. Options such as --to replace what the template says. `postrider call listTemplates` lists them.',
  },
  field: { value: '<name=value>', many: true, says: 'A field of the template. Repeat for several.' },
  immediate: { says: 'Publish as soon as a person approves it.' },
} satisfies Options
const planFile = ['<file>'] as const

/** Every command, in the order of the help. */
export const commands: Readonly<Record<string, Command>> = {
  login: {
    says: 'Log in to a server, in a browser (here or on another device) or with an agent key.',
    takes: ['[address]'],
    options: {
      key: { says: 'Read an agent key from standard input instead of opening a browser.' },
      device: { says: 'Show a code to enter in a browser on another device, for example over SSH.' },
      'no-browser': { says: 'Print the URL instead of opening a browser.' },
    },
    load: () => import('./commands/login.ts'),
  },
  logout: {
    says: 'Log out: end the login on the server and delete it here.',
    takes: ['[address]'],
    load: () => import('./commands/logout.ts'),
  },
  whoami: {
    says: 'Show your login, workspace and permissions.',
    load: () => import('./commands/whoami.ts'),
  },
  post: {
    says: 'Create a post: scheduled, as a draft, or for approval. `-` reads the text from standard input.',
    takes: ['[text]'],
    options: {
      ...planned,
      reference: { value: '<name>', says: 'Your own name for the post, unique in the workspace.' },
      wait: { says: 'Wait until it is published or has failed.' },
      ...writes,
    },
    load: () => import('./commands/post.ts'),
  },
  check: {
    says: 'Check whether a post would be accepted, without saving it.',
    takes: ['[text]'],
    options: planned,
    load: () => import('./commands/check.ts'),
  },
  list: {
    says: 'List posts, newest first.',
    options: {
      ...optionsFrom('listPosts', ['cursor', 'limit', 'channelId']),
      channel: CHANNEL,
      limit: { value: '<number>', says: 'Maximum number. Default: 20.' },
    },
    load: () => import('./commands/list.ts'),
  },
  show: {
    says: 'Show a post and its status on each channel.',
    takes: ['<postId>'],
    options: {
      history: { says: 'Include its history: attempts, evidence, events, decisions.' },
      wait: { says: 'Wait until its status no longer changes automatically.' },
    },
    load: () => import('./commands/show.ts'),
  },
  edit: {
    says: 'Edit the text, media or thread of a post. The rest does not change.',
    takes: ['<postId>'],
    options: {
      text: { value: '<text>', says: 'The new text; `-` reads it from standard input.' },
      ...content,
      ...removals,
      part: {
        value: '<index>',
        says: 'Give --text, --media and --no-media to this part: 0 is the first, then the follow-ups.',
      },
      channel: CHANNEL,
      ...writes,
    },
    load: () => import('./commands/edit.ts'),
  },
  schedule: {
    says: 'Schedule a post, or change its time.',
    takes: ['<postId>'],
    options: {
      at: { value: '<time>', says: TIME },
      queue: QUEUE,
      shift: {
        value: '<duration>',
        says: 'Instead of a time: moves all that is scheduled of the post, by P1D, PT90M or, for earlier, -PT2H.',
      },
      'time-zone': ZONE,
      channel: CHANNEL,
      ...writes,
    },
    goesOn: true,
    load: () => import('./commands/schedule.ts'),
  },
  cancel: {
    says: 'Cancel a post, or only on one channel, before publishing starts.',
    takes: ['<postId>'],
    options: { channel: CHANNEL, ...writes },
    load: () => import('./commands/cancel.ts'),
  },
  retry: {
    says: 'Retry a post that failed on a channel, or go on with a thread whose rest was refused, now or at --at or --queue.',
    takes: ['<postId>'],
    options: {
      at: { value: '<time>', says: TIME },
      queue: QUEUE,
      'time-zone': ZONE,
      channel: CHANNEL,
      ...writes,
    },
    load: () => import('./commands/retry.ts'),
  },
  label: {
    says: 'Add or remove labels, or show the results of a label: `label <postId…> --add <label>`, `label --results <label>`.',
    takes: ['[postId…]'],
    options: {
      add: { value: '<label>', many: true, says: 'Add this label. Repeat for several.' },
      remove: { value: '<label>', many: true, says: 'Remove this label. Repeat for several.' },
      results: { value: '<label>', says: 'Count the posts with this label by status and channel.' },
      from: { value: '<time>', says: 'With --results: of what is published from then on.' },
      to: { value: '<time>', says: 'And before then; with the range before to compare.' },
      'idempotency-key': KEY,
    },
    load: () => import('./commands/label.ts'),
  },
  series: {
    says: 'Posts again and again by a rule: `series list`, `show`, `create`, `edit`, `skip <seriesId> <date>`, `unskip`, `pause`, `resume`, `end`.',
    takes: ['<verb>', '[seriesId…]'],
    options: {
      rule: { value: '<rule>', says: 'When it repeats, as in RFC 5545: `FREQ=WEEKLY;BYDAY=MO;COUNT=10`.' },
      starts: {
        value: '<time>',
        says: 'The time of day and the first day, by the clocks of --time-zone: `2027-01-04T09:00`.',
      },
      'time-zone': ZONE,
      except: {
        value: '<date>',
        many: true,
        says: 'A day without an occurrence; several times for several.',
      },
      to: planned.to,
      text: { value: '<text>', many: true, says: 'The text; several times for texts that take turns.' },
      ...ofPost,
      from: {
        value: '<date>',
        says: 'Of `edit`: from this day on. Of `show`: its occurrences from this day on.',
      },
      only: { value: '<date>', says: 'Of `edit`: only the occurrence of this day.' },
      at: { value: '<time>', says: 'Of `edit --only`: its time, with an offset.' },
      status: { value: '<status>', choices: ['active', 'paused', 'ended'], says: 'Of `list`: only these.' },
      limit: { value: '<number>', says: 'How many at most: 20 if left out.' },
      ...writes,
    },
    load: () => import('./commands/series.ts'),
  },
  media: {
    says: 'Upload files, or list them: `media upload <file…>`, `media list`.',
    takes: ['<upload|list>', '[file…]'],
    options: {
      alt: { value: '<text>', many: true, says: 'Alt text, in the order of the files.' },
      ...optionsFrom('listMedia', ['cursor', 'limit']),
      limit: { value: '<number>', says: 'Maximum number. Default: 20.' },
      ...writes,
    },
    load: () => import('./commands/media.ts'),
  },
  channels: { says: 'List the channels of the workspace.', load: () => import('./commands/channels.ts') },
  calendar: {
    says: 'Show the posts of a period. Default: the next 31 days.',
    options: { ...optionsFrom('readCalendar', ['channelId']), channel: CHANNEL },
    load: () => import('./commands/calendar.ts'),
  },
  events: {
    says: 'List events, oldest first. --follow continues with new ones.',
    options: {
      ...optionsFrom('listEvents', ['limit']),
      follow: { says: 'Continue until interrupted, then print the last cursor.' },
    },
    load: () => import('./commands/events.ts'),
  },
  plan: {
    says: 'Show what `apply` would change, for a file or a folder of posts.',
    takes: planFile,
    options: {
      force: { says: 'Also undo manual changes.' },
      'exit-code': { says: 'Exit with 1 if anything would change.' },
    },
    load: () => import('./commands/plan.ts'),
  },
  apply: {
    says: 'Create, change and cancel posts to match a file or folder. Safe to repeat.',
    takes: planFile,
    options: {
      force: { says: 'Also undo manual changes.' },
      wait: { says: 'Wait until what was created or changed is published or has failed.' },
      'dry-run': DRY_RUN,
    },
    load: () => import('./commands/apply.ts'),
  },
  import: {
    says: 'Create the posts of a CSV file or a plan, all or none. Safe to repeat.',
    takes: planFile,
    options: {
      name: { value: '<name>', says: 'Permanent name of the import. Default: the file name.' },
      to: { value: '<channel>', many: true, says: 'Channel for posts without one.' },
      'time-zone': ZONE,
      'dry-run': DRY_RUN,
    },
    load: () => import('./commands/import.ts'),
  },
  export: {
    says: 'Export posts with their results, as a plan or CSV. Default: scheduled posts.',
    options: {
      format: {
        value: '<format>',
        says: '`plan` for `plan` and `apply`, or `csv` for spreadsheets.',
        choices: ['plan', 'csv'],
      },
      ...optionsFrom('exportPosts', ['format', 'plan', 'from', 'to', 'channelId']),
      channel: CHANNEL,
      plan: { value: '<id>', says: 'ID of the plan. If it exists, only its posts are exported.' },
      from: { value: '<time>', says: 'Only posts due from this time. Default: now.' },
      to: { value: '<time>', says: 'Only posts due before this time.' },
    },
    load: () => import('./commands/export.ts'),
  },
  listen: {
    says: 'Forward events to your program as they happen, signed like webhooks, until interrupted.',
    options: {
      'forward-to': { value: '<address>', says: 'Such as http://127.0.0.1:3000/hook. Required.' },
      events: { value: '<types>', says: 'Event types, separated by commas. Default: all.' },
    },
    load: () => import('./commands/listen.ts'),
  },
  mcp: {
    says: 'Serve the MCP tools over stdin and stdout, for clients that start programs.',
    load: () => import('./commands/mcp.ts'),
  },
  call: {
    says: 'Call an API operation by its ID, with `name=value` for each field. Without an ID, list them.',
    takes: ['[operation]', '[name=value…]'],
    options: {
      body: { value: '<json>', says: 'The body as JSON, in addition to named fields.' },
      file: { value: '<file>', says: 'The file to upload.' },
      output: { value: '<file>', says: 'Where to save the answer.' },
      ...writes,
    },
    load: () => import('./commands/call.ts'),
  },
  completion: {
    says: 'Print the completion script for bash, zsh or fish.',
    takes: ['<shell>'],
    load: async () => {
      const { printCompletion } = await import('./commands/completion.ts')
      return { run: ({ args: [shell = ''] }) => printCompletion(shell, { commands, common }) }
    },
  },
}

/** Options of every command. */
export const common: Options = {
  json: { says: 'Print JSON, including errors.' },
  server: {
    value: '<address>',
    says: 'The server. Default: POSTRIDER_URL, or the last login.',
  },
  workspace: {
    value: '<id or name>',
    says: 'The workspace, on the machine of a server and without a login. Default: POSTRIDER_WORKSPACE.',
  },
  help: { says: 'Show help for the command.' },
}

/** The options of a command, with those of every command; where they share a name, its own says more. */
export function withCommon({ options = {} }: Command): Options {
  return { ...options, ...common, ...options }
}
