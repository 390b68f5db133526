import Type from 'typebox'
import { countCharacters } from '../shared/characters.ts'
import { type Bound, limitsOf, ours, published } from '../port/bounds.ts'
import type { PartToCheck, Provider, ProviderFacts } from '../port/port.ts'
import { flag, settingsOf } from '../port/settings.ts'

const READ = '2026-11-29'
const INSTANCE = published('https://docs.joinmastodon.org/entities/Instance/#configuration', READ)
const POSTING = published('https://docs.joinmastodon.org/user/posting/#media', READ)

const WARNING = {
  of: 'content warning',
  measure: 'characters',
  max: 500,
  source: ours(
    'it counts with the text, and this is the limit of both at an instance that has not changed it',
  ),
} as const

/** What a post shows beside its text, as the author may set it (https://docs.joinmastodon.org/methods/statuses/#create). */
const settings = settingsOf({
  visibility: Type.Optional(
    Type.Enum(['public', 'unlisted', 'private'], {
      default: 'public',
      description:
        'Who sees the post: everybody; everybody, but on no public timeline; or followers only. All parts of a thread have the same.',
    }),
  ),
  contentWarning: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: WARNING.max,
      description: 'What is shown instead of the text until a reader opens it. Its length counts, too.',
    }),
  ),
  sensitive: flag(false, 'Whether media are hidden until a reader opens them. A content warning implies it.'),
  language: Type.Optional(
    Type.String({
      pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$',
      maxLength: 35,
      description: "The language of the text; the account's own when left out.",
      examples: ['en', 'zh-TW'],
    }),
  ),
})

const server = Type.String({
  title: 'Instance',
  description: "the address of the account's instance, such as mastodon.social",
  examples: ['mastodon.social'],
  minLength: 1,
  maxLength: 255,
})

/** What is asked for: to read the account and its own posts (look-ups), to post, and to upload. */
const SCOPE = 'read:accounts read:statuses write:statuses write:media'

/** The defaults of an instance that has not changed them: each account has its own instance's. Derived from this table: the limits, the check, and the tests. */
const bounds: readonly Bound[] = [
  { of: 'text', measure: 'characters', max: 500, source: INSTANCE },
  WARNING,
  { of: 'part', measure: 'files', max: 4, source: INSTANCE },
  { of: 'videos', measure: 'count', max: 1, source: POSTING },
  { of: 'animations', measure: 'count', max: 1, source: POSTING },
  { of: 'alt text', measure: 'characters', max: 1_500, source: INSTANCE },
  { of: 'image', measure: 'type', oneOf: ['image/jpeg', 'image/png', 'image/webp'], source: POSTING },
  { of: 'image', measure: 'animation', oneOf: ['image/gif'], source: POSTING },
  { of: 'image', measure: 'bytes', max: 16_777_216, source: INSTANCE },
  { of: 'image', measure: 'pixels', max: 33_177_600, source: INSTANCE },
  { of: 'image', measure: 'pixels', max: 921_600, animated: true, source: POSTING },
  { of: 'video', measure: 'type', oneOf: ['video/mp4'], source: POSTING },
  { of: 'video', measure: 'bytes', max: 103_809_024, source: INSTANCE },
  { of: 'video', measure: 'pixels', max: 8_294_400, source: INSTANCE },
  { of: 'video', measure: 'frame rate', max: 120, source: INSTANCE },
]

const facts: ProviderFacts = {
  provider: 'mastodon',
  displayName: 'Mastodon',
  atHandles: /^/,
  limits: limitsOf(bounds, {
    characterCounting: 'mastodon',
    mixedKinds: false,
  }),
  bounds,
  supports: { threads: true, lookup: true, firstComment: true },
  // Elsewhere a post has an id of that server, and other software has addresses of other forms: GoToSocial's are told apart.
  idAt: ({ host, pathname }, { remoteAccountId }) =>
    remoteAccountId.startsWith(`${host}/`)
      ? (/^\/@[^/]+\/(?:(\d+)|statuses\/([0-9A-Z]{26}))\/?$/
          .exec(pathname)
          ?.slice(1)
          .find((id) => id !== undefined) ?? null)
      : null,
  // An Idempotency-Key is kept for an hour at most, by some servers not at all, and it duplicated under concurrency before
  // https://github.com/mastodon/mastodon/pull/37879. So a call is repeated only where the key is known to be kept, and not
  // before the call is over.
  repeatable: { windowMs: 5 * 60_000, ifServerKeepsKeys: true },
  settings,
  check: checkWarning,
  connecting: {
    form: {
      fields: Type.Object({
        server,
        accessToken: Type.String({
          title: 'Access token',
          description: `create one on the instance under Preferences, Development, New application, with the scopes ${SCOPE}`,
          format: 'password',
          maxLength: 512,
        }),
      }),
    },
    oauth: { fields: Type.Object({ server }), client: 'registered', scope: SCOPE },
  },
}

/** A content warning counts with the text (app/validators/status_length_validator.rb), and texts alone are counted elsewhere. */
function checkWarning({ text, settings: { contentWarning }, limits }: PartToCheck) {
  if (typeof contentWarning !== 'string') return []
  const { maxCharacters, characterCounting } = limits
  const ofText = countCharacters(text, characterCounting)
  const over = ofText + countCharacters(contentWarning, characterCounting) - maxCharacters
  if (over <= 0 || ofText > maxCharacters) return []
  return [
    {
      severity: 'error',
      message: `With its content warning, the text is ${over} characters over the ${maxCharacters} that Mastodon counts for both.`,
      fix: 'Shorten the text or the content warning.',
    } as const,
  ]
}

/** Mastodon, at any instance that speaks its API. */
export const mastodon: Provider = {
  ...facts,
  load: async () => (await import('./mastodon-adapter.ts')).mastodonAdapter(facts, SCOPE),
}
