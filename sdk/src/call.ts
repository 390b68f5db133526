/** What came back: the data, and the answer that it was in. */
export type Answered<Data> = {
  readonly data: Data
  readonly response: Response
  /** The name of the request in the server's log. */
  readonly requestId: string | null
  /** Whether it is the answer of an earlier request with the same idempotency key. */
  readonly replayed: boolean
  /** The idempotency key that was sent; null for reads. */
  readonly idempotencyKey: string | null
}

/** A request under way. Awaited, it is the data; `withResponse()` gives the answer that it was in, too. */
export class Call<Data> implements Promise<Data> {
  readonly [Symbol.toStringTag] = 'Call'
  readonly #answer: Promise<Answered<Data>>

  constructor(answer: Promise<Answered<Data>>) {
    this.#answer = answer
  }

  withResponse(): Promise<Answered<Data>> {
    return this.#answer
  }

  // oxlint-disable-next-line unicorn/no-thenable
  then<Then = Data, Otherwise = never>(
    then?: ((data: Data) => Then | PromiseLike<Then>) | null,
    otherwise?: ((reason: unknown) => Otherwise | PromiseLike<Otherwise>) | null,
  ): Promise<Then | Otherwise> {
    return this.#answer.then(({ data }) => data).then(then, otherwise)
  }

  catch<Otherwise = never>(
    otherwise?: ((reason: unknown) => Otherwise | PromiseLike<Otherwise>) | null,
  ): Promise<Data | Otherwise> {
    return this.then(undefined, otherwise)
  }

  finally(last?: (() => void) | null): Promise<Data> {
    return this.#answer.then(({ data }) => data).finally(last)
  }
}

/** One page of a list. */
export type Page<Item> = {
  readonly items: readonly Item[]
  /** Where the next page begins; null after the last. */
  readonly nextCursor: string | null
}

/** A list under way. Awaited, it is the first page; iterated, it is every item, page after page. */
export class Listing<Item, P extends Page<Item> = Page<Item>> extends Call<P> implements AsyncIterable<Item> {
  readonly #after: (page: P) => Listing<Item, P> | null

  /** `after` asks for the page behind one; null after the last. */
  constructor(answer: Promise<Answered<P>>, after: (page: P) => Listing<Item, P> | null) {
    super(answer)
    this.#after = after
  }

  /** Every page, each asked for when it is come to. */
  async *pages(): AsyncGenerator<P> {
    let page: P = await this
    yield page
    for (let next = this.#after(page); next !== null; next = this.#after(page)) {
      page = await next
      yield page
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    for await (const page of this.pages()) yield* page.items
  }
}
