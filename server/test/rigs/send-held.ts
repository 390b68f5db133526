import { request } from 'node:http'

/** Sends a form, whose body leaves once the server has asked for it and `meanwhile` is over. */
export function sendHeld(
  url: string,
  form: [string, string][],
  headers: Record<string, string>,
  meanwhile: () => Promise<unknown>,
): Promise<{ status: number; location: string | null; text: string }> {
  const body = new URLSearchParams(form).toString()
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': body.length,
        expect: '100-continue',
        ...headers,
      },
    })
    sent.on('continue', () => void meanwhile().then(() => sent.end(body), reject))
    sent.on('error', reject)
    sent.on('response', (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, location: answer.headers.location ?? null, text }),
      )
    })
    sent.flushHeaders()
  })
}
