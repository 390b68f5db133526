import { html, Html } from '../platform/html.ts'
import { faultNotice, hidden, messagePage, type Page } from '../pages/page-kit.ts'
import type { Provider } from '../providers/port.ts'
import type { ConnectResult, NotConnected } from './connect-account.ts'
import { type FieldForm, fieldsOf } from './connect-fields.ts'
import type { OpenFlow } from './connect-flow-store.ts'

/** To us, and from there to the network that the person chose. */
const NETWORKS = ['https:', 'http:']

/** The page that a link opens: what is about to happen, and what is still to be filled in. */
export function startPage(
  provider: Provider,
  flow: OpenFlow,
  token: string,
  fault: NotConnected | null = null,
): Page {
  const { displayName, connecting } = provider
  const fields = connecting.oauth === null ? [] : fieldsOf(connecting.oauth.fields)
  const title =
    flow.channelHandle === null
      ? `Connect an account of ${displayName}`
      : `Reconnect @${flow.channelHandle} on ${displayName}`
  return {
    title,
    back: { to: `/w/${flow.workspaceId}/channels`, label: 'Back to channels' },
    leadsTo: NETWORKS,
    ...(fault === null ? {} : { status: statusFor(fault) }),
    body: html`<h1>${title}</h1>
      <p>
        Anyone who can publish in <strong>${flow.workspaceName}</strong> can post as this account. You sign in
        at ${displayName} itself. This server never sees your password.
      </p>
      ${faultNotice(fault)}
      <form method="post" action="/connect/${provider.provider}">
        ${hidden('link', token)}${fields.map((field) => connectField(field, flow.fields[field.name] ?? ''))}
        <button>Continue to ${displayName}</button>
      </form>
      <footer>Didn’t expect this? Close this page. Nothing was changed.</footer>`,
  }
}

function connectField({ name, title, description, required, example }: FieldForm, value: string): Html {
  const more = new Html(required ? ' required' : '')
  return html`<label
    >${title}<input
      name="${name}"
      value="${value}"
      placeholder="${example}"
      autocapitalize="none"
      spellcheck="false"
      ${more}
    /><small>${description}</small>
  </label>`
}

/** How it ended, in a sentence. */
export function endPage({ displayName }: Provider, result: ConnectResult): Page {
  if (result.is !== 'connected')
    return { ...messagePage(`${displayName} was not connected`, result.detail), status: statusFor(result) }
  const { handle, reconnected, resumed } = result
  const posts = resumed === 1 ? 'One post' : `${resumed} posts`
  const went = resumed === 0 ? '' : ` ${posts} that waited for it will go out.`
  return messagePage(
    `@${handle} is ${reconnected ? 'connected again' : 'connected'}`,
    `Postrider can now publish on ${displayName} as @${handle}.${went}`,
    html`<p>You can close this page, or <a href="/">go to the dashboard</a>.</p>`,
  )
}

/** What a link leads to that cannot be used. */
export const linkOverPage: Page = {
  ...messagePage(
    'This link can no longer be used',
    'A link connects one account, once, within ten minutes. Make a new one: on the page Channels of the dashboard, or on the server by `postrider channel add <network> --oauth`.',
  ),
  status: 404,
}

function statusFor({ is }: NotConnected): number {
  return is === 'unavailable' ? 502 : 422
}
