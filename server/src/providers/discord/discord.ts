import Type from 'typebox'
import type { Provider, ProviderFacts } from '../port.ts'

/** What an author may set for a message (https://docs.discord.com/developers/resources/webhook#execute-webhook). */
const settings = Type.Object(
  {
    linkPreview: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether Discord shows previews of links.' }),
    ),
    silent: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether nobody is notified of the message.' }),
    ),
    username: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 80,
        description: "The name that the message is shown under; the webhook's own when left out.",
      }),
    ),
  },
  { additionalProperties: false },
)

/** The size of a file in a server without boosts (https://docs.discord.com/developers/reference#uploading-files). */
const MAX_BYTES = 10 * 1024 * 1024

const anyFile = { maxBytes: MAX_BYTES, maxWidth: null, maxHeight: null, maxSeconds: null }

const facts: ProviderFacts = {
  provider: 'discord',
  displayName: 'Discord',
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
        {
          ...anyFile,
          kind: 'image',
          contentTypes: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'],
          fitted: true,
        },
        {
          ...anyFile,
          kind: 'video',
          contentTypes: ['video/mp4', 'video/quicktime', 'video/webm'],
          fitted: false,
        },
        {
          ...anyFile,
          kind: 'audio',
          contentTypes: ['audio/mpeg', 'audio/mp4', 'audio/wav', 'audio/ogg'],
          fitted: false,
        },
        { ...anyFile, kind: 'document', contentTypes: ['application/pdf'], fitted: false },
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
            'copied in Discord from the settings of the channel, under Integrations, Webhooks; for a thread of it with ?thread_id= and its number',
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
  async load() {
    const { discordAdapter } = await import('./discord-adapter.ts')
    return discordAdapter(facts)
  },
}
