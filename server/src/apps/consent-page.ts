import { type Permission, permissions } from '@postrider/contract'
import type { ChannelRow } from '../channels/channel-store.ts'
import type { WorkspaceOf } from '../members/membership-store.ts'
import { faultNotice, hidden, messagePage, type Page, statusOf } from '../pages/page-kit.ts'
import { html, Html } from '../platform/html.ts'
import type { Refusal } from '../operations/refusal.ts'
import type { ConsentRequest } from './consent.ts'
import { consentDays, type ConsentForm } from './read-consent-form.ts'

/** A workspace of the person's, with the channels that a client may be limited to there. */
export type WorkspaceChoice = WorkspaceOf & { readonly channels: readonly ChannelRow[] }

type ConsentView = {
  readonly request: ConsentRequest
  readonly personName: string
  readonly workspaces: readonly WorkspaceChoice[]
  /** Where the form goes. */
  readonly action: string
  /** What says to which session the form was shown. */
  readonly shownTo: string
  readonly form: ConsentForm
  /** What was wrong with the last try; null at the first. */
  readonly refusal: Refusal | null
}

/** What a person sees before a client is let in: who asks, for what, in which workspace, and for how long. */
export function consentPage(view: ConsentView): Page {
  const { request, personName, workspaces, action, shownTo, form, refusal } = view
  return {
    title: `Allow ${request.clientName} access?`,
    ...statusOf(refusal),
    ...(refusal === null ? {} : { status: 422 }),
    leadsTo: [redirectSource(request.redirectUri)],
    body: html`<h1>Allow ${isolated(request.clientName)} access?</h1>
      ${faultNotice(refusal)}${origin(request)}
      <p>You are signed in as ${personName}.</p>
      <form method="post" action="${action}">
        ${hidden('shownTo', shownTo)}
        <fieldset>
          <legend>Workspace</legend>
          ${workspaces.map((workspace) => workspaceChoice(workspace, form))}
        </fieldset>
        <fieldset>
          <legend>Permissions</legend>
          ${request.permissions.map((permission) => permissionChoice(permission, form))}
        </fieldset>
        ${narrowing(workspaces, form)}
        <label
          >Access expires after<select name="days">
            ${consentDays.map((days) => dayChoice(days, form))}
          </select></label
        >
        <p>
          Revoke it anytime under Connected apps, where you can also limit it later. Unused access ends after
          30 days. It can’t approve posts, create keys, or connect channels.
        </p>
        <p>
          <button type="submit" name="decision" value="allow">Allow</button>
          <button type="submit" name="decision" value="deny" class="plain">Deny</button>
        </p>
      </form>`,
  }
}

/** The client is the one that the form may send the browser on to. */
function redirectSource(redirectUri: string): string {
  const { protocol, origin: source } = new URL(redirectUri)
  return protocol === 'https:' || protocol === 'http:' ? source : protocol
}

/** Text of a client's: it cannot change the direction in which the text around it is read. */
function isolated(text: string): Html {
  return html`<bdi>${text}</bdi>`
}

/** Who asks, and in a line of its own where access goes: in ASCII, as addresses have it. */
function origin({ clientName, clientId, clientOrigin, selfNamed }: ConsentRequest): Html {
  const name = isolated(clientName)
  const asks = selfNamed
    ? html`<p>
        “${name}” wants access. Its name isn’t verified. Continue only if you started this from an app of
        yours.
      </p>`
    : html`<p>${name} asks for access, and describes itself at</p>
        ${line(new URL(clientId).href)}`
  return html`${asks}
    <p>${destination(clientOrigin)}</p>
    ${line(clientOrigin)}`
}

function line(text: string): Html {
  return html`<p><strong>${isolated(text)}</strong></p>`
}

function destination(clientOrigin: string): string {
  if (clientOrigin.endsWith(':'))
    return 'Access goes to an app on this device: the one that opens addresses that begin with'
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(clientOrigin)
  return isLocal ? 'Access goes to a program on this device, at' : 'Access goes to'
}

/** The limits that agent keys have, too; folded away until one is set, since most people set none. */
function narrowing(workspaces: readonly WorkspaceChoice[], form: ConsentForm): Html {
  const { channelIds, postsPerDay, daysAhead, draftsOnly } = form
  const isSet = channelIds.length > 0 || postsPerDay !== '' || daysAhead !== '' || draftsOnly
  const draftsLabel = 'Drafts only; people schedule'
  return html`<details${flag('open', isSet)}>
    <summary>Add limits</summary>
    ${workspaces.map((workspace) => channelChoices(workspace, workspaces.length > 1, form))}
    ${choice('checkbox', 'draftsOnly', 'on', draftsOnly, draftsLabel)}
    <label
      >Daily post limit (optional)<input
        name="postsPerDay"
        type="number"
        min="1"
        max="100000"
        value="${postsPerDay}"
    /></label>
    <label
      >Days ahead, at most (optional)<input
        name="daysAhead"
        type="number"
        min="0"
        max="3650"
        step="any"
        value="${daysAhead}"
    /></label>
  </details>`
}

function channelChoices(
  { name, channels }: WorkspaceChoice,
  several: boolean,
  form: ConsentForm,
): Html | null {
  if (channels.length === 0) return null
  return html`<fieldset>
    <legend>Only these channels${several ? ` of ${name}` : ''}; all of them when none is ticked</legend>
    ${channels.map(({ channelId, displayName, handle, provider }) => {
      const label = `${displayName} (@${handle}, ${provider})`
      return choice('checkbox', 'channelId', channelId, form.channelIds.includes(channelId), label)
    })}
  </fieldset>`
}

function workspaceChoice({ workspaceId, name, role }: WorkspaceOf, form: ConsentForm): Html {
  const label = `${name} (you are ${role})`
  return choice('radio', 'workspaceId', workspaceId, workspaceId === form.workspaceId, label)
}

function permissionChoice(permission: Permission, form: ConsentForm): Html {
  const isTicked = form.permissions.includes(permission)
  return choice('checkbox', 'permission', permission, isTicked, permissions[permission])
}

function choice(
  type: 'checkbox' | 'radio',
  name: string,
  value: string,
  checked: boolean,
  label: string,
): Html {
  return html`<label class="choice"
    ><input
      type="${type}"
      name="${name}"
      value="${value}"
      ${flag('checked', checked)}${flag('required', type === 'radio')}
    />${label}</label
  >`
}

function dayChoice(days: number, form: ConsentForm): Html {
  const label = days === 365 ? 'a year' : `${days} days`
  return html`<option value="${days}" ${flag('selected', String(days) === form.days)}>${label}</option>`
}

/** An attribute without a value. */
function flag(name: 'checked' | 'open' | 'required' | 'selected', isSet: boolean): Html {
  return new Html(isSet ? ` ${name}` : '')
}

/** The page of a request that is over, or that was begun elsewhere. */
export const endedPage: Page = {
  ...messagePage(
    'Request expired',
    'It was decided, took longer than half an hour, or was begun in another browser. Go back to the app and connect again.',
  ),
  status: 404,
}
