import type { Context } from '../command.ts'

/** `postrider whoami` */
export async function run({ client, answer, signal }: Context): Promise<void> {
  const me = await client().me({ signal })
  const { workspace, credential, user } = me
  if ((credential.type as string) === 'operator') {
    answer(
      me,
      `the operator of this machine, without a login\nworkspace ${workspace.name}, ${workspace.timeZone}`,
    )
    return
  }
  const { limits } = credential
  const limited = Object.entries(limits).filter(([, value]) => value !== null && value !== false)
  answer(
    me,
    [
      `${user.name} <${user.email}>, by the ${credential.type === 'oauth' ? 'app' : 'key'} "${credential.name}"`,
      `workspace ${workspace.name}, ${workspace.timeZone}`,
      `may: ${credential.permissions.join(', ')}`,
      ...(credential.expiresAt === null ? [] : [`until ${credential.expiresAt}`]),
      ...limited.map(([name, value]) => `limit ${name}: ${JSON.stringify(value)}`),
    ].join('\n'),
  )
}
