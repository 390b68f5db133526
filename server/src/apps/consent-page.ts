import { type Permission, permissions } from '@postrider/contract'
import { escapeHtml } from '../platform/html.ts'
import type { ChannelRow } from '../channels/channel-store.ts'
import type { WorkspaceOf } from '../members/membership-store.ts'
import type { ConsentRequest } from './consent.ts'
import { consentDays, type ConsentForm } from './consent-form.ts'

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
  readonly fault: string | null
}

/** What a person sees before a client is let in: who asks, for what, in which workspace, and for how long. */
export function consentPage(view: ConsentView): string {
  const { request, personName, workspaces, action, shownTo, form, fault } = view
  return `<h1>Let ${isolated(request.clientName)} in?</h1>
${fault === null ? '' : `<p role="alert"><strong>${escapeHtml(fault)}</strong></p>`}
${origin(request)}
<p>You are signed in as ${escapeHtml(personName)}.</p>
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="shownTo" value="${shownTo}">
<fieldset>
<legend>In which workspace</legend>
${workspaces.map((workspace) => workspaceChoice(workspace, form)).join('\n')}
</fieldset>
<fieldset>
<legend>What it may do there</legend>
${request.permissions.map((permission) => permissionChoice(permission, form)).join('\n')}
</fieldset>
${narrowing(workspaces, form)}
<label>For how long
<select name="days">${consentDays.map((days) => dayChoice(days, form)).join('')}</select></label>
<p>It ends earlier when you cut it off, or when it was not used for 30 days. You find it under Developers, Connected apps,
where you can narrow it later, too. It can never decide about approvals, make keys or connect channels.</p>
<p><button type="submit" name="decision" value="allow">Let it in</button>
<button type="submit" name="decision" value="deny" class="plain">Deny</button></p>
</form>`
}

/** Text of a client's: it cannot change the direction in which the text around it is read. */
function isolated(text: string): string {
  return `<bdi>${escapeHtml(text)}</bdi>`
}

/** Who asks, and in a line of its own where access goes: in ASCII, as addresses have it. */
function origin({ clientName, clientId, clientOrigin, selfNamed }: ConsentRequest): string {
  const name = isolated(clientName)
  const asks = selfNamed
    ? `<p>An app that calls itself “${name}” asks for access; nobody has checked that name. Let it in only if you have just started this from an app of yours.</p>`
    : `<p>${name} asks for access, and describes itself at</p>
${line(new URL(clientId).href)}`
  return `${asks}
<p>${destination(clientOrigin)}</p>
${line(clientOrigin)}`
}

function line(text: string): string {
  return `<p><strong>${isolated(text)}</strong></p>`
}

function destination(clientOrigin: string): string {
  if (clientOrigin.endsWith(':'))
    return 'Access goes to an app on this device: the one that opens addresses that begin with'
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(clientOrigin)
  return isLocal ? 'Access goes to a program on this device, at' : 'Access goes to'
}

/** The limits that agent keys have, too; folded away until one is set, since most people set none. */
function narrowing(workspaces: readonly WorkspaceChoice[], form: ConsentForm): string {
  const { channelIds, postsPerDay, daysAhead, draftsOnly } = form
  const isSet = channelIds.length > 0 || postsPerDay !== '' || daysAhead !== '' || draftsOnly
  return `<details${isSet ? ' open' : ''}>
<summary>Narrow it further</summary>
${workspaces.map((workspace) => channelChoices(workspace, workspaces.length > 1, form)).join('\n')}
<label class="choice"><input type="checkbox" name="draftsOnly" value="on"${draftsOnly ? ' checked' : ''}>
Drafts and checks only: a person gives every post its time</label>
<label>Posts a day, at most; empty for any number
<input name="postsPerDay" type="number" min="1" max="100000" value="${escapeHtml(postsPerDay)}"></label>
<label>How many days ahead it may plan, at most; empty for any
<input name="daysAhead" type="number" min="0" max="3650" step="any" value="${escapeHtml(daysAhead)}"></label>
</details>`
}

function channelChoices({ name, channels }: WorkspaceChoice, several: boolean, form: ConsentForm): string {
  if (channels.length === 0) return ''
  const where = several ? ` of ${escapeHtml(name)}` : ''
  return `<fieldset>
<legend>Only these channels${where}; all of them when none is ticked</legend>
${channels.map((channel) => channelChoice(channel, form)).join('\n')}
</fieldset>`
}

function channelChoice({ channelId, displayName, handle, provider }: ChannelRow, form: ConsentForm): string {
  const label = `${displayName} (@${handle}, ${provider})`
  return choice('checkbox', 'channelId', channelId, form.channelIds.includes(channelId), label)
}

function workspaceChoice({ workspaceId, name, role }: WorkspaceOf, form: ConsentForm): string {
  return choice(
    'radio',
    'workspaceId',
    workspaceId,
    workspaceId === form.workspaceId,
    `${name} (you are ${role})`,
  )
}

function permissionChoice(permission: Permission, form: ConsentForm): string {
  return choice(
    'checkbox',
    'permission',
    permission,
    form.permissions.includes(permission),
    permissions[permission],
  )
}

function choice(type: string, name: string, value: string, checked: boolean, label: string): string {
  return `<label class="choice"><input type="${type}" name="${name}" value="${value}"${checked ? ' checked' : ''}${type === 'radio' ? ' required' : ''}>
${escapeHtml(label)}</label>`
}

function dayChoice(days: number, form: ConsentForm): string {
  const label = days === 365 ? 'a year' : `${days} days`
  return `<option value="${days}"${String(days) === form.days ? ' selected' : ''}>${label}</option>`
}

/** The page of a request that is over, or that was begun elsewhere. */
export const endedPage = `<h1>This request is over</h1>
<p>It was decided, took longer than half an hour, or was begun in another browser. Go back to the app and connect again.</p>`
