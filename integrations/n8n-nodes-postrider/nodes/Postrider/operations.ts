import { createHash, randomUUID } from 'crypto'
import type { IDataObject, IExecuteFunctions, NodeApiError } from 'n8n-workflow'
import { NodeOperationError } from 'n8n-workflow'
import { contentFields, type PostField, postFields, type PostFields } from './content-fields'
import { ask, idempotencyKeyOf, idsOf, listAll, whenOf, write } from './requests'

type Run = (functions: IExecuteFunctions, itemIndex: number) => Promise<IDataObject | IDataObject[]>

type Destination = { channelId: string; status: string; controlToken: string; displayName?: string }
type Post = { postId: string; editToken: string; destinations: Destination[] }

/** What each operation does with one item. */
export const operations: Record<string, Run> = {
  async 'post:create'(functions, item) {
    return write(functions, item, '/posts', planOf(functions, item), idempotencyKeyOf(functions, item))
  },

  async 'post:check'(functions, item) {
    return answerOf(
      await ask(functions, {
        method: 'POST',
        path: '/post-checks',
        body: planOf(functions, item),
        itemIndex: item,
      }),
    )
  },

  async 'post:get'(functions, item) {
    return answerOf(await readPost(functions, item))
  },

  async 'post:getAll'(functions, item) {
    const filters = functions.getNodeParameter('filters', item, {}) as IDataObject
    return listAll(functions, item, '/posts', filters, limitOf(functions, item))
  },

  async 'post:edit'(functions, item) {
    const { postId, editToken } = await readPost(functions, item)
    const changes = functions.getNodeParameter('changes', item, {}) as IDataObject
    const content = contentOf(changes)
    if (Object.keys(content).length === 0) {
      throw new NodeOperationError(functions.getNode(), 'Choose what to change.', { itemIndex: item })
    }
    const path = `/posts/${postId}/edit`
    const answer = await once(functions, item, path, { editToken, content }, content)
    return answer ?? answerOf(await readPost(functions, item))
  },

  async 'post:label'(functions, item) {
    const postId = functions.getNodeParameter('postId', item) as string
    const [add, remove] = ['addLabels', 'removeLabels'].map((name) =>
      labelsOf(functions.getNodeParameter(name, item, [])),
    )
    const body = { postIds: [postId], add, remove }
    const answer = await write(functions, item, '/posts/labels', body, idempotencyKeyOf(functions, item))
    return answer.posts as IDataObject[]
  },

  async 'post:schedule'(functions, item) {
    const post = await readPost(functions, item)
    const whole = functions.getNodeParameter('channelId', item, '') === ''
    const meant = whole ? post.destinations : [await destinationOf(functions, item, post)]
    const isDraft = ({ status }: Destination) => status === 'draft'
    if (meant.some(isDraft) && meant.some(({ status }) => status === 'scheduled')) {
      const why = 'The post is a draft on some channels, and scheduled on others: choose a channel.'
      throw new NodeOperationError(functions.getNode(), why, { itemIndex: item })
    }
    const publishAt = whenOf(functions, item)
    const { channelId, controlToken } = meant[0] ?? {}
    const scope = whole ? { editToken: post.editToken } : { channelId, controlToken }
    const command = (name: string) => {
      const path = `/posts/${post.postId}/${name}`
      const wanted = whole ? { publishAt } : { channelId, publishAt }
      return once(functions, item, path, { ...scope, publishAt }, wanted)
    }
    // What has a time may have got it from an attempt whose answer was lost: only the key of that says so.
    const answer = await command('schedule').catch((error: NodeApiError) => {
      if (meant.some(isDraft) || error.context.code !== 'invalid_state') throw error
      return command('reschedule')
    })
    if (answer !== null) return answer
    const now = await readPost(functions, item)
    return answerOf(whole ? now : await destinationOf(functions, item, now))
  },

  async 'post:cancel'(functions, item) {
    const post = await readPost(functions, item)
    // The answer of the first attempt may be lost: what is cancelled already is what was asked for.
    if (post.destinations.every(({ status }) => status === 'cancelled')) return answerOf(post)
    const body = { editToken: post.editToken }
    const answer = await once(functions, item, `/posts/${post.postId}/cancel`, body, {})
    return answer ?? answerOf(await readPost(functions, item))
  },

  async 'post:retry'(functions, item) {
    const post = await readPost(functions, item)
    const { channelId, controlToken } = await destinationOf(functions, item, post)
    const publishAt = whenOf(functions, item)
    const path = `/posts/${post.postId}/retry`
    const body = { channelId, controlToken, publishAt }
    const answer = await once(functions, item, path, body, { channelId, publishAt })
    return answer ?? answerOf(await destinationOf(functions, item, await readPost(functions, item)))
  },

  async 'media:upload'(functions, item) {
    const altText = functions.getNodeParameter('altText', item, '') as string
    const fields: Record<string, string> = altText === '' ? {} : { altText }
    const idempotencyKey = idempotencyKeyOf(functions, item)
    if (functions.getNodeParameter('source', item) === 'url') {
      const sourceUrl = functions.getNodeParameter('sourceUrl', item) as string
      return write(functions, item, '/media', { ...fields, sourceUrl }, idempotencyKey)
    }
    const property = functions.getNodeParameter('binaryProperty', item) as string
    const bytes = await functions.helpers.getBinaryDataBuffer(item, property)
    const form = multipart({ confirmed: 'true', ...fields }, bytes)
    return answerOf(
      await ask(functions, { method: 'POST', path: '/media', ...form, idempotencyKey, itemIndex: item }),
    )
  },

  async 'media:getAll'(functions, item) {
    return listAll(functions, item, '/media', {}, limitOf(functions, item))
  },

  async 'channel:getAll'(functions, item) {
    return answerOf(await ask(functions, { method: 'GET', path: '/channels', itemIndex: item }))
  },

  async 'draft:write'(functions, item) {
    const get = (name: string) => functions.getNodeParameter(name, item) as string
    const body = {
      brief: get('brief'),
      language: get('language'),
      tone: get('tone'),
      result: 'draft',
      destinations: idsOf(functions.getNodeParameter('channelIds', item)).map((id) => ({ id })),
    }
    return write(functions, item, '/ai/post-drafts', body, idempotencyKeyOf(functions, item))
  },
}

function answerOf(answer: unknown): IDataObject | IDataObject[] {
  return answer as IDataObject | IDataObject[]
}

function limitOf(functions: IExecuteFunctions, item: number): number {
  return functions.getNodeParameter('returnAll', item) === true
    ? Infinity
    : (functions.getNodeParameter('limit', item) as number)
}

/** A post for `create` and `check`. */
function planOf(functions: IExecuteFunctions, item: number): IDataObject {
  const state = functions.getNodeParameter('state', item) as string
  const more = functions.getNodeParameter('more', item, {}) as IDataObject
  const when = state === 'scheduled' ? { publishAt: whenOf(functions, item) } : {}
  const text = functions.getNodeParameter('text', item) as string
  return {
    state,
    channelIds: idsOf(functions.getNodeParameter('channelIds', item)),
    ...when,
    ...withoutNone(valuesOf(postFields, more), postFields),
    ...withoutNone(contentOf({ ...more, text }), contentFields),
  }
}

/** Of a field with several values, what is no empty line. */
function labelsOf(given: unknown): string[] {
  return [given ?? []]
    .flat()
    .map(String)
    .filter((label) => label.trim() !== '')
}

function contentOf(given: IDataObject): IDataObject {
  const { thread } = given as { thread?: { parts?: Array<{ text: string }> } }
  return {
    ...valuesOf(contentFields, given),
    ...(given.mediaIds === undefined ? {} : { mediaIds: idsOf(given.mediaIds) }),
    ...(thread === undefined ? {} : { thread: (thread.parts ?? []).map(({ text }) => ({ text })) }),
  }
}

/** What is given of fields, in their order. */
function valuesOf(fields: PostFields, given: IDataObject): IDataObject {
  const values: IDataObject = {}
  for (const [name, field] of Object.entries(fields)) {
    if (given[name] !== undefined) values[name] = valueOf(field, given[name]) as IDataObject
  }
  return values
}

function valueOf({ property, none, shortAs }: PostField, given: unknown): unknown {
  if (Array.isArray(none)) return labelsOf(given)
  if (shortAs !== undefined) return String(given).trim() === '' ? none : { [shortAs]: given }
  return property.type === 'json' && typeof given === 'string' ? (JSON.parse(given) as unknown) : given
}

/** A new post leaves out what it is to have none of. */
function withoutNone(values: IDataObject, fields: PostFields): IDataObject {
  const said = Object.entries(values).filter(
    ([name, value]) => name === 'text' || JSON.stringify(value) !== JSON.stringify(fields[name]?.none),
  )
  return Object.fromEntries(said)
}

async function readPost(functions: IExecuteFunctions, item: number): Promise<Post> {
  const postId = functions.getNodeParameter('postId', item) as string
  const path = `/posts/${encodeURIComponent(postId)}`
  return (await ask(functions, { method: 'GET', path, itemIndex: item })) as unknown as Post
}

async function destinationOf(functions: IExecuteFunctions, item: number, post: Post): Promise<Destination> {
  const channelId = functions.getNodeParameter('channelId', item, '') as string
  const found = post.destinations.filter((one) => channelId === '' || one.channelId === channelId)
  if (found.length === 1 && found[0] !== undefined) return found[0]
  const why = channelId === '' ? `on ${post.destinations.length} channels: choose one` : 'not on this channel'
  throw new NodeOperationError(functions.getNode(), `The post is ${why}.`, { itemIndex: item })
}

/**
 * A command about the post as it was read, under a key made of what is asked for: its token is another one after it has had its effect,
 * so a repeat after a lost answer is another request. That its key was used says that it was done; null then.
 */
async function once(
  functions: IExecuteFunctions,
  itemIndex: number,
  path: string,
  body: IDataObject,
  wanted: IDataObject,
): Promise<IDataObject | null> {
  const itemKey = idempotencyKeyOf(functions, itemIndex)
  const idempotencyKey = createHash('sha256')
    .update(JSON.stringify([itemKey, path, wanted]))
    .digest('hex')
  return (await ask(functions, {
    method: 'POST',
    path,
    body: { ...body, confirmed: true },
    idempotencyKey,
    itemKey,
    itemIndex,
    absent: ['idempotency_key_reused'],
  })) as IDataObject | null
}

/** A form with a file (RFC 7578). */
function multipart(fields: Record<string, string>, file: Buffer): { body: Buffer; contentType: string } {
  const boundary = randomUUID()
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="file"\r\n\r\n`
  const body = [Buffer.from(parts.join('') + head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]
  return { body: Buffer.concat(body), contentType: `multipart/form-data; boundary=${boundary}` }
}
