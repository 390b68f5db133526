import { expect, test } from 'vitest'
import { openNetwork } from './test-network.ts'

const attacks = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '</p></main><iframe src="javascript:alert(1)">',
  'javascript:alert(1) https://example.org/"onclick="alert(1)',
  "https://example.org/'><b x=",
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '${alert(1)} {{constructor.constructor("alert(1)")()}}',
  '<!-- --><style>*{display:none}</style>',
  '&lt;script&gt; &#60;b&#62;',
  '#sandbox:slow=0<b>',
]

/** Every tag and attribute of the page that our own markup does not contain. */
function foreignMarkup(markup: string): string[] {
  const tags = [...markup.matchAll(/<\s*\/?\s*([a-z!][a-z0-9-]*)([^>]*)>/gi)]
  return tags
    .filter(
      ([tag, name = '', attributes = '']) =>
        /^(script|iframe|style|b|img|object|form)$/i.test(name) ||
        /\son\w+\s*=/i.test(attributes) ||
        /javascript:|data:/i.test(tag),
    )
    .map(([tag]) => tag)
}

test.each(attacks)('%s stays text on every page', async (attack) => {
  await using network = await openNetwork()
  const { body: mallory } = await network.call('POST', '/control/accounts', {
    handle: 'mallory',
    displayName: attack.slice(0, 80),
    profile: 'professional',
  })
  const root = (await network.post(mallory, attack)) as { body: { id: string } }
  const { body: reply } = (await network.post(mallory, { text: attack, inReplyTo: root.body.id })) as {
    body: any
  }

  for (const path of ['/', '/@mallory', `/@mallory/${root.body.id}`, `/@mallory/${reply.id}`]) {
    const { httpStatus, body } = await network.call('GET', path)
    expect(httpStatus).toBe(200)
    expect(foreignMarkup(body)).toEqual([])
    expect(body).not.toContain('&amp;amp;')
  }
})

test('the check for foreign markup sees what it should', () => {
  expect(foreignMarkup('<p>ok</p><a href="https://x" onclick="y">z</a><script>')).toHaveLength(2)
})

test.each(['/', '/rehearse', '/@ada', '/@nobody', '/@ada/1', '/style.css', '/icon.svg'])(
  '%s carries a policy that allows no script',
  async (path) => {
    await using network = await openNetwork()
    await network.aMember()
    const { headers } = await network.call('GET', path)
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  },
)

test('an empty network invites, first to make an account, then to post', async () => {
  await using network = await openNetwork()
  expect((await network.call('GET', '/')).body).toContain('/control/accounts')
  await network.aMember()
  expect((await network.call('GET', '/')).body).toContain('/api/v1/posts')
})

test('a thread shows what is above and below, each answer under its parent', async () => {
  await using network = await openNetwork()
  const [ada, grace] = [await network.aMember('ada'), await network.aMember('grace')]
  const say = async (who: typeof ada, text: string, inReplyTo?: string) => {
    const seen = await network.post(who, inReplyTo === undefined ? text : { text, inReplyTo })
    return (seen as { body: { id: string } }).body.id
  }
  const root = await say(ada, 'Root')
  const middle = await say(grace, 'Middle', root)
  await say(ada, 'Beside', root)
  const left = await say(ada, 'Left', middle)
  await say(grace, 'Right', middle)
  await say(grace, 'UnderLeft', left)

  const { body } = await network.call('GET', `/@grace/${middle}`)
  const order = ['Root', 'Middle', 'Left', 'UnderLeft', 'Right'].map((text) =>
    body.indexOf(`dir="auto">${text}<`),
  )
  expect(order).toEqual(order.toSorted((a, b) => a - b))
  expect(order).not.toContain(-1)
  expect(body).not.toContain('Beside')
})

test("a post is found only under its author's handle", async () => {
  await using network = await openNetwork()
  const ada = await network.aMember('ada')
  await network.aMember('grace')
  const { body } = (await network.post(ada, 'Hello')) as { body: { id: string } }
  expect((await network.call('GET', `/@grace/${body.id}`)).httpStatus).toBe(404)
  expect((await network.call('GET', `/@ADA/${body.id}`)).httpStatus).toBe(200)
})

test('a profile leads on to older posts', async () => {
  await using network = await openNetwork()
  const ada = await network.aMember()
  for (let count = 1; count <= 51; count += 1) await network.post(ada, `Post ${count}.`)

  const { body } = await network.call('GET', '/@ada')
  const older = /href="(\?before=\d+)"/.exec(body)?.[1]

  expect(body).not.toContain('>Post 1.<')
  expect((await network.call('GET', `/@ada${older}`)).body).toContain('>Post 1.<')
})
