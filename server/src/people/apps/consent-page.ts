import type { Permission } from '@postrider/contract'
import { shownHandle } from '@postrider/contract/names'
import type { ChannelRow } from '../../networks/channels/channel-store.ts'
import type { WorkspaceOf } from '../members/membership-store.ts'
import {
  faultNotice,
  field,
  form,
  hidden,
  messagePage,
  type Page,
  statusOf,
  TO_DASHBOARD,
} from '../pages/page-kit.ts'
import { shownCode } from './device-codes.ts'
import { html, Html } from '../../platform/text/html.ts'
import type { Refusal } from '../../edge/operations/refusal.ts'
import type { AccessRequest, ConsentRequest } from './consent.ts'
import type { DeviceRequest } from './device.ts'
import { consentDays, type ConsentForm } from './read-consent-form.ts'
import { words as pageWords } from '../pages/words.ts'
import { words } from './words.ts'

/** A workspace of the person's, with the channels that a client may be limited to there. */
export type WorkspaceChoice = WorkspaceOf & { readonly channels: readonly ChannelRow[] }

type ConsentView = {
  readonly request: ConsentRequest | DeviceRequest
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
    title: words.allowTitle(request.clientName),
    ...statusOf(refusal),
    ...(refusal === null ? {} : { status: 422 }),
    ...('redirectUri' in request ? { leadsTo: [redirectSource(request.redirectUri)] } : {}),
    body: html`<h1>${beside(words.allowTitle, request.clientName)}</h1>
      ${faultNotice(refusal)}${origin(request)}
      <p>${words.signedInAs(personName)}</p>
      <form method="post" action="${action}">
        ${hidden('shownTo', shownTo)}${'userCode' in request ? hidden('code', request.userCode) : null}
        <fieldset>
          <legend>${words.workspace}</legend>
          ${workspaces.map((workspace) => workspaceChoice(workspace, form))}
        </fieldset>
        <fieldset>
          <legend>${words.permissions}</legend>
          ${request.permissions.map((permission) => permissionChoice(permission, form))}
        </fieldset>
        ${narrowing(workspaces, form)}
        <label
          >${words.expiresAfter}<select name="days">
            ${consentDays.map((days) => dayChoice(days, form))}
          </select></label
        >
        <p>${words.hint}</p>
        <p>
          <button type="submit" name="decision" value="allow">${words.allow}</button>
          <button type="submit" name="decision" value="deny" class="plain">${words.deny}</button>
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

/** A sentence of ours with a text of a client's in it. */
function beside(sentence: (text: string) => string, text: string): Html {
  const MARK = '\u0000'
  const [before = '', after = ''] = sentence(MARK).split(MARK)
  return html`${before}${isolated(text)}${after}`
}

/** Who asks, and in a line of its own where access goes: in ASCII, as addresses have it. */
function origin(request: ConsentRequest | DeviceRequest): Html {
  return html`${asker(request)}${'userCode' in request ? device(request) : way(request)}`
}

function asker({ clientName, clientId, selfNamed }: AccessRequest): Html {
  const name = isolated(clientName)
  return selfNamed
    ? html`<p>“${name}” ${words.unverified}</p>`
    : html`<p>${name} ${words.describesItself}</p>
        ${line(new URL(clientId).href)}`
}

function way({ clientOrigin }: AccessRequest): Html {
  return html`<p>${destination(clientOrigin)}</p>
    ${line(clientOrigin)}`
}

/** Where the code was asked for, and what it means that somebody else may have. */
function device({ userCode, clientOrigin, minutes }: DeviceRequest): Html {
  return html`<p>${words.toDevice}</p>
    ${line(shownCode(userCode))}
    <p>${words.askedFrom(minutes)}</p>
    ${line(clientOrigin)}
    <p class="notice fault">${words.sentCode}</p>`
}

function line(text: string): Html {
  return html`<p><strong>${isolated(text)}</strong></p>`
}

function destination(clientOrigin: string): string {
  if (clientOrigin.endsWith(':')) return words.toApp
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(clientOrigin)
  return isLocal ? words.toProgram : words.to
}

/** The limits that agent keys have, too; folded away until one is set, since most people set none. */
function narrowing(workspaces: readonly WorkspaceChoice[], form: ConsentForm): Html {
  const { channelIds, postsPerDay, daysAhead, draftsOnly } = form
  const isSet = channelIds.length > 0 || postsPerDay !== '' || daysAhead !== '' || draftsOnly
  const draftsLabel = words.draftsOnly
  return html`<details${flag('open', isSet)}>
    <summary>${words.addLimits}</summary>
    ${workspaces.map((workspace) => channelChoices(workspace, workspaces.length > 1, form))}
    ${choice('checkbox', 'draftsOnly', 'on', draftsOnly, draftsLabel)}
    <label
      >${words.dailyLimit}<input
        name="postsPerDay"
        type="number"
        min="1"
        max="100000"
        value="${postsPerDay}"
    /></label>
    <label
      >${words.daysAhead}<input
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
    <legend>${words.onlyChannels(several ? ` ${words.ofWorkspace(name)}` : '')}</legend>
    ${channels.map(({ channelId, displayName, handle, provider }) => {
      const label = `${displayName} (${shownHandle(provider, handle)}, ${provider})`
      return choice('checkbox', 'channelId', channelId, form.channelIds.includes(channelId), label)
    })}
  </fieldset>`
}

function workspaceChoice({ workspaceId, name, role }: WorkspaceOf, form: ConsentForm): Html {
  const label = words.workspaceAs(name, pageWords.roles[role])
  return choice('radio', 'workspaceId', workspaceId, workspaceId === form.workspaceId, label)
}

function permissionChoice(permission: Permission, form: ConsentForm): Html {
  const isTicked = form.permissions.includes(permission)
  return choice('checkbox', 'permission', permission, isTicked, pageWords.permissionHints[permission])
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
  const label = days === 365 ? words.year : words.days(days)
  return html`<option value="${days}" ${flag('selected', String(days) === form.days)}>${label}</option>`
}

/** An attribute without a value. */
function flag(name: 'checked' | 'open' | 'required' | 'selected', isSet: boolean): Html {
  return new Html(isSet ? ` ${name}` : '')
}

type CodeView = { readonly action: string; readonly typed: string; readonly refusal: Refusal | null }

/** Where a person enters the code that a device shows. */
export function codePage({ action, typed, refusal }: CodeView): Page {
  const fields = field('code', words.code, { value: typed })
  return {
    title: words.codeTitle,
    ...statusOf(refusal),
    back: TO_DASHBOARD,
    body: html`<h1>${words.codeTitle}</h1>
      ${faultNotice(refusal)}
      <p>${words.codeHint}</p>
      <p>${words.sentCode}</p>
      ${form(action, fields, words.continueWithCode)}`,
  }
}

/** The page of a device about which a person has decided. */
export function decidedPage(allowed: boolean): Page {
  return allowed ? messagePage(words.allowed, words.allowedHint) : messagePage(words.denied, words.deniedHint)
}

/** The page of a request that is over, or that was begun elsewhere. */
export const endedPage = (): Page => ({ ...messagePage(words.expired, words.expiredHint), status: 404 })
