import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { draw, drafts, type Manner, openAiDouble, say } from './doubles/ai-double.ts'
import { openPlace, pageOf, printed, root, shell, startProduct } from './rigs/product.ts'

/** The commands of docs/ai.md, as they stand there. */
async function documented(): Promise<string[]> {
  const page = await readFile(join(root, 'docs/ai.md'), 'utf8')
  return [...page.matchAll(/^```sh\n(.*?)\n```$/gms)].map(([, command = '']) => command)
}

const texts = [
  'Version 2 is here: faster exports.',
  'Version 2 is out. Exports are faster, and there is a dark theme.',
]
const write: Manner = (response, heard) =>
  heard.path.endsWith('/images/generations') ? draw(response, heard) : say(response, drafts(...texts))

test(
  'the lines of docs/ai.md write drafts for two networks, make an image, and post it with its alt text',
  { timeout: 120_000 },
  async () => {
    await using double = await openAiDouble(write)
    const commands = await documented()
    const start = commands.find((command) => command.endsWith('npm start')) ?? ''
    const settings = Object.fromEntries(
      [...start.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    )
    expect(settings).toMatchObject({ OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1' })
    await using place = await openPlace({ ...settings, OPENAI_BASE_URL: double.baseUrl })
    await using product = await startProduct(place)
    const said = product.said()
    const login = printed(said, 'which is shown only once:\n')
    const paste = (command: string, before = '') => {
      const here = command.replaceAll('http://localhost:4000', `http://localhost:${place.env.PORT}`)
      return shell(place, `${login}\n${before}\n${here}`) as Promise<any>
    }

    const curls = commands.filter((command) => command.startsWith('curl'))
    expect(curls).toHaveLength(4)
    const [forDrafts = '', forImage = '', forPost = '', forModels = ''] = curls
    const { variants, model } = await paste(forDrafts)
    expect(model).toBe(settings['AI_MODEL'])
    expect(variants).toMatchObject([
      { text: texts[0], maxCharacters: 280, destinations: [{ provider: 'sandbox-short' }] },
      { text: texts[1], maxCharacters: 3_000, destinations: [{ provider: 'sandbox-professional' }] },
    ])

    const { media } = await paste(forImage)
    expect({ ...media, ratio: media.width / media.height }).toMatchObject({ kind: 'image', ratio: 4 / 5 })

    const channels = await paste(
      'curl -sS http://localhost:4000/agent/v1/channels -H "Authorization: Bearer $POSTRIDER_KEY"',
    )
    const { channelId } = channels.find(({ provider }: any) => provider === 'sandbox-short')
    const post = await paste(forPost, `MEDIA_ID=${media.mediaId} CHANNEL_ID=${channelId}`)
    expect(post).toMatchObject({
      destinations: [{ status: 'scheduled' }],
      media: [{ mediaId: media.mediaId }],
    })
    const page = /see it appear: (\S+)/.exec(said)![1]!
    const image = new RegExp(`<img[^>]* alt="${media.altText}"`)
    await expect.poll(() => pageOf(page), { timeout: 40_000, interval: 500 }).toMatch(image)
    const [, src = ''] = /<img[^>]* src="([^"]+)"[^>]* alt="A rider/.exec(await pageOf(page)) ?? []
    const shown = await fetch(new URL(src, page))
    expect({ status: shown.status, type: shown.headers.get('content-type') }).toEqual({
      status: 200,
      type: 'image/png',
    })

    expect(await paste(forModels)).toMatchObject({
      models: [{ modelId: model, makes: 'text' }, { makes: 'image' }],
      budget: { imagesUsed: 1 },
    })
    expect(double.heard).toHaveLength(2)
  },
)
