import Type from 'typebox'
import { countCharacters } from '../shared/characters.ts'
import { type Bound, copied, limitsOf, ours } from '../port/bounds.ts'
import type { PartFault, PartToCheck, Provider, ProviderFacts } from '../port/port.ts'
import { flag, settingsOf, stillImages } from '../port/settings.ts'

/** What an author may set for a message (https://core.telegram.org/bots/api#sendmessage). */
const settings = settingsOf({
  stillImages,
  linkPreview: flag(true, 'Whether Telegram shows a preview of the first link of a part without media.'),
  silent: flag(false, 'Whether subscribers are notified without a sound.'),
  protectContent: flag(false, 'Whether Telegram keeps readers from forwarding and saving the post.'),
})

const READ = '2026-11-29'
const API = 'https://core.telegram.org/bots/api'
/** The page is one long one, and only its beginning could be read: a description of it that is made from it by a program. */
const SPEC = 'https://github.com/PaulSonOfLars/telegram-bot-api-spec/blob/main/api.json'
const says = (method: string) => copied(SPEC, `${API}#${method}`, READ)
const PHOTO = says('sendphoto')
const SQUARE = ours('a square of half of what both sides may have together holds every photo that is scaled')

/** The length of a text with media. */
const CAPTION = { of: 'caption', measure: 'characters', max: 1_024, source: PHOTO } as const

/** Telegram counts code points, and has no field for alt texts. Derived from this table: the limits, the check, and the tests. */
const bounds: readonly Bound[] = [
  { of: 'text', measure: 'characters', max: 4_096, source: says('sendmessage') },
  CAPTION,
  { of: 'part', measure: 'files', max: 10, source: says('sendmediagroup') },
  {
    of: 'image',
    measure: 'type',
    oneOf: ['image/jpeg', 'image/png'],
    source: ours('Telegram makes JPEG of every photo; these are types that it is known to take'),
  },
  {
    of: 'image',
    measure: 'animation',
    oneOf: [],
    source: ours(
      'a photo is a still; an animation would be a file of another kind, which an album does not take',
    ),
  },
  { of: 'image', measure: 'bytes', max: 10_000_000, source: PHOTO },
  { of: 'image', measure: 'width', max: 5_000, source: SQUARE },
  { of: 'image', measure: 'height', max: 5_000, source: SQUARE },
  { of: 'image', measure: 'sides', max: 10_000, source: PHOTO },
  { of: 'image', measure: 'ratio', min: 1 / 20, max: 20, source: PHOTO },
  { of: 'video', measure: 'type', oneOf: ['video/mp4'], source: says('sendvideo') },
  { of: 'video', measure: 'bytes', max: 50_000_000, source: says('sendvideo') },
]

const facts: ProviderFacts = {
  provider: 'telegram',
  displayName: 'Telegram',
  atHandles: /^[A-Za-z]/,
  limits: limitsOf(bounds, {
    characterCounting: 'code_points',
    mixedKinds: true,
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
  if (mediaCount === 0 || characters <= CAPTION.max || characters > maxCharacters) return []
  return [
    {
      severity: 'error',
      message: `With media, a Telegram post can have up to ${CAPTION.max} characters. This one has ${characters}.`,
      fix: `Shorten it by ${characters - CAPTION.max}, or move the media to a follow-up.`,
    },
  ]
}

/** Telegram: channels and groups, by a bot. */
export const telegram: Provider = {
  ...facts,
  load: async () => (await import('./telegram-adapter.ts')).telegramAdapter(facts),
}
