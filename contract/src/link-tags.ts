import Type, { type Static } from 'typebox'
import { exact, line } from './schemas.ts'

/** A rule of a workspace: what is added to the links of its posts (`tag-links.ts` does it). */
export const LinkTags = exact(
  {
    parameters: Type.Array(
      exact({
        name: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$', examples: ['utm_source'] }),
        value: line(200, {
          pattern: '^([^{}]|\\{(channel|network|label)\\})+$',
          description:
            'May contain `{channel}` (the handle), `{network}` and `{label}` (the first label of the post). Empty values are omitted.',
          examples: ['{network}'],
        }),
      }),
      { minItems: 1, maxItems: 10 },
    ),
    hosts: Type.Array(line(253, { pattern: '^[^\\s/:?#@.]+(\\.[^\\s/:?#@.]+)+$' }), {
      maxItems: 100,
      uniqueItems: true,
      description: 'Only links to these hosts and their subdomains; empty for all.',
      examples: [['example.com']],
    }),
  },
  {
    $id: 'LinkTags',
    description:
      'Added to links when posts are created or edited, except links that have one of the parameters, or are in code.',
  },
)
export type LinkTags = Static<typeof LinkTags>
