/** `fetch` for libraries that call others by themselves. */
export type CappedFetch = { readonly fetch: typeof globalThis.fetch; close(): Promise<void> }

/** Like the standard's `fetch`, but with the limits of every call (see capped-agent), and answers of `maxBytes` at most. */
export async function openCappedFetch({
  maxBytes,
  connectMs,
}: {
  maxBytes: number
  connectMs: number
}): Promise<CappedFetch> {
  const [{ fetch }, { openCappedAgent }] = await Promise.all([import('undici'), import('./capped-agent.ts')])
  // The time limits of each call are its caller's: those of an agent would end slow answers earlier.
  const agent = openCappedAgent({ connect: { timeout: connectMs }, headersTimeout: 0, bodyTimeout: 0 })
  const call = async (url: string, init?: object): Promise<Response> => {
    const { body, status, headers } = await fetch(url, { ...init, dispatcher: agent })
    // What libraries know is the standard's Response of Node itself.
    return new Response(body === null ? null : atMost(body as ReadableStream<Uint8Array>, maxBytes), {
      status,
      headers: [...headers],
    })
  }
  // The two declare the same standard's types apart from each other.
  return { fetch: call as unknown as typeof globalThis.fetch, close: () => agent.destroy() }
}

function atMost(body: ReadableStream<Uint8Array>, maxBytes: number): ReadableStream<Uint8Array> {
  let size = 0
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength
        if (size > maxBytes) controller.error(new Error('The answer is too large.'))
        else controller.enqueue(chunk)
      },
    }),
  )
}
