import type { Post } from './api.ts'
import type { Answered } from './call.ts'
import { PostriderError } from './errors.ts'
import type { CallOptions, Transport } from './transport.ts'

/** Some changes are no event, such as a request for approval that lapses: at least this often the post itself is read. */
const READ_AGAIN_MS = 120_000

/** Says whether a post is worth reading again: whether there is an event of it since. Where events cannot be read, it always is. */
export class PostNews {
  readonly #transport: Transport
  readonly #options: CallOptions
  readonly #filter: { readonly postId: string; readonly since: string }
  #cursor: string | null = null
  #mayReadEvents = true
  #readAt = performance.now()

  constructor(transport: Transport, { data, response }: Answered<Post>, options: CallOptions) {
    this.#transport = transport
    this.#options = options
    // The server's own time. A page in a browser is not shown that header where the server is another site's.
    const date = response.headers.get('date')
    const since = date === null ? data.updatedAt : new Date(date).toISOString()
    this.#filter = { postId: data.postId, since }
  }

  async hasChanged(): Promise<boolean> {
    const isDue = performance.now() - this.#readAt > READ_AGAIN_MS
    const hasEvent = this.#mayReadEvents ? await this.#hasEvent() : true
    if (hasEvent || isDue) this.#readAt = performance.now()
    return hasEvent || isDue
  }

  async #hasEvent(): Promise<boolean> {
    let found = false
    try {
      for (let hasMore = true; hasMore;) {
        const query = { ...this.#filter, ...(this.#cursor === null ? {} : { cursor: this.#cursor }) }
        const { data } = await this.#transport.send('listEvents', { query }, this.#options)
        this.#cursor = data.nextCursor
        found ||= data.items.length > 0
        hasMore = data.hasMore
      }
      return found
    } catch (error) {
      // Reading the post says what is wrong, if that fails, too.
      if (!(error instanceof PostriderError)) throw error
      this.#mayReadEvents = false
      return true
    }
  }
}
