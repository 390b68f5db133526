import Type from 'typebox'
import { files, images } from '../media-kinds.ts'
import type { Provider, ProviderFacts } from '../port.ts'
import { flag, line, settingsOf } from '../settings.ts'

/** What an author may set for a message (https://docs.discord.com/developers/resources/webhook#execute-webhook). */
const settings = settingsOf({
  linkPreview: flag(true, 'Whether Discord shows previews of links.'),
  silent: flag(false, 'Whether nobody is notified of the message.'),
  username: Type.Optional(
    line(80, {
      description: "The name that the message is shown under; the webhook's own when left out.",
    }),
  ),
})

/** The size of a file in a server without boosts (https://docs.discord.com/developers/reference#uploading-files). */
const anyFile = { maxBytes: 10 * 1024 * 1024 }

const facts: ProviderFacts = {
  provider: 'discord',
  displayName: 'Discord',
  atHandles: null,
  limits: {
    // https://docs.discord.com/developers/resources/webhook#execute-webhook, `content`. Discord counts code points
    // (https://github.com/discord/discord-api-docs/issues/1315).
    maxCharacters: 2_000,
    characterCounting: 'code_points',
    media: {
      // Error 30015 of https://docs.discord.com/developers/topics/opcodes-and-status-codes#json
      maxItems: 10,
      mixedKinds: true,
      // https://docs.discord.com/developers/resources/message#attachment-object, `description`
      maxAltCharacters: 1_024,
      kinds: [
        images(['image/jpeg', 'image/png', 'image/webp', 'image/gif'], anyFile),
        files('video', ['video/mp4', 'video/quicktime', 'video/webm'], anyFile),
        files('audio', ['audio/mpeg', 'audio/mp4', 'audio/wav', 'audio/ogg'], anyFile),
        files('document', ['application/pdf'], anyFile),
      ],
    },
  },
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
