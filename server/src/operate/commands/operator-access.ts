import { userInfo } from 'node:os'
import { isIPv6 } from 'node:net'
import { parseArgs } from 'node:util'
import type { Config } from '../../platform/config/config.ts'
import { settleDataDir } from '../../platform/embedded-postgres/data-dir.ts'
import { codeOf } from '../../platform/process/error-code.ts'
import { readKeyring, secretKeyFile, UnusableSecretKeys } from '../../platform/sealing/secret-keys.ts'
import { isUuid } from '../../platform/text/uuid.ts'
import { makeOperatorToken } from '../../people/sign-in/session/operator-token.ts'
import { CommandFault } from './command-fault.ts'
import type { Console } from './console.ts'

/**
 * What the command line of `cli/` is given for one command of the operator: where the server of this machine is, and a token
 * that only somebody can make who reads its secret keys. It touches no database.
 */
export async function operatorAccess(
  args: readonly string[],
  config: Config,
  { env, calledAs }: Pick<Console, 'env' | 'calledAs'>,
): Promise<{ readonly env: Record<string, string>; readonly makeToken: () => string }> {
  const { workspace = env['POSTRIDER_WORKSPACE'], as } = parseArgs({
    args: [...args],
    options: { workspace: { type: 'string' }, as: { type: 'string' } },
    strict: false,
    allowPositionals: true,
  }).values
  const claim = {
    user: systemUser(),
    workspace: textOr(workspace),
    about: args.find((arg) => isUuid(arg.toLowerCase()))?.toLowerCase() ?? null,
    as: textOr(as),
  }
  const keyring = await keyringOf(config)
  const makeToken = () => makeOperatorToken(keyring, claim, Date.now())
  const url = urlOnThisMachine(config.http)
  // Where Node is told to take a proxy (NODE_USE_ENV_PROXY), it would get the token, and the server would refuse it.
  const direct = [env['no_proxy'] ?? env['NO_PROXY'] ?? '', new URL(url).hostname].filter(Boolean).join(',')
  return {
    makeToken,
    env: {
      NO_PROXY: direct,
      no_proxy: direct,
      POSTRIDER_OPERATOR_URL: url,
      POSTRIDER_OPERATOR_TOKEN: makeToken(),
      POSTRIDER_CALLED_AS: calledAs,
    },
  }
}

function textOr(value: string | boolean | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** What listens everywhere is found on this machine, too. */
function urlOnThisMachine({ host, port }: Config['http']): string {
  const own = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${isIPv6(own) ? `[${own}]` : own}:${port}`
}

async function keyringOf({ secretKeys, dataDir, database }: Config) {
  const { path } = await settleDataDir({
    wanted: dataDir.path,
    chosen: dataDir.chosen,
    embedded: database.url === null,
  })
  const source = { secretKeys, dataDir: path }
  const keyring = await readKeyring(source).catch((cause: unknown) => {
    if (!(cause instanceof UnusableSecretKeys) || codeOf(cause.cause) !== 'EACCES') throw cause
    throw new CommandFault(
      `${secretKeyFile(source)} is not readable by you. Run this as the user that the server runs as, or as root.`,
    )
  })
  if (keyring !== null) return keyring
  throw new CommandFault(
    `There are no secret keys in ${path}. If the server runs with a DATA_DIR or SECRET_KEYS of its own, set the same here; if it never ran, start it.`,
  )
}

/** Who calls the command, as the audit log names them. */
export function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a number that has no name.
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}
