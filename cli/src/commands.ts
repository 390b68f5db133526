import type { Command, Option, Options } from './command.ts'
import { optionsFrom } from './fields.ts'

const DRY_RUN = { says: 'Say what would be done, and change nothing.' } satisfies Option
const KEY = {
  value: '<key>',
  says: 'The key of this one effect: the same command with the same key never does it twice. Made anew if left out.',
} satisfies Option
const CHANNEL = {
  value: '<channel>',
  says: 'Only on this channel: a handle, `provider:handle`, or an id.',
} satisfies Option
const TIME =
  'When: `2027-01-01T09:00+01:00`, a local time such as `2027-01-01T09:00` with --time-zone, or from now on: `+10m`, `+2h`, `+3d`.'
const ZONE = {
  value: '<zone>',
  says: 'The zone of a local time, such as Europe/Berlin; that of the workspace if left out.',
} satisfies Option
const QUEUE = {
  value: '<next or first>',
  says: 'Instead of a time: the next posting time of each channel after its queue, or the first free one.',
} satisfies Option
const writes = { 'dry-run': DRY_RUN, 'idempotency-key': KEY } satisfies Options
const content = {
  media: {
    value: '<file>',
    many: true,
    says: 'A file, an https address, or the id of a media item; several times for several.',
  },
  alt: { value: '<text>', many: true, says: 'What the file shows, in the order of --media.' },
  thread: {
    value: '<text>',
    many: true,
    says: 'A follow-up part, published as a reply to the one before; several times for several.',
  },
} satisfies Options
const planned = {
  to: {
    value: '<channel>',
    many: true,
    says: 'Where: a handle, `provider:handle`, or the id of a channel; several times, or with commas.',
  },
  ...content,
  at: { value: '<time>', says: TIME },
  queue: QUEUE,
  'time-zone': ZONE,
  spread: {
    value: '<minutes>',
    says: 'With --at and several channels: evenly over so many minutes, from the first channel to the last.',
  },
  draft: { says: 'Keep it as a draft.' },
  label: { value: '<label>', many: true, says: 'A label of the post; several times for several.' },
  immediate: { says: 'Publish it as soon as a person has approved it.' },
} satisfies Options
const planFile = ['<file>'] as const

/** Every command, in the order of the help. */
export const commands: Readonly<Record<string, Command>> = {
  login: {
    says: 'Sign in to a server: in the browser, here or on another device, or with an agent key.',
    takes: ['[address]'],
    options: {
      key: { says: 'Read an agent key from standard input, instead of opening the browser.' },
      device: { says: 'Show a code to enter in a browser on another device, as where you work over SSH.' },
      'no-browser': { says: 'Print the address to open, and open nothing.' },
    },
    load: () => import('./commands/login.ts'),
  },
  logout: {
    says: 'Sign out: end the login at the server, and forget it here.',
    takes: ['[address]'],
    load: () => import('./commands/logout.ts'),
  },
  whoami: {
    says: 'Say who you are, where, and what you may do.',
    load: () => import('./commands/whoami.ts'),
  },
  post: {
    says: 'Create a post: scheduled, as a draft, or for approval. `-` reads the text from standard input.',
    takes: ['[text]'],
    options: {
      ...planned,
      reference: { value: '<name>', says: 'Your own name for the post; a workspace has each once.' },
      wait: { says: 'Wait until it is published, or is not.' },
      ...writes,
    },
    load: () => import('./commands/post.ts'),
  },
  check: {
    says: 'Say whether a post would be accepted, and what to change; stores nothing.',
    takes: ['[text]'],
    options: planned,
    load: () => import('./commands/check.ts'),
  },
  list: {
    says: 'List posts, newest first.',
    options: {
      ...optionsFrom('listPosts', ['cursor', 'limit', 'channelId']),
      channel: CHANNEL,
      limit: { value: '<number>', says: 'How many at most: 20 if left out.' },
    },
    load: () => import('./commands/list.ts'),
  },
  show: {
    says: 'Show a post: its text, and where it stands on each channel.',
    takes: ['<postId>'],
    options: {
      history: { says: 'Also what happened: attempts, evidence, events, decisions.' },
      wait: { says: 'Wait until nothing more becomes of it by itself.' },
    },
    load: () => import('./commands/show.ts'),
  },
  edit: {
    says: 'Change the text, media or thread of a post. What is left out stays.',
    takes: ['<postId>'],
    options: {
      text: { value: '<text>', says: 'The new text; `-` reads it from standard input.' },
      ...content,
      'no-media': { says: 'Remove the media.' },
      'no-thread': { says: 'Remove the follow-up parts.' },
      channel: CHANNEL,
      ...writes,
    },
    load: () => import('./commands/edit.ts'),
  },
  schedule: {
    says: 'Give a post a time, or another one.',
    takes: ['<postId>'],
    options: {
      at: { value: '<time>', says: TIME },
      queue: QUEUE,
      'time-zone': ZONE,
      channel: CHANNEL,
      ...writes,
    },
    load: () => import('./commands/schedule.ts'),
  },
  cancel: {
    says: 'Cancel a post, or it on one channel, where it has not begun to be published.',
    takes: ['<postId>'],
    options: { channel: CHANNEL, ...writes },
    load: () => import('./commands/cancel.ts'),
  },
  retry: {
    says: 'Schedule again what failed on a channel; at once unless --at or --queue says when.',
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
    says: 'Add labels to posts, or remove them; without any, say what became of the posts with a label: `label <postId…> --add <label>`, `label --results <label>`.',
    takes: ['[postId…]'],
    options: {
      add: { value: '<label>', many: true, says: 'Add this label; several times for several.' },
      remove: { value: '<label>', many: true, says: 'Remove this label; several times for several.' },
      results: { value: '<label>', says: 'Count the posts with this label by status and channel.' },
      'idempotency-key': KEY,
    },
    load: () => import('./commands/label.ts'),
  },
  media: {
    says: 'Upload files, or list them: `media upload <file…>`, `media list`.',
    takes: ['<upload|list>', '[file…]'],
    options: {
      alt: { value: '<text>', many: true, says: 'What the file shows, in the order of the files.' },
      ...optionsFrom('listMedia', ['cursor', 'limit']),
      limit: { value: '<number>', says: 'How many at most: 20 if left out.' },
      ...writes,
    },
    load: () => import('./commands/media.ts'),
  },
  channels: { says: 'List the channels of the workspace.', load: () => import('./commands/channels.ts') },
  calendar: {
    says: 'Show what is published from one time to another: the next 31 days if left out.',
    options: { ...optionsFrom('readCalendar', ['channelId']), channel: CHANNEL },
    load: () => import('./commands/calendar.ts'),
  },
  events: {
    says: 'List what happened to posts, oldest first; --follow goes on with what happens.',
    options: {
      ...optionsFrom('listEvents', ['limit']),
      follow: { says: 'Go on until it is interrupted. The last cursor is told at the end.' },
    },
    load: () => import('./commands/events.ts'),
  },
  plan: {
    says: 'Show what `apply` would change, for a file or a folder of posts.',
    takes: planFile,
    options: {
      force: { says: 'Also undo what somebody changed by hand.' },
      'exit-code': { says: 'End with 1 where something would change.' },
    },
    load: () => import('./commands/plan.ts'),
  },
  apply: {
    says: 'Make the posts what a file or a folder says: once, however often it is run.',
    takes: planFile,
    options: { force: { says: 'Also undo what somebody changed by hand.' }, 'dry-run': DRY_RUN },
    load: () => import('./commands/apply.ts'),
  },
  import: {
    says: 'Create the posts of a CSV file or a plan, all or none. Run again, it makes nothing twice.',
    takes: planFile,
    options: {
      name: { value: '<name>', says: 'Names the import for good; made of the name of the file if left out.' },
      to: { value: '<channel>', many: true, says: 'Where posts go that name no channels.' },
      'time-zone': ZONE,
      'dry-run': DRY_RUN,
    },
    load: () => import('./commands/import.ts'),
  },
  export: {
    says: 'Write posts as a plan or as CSV, with their results: those that are scheduled, where no --status is given.',
    options: {
      format: {
        value: '<format>',
        says: '`plan` for `plan` and `apply`, or `csv` for spreadsheets.',
        choices: ['plan', 'csv'],
      },
      ...optionsFrom('exportPosts', ['format', 'plan', 'from', 'to', 'channelId']),
      channel: CHANNEL,
      plan: { value: '<id>', says: 'The id that the plan is to have; the posts of it, where there are any.' },
      from: { value: '<time>', says: 'Only what is to be published from then on; now if left out.' },
      to: { value: '<time>', says: 'And before then.' },
    },
    load: () => import('./commands/export.ts'),
  },
  listen: {
    says: 'Forward events to a program of yours as they happen, signed as webhooks are, until it is interrupted.',
    options: {
      'forward-to': { value: '<address>', says: 'Such as http://127.0.0.1:3000/hook. Required.' },
      events: { value: '<types>', says: 'Some of the event types, separated by commas; all if left out.' },
    },
    load: () => import('./commands/listen.ts'),
  },
  mcp: {
    says: 'Serve the tools of the server over stdin and stdout, to a client of MCP that starts programs.',
    load: () => import('./commands/mcp.ts'),
  },
  call: {
    says: 'Call any operation of the API by its id, with `name=value` for each field; without an id, list them.',
    takes: ['[operation]', '[name=value…]'],
    options: {
      body: { value: '<json>', says: 'The body as JSON, beside what is given by name.' },
      file: { value: '<file>', says: 'The file of an upload.' },
      output: { value: '<file>', says: 'Where bytes are written.' },
      ...writes,
    },
    load: () => import('./commands/call.ts'),
  },
  completion: {
    says: 'Write what completes this command in a shell: bash, zsh or fish.',
    takes: ['<shell>'],
    load: () => import('./commands/completion.ts'),
  },
}

/** Options of every command. */
export const common: Options = {
  json: { says: 'Answer in JSON, errors included.' },
  server: {
    value: '<address>',
    says: 'The server; the one of POSTRIDER_URL or of the last login if left out.',
  },
  workspace: {
    value: '<id or name>',
    says: 'On the machine of a server, without a login: in which workspace. POSTRIDER_WORKSPACE names it, too.',
  },
  help: { says: 'Say what the command takes.' },
}
