import Type from 'typebox'
import { countCharacters } from '../characters.ts'
import type { PartFault, PartToCheck, Provider, ProviderFacts } from '../port.ts'

/** What an author may set for a message (https://core.telegram.org/bots/api#sendmessage). */
const settings = Type.Object(
  {
    linkPreview: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Whether Telegram shows a preview of the first link of a part without media.',
      }),
    ),
    silent: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether subscribers are notified without a sound.' }),
    ),
    protectContent: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether Telegram keeps readers from forwarding and saving the post.',
      }),
    ),
  },
  { additionalProperties: false },
)

/** The length of a text with media (https://core.telegram.org/bots/api#sendphoto, `caption`). */
const MAX_CAPTION = 1_024

const facts: ProviderFacts = {
  provider: 'telegram',
  displayName: 'Telegram',
  limits: {
    // Telegram counts code points: https://core.telegram.org/constructor/config, `message_length_max`.
    maxCharacters: 4_096,
    characterCounting: 'code_points',
    media: {
      // https://core.telegram.org/bots/api#sendmediagroup
      maxItems: 10,
      mixedKinds: true,
      // The Bot API has no field for one.
      maxAltCharacters: 0,
      kinds: [
        {
          // https://core.telegram.org/bots/api#sendphoto: width and height are 10,000 together at most.
          kind: 'image',
          contentTypes: ['image/jpeg', 'image/png'],
          maxBytes: 10_000_000,
          maxWidth: 5_000,
          maxHeight: 5_000,
          maxSeconds: null,
          fitted: true,
        },
        {
          // https://core.telegram.org/bots/api#sendvideo
          kind: 'video',
          contentTypes: ['video/mp4'],
          maxBytes: 50_000_000,
          maxWidth: null,
          maxHeight: null,
          maxSeconds: null,
          fitted: false,
        },
      ],
    },
  },
  // A bot cannot read what it has posted: what became of a call whose answer was lost, only a person can see.
  supports: { threads: true, lookup: false },
  idAt: ({ pathname }) => /^\/.+\/(\d+)\/?$/.exec(pathname)?.[1] ?? null,
  repeatable: null,
  settings,
  check: checkCaption,
  connecting: {
    form: {
      fields: Type.Object({
        chat: Type.String({
          title: 'Channel',
          description:
            'the @name of the channel or group; for a private one the link of a post of it, or its number',
          examples: ['@mychannel'],
          minLength: 1,
          maxLength: 255,
        }),
        botToken: Type.String({
          title: 'Bot token',
          description: 'given by @BotFather; the bot has to be an administrator of the channel',
          format: 'password',
          maxLength: 255,
        }),
        server: Type.Optional(
          Type.String({
            title: 'Bot API server',
            description: 'only for a Bot API server of your own',
            examples: ['https://api.telegram.org'],
            maxLength: 255,
          }),
        ),
      }),
    },
    oauth: null,
  },
}

/** With media the text is a caption, which is shorter. */
function checkCaption({ text, mediaCount, limits }: PartToCheck): PartFault[] {
  const { maxCharacters, characterCounting } = limits
  const characters = countCharacters(text, characterCounting)
  if (mediaCount === 0 || characters <= MAX_CAPTION || characters > maxCharacters) return []
  return [
    {
      severity: 'error',
      message: `With media, a part at Telegram has ${MAX_CAPTION} characters at most; this one has ${characters}.`,
      fix: `Shorten it by ${characters - MAX_CAPTION}, or put the media into a part of their own.`,
    },
  ]
}

/** Telegram: channels and groups, by a bot. */
export const telegram: Provider = {
  ...facts,
  async load() {
    const { telegramAdapter } = await import('./telegram-adapter.ts')
    return telegramAdapter(facts)
  },
}
