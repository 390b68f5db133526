import { escapeHtml, htmlPage } from '../platform/html.ts'
import type { Provider } from '../providers/port.ts'
import type { ConnectResult } from './connect-account.ts'
import { fieldsOf } from './connect-fields.ts'
import type { OpenFlow } from './connect-flow-store.ts'

/** The page that a link opens: what is about to happen, and what is still to be filled in. */
export function startPage(provider: Provider, flow: OpenFlow, token: string, fault?: string): string {
  const { displayName, connecting } = provider
  const fields = connecting.oauth === null ? [] : fieldsOf(connecting.oauth.fields)
  const what =
    flow.channelHandle === null
      ? `Connect an account of ${escapeHtml(displayName)}`
      : `Reconnect @${escapeHtml(flow.channelHandle)} on ${escapeHtml(displayName)}`
  const inputs = fields.map(({ name, title, description, required, example }) => {
    const value = escapeHtml(flow.fields[name] ?? '')
    return `<p><label>${escapeHtml(title)}<br><input name="${name}" value="${value}" placeholder="${escapeHtml(example)}"${required ? ' required' : ''} autocapitalize="none" spellcheck="false"></label><br><small>${escapeHtml(description)}</small></p>`
  })
  return htmlPage(
    `${what} – Postrider`,
    `<h1>${what}</h1>
<p>The account will belong to the workspace <strong>${escapeHtml(flow.workspaceName)}</strong>: whoever may publish there can then
publish in its name. You sign in at ${escapeHtml(displayName)} itself; this server never sees your password.</p>
${fault === undefined ? '' : `<p role="alert"><strong>${escapeHtml(fault)}</strong></p>`}
<form method="post" action="/connect/${provider.provider}">
<input type="hidden" name="link" value="${escapeHtml(token)}">
${inputs.join('\n')}
<p><button>Continue to ${escapeHtml(displayName)}</button></p>
</form>
<footer>If you did not expect this page, close it: nothing happens.</footer>`,
  )
}

/** How it ended, in a sentence. */
export function endPage({ displayName }: Provider, result: ConnectResult, dashboardUrl: string): string {
  if (result.is !== 'connected') return faultPage(`${displayName} was not connected`, result.detail)
  const went =
    result.resumed === 0
      ? ''
      : ` ${result.resumed === 1 ? 'One post' : `${result.resumed} posts`} that waited for it will go out.`
  const title = `@${result.handle} is ${result.reconnected ? 'connected again' : 'connected'}`
  return htmlPage(
    `${title} – Postrider`,
    `<h1>${escapeHtml(title)}</h1>
<p>Postrider can now publish on ${escapeHtml(displayName)} as @${escapeHtml(result.handle)}.${went}
You can close this page, or <a href="${escapeHtml(dashboardUrl)}">go to the dashboard</a>.</p>`,
  )
}

/** What went wrong, and what to do. */
export function faultPage(title: string, detail: string): string {
  return htmlPage(`${title} – Postrider`, `<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(detail)}</p>`)
}
