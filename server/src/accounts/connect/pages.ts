import { shownHandle } from '@postrider/contract/names'
import { html, Html } from '../../platform/text/html.ts'
import { faultNotice, hidden, messagePage, type Page } from '../../people/pages/page-kit.ts'
import type { Provider } from '../../networks/providers/port/port.ts'
import { channelsIn, type ConnectResult, type NotConnected } from './connect-account.ts'
import { type FieldForm, fieldsOf } from './connect-fields.ts'
import type { Choice } from './connect-flow.ts'
import type { OpenFlow } from './connect-flow-store.ts'
import { languageOfReader } from '../../platform/text/language.ts'
import { words as pageWords } from '../../people/pages/words.ts'
import { words } from './words.ts'

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
      ? words.connectTitle(displayName)
      : words.reconnectTitle(shownHandle(provider, flow.channelHandle), displayName)
  return {
    title,
    back: { to: `/w/${flow.workspaceId}/channels`, label: words.toChannels },
    leadsTo: NETWORKS,
    ...(fault === null ? {} : { status: statusFor(fault) }),
    body: html`<h1>${title}</h1>
      <p>${words.whoCanPost} <strong>${flow.workspaceName}</strong>${words.canPost(displayName)}</p>
      ${faultNotice(fault)}
      <form method="post" action="/connect/${provider.provider}">
        ${hidden('link', token)}${fields.map((field) => connectField(field, flow.fields[field.name] ?? ''))}
        <button>${words.continueTo(displayName)}</button>
      </form>
      <footer>${words.unexpected}</footer>`,
  }
}

/** The accounts that one sign-in gives access to; `known` are those that the workspace has channels of. */
export function choicePage(
  { provider, displayName, atHandles }: Provider,
  { flow, grants }: Choice,
  known: ReadonlySet<string>,
  fault: { readonly detail: string } | null = null,
): Page {
  const title = words.chooseTitle(displayName)
  return {
    title,
    // A page on the way back from the network, which leads to no other site.
    leadsTo: [],
    ...(fault === null ? {} : { status: 422 }),
    body: html`<h1>${title}</h1>
      <p>${words.chooseWhich} <strong>${flow.workspaceName}</strong>${words.canPostAsChosen}</p>
      ${faultNotice(fault)}
      <form method="post" action="/connect/${provider}/choose">
        ${hidden('flow', flow.id)}
        <fieldset>
          <legend>${words.accounts}</legend>
          ${grants.map(({ account: { remoteAccountId, displayName: name, handle } }) => {
            const more = [
              ...(handle === name ? [] : [shownHandle({ atHandles }, handle)]),
              ...(known.has(remoteAccountId) ? [words.connectedAlready] : []),
            ].join(', ')
            return html`<label class="choice"
              ><input type="checkbox" name="account" value="${remoteAccountId}" />${name}${
                more === '' ? null : ` (${more})`
              }</label
            >`
          })}
        </fieldset>
        <button>${words.connectChosen}</button>
      </form>
      <footer>${words.unexpected}</footer>`,
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
export function endPage({ atHandles, displayName }: Provider, result: ConnectResult): Page {
  if (result.is !== 'connected')
    return {
      ...messagePage(words.notConnected(displayName), pageWords.sentence(result.detail)),
      status: statusFor(result),
    }
  const channels = channelsIn(result)
  const resumed = channels.reduce((sum, channel) => sum + channel.resumed, 0)
  const went = resumed === 0 ? '' : ` ${words.resume(resumed)}`
  const more = html`<p>${words.canClose} <a href="/">${words.toDashboard}</a>.</p>`
  if (channels.length > 1) {
    const handles = inWords(channels.map((channel) => shownHandle({ atHandles }, channel.handle)))
    const title = words.severalConnected(channels.length)
    return messagePage(title, words.canPublishAs(displayName, handles, went), more)
  }
  const { reconnected } = result
  const handle = shownHandle({ atHandles }, result.handle)
  return messagePage(
    reconnected ? words.reconnected(handle) : words.connected(handle),
    words.canPublish(displayName, handle, went),
    more,
  )
}

function inWords(names: readonly string[]): string {
  return new Intl.ListFormat(languageOfReader(), { type: 'conjunction' }).format(names)
}

/** What a link leads to that cannot be used. */
export const linkOverPage = (): Page => ({ ...messagePage(words.linkOver, words.linkOverHint), status: 404 })

function statusFor({ is }: NotConnected): number {
  return is === 'unavailable' ? 502 : 422
}
