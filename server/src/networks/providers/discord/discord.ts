import Type from 'typebox'
import { type Bound, limitsOf, ours, published } from '../port/bounds.ts'
import type { Provider, ProviderFacts } from '../port/port.ts'
import { flag, line, settingsOf } from '../port/settings.ts'

const READ = '2026-11-29'
const DOCS = 'https://docs.discord.com/developers'
const WEBHOOK = published(`${DOCS}/resources/webhook#execute-webhook`, READ)
const MESSAGE = published(`${DOCS}/resources/message#attachment-object`, READ)
/** The size of a file in a server without boosts. */
const UPLOADS = published(`${DOCS}/reference#uploading-files`, READ)
const MOST_BYTES = 10 * 1024 * 1024
/** A request has up to 25 MiB; so many of them are for the text, the alt texts and what stands between the files. */
const MOST_REQUEST_BYTES = 25 * 1024 * 1024
const AROUND_FILES = 64 * 1024

/** Nicknames have the same signs as webhooks, which have more of them. */
const SENDER = {
  of: 'sender',
  measure: 'characters',
  max: 80,
  source: published(`${DOCS}/resources/webhook#create-webhook`, READ),
} as const

const ANY_TYPE = ours('a message takes every type of file; these are the ones that Discord shows or plays')

/** Discord counts code points (https://github.com/discord/discord-api-docs/issues/1315). Derived from this table: the limits, the check, and the tests. */
const bounds: readonly Bound[] = [
  { of: 'text', measure: 'characters', max: 2_000, source: WEBHOOK },
  SENDER,
  {
    of: 'part',
    measure: 'files',
    max: 10,
    source: published(`${DOCS}/topics/opcodes-and-status-codes#json`, READ),
  },
  {
    of: 'part',
    measure: 'bytes',
    max: MOST_REQUEST_BYTES - AROUND_FILES,
    source: ours(
      'a whole request has up to 25 MiB (“Create Message”, limitations); 64 KiB of it are for what is no file',
    ),
  },
  { of: 'alt text', measure: 'characters', max: 1_024, source: MESSAGE },
  {
    of: 'image',
    measure: 'type',
    oneOf: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'],
    source: ANY_TYPE,
  },
  {
    of: 'image',
    measure: 'animation',
    oneOf: ['image/gif'],
    source: ours(
      'the page on uploads shows a GIF; whether an animated WebP moves in a message, no page says',
    ),
  },
  { of: 'image', measure: 'bytes', max: MOST_BYTES, source: UPLOADS },
  { of: 'video', measure: 'type', oneOf: ['video/mp4', 'video/quicktime', 'video/webm'], source: ANY_TYPE },
  { of: 'video', measure: 'bytes', max: MOST_BYTES, source: UPLOADS },
  {
    of: 'audio',
    measure: 'type',
    oneOf: ['audio/mpeg', 'audio/mp4', 'audio/wav', 'audio/ogg'],
    source: ANY_TYPE,
  },
  { of: 'audio', measure: 'bytes', max: MOST_BYTES, source: UPLOADS },
  { of: 'document', measure: 'type', oneOf: ['application/pdf'], source: ANY_TYPE },
  { of: 'document', measure: 'bytes', max: MOST_BYTES, source: UPLOADS },
]

/** What an author may set for a message (https://docs.discord.com/developers/resources/webhook#execute-webhook). */
const settings = settingsOf({
  linkPreview: flag(true, 'Whether Discord shows previews of links.'),
  silent: flag(false, 'Whether nobody is notified of the message.'),
  username: Type.Optional(
    line(SENDER.max, {
      // What webhooks may not be called (resources/webhook#create-webhook), and users neither (resources/user#usernames-and-nicknames):
      // which of the two a message under another name is held to, no page says.
      pattern:
        '^(?!.*(?:[cC][lL][yY][dD][eE]|[dD][iI][sS][cC][oO][rR][dD]|```))(?!(?:everyone|here)$)[^@#:]+$',
      description:
        "The name that the message is shown under, without the words Discord and Clyde and the signs @, # and :; the webhook's own when left out.",
    }),
  ),
})

const facts: ProviderFacts = {
  provider: 'discord',
  displayName: 'Discord',
  atHandles: null,
  limits: limitsOf(bounds, {
    characterCounting: 'code_points',
    mixedKinds: true,
  }),
  bounds,
  // A webhook can read a message by its id alone, and an answer that was lost has taken the id with it.
  supports: { threads: true, lookup: false },
  idAt: ({ pathname }) => /^\/channels\/[^/]+\/\d+\/(\d+)\/?$/.exec(pathname)?.[1] ?? null,
  repeatable: null,
  settings,
  apiVersion: { name: 'v10', endsOn: null },
  connecting: {
    form: {
      fields: Type.Object({
        webhookUrl: Type.String({
          title: 'Webhook URL',
          description:
            'from the settings of the Discord channel, under Integrations, Webhooks; for a thread, add ?thread_id= and its number',
          format: 'password',
          minLength: 1,
          maxLength: 512,
        }),
      }),
    },
    oauth: null,
  },
}

/** Discord: channels, by an incoming webhook. */
export const discord: Provider = {
  ...facts,
  load: async () => (await import('./discord-adapter.ts')).discordAdapter(facts),
}
