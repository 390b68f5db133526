import Type from 'typebox'
import { countCharacters } from '../characters.ts'
import { files, images } from '../media-kinds.ts'
import type { PartFault, PartToCheck, Provider, ProviderFacts } from '../port.ts'
import { flag, settingsOf } from '../settings.ts'

/** What an author may set for a message (https://core.telegram.org/bots/api#sendmessage). */
const settings = settingsOf({
  linkPreview: flag(true, 'Whether Telegram shows a preview of the first link of a part without media.'),
  silent: flag(false, 'Whether subscribers are notified without a sound.'),
  protectContent: flag(false, 'Whether Telegram keeps readers from forwarding and saving the post.'),
})

/** The length of a text with media (https://core.telegram.org/bots/api#sendphoto, `caption`). */
const MAX_CAPTION = 1_024

const facts: ProviderFacts = {
  provider: 'telegram',
  displayName: 'Telegram',
  atHandles: /^[A-Za-z]/,
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
        // https://core.telegram.org/bots/api#sendphoto: width and height are 10,000 together at most.
        images(['image/jpeg', 'image/png'], { maxBytes: 10_000_000, maxSide: 5_000 }),
        // https://core.telegram.org/bots/api#sendvideo
        files('video', ['video/mp4'], { maxBytes: 50_000_000 }),
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
            'the @name of the channel or group, or, if it is private, the link of one of its posts or its number',
          examples: ['@mychannel'],
          minLength: 1,
          maxLength: 255,
        }),
        botToken: Type.String({
          title: 'Bot token',
          description: 'from @BotFather; the bot must be an administrator of the channel',
          format: 'password',
          maxLength: 255,
        }),
        server: Type.Optional(
          Type.String({
            title: 'Bot API server',
            description: 'only if you run your own Bot API server',
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
      message: `With media, a Telegram post can have up to ${MAX_CAPTION} characters. This one has ${characters}.`,
      fix: `Shorten it by ${characters - MAX_CAPTION}, or move the media to a follow-up.`,
    },
  ]
}

/** Telegram: channels and groups, by a bot. */
export const telegram: Provider = {
  ...facts,
  load: async () => (await import('./telegram-adapter.ts')).telegramAdapter(facts),
}
