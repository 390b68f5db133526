import Type from 'typebox'
import { type Bound, files, images, limitsOf } from '../port/bounds.ts'
import type { Provider, ProviderFacts } from '../port/port.ts'
import { flag, line, settingsOf } from '../port/settings.ts'

/** What an author may set for a message (https://docs.discord.com/developers/resources/webhook#execute-webhook). */
const settings = settingsOf({
  linkPreview: flag(true, 'Whether Discord shows previews of links.'),
  silent: flag(false, 'Whether nobody is notified of the message.'),
  username: Type.Optional(
    line(80, {
      // From memory, and to be checked against https://docs.discord.com/developers/resources/user#usernames-and-nicknames.
      pattern: '^(?!.*(?:[cC][lL][yY][dD][eE]|[dD][iI][sS][cC][oO][rR][dD]))(?!(?:everyone|here)$)[^@#:]+$',
      description:
        "The name that the message is shown under, without the words Discord and Clyde and the signs @, # and :; the webhook's own when left out.",
    }),
  ),
})

const READ = '2026-11'
const DOCS = 'https://docs.discord.com/developers'
/** The size of a file in a server without boosts. */
const UPLOADS = `${DOCS}/reference#uploading-files`
const MOST_BYTES = 10 * 1024 * 1024

/** Discord counts code points (https://github.com/discord/discord-api-docs/issues/1315). Derived from this table: the limits, the check, and the tests. */
const bounds: readonly Bound[] = [
  {
    of: 'text',
    measure: 'characters',
    max: 2_000,
    source: `${DOCS}/resources/webhook#execute-webhook`,
    read: READ,
  },
  {
    of: 'part',
    measure: 'files',
    max: 10,
    source: `${DOCS}/topics/opcodes-and-status-codes#json`,
    read: READ,
  },
  {
    of: 'alt text',
    measure: 'characters',
    max: 1_024,
    source: `${DOCS}/resources/message#attachment-object`,
    read: READ,
  },
  { of: 'image', measure: 'bytes', max: MOST_BYTES, source: UPLOADS, read: READ },
  { of: 'video', measure: 'bytes', max: MOST_BYTES, source: UPLOADS, read: READ },
  { of: 'audio', measure: 'bytes', max: MOST_BYTES, source: UPLOADS, read: READ },
  { of: 'document', measure: 'bytes', max: MOST_BYTES, source: UPLOADS, read: READ },
]

const facts: ProviderFacts = {
  provider: 'discord',
  displayName: 'Discord',
  atHandles: null,
  limits: limitsOf(bounds, {
    characterCounting: 'code_points',
    mixedKinds: true,
    kinds: [
      images(['image/jpeg', 'image/png', 'image/webp', 'image/gif'], ['image/gif']),
      files('video', ['video/mp4', 'video/quicktime', 'video/webm']),
      files('audio', ['audio/mpeg', 'audio/mp4', 'audio/wav', 'audio/ogg']),
      files('document', ['application/pdf']),
    ],
  }),
  bounds,
  // A webhook can read a message by its id alone, and an answer that was lost has taken the id with it.
  supports: { threads: true, lookup: false },
  idAt: ({ pathname }) => /^\/channels\/[^/]+\/\d+\/(\d+)\/?$/.exec(pathname)?.[1] ?? null,
  repeatable: null,
  settings,
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
