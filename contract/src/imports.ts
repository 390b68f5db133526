import Type, { type Static } from 'typebox'
import { Labels } from './labels.ts'
import { operation } from './operation.ts'
import { DestinationStatusSchema, DryRun, listPosts, ReviewStatus } from './posts.ts'
import { Confirmed, exact, Id, Instant, nullable, Reference } from './schemas.ts'

/** How many posts one import makes at most. */
export const MOST_IMPORTED = 5_000

const IMPORT_NAME = '^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$'

export const ImportedPost = exact(
  {
    id: Type.String(),
    line: Type.Integer({ description: 'Where it begins in the file.' }),
    reference: Reference,
    created: Type.Boolean({ description: 'False for a post that is there already, and stays as it is.' }),
    postId: Type.Union([Id, Type.Null()], { description: 'Null in a dry run.' }),
    text: Type.String({ description: 'The first 280 characters.' }),
    labels: Labels,
    reviewStatus: ReviewStatus,
    destinations: Type.Array(
      exact({ channelId: Id, status: DestinationStatusSchema, publishAt: nullable(Instant) }),
      { description: 'As they are created: empty for a post that is there already.' },
    ),
  },
  { $id: 'ImportedPost' },
)
export type ImportedPost = Static<typeof ImportedPost>

export const PostImport = exact(
  { created: Type.Integer(), posts: Type.Array(ImportedPost, { description: 'In the order of the file.' }) },
  { $id: 'PostImport' },
)
export type PostImport = Static<typeof PostImport>

export const importPosts = operation({
  id: 'importPosts',
  at: 'POST /agent/v1/posts/import',
  asks: 'agent or member',
  tag: 'Posts',
  summary: 'Import posts from a file',
  description: `Creates all posts of a CSV file or a plan, ${MOST_IMPORTED.toLocaleString('en')} at most, or none: a row that is refused is named in \`errors\` with its line. The reference of each is the name of the import and its own \`id\`, so that a file that is sent again, whole or with more rows, makes nothing twice: posts that are there stay as they are. The whole counts as one write towards the rate limit.`,
  permission: 'posts:write',
  body: exact({
    confirmed: Confirmed,
    format: Type.Enum(['csv', 'plan'], {
      description: '`csv` has a header; `plan` is what `postrider plan` reads, as YAML or JSON.',
    }),
    file: Type.String({ minLength: 1, maxLength: 6_000_000, description: 'The text of the file.' }),
    name: Type.Optional(
      Type.String({
        pattern: IMPORT_NAME,
        maxLength: 80,
        description: 'For CSV: the permanent name of the import. A plan has its own.',
        examples: ['autumn-2026'],
      }),
    ),
    channelIds: Type.Optional(
      Type.Array(Id, {
        minItems: 1,
        maxItems: 50,
        uniqueItems: true,
        description: 'The channels, or channel groups, of posts that name none.',
      }),
    ),
    timeZone: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'The IANA name of the zone of local times; that of the workspace if left out.',
      }),
    ),
    media: Type.Optional(
      Type.Record(Type.String(), Id, {
        description: 'Media items by the names, or addresses, that stand for them in the file.',
      }),
    ),
    dryRun: Type.Optional(DryRun),
  }),
  bodyMebibytes: 8,
  idempotency: 'none',
  answer: { status: 200, schema: PostImport, description: 'What became of each post.' },
  problems: ['validation_failed', 'import_refused', 'idempotency_in_progress'],
  example: {
    ...{ confirmed: true, format: 'csv', name: 'autumn-2026', dryRun: true },
    channelIds: ['0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'],
    file: 'id,text,publishAt\nfirst,Hello,2027-01-10T09:00\n',
  },
})

const { from, to, status, channelId, label } = listPosts.query.properties

export const exportPosts = operation({
  id: 'exportPosts',
  at: 'GET /agent/v1/posts/export',
  asks: 'agent or member',
  tag: 'Posts',
  summary: 'Export posts to a file',
  description: `Posts with what became of them, ${MOST_IMPORTED.toLocaleString('en')} at most, as a file that \`importPosts\` takes: each is named by its \`postId\`, so that it is not created again. CSV has a row for each channel; a cell that a spreadsheet would take for a formula begins with an apostrophe.`,
  permission: 'posts:read',
  query: exact({
    format: Type.Enum(['csv', 'yaml', 'json'], { description: '`yaml` and `json` are a plan.' }),
    plan: Type.Optional(
      Type.String({
        pattern: IMPORT_NAME,
        maxLength: 80,
        default: 'exported',
        description: 'The name of the plan: posts of it are named by their ids in it.',
      }),
    ),
    ...{ from, to, status, channelId, label },
  }),
  answer: {
    status: 200,
    schema: exact({ posts: Type.Integer(), file: Type.String({ description: 'The text of the file.' }) }),
    description: 'The file.',
  },
  problems: ['validation_failed', 'search_too_broad'],
})
