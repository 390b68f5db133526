import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { copyCluster } from './rigs/cluster.ts'
import {
  openPlace,
  pageOf,
  type Place,
  printed,
  processesOn,
  root,
  shell,
  startProduct,
} from './rigs/product.ts'

const run = promisify(execFile)

test(
  'a newcomer starts it, pastes what it prints, sees the post, and stops it',
  { timeout: 120_000 },
  async () => {
    await using place = await openPlace()
    await using product = await startProduct(place)
    const said = product.said()
    const login = printed(said, 'which is shown only once:\n')

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

    product.signal('SIGINT')
    expect(await product.ended).toEqual([0, null])
    expect(processesOn(place.dataDir)).toEqual([])
    expect(product.logged()).not.toContain('"level":"error"')
  },
)

/** The lines of docs/posts.md for a post with a picture, as they stand there. */
async function firstPictureLines(place: Place, login: string): Promise<string> {
  const page = await readFile(join(root, 'docs/posts.md'), 'utf8')
  const [, section = ''] = page.split('## With curl\n')
  const [post = '', upload = ''] = Array.from(
    section.matchAll(/```sh\n([^]*?)```/g),
    ([, lines]) => lines ?? '',
  )
  const [, mediaIds = ''] = /`("mediaIds": \S+)`/.exec(section)!
  return `${login}\n${upload}\n${post.replace('"text"', `${mediaIds} "text"`)}`.replaceAll(
    'localhost:4000',
    `localhost:${place.env.PORT}`,
  )
}

test(
  'the first post by curl carries a picture to the public page, with its alt text and nothing of its camera',
  { timeout: 120_000 },
  async () => {
    await using place = await openPlace()
    await using product = await startProduct(place)
    const said = product.said()
    const original = await readFile(join(root, 'docs/examples/rider.jpg'))
    expect((await sharp(original).metadata()).exif).toBeDefined()

    const post = await shell(
      place,
      await firstPictureLines(place, printed(said, 'which is shown only once:\n')),
    )
    expect(post).toMatchObject({ media: [{ kind: 'image', altText: 'A rider brings a letter.' }] })

    const address = /see it appear: (\S+)/.exec(said)![1]!
    const picture = /<img src="([^"]+)" alt="A rider brings a letter\."/
    await expect.poll(() => pageOf(address), { timeout: 40_000, interval: 500 }).toMatch(picture)
    const [, path = ''] = picture.exec(await pageOf(address))!
    const shown = Buffer.from(await (await fetch(new URL(path, address))).arrayBuffer())
    const { format, width, height, exif, xmp, iptc, icc } = await sharp(shown).metadata()
    expect({ format, width, height, exif, xmp, iptc, icc }).toEqual({
      format: 'jpeg',
      width: 960,
      height: 600,
    })
    expect(original.includes('Rider Camera')).toBe(true)
    expect(shown.includes('Rider Camera')).toBe(false)
  },
)

test(
  'a server that was killed starts again on its data, and its key still opens',
  { timeout: 120_000 },
  async () => {
    await using place = await openPlace()
    await copyCluster(place.dataDir)
    let login: string
    {
      await using killed = await startProduct(place)
      login = printed(killed.said(), 'which is shown only once:\n')
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
    // Where no person sits there are lines of JSON and no secret, besides what npm itself says.
    expect(product.output().replaceAll(/^(>.*)?\n/gm, '')).toBe('')
    const lines = product.logged().trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toContain('Postrider is ready')
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({
      level: 'info',
      msg: 'stopped',
      reason: 'SIGTERM',
      version: expect.any(String) as string,
      roles: ['api', 'publisher', 'webhooks'],
      schema: expect.any(Number) as number,
    })
    expect(product.logged()).not.toContain('pr_')
    expect((await stat(join(place.dataDir, 'first-start.txt'))).mode & 0o777).toBe(0o600)
  },
)
