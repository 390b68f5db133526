import type { Command } from 'commander'
import { type ApprovalRequest, listApprovals, workspaceOfApproval } from '../approvals/approval-store.ts'
import { decideApproval, type Decision } from '../reviews/decide-approval.ts'
import { showApproval, type ShownApproval } from '../reviews/show-approval.ts'
import { findMedia, type MediaRow } from '../media/media-store.ts'
import { isRefusal, type Refusal } from '../operations/refusal.ts'
import type { Db } from '../platform/db.ts'
import { parseId } from './arguments.ts'
import { CommandFault } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { recordOperator } from './operator.ts'
import { type Columns, escapeControlCharacters, mediaLine, instantCell, quoted, table } from './output.ts'
import {
  inWorkspace,
  type InWorkspace,
  knownWorkspaceOption,
  memberOf,
  type Place,
  workspaceOption,
} from './session.ts'

/** What a person is shown, with the media that it names. */
type Shown = ShownApproval & { readonly mediaItems: ReadonlyMap<string, MediaRow> }

type DecideOptions = InWorkspace & { note?: string; as?: string }

/** `postrider approval …` */
export function addApprovalCommands(program: Command, commandLine: CommandLine): void {
  const { config, output } = commandLine
  const approval = program.command('approval').description('decisions about posts that wait for a person')

  approval
    .command('list')
    .description('list the requests that wait for a decision')
    .option('--all', 'those that are closed, too', false)
    .addOption(workspaceOption())
    .action(async (options: InWorkspace & { all: boolean }, command: Command) => {
      const requests = await inWorkspace(config, options, ({ db, workspaceId }) =>
        listApprovals(db, workspaceId, options),
      )
      output(command).answer(requests.map(viewRequest), requestTable(requests, options))
    })

  approval
    .command('show')
    .description('show exactly what would be published where')
    .argument('<approvalId>', 'as `approval list` shows it')
    .addOption(knownWorkspaceOption())
    .action(async (text: string, options: InWorkspace, command: Command) => {
      const approvalId = parseId('approvalId', text)
      const shown = await inWorkspace(
        config,
        options,
        ({ db, workspaceId }) => show(db, workspaceId, approvalId),
        (db) => workspaceOfApproval(db, approvalId),
      )
      output(command).answer(viewShown(shown), describe(shown))
    })

  addDecision(
    approval,
    commandLine,
    'approve',
    'approve a request: the post is published at its time, or at once',
  )
  addDecision(approval, commandLine, 'reject', 'reject a request: the post stays a draft')
}

function addDecision(
  approval: Command,
  { config, output }: CommandLine,
  verdict: Decision['verdict'],
  description: string,
): void {
  approval
    .command(verdict)
    .description(description)
    .argument('<approvalId>', 'as `approval list` shows it')
    .option('--note <text>', 'why; shown with the post')
    .option('--as <member id or email>', 'who decides; the owner of the workspace when left out')
    .addOption(knownWorkspaceOption())
    .action(async (text: string, options: DecideOptions, command: Command) => {
      const approvalId = parseId('approvalId', text)
      const decide = async ({ db, workspace, workspaceId }: Place) => {
        const member = await memberOf(db, workspace, options.as)
        const note = options.note?.trim() || null
        const decided = await db.begin(async (tx) => {
          const request = await decideApproval(tx, {
            workspaceId,
            approvalId,
            verdict,
            memberId: member.memberId,
            memberName: member.name,
            note,
          })
          if (isRefusal(request)) return request
          await recordOperator(tx, workspaceId, 'decideApproval', {
            subject: { approvalId, postId: request.postId },
            after: { verdict, note, decidedBy: member.name },
          })
          return request
        })
        if (isRefusal(decided))
          throw new CommandFault(await refusalWords(db, workspaceId, approvalId, decided))
        return { ...decided, member }
      }
      const { postId, publishAt, member } = await inWorkspace(config, options, decide, (db) =>
        workspaceOfApproval(db, approvalId),
      )
      const status = verdict === 'approve' ? 'approved' : 'rejected'
      const consequence =
        verdict === 'approve'
          ? `it publishes ${publishAt === null || publishAt <= new Date() ? 'now' : `at ${instantCell(publishAt, '')}`}. Follow it: postrider post show ${postId}`
          : 'it stays a draft, and is not published. An edit of the post asks for approval again.'
      output(command).answer(
        { approvalId, postId, status, decidedBy: member.name },
        `${member.name} ${status} the post ${postId}: ${consequence}`,
      )
    })
}

async function show(db: Db, workspaceId: string, approvalId: string): Promise<Shown> {
  const shown = await db.begin((tx) => showApproval(tx, workspaceId, approvalId))
  if (shown === null) throw new CommandFault(noSuchRequest(approvalId))
  const mediaIds = shown.destinations.flatMap(({ media }) => media.flat())
  return { ...shown, mediaItems: await findMedia(db, workspaceId, mediaIds) }
}

function viewRequest({ workspaceId: _, digest: __, ...request }: ApprovalRequest) {
  return request
}

function viewShown({ request, askedBy, unchanged, destinations, mediaItems }: Shown) {
  return {
    ...viewRequest(request),
    askedBy,
    unchanged,
    destinations: destinations.map(({ channel, channelId, status, settings, parts, media }) => ({
      channelId,
      status,
      provider: channel?.provider ?? null,
      handle: channel?.handle ?? null,
      settings,
      parts,
      media: media.map((ids) =>
        ids.map((mediaId) => ({ mediaId, altText: mediaItems.get(mediaId)?.altText ?? null })),
      ),
    })),
  }
}

function requestTable(requests: readonly ApprovalRequest[], { all }: { all: boolean }): string {
  if (requests.length === 0) return all ? 'No approval was ever asked for.' : 'Nothing waits for a decision.'
  return table(columns, requests)
}

const columns: Columns<ApprovalRequest> = {
  APPROVAL: ({ approvalId }) => approvalId,
  POST: ({ postId }) => postId,
  STATUS: ({ status }) => status,
  ASKED: ({ requestedAt }) => instantCell(requestedAt, ''),
  'OPEN UNTIL': ({ expiresAt }) => instantCell(expiresAt, ''),
  'DECIDED BY': ({ decidedBy }) => decidedBy ?? '',
}

function describe({ request, askedBy, unchanged, destinations, mediaItems }: Shown): string {
  const { approvalId, postId, requestedAt } = request
  const asked = `"${escapeControlCharacters(askedBy)}" asked at ${instantCell(requestedAt, '')} to publish the post ${postId}.`
  const heading = unchanged
    ? request.status === 'pending'
      ? 'This would be published:'
      : 'The request was about this:'
    : 'The post changed after the request. It now holds:'
  const lines = [asked, standingOf(request), '', heading]
  for (const destination of destinations) {
    lines.push('', ...destinationLines(destination, mediaItems, { pending: request.status === 'pending' }))
  }
  if (request.status === 'pending' && unchanged) {
    lines.push('', `To publish it now: postrider approval approve ${approvalId}`)
    lines.push(`To keep it back:   postrider approval reject ${approvalId} --note "why"`)
  }
  return lines.join('\n')
}

function destinationLines(
  { channel, channelId, status, settings, parts, media }: ShownApproval['destinations'][number],
  mediaItems: Shown['mediaItems'],
  { pending }: { readonly pending: boolean },
): string[] {
  const where =
    channel === null
      ? `Channel ${channelId}`
      : `@${channel.handle}, "${channel.displayName}" (${channel.provider})`
  const standing = pending && status === 'draft' ? '' : `: ${status ?? 'gone'}`
  const besides = pending && status !== 'draft' ? ', and not published by an approval' : ''
  const extra =
    Object.keys(settings).length === 0 ? [] : [`  with ${escapeControlCharacters(JSON.stringify(settings))}`]
  const texts = parts.flatMap((text, index) => [
    ...(parts.length === 1 ? [] : [`  part ${index + 1} of ${parts.length}`]),
    quoted(text, '  '),
    ...(media[index] ?? []).map((mediaId) => `  ${mediaLine(mediaId, mediaItems.get(mediaId))}`),
  ])
  return [`${where}${standing}${besides}`, ...extra, ...texts]
}

/** Where the request stands, in a sentence. */
function standingOf({ status, expiresAt, decidedAt, decidedBy, note }: ApprovalRequest): string {
  switch (status) {
    case 'pending':
      return `It waits for a decision until ${instantCell(expiresAt, '')}.`
    case 'approved':
    case 'rejected': {
      const why = note === null ? '.' : `: ${escapeControlCharacters(note)}`
      return `${decidedBy ?? 'A person'} ${status} it at ${instantCell(decidedAt, '')}${why}`
    }
    case 'superseded':
      return 'The post was edited after that, which asked again, or nothing of it was left to publish: see `postrider approval list`.'
    case 'expired':
      return `No decision was made until ${instantCell(expiresAt, '')}. An edit of the post asks again.`
    default:
      return status satisfies never
  }
}

async function refusalWords(
  db: Db,
  workspaceId: string,
  approvalId: string,
  { refused, detail, facts }: Refusal,
): Promise<string> {
  if (refused === 'not_found') return noSuchRequest(approvalId)
  if (facts.currentStatus === undefined) return detail
  const { request } = await show(db, workspaceId, approvalId)
  return `This request is closed. ${standingOf(request)}`
}

function noSuchRequest(approvalId: string): string {
  return `There is no approval ${approvalId} here. \`postrider approval list --all\` shows them.`
}
