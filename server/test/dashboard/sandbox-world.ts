import { startSandboxNetwork } from '@postrider/sandbox-network'
import { expect } from 'vitest'
import { type DashboardWorld, openDashboardWorld } from './dashboard-world.ts'

/** The app with a publisher, and a sandbox network with an account for each name. */
export type SandboxWorld = DashboardWorld & {
  /** The channels by their names. */
  readonly channelIds: ReadonlyMap<string, string>
  /** How often the network was told to create a post, by channel and text: `Alpha: Hello`. */
  readonly creates: () => Promise<Record<string, number>>
  /** A post that an agent writes; its id. */
  readonly aPostOf: (plan: { state: string } & Record<string, unknown>) => Promise<string>
}

export async function openSandboxWorld(names: readonly string[]): Promise<SandboxWorld> {
  await using opened = new AsyncDisposableStack()
  const network = await startSandboxNetwork({ memory: true })
  opened.defer(() => network.close())
  const roles = 'api,publisher,webhooks'
  const world = opened.use(await openDashboardWorld({}, { roles, sandboxUrl: network.url }))
  const { app } = world
  const channelIds = new Map<string, string>()
  const accounts = new Map<string, string>()
  for (const name of names) {
    const { origin } = new URL(world.workspaceUrl)
    const answer = await world.desk.request.post(
      `${origin}/app/api/workspaces/${app.workspace.workspaceId}/channels/sandbox`,
      { data: { profile: 'short' }, headers: { 'x-postrider-app': '1', origin } },
    )
    expect(answer.status()).toBe(201)
    const { channelId } = (await answer.json()) as { channelId: string }
    const [row] = await app.db<{ account: string }[]>`
      update channel set display_name = ${name} where id = ${channelId} returning remote_account_id as account`
    channelIds.set(name, channelId)
    accounts.set(row!.account, name)
  }
  const running = opened.move()
  return {
    ...world,
    channelIds,
    async creates() {
      const answer = await fetch(`${network.url}/control/creates`)
      const { byText } = (await answer.json()) as {
        byText: { accountId: string; text: string; count: number }[]
      }
      return Object.fromEntries(
        byText.map(({ accountId, text, count }) => [`${accounts.get(accountId)}: ${text}`, count]),
      )
    },
    async aPostOf(plan) {
      const body = { confirmed: true, idempotencyKey: crypto.randomUUID(), ...plan }
      const made = await app.ask('POST', '/agent/v1/posts', { body })
      expect(made).toMatchObject({ status: 201 })
      return made.body.postId
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
