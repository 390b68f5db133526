import { html, htmlPage } from '../../platform/text/html.ts'
import { words } from './words.ts'

/** As clients are told of it (RFC 6749, 5.2). */
export type OAuthFault = { readonly error: string; readonly error_description?: string | undefined }

/** What a person sees whose app asks for access by a request that has a fault. */
export function faultPage({ error, error_description: why }: OAuthFault): string {
  const body = html`<h1>${words.fault}</h1>
    <p>${words.faultHint}</p>
    <p><code>${why === undefined ? error : `${error}: ${why}`}</code></p>`
  return htmlPage(words.fault, body.text)
}
