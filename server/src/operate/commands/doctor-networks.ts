import type { app } from '@postrider/contract'
import { worstLevel } from '@postrider/contract/names'
import { connectionsToCheck } from '../../networks/channels/authorization-store.ts'
import { checkConnections, type CheckedConnection } from '../../networks/channels/check-connection.ts'
import { viewFinding } from '../../networks/channels/view-finding.ts'
import type { Config } from '../../platform/config/config.ts'
import { targetRules } from '../../platform/config/target-rules.ts'
import { openConnect } from '../../accounts/connect/open-connect.ts'
import type { CallRecorder } from '../../networks/providers/port/record-call.ts'
import { enabledProviders } from '../../networks/enabled-providers.ts'
import { listWorkspaces } from '../../people/members/workspace-store.ts'
import { createLog, linesTo } from '../../platform/process/log.ts'
import { readKeyring } from '../../platform/sealing/secret-keys.ts'
import { sandboxUrlOf } from '../../accounts/sandbox/sandbox-process.ts'
import { CommandFault } from './command-fault.ts'
import { counted, escapeControlCharacters } from './output.ts'
import { withDatabase } from './session.ts'

/** A connected account, and what was found. */
export type Account = {
  readonly workspaceId: string
  readonly workspace: string
  readonly channelId: string
  readonly provider: string
  readonly name: string
  readonly status: app.ConnectionFinding['level']
  readonly findings: readonly app.ConnectionFinding[]
}

/** Checks the connection of every account in every workspace. */
export async function checkAccounts(
  config: Config,
  recorder: CallRecorder | null = null,
): Promise<Account[]> {
  return withDatabase(config, async ({ db, dataDir }) => {
    const keyring = await readKeyring({ secretKeys: config.secretKeys, dataDir })
    if (keyring === null)
      throw new CommandFault('There are no secret keys yet, so there is no account. Start the server first.')
    const { sandbox, networkClients } = config
    const providers = enabledProviders(config)
    const log = createLog({ level: config.log.level, destination: linesTo(2) })
    // For its calls alone: nothing is connected or refreshed.
    const connect = openConnect({
      db,
      keyring,
      providers,
      log,
      recordAct: () => Promise.reject(new Error('a check records nothing')),
      rules: targetRules(config, sandbox.on ? [new URL(sandboxUrlOf(sandbox)).origin] : []),
      configuredClients: networkClients,
      baseUrl: config.http.baseUrl,
      recorder,
    })
    try {
      const rows = await connectionsToCheck(db, null)
      const { tools, clients } = connect
      // Without its refresh: only the server gets new access tokens.
      const parts = { providers, keyring, tools, clients, log, now: () => new Date() }
      const checked = await checkConnections(parts, rows)
      const names = new Map(
        (await listWorkspaces(db)).map(({ workspaceId, name }) => [workspaceId, name] as const),
      )
      return checked.map((one) => viewAccount(one, names.get(one.row.workspaceId) ?? ''))
    } finally {
      await connect.close()
    }
  })
}

function viewAccount({ row, findings: found }: CheckedConnection, workspace: string): Account {
  const findings = found.map((one) => viewFinding(row.provider, one))
  return {
    workspaceId: row.workspaceId,
    workspace,
    channelId: row.channelId,
    provider: row.provider,
    name: row.displayName,
    status: worstLevel(findings.map(({ level }) => level)),
    findings,
  }
}

const MARKS = { ok: 'ok', unknown: '–', warn: 'warn', fail: 'fail' } as const

/** The same for people. */
export function textOfAccounts(accounts: readonly Account[]): string {
  if (accounts.length === 0) return 'No account is connected.'
  const blocks = accounts.map(({ name, workspace, findings }) => {
    const lines = findings.map(({ level, detail, fix }) =>
      `  ${MARKS[level].padEnd(4)}  ${detail} ${fix ?? ''}`.trimEnd(),
    )
    const heading = `${name}, in ${workspace} (${findings[0]?.values.network ?? ''})`
    return [heading, ...lines].map(escapeControlCharacters).join('\n')
  })
  const countOf = (wanted: Account['status']) => accounts.filter(({ status }) => status === wanted).length
  const wrong = [
    [countOf('fail'), 'with a fault'],
    [countOf('warn'), 'with a warning'],
  ].flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]))
  const summary = `${counted(accounts.length, 'account')} checked: ${wrong.length === 0 ? 'all as needed' : wrong.join(', ')}.`
  return `${blocks.join('\n\n')}\n\n${summary}`
}
