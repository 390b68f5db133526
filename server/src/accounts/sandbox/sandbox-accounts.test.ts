import { startSandboxNetwork } from '@postrider/sandbox-network'
import { expect, test } from 'vitest'
import { SandboxRefused, openSandboxAccount } from './sandbox-accounts.ts'
import { isSandboxReachable } from './sandbox-process.ts'

const account = { handle: 'acme', displayName: 'Acme', profile: 'short' } as const

async function openNetwork() {
  const network = await startSandboxNetwork({ memory: true })
  return { url: network.url, [Symbol.asyncDispose]: () => network.close() }
}

async function opens(networkUrl: string, token: string): Promise<boolean> {
  const response = await fetch(`${networkUrl}/api/v1/accounts/me`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return response.status === 200
}

test('an account is made, and its token opens it', async () => {
  await using network = await openNetwork()
  const made = await openSandboxAccount(network.url, account, { takeOver: false })

  expect(made).toMatchObject({ ...account, url: `${network.url}/@acme` })
  expect(await opens(network.url, made.token)).toBe(true)
})

test('an account that is taken over has a new token, and its former one is void', async () => {
  await using network = await openNetwork()
  const lost = await openSandboxAccount(network.url, account, { takeOver: false })
  const found = await openSandboxAccount(network.url, { ...account, handle: 'ACME' }, { takeOver: true })

  expect(found.id).toBe(lost.id)
  expect(await opens(network.url, found.token)).toBe(true)
  expect(await opens(network.url, lost.token)).toBe(false)
})

test('without taking over, an account that is there is left alone', async () => {
  await using network = await openNetwork()
  const used = await openSandboxAccount(network.url, account, { takeOver: false })

  await expect(openSandboxAccount(network.url, account, { takeOver: false })).rejects.toThrow(
    'already has @acme',
  )
  expect(await opens(network.url, used.token)).toBe(true)
})

test('refusals and silence are told in words', async () => {
  await using network = await openNetwork()
  const unfit = openSandboxAccount(network.url, { ...account, handle: 'no spaces' }, { takeOver: false })
  await expect(unfit).rejects.toThrow(SandboxRefused)

  expect(await isSandboxReachable(network.url)).toBe(true)
  expect(await isSandboxReachable('http://127.0.0.1:9')).toBe(false)
  const nobody = openSandboxAccount('http://127.0.0.1:9', account, { takeOver: false })
  await expect(nobody).rejects.toThrow('does not answer at http://127.0.0.1:9')
})
