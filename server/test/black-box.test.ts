import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openPlace, pageOf, printed, processesOn, root, shell, startProduct } from './product.ts'

const run = promisify(execFile)

test(
  'a newcomer starts it, pastes what it prints, sees the post, and stops it',
  { timeout: 120_000 },
  async () => {
    await using place = await openPlace()
    await using product = await startProduct(place)
    const said = product.said()
    const login = printed(said, 'It is shown this once:\n')

    const post = await shell(place, `${login}\n${printed(said, 'Schedule a post, ten seconds ahead:\n')}`)
    expect(post).toMatchObject({ destinations: [{ status: 'scheduled', provider: 'sandbox-short' }] })

    const page = /see it appear: (\S+)/.exec(said)![1]!
    await expect
      .poll(() => pageOf(page), { timeout: 40_000, interval: 500 })
      .toContain('Hello from Postrider')

    const list = await shell(place, `${login}\n${printed(said, 'Read it back:\n')}`)
    expect(list).toMatchObject({
      items: [{ destinations: [{ status: 'published', releaseUrl: expect.stringContaining(page) }] }],
    })

    const keys = await run('npm', ['run', '--silent', 'postrider', '--', 'key', 'list', '--json'], {
      cwd: root,
      env: place.env,
    })
    expect(JSON.parse(keys.stdout)).toHaveLength(1)
    expect(keys.stdout).not.toContain(/pr_\w+/.exec(login)![0])

    const stoppedAt = performance.now()
    product.signal('SIGINT')
    expect(await product.ended).toEqual([0, null])
    expect(performance.now() - stoppedAt).toBeLessThan(10_000)
    expect(processesOn(place.dataDir)).toEqual([])
    expect(product.logged()).not.toContain('"level":"error"')
  },
)

test(
  'a server that was killed starts again on its data, and its key still opens',
  { timeout: 120_000 },
  async () => {
    await using place = await openPlace()
    let login: string
    {
      await using killed = await startProduct(place)
      login = printed(killed.said(), 'It is shown this once:\n')
      killed.signal('SIGKILL')
      await killed.ended
    }

    await using product = await startProduct(place)
    expect(product.said()).not.toContain('pr_')
    const me = `curl -sS http://127.0.0.1:${place.env.PORT}/agent/v1/me -H "Authorization: Bearer $POSTRIDER_KEY"`
    expect(await shell(place, `${login}\n${me}`)).toMatchObject({ workspace: { name: 'My workspace' } })

    product.signal('SIGTERM')
    expect(await product.ended).toEqual([0, null])
    expect(processesOn(place.dataDir)).toEqual([])
  },
)
