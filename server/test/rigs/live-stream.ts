export type LiveMessage = { readonly id: string; readonly event: string; readonly data: string }

/** A stream of the dashboard as a browser has it. */
export type LiveStream = {
  readonly status: number
  /** The next message of one of the kinds; null when the stream has ended. */
  readonly next: (...events: string[]) => Promise<LiveMessage | null>
  readonly close: () => void
}

export async function openLiveStream(
  url: string,
  { cookie, lastEventId }: { cookie: string; lastEventId?: string | undefined },
): Promise<LiveStream> {
  const abort = new AbortController()
  const answer = await fetch(url, {
    headers: { cookie, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
    signal: abort.signal,
  })
  const messages = read(answer.body!)
  return {
    status: answer.status,
    async next(...events) {
      for (;;) {
        const { done, value } = await messages.next()
        if (done === true) return null
        if (events.includes(value.event)) return value
      }
    },
    close: () => abort.abort(),
  }
}

async function* read(body: ReadableStream<Uint8Array>): AsyncGenerator<LiveMessage> {
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''
      if (block.includes('event: ')) yield { id: field('id'), event: field('event'), data: field('data') }
    }
  }
}
