import { type Context, textOf } from '../command.ts'
import {
  credentialsPath,
  readCredentials,
  serverAddress,
  whileLocked,
  writeCredentials,
} from '../credentials.ts'
import { CliError, exits } from '../exits.ts'

/** `postrider logout`: forgets the login here, also where the server does not answer. */
export async function run({ args: [named], values, env, answer, note }: Context): Promise<void> {
  const path = credentialsPath(env)
  const wanted = named ?? textOf(values, 'server')
  const server = await whileLocked(path, async () => {
    const credentials = readCredentials(path)
    const server = wanted === undefined ? credentials.server : serverAddress(wanted)
    const login = server === null ? undefined : credentials.logins[server]
    if (server === null || login === undefined) throw new CliError(exits.credential, 'You are not logged in.')
    if (login.kind === 'oauth') {
      const { revoke } = await import('../oauth.ts')
      await revoke(login).catch(() =>
        note(
          `${server} did not answer: the login is forgotten here, and ends there within 30 days. A person can end it in the dashboard.`,
        ),
      )
    } else
      note(
        'The key is forgotten here, and stays valid: revoke it in the dashboard where it is not needed any more.',
      )
    const logins = Object.fromEntries(Object.entries(credentials.logins).filter(([name]) => name !== server))
    const next = credentials.server === server ? (Object.keys(logins)[0] ?? null) : credentials.server
    writeCredentials(path, { server: next, logins })
    return server
  })
  answer({ server }, `Logged out of ${server}.`)
}
