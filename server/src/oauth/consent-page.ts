import { type Permission, permissions } from '@postrider/contract'
import { escapeHtml } from '../api/html.ts'
import type { WorkspaceOf } from '../people/membership-store.ts'
import type { ConsentRequest } from './consent.ts'

type ConsentView = {
  readonly request: ConsentRequest
  readonly personName: string
  readonly workspaces: readonly WorkspaceOf[]
  /** Where the form goes. */
  readonly action: string
  /** What was wrong with the last try; null at the first. */
  readonly fault: string | null
}

/** What a person sees before a client is let in: who asks, for what, in which workspace, and for how long. */
export function consentPage({ request, personName, workspaces, action, fault }: ConsentView): string {
  const name = escapeHtml(request.clientName)
  return `<h1>Let ${name} in?</h1>
${fault === null ? '' : `<p role="alert"><strong>${escapeHtml(fault)}</strong></p>`}
<p>${origin(request)}</p>
<p>You are signed in as ${escapeHtml(personName)}.</p>
<form method="post" action="${escapeHtml(action)}">
<fieldset>
<legend>In which workspace</legend>
${workspaces.map((workspace, index) => workspaceChoice(workspace, index === 0)).join('\n')}
</fieldset>
<fieldset>
<legend>What it may do there</legend>
${request.permissions.map(permissionChoice).join('\n')}
</fieldset>
<p>It may do so until you cut it off, or until it was not used for 30 days, and for a year at most. You find it under
Developers, Connected apps. It can never decide about approvals, make keys or connect channels.</p>
<p><button type="submit" name="decision" value="allow">Let it in</button>
<button type="submit" name="decision" value="deny" class="plain">Deny</button></p>
</form>`
}

function origin({ clientName, clientId, clientOrigin, selfNamed }: ConsentRequest): string {
  const name = escapeHtml(clientName)
  const goes = `Access goes to <strong>${escapeHtml(clientOrigin)}</strong>.`
  if (selfNamed)
    return `An app that calls itself “${name}” asks for access; nobody has checked that name. ${goes} Let it in only if you have just started this from an app of yours.`
  return `${name} describes itself at <strong>${escapeHtml(clientId)}</strong>. ${goes}`
}

function workspaceChoice({ workspaceId, name, role }: WorkspaceOf, first: boolean): string {
  return `<label class="choice"><input type="radio" name="workspaceId" value="${workspaceId}" required${first ? ' checked' : ''}>
${escapeHtml(name)} (you are ${role})</label>`
}

function permissionChoice(permission: Permission): string {
  return `<label class="choice"><input type="checkbox" name="permission" value="${permission}" checked>
${escapeHtml(permissions[permission])}</label>`
}

/** The page of a request that is over, or that was begun elsewhere. */
export const endedPage = `<h1>This request is over</h1>
<p>It was decided, took longer than half an hour, or was begun in another browser. Go back to the app and connect again.</p>`
