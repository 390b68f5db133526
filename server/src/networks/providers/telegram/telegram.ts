import Type from 'typebox'
import { countCharacters } from '../shared/characters.ts'
import { type Bound, files, images, limitsOf } from '../port/bounds.ts'
import type { PartFault, PartToCheck, Provider, ProviderFacts } from '../port/port.ts'
import { flag, settingsOf, stillImages } from '../port/settings.ts'

/** What an author may set for a message (https://core.telegram.org/bots/api#sendmessage). */
const settings = settingsOf({
  stillImages,
  linkPreview: flag(true, 'Whether Telegram shows a preview of the first link of a part without media.'),
  silent: flag(false, 'Whether subscribers are notified without a sound.'),
  protectContent: flag(false, 'Whether Telegram keeps readers from forwarding and saving the post.'),
})

/** The length of a text with media (https://core.telegram.org/bots/api#sendphoto, `caption`). */
const MAX_CAPTION = 1_024

const READ = '2026-11'
const API = 'https://core.telegram.org/bots/api'

/**
 * Telegram counts code points, and has no field for alt texts. Width and height of a photo are 10,000 together at most: a square of half
 * of it holds every photo that is scaled. Derived from this table: the limits, the check, and the tests.
 */
const bounds: readonly Bound[] = [
  {
    of: 'text',
    measure: 'characters',
    max: 4_096,
    source: 'https://core.telegram.org/constructor/config',
    read: READ,
  },
  { of: 'part', measure: 'files', max: 10, source: `${API}#sendmediagroup`, read: READ },
  { of: 'image', measure: 'bytes', max: 10_000_000, source: `${API}#sendphoto`, read: READ },
  { of: 'image', measure: 'width', max: 5_000, source: `${API}#sendphoto`, read: READ },
  { of: 'image', measure: 'height', max: 5_000, source: `${API}#sendphoto`, read: READ },
  { of: 'image', measure: 'ratio', min: 1 / 20, max: 20, source: `${API}#sendphoto`, read: READ },
  { of: 'video', measure: 'bytes', max: 50_000_000, source: `${API}#sendvideo`, read: READ },
]

const facts: ProviderFacts = {
  provider: 'telegram',
  displayName: 'Telegram',
  atHandles: /^[A-Za-z]/,
  limits: limitsOf(bounds, {
    characterCounting: 'code_points',
    mixedKinds: true,
    kinds: [images(['image/jpeg', 'image/png']), files('video', ['video/mp4'])],
  }),
  bounds,
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
