import type { CredentialLimits } from '@postrider/contract'
import type { Command } from 'commander'
import type { ActDetails } from '../operations/act.ts'
import type { Author } from '../operations/actor.ts'
import type { Tx } from '../platform/db.ts'
import { stopDetails, type Stopped } from '../stop-credential.ts'
import { parseId } from './arguments.ts'
import { CommandFault } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import {
  addLimitOptions,
  describeLimits,
  type LimitOptions,
  parseLimits,
  readLimitsOf,
} from './limit-options.ts'
import { OPERATOR, recordOperator } from './operator.ts'
import { inWorkspace, type InWorkspace, workspaceOption } from './session.ts'

/** A kind of credential that is narrowed and ended at the command line. Its functions give null for an unknown id. */
export type CredentialKind = {
  readonly command: 'key' | 'app'
  readonly idName: 'keyId' | 'grantId'
  /** Under what its name stands in answers. */
  readonly nameAs: 'name' | 'clientName'
  readonly noun: string
  readonly words: {
    /** What ending it is called, as an instruction, */
    readonly end: string
    /** as a state, */
    readonly ended: string
    /** what that means, */
    readonly refused: string
    /** and how one of that name is called. */
    readonly called: (name: string) => string
  }
  /** What the audit log calls what is done to it. */
  readonly actions: { readonly limit: string; readonly stop: string; readonly revoke: string }
  readonly find: (tx: Tx, workspaceId: string, id: string) => Promise<Limited | null>
  readonly limit: (tx: Tx, workspaceId: string, id: string, limits: CredentialLimits) => Promise<boolean>
  readonly stop: (tx: Tx, workspaceId: string, id: string, author: Author) => Promise<Stopped | null>
  readonly revoke: (tx: Tx, workspaceId: string, id: string) => Promise<Revoked | null>
}

type Limited = { readonly name: string; readonly limits: CredentialLimits }
type Revoked = { readonly name: string; readonly revokedAt: Date }

/** Adds `limit`, `stop` and `revoke`. */
export function addCredentialCommands(group: Command, kind: CredentialKind, line: CommandLine): void {
  const { command: name, idName } = kind
  const command = (verb: string, description: string) =>
    group
      .command(verb)
      .description(description)
      .argument(`<${idName}>`, `as \`${name} list\` shows it`)
      .addOption(workspaceOption())
  const change = changeOf(kind, line.config)
  const parts = { ...kind, output: line.output, command, change }
  addLimit(parts)
  addStop(parts)
  addRevoke(parts)
}

type Parts = Omit<CredentialKind, 'command'> & {
  readonly output: CommandLine['output']
  readonly command: (verb: string, description: string) => Command
  readonly change: ReturnType<typeof changeOf>
}

/** How a credential is changed: in one transaction with the entry in the audit log that tells of it. */
function changeOf(kind: CredentialKind, config: CommandLine['config']) {
  return <Done>(
    id: string,
    options: InWorkspace,
    action: string,
    run: (tx: Tx, workspaceId: string) => Promise<{ done: Done; details: ActDetails } | null>,
  ): Promise<Done> =>
    inWorkspace(config, options, ({ db, workspaceId }) =>
      db.begin(async (tx) => {
        const changed = await run(tx, workspaceId)
        if (changed === null)
          throw new CommandFault(
            `There is no ${kind.command} ${id} here. \`${kind.command} list\` shows them.`,
          )
        await recordOperator(tx, workspaceId, action, { subject: { [kind.idName]: id }, ...changed.details })
        return changed.done
      }),
    )
}

function addLimit({ command, change, output, noun, idName, nameAs, words, actions, ...kind }: Parts): void {
  const limit = command('limit', `change what ${noun} is limited to: what is left out limits nothing`)
  addLimitOptions(limit)
  limit.action(async (given: string, options: InWorkspace & LimitOptions) => {
    const id = parseId(idName, given)
    const sent = parseLimits(options)
    const { name, limits } = await change(id, options, actions.limit, async (tx, workspaceId) => {
      const limits = await readLimitsOf(tx, workspaceId, sent)
      const before = await kind.find(tx, workspaceId, id)
      if (before === null || !(await kind.limit(tx, workspaceId, id, limits))) return null
      const details = { before: { limits: before.limits }, after: { limits } }
      return { done: { name: before.name, limits }, details }
    })
    output(limit).answer(
      { [idName]: id, [nameAs]: name, limits },
      `${words.called(name)} is now ${describeLimits(limits)}.`,
    )
  })
}

function addStop({ command, change, output, idName, words, actions, ...kind }: Parts): void {
  const stop = command(
    'stop',
    `${words.end}, and cancel all that it planned and that has not begun to publish`,
  )
  stop.action(async (given: string, options: InWorkspace) => {
    const id = parseId(idName, given)
    const stopped = await change(id, options, actions.stop, async (tx, workspaceId) => {
      const done = await kind.stop(tx, workspaceId, id, OPERATOR)
      return done === null ? null : { done, details: stopDetails(done) }
    })
    output(stop).answer(
      { [idName]: id, ...stopped },
      `${words.called(stopped.name)} is ${words.ended}. ${describeStop(stopped)}`,
    )
  })
}

function addRevoke({ command, change, output, idName, nameAs, words, actions, ...kind }: Parts): void {
  const revoke = command('revoke', `${words.end} at once`)
  revoke.action(async (given: string, options: InWorkspace) => {
    const id = parseId(idName, given)
    const { name, revokedAt } = await change(id, options, actions.revoke, async (tx, workspaceId) => {
      const done = await kind.revoke(tx, workspaceId, id)
      return done === null ? null : { done, details: { after: { revokedAt: done.revokedAt.toISOString() } } }
    })
    output(revoke).answer(
      { [idName]: id, [nameAs]: name, revokedAt },
      `${words.called(name)} is ${words.ended}: requests with ${words.refused} are refused from now on.`,
    )
  })
}

/** What became of the plans of a credential that was stopped. */
function describeStop({ cancelled, underWay }: Stopped): string {
  const goesOn = underWay === 0 ? '' : ` ${underWay} had begun to publish, and go on.`
  return `What it had planned is cancelled: ${cancelled} in all.${goesOn}`
}
