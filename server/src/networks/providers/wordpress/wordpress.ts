import Type from 'typebox'
import { type Bound, limitsOf, ours, published } from '../port/bounds.ts'
import type { PartFault, PartToCheck, Provider, ProviderFacts } from '../port/port.ts'
import { flag, line, settingsOf } from '../port/settings.ts'
import { entryOf } from './title.ts'

const OF_A_POST = ours('WordPress has no limit of it; no post of people is as long')
const READ = '2026-11-29'
const SOURCE = 'https://github.com/WordPress/wordpress-develop/blob/trunk/src/wp-admin/includes'
/** `name varchar(200)` of terms. */
const OF_A_TERM = published(`${SOURCE}/schema.php`, READ)
const OF_A_SLUG = ours(
  'the database keeps 200 characters of a slug (`post_name`), and some are for what makes it unique',
)
const OF_A_HOST = ours('each host has its own (`upload_max_filesize`), which the API does not tell')
/** `big_image_size_threshold`: it scales larger ones by itself, unless they are PNG, and shows the smaller copy. */
const FULL_SIZE = published(`${SOURCE}/image.php`, READ)
const TYPES = ours('a site takes many types, and can be set to take others; browsers show these')

const TITLE = { of: 'title', measure: 'characters', max: 200, source: OF_A_POST } as const
const EXCERPT = { of: 'excerpt', measure: 'characters', max: 1_000, source: OF_A_POST } as const
const SLUG = { of: 'address name', measure: 'characters', max: 190, source: OF_A_SLUG } as const
const CATEGORIES = { of: 'categories', measure: 'count', max: 5, source: OF_A_POST } as const
const TAGS = { of: 'tags', measure: 'count', max: 10, source: OF_A_POST } as const
const CATEGORY = { of: 'category', measure: 'characters', max: 200, source: OF_A_TERM } as const

/** Derived from this table: the limits, the check, and the tests. */
const bounds: readonly Bound[] = [
  { of: 'text', measure: 'characters', max: 100_000, source: OF_A_POST },
  TITLE,
  EXCERPT,
  SLUG,
  CATEGORIES,
  CATEGORY,
  TAGS,
  { of: 'tag', measure: 'characters', max: CATEGORY.max, source: OF_A_TERM },
  { of: 'part', measure: 'files', max: 10, source: OF_A_POST },
  { of: 'alt text', measure: 'characters', max: 2_000, source: OF_A_POST },
  {
    of: 'image',
    measure: 'type',
    oneOf: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'],
    source: TYPES,
  },
  { of: 'image', measure: 'animation', oneOf: ['image/webp', 'image/gif'], source: TYPES },
  { of: 'image', measure: 'bytes', max: 8_000_000, source: OF_A_HOST },
  { of: 'image', measure: 'width', max: 2_560, source: FULL_SIZE },
  { of: 'image', measure: 'height', max: 2_560, source: FULL_SIZE },
  { of: 'video', measure: 'type', oneOf: ['video/mp4', 'video/webm'], source: TYPES },
  { of: 'video', measure: 'bytes', max: 100_000_000, source: OF_A_HOST },
]

const name = line(CATEGORY.max)

/** What an author may set for a post (https://developer.wordpress.org/rest-api/reference/posts/#schema). */
const settings = settingsOf({
  title: Type.Optional(
    line(TITLE.max, {
      description: 'The title; the first line of the text when left out, which is not repeated below it.',
    }),
  ),
  format: Type.Optional(
    Type.Enum(['markdown', 'plain'], {
      default: 'markdown',
      description: 'How the text is read. HTML and shortcodes are shown as they are written in both.',
    }),
  ),
  excerpt: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: EXCERPT.max,
      description: 'What lists show instead of the beginning.',
    }),
  ),
  slug: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
      maxLength: SLUG.max,
      description: 'The last part of the address; made of the title when left out.',
      examples: ['our-new-roastery'],
    }),
  ),
  categories: Type.Optional(
    Type.Array(name, {
      maxItems: CATEGORIES.max,
      uniqueItems: true,
      description: 'Categories by name. What the site does not have is added, if the user may do that.',
    }),
  ),
  tags: Type.Optional(
    Type.Array(name, {
      maxItems: TAGS.max,
      uniqueItems: true,
      description: 'Tags by name, in the same way.',
    }),
  ),
  featuredImage: flag(true, 'Whether the first image is the featured image, and not in the text.'),
  comments: Type.Optional(
    Type.Boolean({ description: "Whether readers may comment; the site's own default when left out." }),
  ),
})

const facts: ProviderFacts = {
  provider: 'wordpress',
  displayName: 'WordPress',
  atHandles: null,
  limits: limitsOf(bounds, {
    characterCounting: 'code_points',
    mixedKinds: true,
  }),
  bounds,
  supports: { threads: false, lookup: true },
  drafts: { endAfterMs: null },
  // The address of a post has the id only where a site has no permalinks.
  idAt: ({ searchParams }) => /^\d+$/.exec(searchParams.get('p') ?? '')?.[0] ?? null,
  // To publish a draft that is published already changes nothing.
  repeatable: { windowMs: 5 * 60_000 },
  settings,
  check: checkTitle,
  apiVersion: { name: 'v2', endsOn: null },
  connecting: {
    form: {
      fields: Type.Object({
        site: Type.String({
          title: 'Site',
          description: 'the address of the site, including its folder if it has one',
          examples: ['https://example.com/blog'],
          minLength: 1,
          maxLength: 255,
        }),
        user: Type.String({
          title: 'User name',
          description: 'the sign-in name of a user with the role Author, Editor or Administrator',
          minLength: 1,
          maxLength: 100,
        }),
        applicationPassword: Type.String({
          title: 'Application password',
          description:
            'create one on the site under Users, Profile, Application Passwords; not the password of the user',
          format: 'password',
          minLength: 1,
          maxLength: 255,
        }),
      }),
    },
    oauth: null,
  },
}

function checkTitle({ text, settings: { title } }: PartToCheck): PartFault[] {
  const shown = entryOf(text, typeof title === 'string' ? title : undefined).title
  if (shown === '') {
    return [
      {
        severity: 'error',
        message: 'A post on WordPress needs a title.',
        fix: 'Set `settings.title`, or write a text: its first line is the title.',
      },
    ]
  }
  const over = Array.from(shown).length - TITLE.max
  if (over <= 0) return []
  return [
    {
      severity: 'error',
      message: `The first line of the text is the title on WordPress, and is ${over} characters over the ${TITLE.max} of a title.`,
      fix: 'Set `settings.title`, or begin with a shorter line.',
    },
  ]
}

/** WordPress: any site that has its REST API and application passwords. */
export const wordpress: Provider = {
  ...facts,
  load: async () => (await import('./wordpress-adapter.ts')).wordpressAdapter(facts),
}
