import diagnostics from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import type { Locator, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { settled } from './browser.ts'
import { openSandboxWorld, type SandboxWorld } from './sandbox-world.ts'

/*
 * What you see is what goes out, as a model test. Each walk begins with a new post, one that an agent scheduled, or one that waits for
 * approval, and goes at random through the composer: types into one text or another, looks at others, chooses channels, adds and
 * removes follow-ups, adds, orders, describes and removes pictures, reloads, loses the connection, closes the tab, meets a change by
 * somebody else, loses the answer to what it sends. Or it approves what an agent asked for, as the page shows it. In the end the sandbox
 * network has, on each channel, each text that the page showed last, letter by letter and once, with its pictures in their order. Channels that
 * were given times of their own are scheduled for these. The line is cut at random moments: before a click, after any of the requests that follow
 * it, while something is typed. No write of the page reaches the server but between a click and what the page says of it.
 * WALKS says how many, and WALK_SEED from which choices on: the first of seed 8 is the second of seed 7.
 */

const { WALKS = '2', WALK_SEED = '1' } = process.env
const walks = Number(WALKS)
const seed = Number(WALK_SEED)

vi.setConfig({ testTimeout: 60_000 + walks * 30_000 })

const NAMES = ['Alpha', 'Beta', 'Gamma'] as const
const STEPS = 8

let world: SandboxWorld
beforeAll(async () => {
  world = await openSandboxWorld(NAMES)
  diagnostics.subscribe('http.server.request.start', watch)
})
afterAll(async () => {
  diagnostics.unsubscribe('http.server.request.start', watch)
  await world[Symbol.asyncDispose]()
})

/** Whether something was clicked that the page has not told the end of. */
let isClicked = false
/** The writes that reached the server beside that. */
const unasked: string[] = []

function watch(message: unknown): void {
  const { method = 'GET', url = '' } = (message as { request: IncomingMessage }).request
  const isWrite = method !== 'GET' && method !== 'HEAD' && url.startsWith('/app/api/')
  if (isWrite && !isClicked && !url.endsWith('/post-checks')) unasked.push(`${method} ${url}`)
}

/** Clicks, and waits for what the page says of it. */
async function clicking<Said>(act: () => Promise<Said>): Promise<Said> {
  isClicked = true
  try {
    return await act()
  } finally {
    isClicked = false
  }
}

type Random = {
  /** From 0 to one below. */
  readonly below: (limit: number) => number
  readonly pick: <One>(of: readonly One[]) => One
  readonly chance: (probability: number) => boolean
}

/** Mulberry32. */
function randomOf(start: number): Random {
  let state = start >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return { below, pick: (of) => of[below(of.length)]!, chance: (probability) => next() < probability }
}

/** A text, and the alt texts of its pictures in their order. */
type Part = readonly [text: string, ...altTexts: string[]]
/** Parts of each channel, in order. */
type Shown = Record<string, Part[]>

type Walk = {
  page: Page
  readonly random: Random
  /** What was done, for whoever reads of a failure. */
  readonly done: string[]
  /** A text that there was never before. */
  readonly words: () => string
  /** The post that is edited; null for one that the server does not have yet. */
  postId: string | null
}

const box = (page: Page, part = 0) =>
  page.getByRole('textbox', { name: part === 0 ? 'Text' : `Follow-up ${part}`, exact: true })
const boxes = (page: Page) => page.getByRole('textbox', { name: /^(Text|Follow-up \d+)$/ })
const tabs = (page: Page) => page.getByRole('group', { name: 'Text for' }).getByRole('button')
const checkbox = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true })

/** What the page shows that goes out, once it has read the pictures. */
async function shown(page: Page): Promise<Shown> {
  // Asked again from here: a function that waits in the page would be evaluated there, which the page's policy refuses.
  await expect
    .poll(() =>
      page.evaluate(`[...document.querySelectorAll('[aria-label=Preview] [data-count]')]
        .every((media) => media.querySelectorAll('img').length === Number(media.dataset.count))`),
    )
    .toBe(true)
  const previews: [string[], Part[]][] = await page.evaluate(`
    [...document.querySelectorAll('section[aria-label=Preview] article')].map((article) => [
      [...article.querySelectorAll('[data-testid=channel]')].map(({ textContent }) => textContent),
      [...article.querySelectorAll('[data-testid=text]')].map((text) =>
        [text.textContent, ...[...text.parentElement.querySelectorAll('[data-count] img')].map(({ alt }) => alt)]),
    ])`)
  return Object.fromEntries(previews.flatMap(([names, parts]) => names.map((name) => [name, parts])))
}

/** So many pictures each walk has; the network takes one more. */
const PICTURES = 3

/** The pictures of a part of the open text. */
const strip = (page: Page, part: number) =>
  boxes(page)
    .nth(part)
    .locator('xpath=ancestor::*[.//button][1]')
    .getByRole('button', { name: /^Remove from the post: / })

/** Uploads the pictures of a walk, each of one colour. */
async function uploadPictures(page: Page, prefix: string): Promise<void> {
  const at = `${new URL(world.workspaceUrl).origin}/app/api/workspaces/${world.app.workspace.workspaceId}/media`
  for (let picture = 0; picture < PICTURES; picture++) {
    const base64: string = await page.evaluate(`(() => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 40, height: 30 })
      const target = canvas.getContext('2d')
      target.fillStyle = 'hsl(${Math.floor(Math.random() * 360)} ${40 + 20 * picture}% ${Math.floor(Math.random() * 80) + 10}%)'
      target.fillRect(0, 0, 40, 30)
      return canvas.toDataURL('image/png').split(',')[1]
    })()`)
    const file = { name: 'a.png', mimeType: 'image/png', buffer: Buffer.from(base64, 'base64') }
    const altText = `${prefix} picture ${picture}`
    const headers = {
      'x-postrider-app': '1',
      origin: new URL(at).origin,
      'idempotency-key': crypto.randomUUID(),
    }
    const multipart = { altText, confirmed: 'true', file }
    const answer = await clicking(() => page.request.post(at, { multipart, headers }))
    expect(answer.status()).toBe(201)
  }
}

/** What stands in the boxes of the open text. */
async function typed(page: Page): Promise<string[]> {
  return boxes(page).evaluateAll((all) => all.map((one) => (one as unknown as { value: string }).value))
}

const PIECES = [
  'plain words',
  '👩🏽‍🚀 🇦🇹',
  '“quoted” – and so on…',
  'שלום עולם',
  'two\nlines',
  '  spaces  within',
  '<b>&amp;</b>',
  '#tag @name',
  'e\u0301 and é',
  '\\n $& %20',
] as const

function makeWords(random: Random, prefix: string): () => string {
  let count = 0
  return () => `${prefix}.${++count} ${random.pick(PIECES)} ${random.pick(PIECES)}!`
}

const steps: Record<string, (walk: Walk) => Promise<void>> = {
  async writes({ page, random, words }) {
    await box(page, random.below(await boxes(page).count())).fill(words())
  },
  async 'types on'({ page, random }) {
    const at = box(page, random.below(await boxes(page).count()))
    await at.press('End')
    await at.pressSequentially(random.pick([' more', ' ü', ' 7']))
  },
  async 'looks at a text'({ page, random }) {
    const before = await shown(page)
    const count = await tabs(page).count()
    if (count > 0) await tabs(page).nth(random.below(count)).click()
    expect(await shown(page)).toEqual(before)
  },
  async 'writes a text of a channel'({ page, random, words }) {
    const count = await tabs(page).count()
    if (count > 0) await tabs(page).nth(random.below(count)).click()
    await box(page).fill(words())
  },
  async 'has a channel follow again'({ page }) {
    const again = page.getByRole('button', {
      name: /^(Follow the shared text again|Have all channels follow it)$/,
    })
    if ((await again.count()) > 0) await again.first().click()
  },
  async 'chooses channels'({ page, random }) {
    const choice = checkbox(page, random.pick(NAMES))
    if (!(await choice.isEnabled())) return
    const isLast = (await page.getByRole('checkbox', { checked: true }).count()) === 1
    if (!(await choice.isChecked()) || !isLast) await choice.click()
  },
  async 'adds a follow-up'({ page, random, words }) {
    const count = await boxes(page).count()
    if (count > 3) return
    const at = random.below(count)
    await page.getByRole('button', { name: 'Follow-up', exact: true }).nth(at).click()
    // It has the focus: the keyboard writes into it.
    await box(page, at + 1)
      .and(page.locator(':focus'))
      .waitFor()
    await page.keyboard.insertText(words())
  },
  async 'removes a part'({ page, random }) {
    const remove = page.getByRole('button', { name: 'Remove this text' })
    const count = await remove.count()
    if (count > 0) await remove.nth(random.below(count)).click()
  },
  async 'adds a picture'({ page, random }) {
    const at = random.below(await boxes(page).count())
    if ((await strip(page, at).count()) >= PICTURES) return
    await page.getByRole('button', { name: 'Media', exact: true }).nth(at).click()
    const library = page.getByRole('dialog', { name: 'Choose media' })
    const choices = library.getByRole('checkbox', { disabled: false })
    await choices.first().waitFor()
    // Those of this walk, which are the latest.
    await choices.nth(random.below(Math.min(PICTURES, await choices.count()))).check()
    await library.getByRole('button', { name: 'Add 1 file' }).click()
    await library.waitFor({ state: 'detached' })
  },
  async 'removes a picture'({ page, random }) {
    const remove = page.getByRole('button', { name: /^Remove from the post: / })
    const count = await remove.count()
    if (count > 0) await remove.nth(random.below(count)).click()
  },
  async 'moves a picture'({ page, random }) {
    const handles = page.getByRole('button', { name: /^Move \d of \d/ })
    const count = await handles.count()
    if (count > 0) await handles.nth(random.below(count)).press(random.pick(['ArrowLeft', 'ArrowRight']))
  },
  async 'describes a picture'({ page, random, words }) {
    const all = page.getByRole('button', { name: /^Edit alt text: / })
    const count = await all.count()
    if (count === 0) return
    const one = all.nth(random.below(count))
    await expect.poll(() => one.isEnabled()).toBe(true)
    await one.click()
    const dialog = page.getByRole('dialog', { name: 'Edit alt text' })
    const altText = words().replaceAll(/\s+/g, ' ').trim()
    await dialog.getByLabel('Alt text').fill(altText)
    await clicking(async () => {
      await dialog.getByRole('button', { name: 'Save alt text' }).click()
      await dialog.waitFor({ state: 'detached' })
    })
    await page
      .getByRole('button', { name: `Edit alt text: ${altText}`, exact: true })
      .first()
      .waitFor()
  },
  async reloads(walk) {
    const before = await shown(walk.page)
    await walk.page.reload()
    await settled(walk.page)
    expect(await shown(walk.page)).toEqual(before)
  },
  async 'closes the tab'(walk) {
    const before = await shown(walk.page)
    const url = walk.page.url()
    await walk.page.close()
    walk.page = await world.desk.newPage()
    await walk.page.goto(url)
    await settled(walk.page)
    expect(await shown(walk.page)).toEqual(before)
  },
  async 'writes without a connection'({ page, random, words, done }) {
    await cutLine()
    await box(page).fill(words())
    await page.getByText(/^What you type is saved in this browser, and checked/).waitFor()
    const act = page.getByRole('button', { name: SENDS })
    if (random.chance(0.7) && (await act.count()) > 0 && (await act.isEnabled())) {
      done.push('clicks without a connection')
      await clickInVain(page, act)
    } else await restoreLine(page)
  },
}

/** The buttons of the composer that send. */
const SENDS = /^(Schedule|Save changes|Save and approve)$/

const noLine = (page: Page) => page.getByText('No connection to the server', { exact: true }).first()
const isOffline = (page: Page) => page.getByText(/^You are offline/)

const cutLine = () => world.desk.setOffline(true)

/** Has the line back, and waits until the page knows. */
async function restoreLine(page: Page): Promise<void> {
  await world.desk.setOffline(false)
  await isOffline(page).waitFor({ state: 'detached' })
}

/** Whatever stands empty would be refused: it is written. */
async function fillEmpty({ page, words }: Walk): Promise<void> {
  const count = Math.max(1, await tabs(page).count())
  for (let at = 0; at < count; at++) {
    if (count > 1) await tabs(page).nth(at).click()
    for (const [part, text] of (await typed(page)).entries())
      if (text.trim() === '') await box(page, part).fill(words())
  }
}

async function wander(walk: Walk): Promise<void> {
  const { random, done } = walk
  for (let step = 0; step < STEPS; step++) {
    // What the connection did is said as slowly as it is noticed.
    const names = Object.keys(steps).filter(
      (name) => name !== 'writes without a connection' || random.chance(0.3),
    )
    const name = random.pick(names)
    done.push(name)
    await steps[name]!(walk)
  }
  await fillEmpty(walk)
}

type Losing = 'nothing' | 'the request' | 'the answer' | 'the line' | 'the line before'

/** Loses the next write on its way, its answer on the way back, or the line with any of the next requests. */
async function lose(page: Page, what: Losing, random: Random): Promise<void> {
  if (what === 'nothing') return
  if (what === 'the line before') return cutLine()
  if (what === 'the line') return cutSoon(page, 1 + random.below(7))
  let lost = false
  await page.route(/\/(posts|revise)$/, async (route: Route) => {
    if (route.request().method() !== 'POST' || lost) return route.fallback()
    lost = true
    if (what === 'the answer') await route.fetch()
    return route.abort()
  })
}

/** Cuts the line as soon as the page has asked for so much. */
async function cutSoon(page: Page, requests: number): Promise<void> {
  let left = requests
  await page.route('**/app/api/**', async (route: Route) => {
    if (--left === 0) await cutLine()
    return route.fallback()
  })
}

/** Clicks while there is no line: the page says so, and sends nothing once there is one. */
async function clickInVain(page: Page, act: Locator): Promise<false> {
  await act.click()
  await noLine(page).waitFor()
  await restoreLine(page)
  return false
}

/** Clicks, and waits until the page has said that it is done, or that there was no line; true where it is done. */
async function clickOnce(page: Page, act: Locator, done: () => Promise<unknown>): Promise<boolean> {
  return clicking(async () => {
    await act.click()
    const isDone = () => done().then(() => true)
    const ends = [
      isDone(),
      noLine(page)
        .waitFor()
        .then(() => false),
    ]
    for (const end of ends) end.catch(() => undefined)
    // Without a line, what the next page needs is not there either.
    const cut = isOffline(page)
      .waitFor()
      .then(() => null)
    cut.catch(() => undefined)
    const first = await Promise.race([...ends, cut])
    if (first !== null) return first
    await restoreLine(page)
    return Promise.race(ends)
  })
}

/** Sends what is on the page, however often it takes; what it showed last, and its post. */
async function send(walk: Walk, button: RegExp): Promise<Ended> {
  const { page, random, done } = walk
  // What was clicked before without a line is still told.
  if (await noLine(page).isVisible()) {
    await page.reload()
    await settled(page)
  }
  const losing = random.pick<Losing>(['nothing', 'the request', 'the answer', 'the line', 'the line before'])
  if (losing !== 'nothing') done.push(`loses ${losing}`)
  const act = page.getByRole('button', { name: button })
  const last = await shown(page)
  await act.click({ trial: true })
  await lose(page, losing, random)
  const sent = () => page.waitForURL(/\/posts\/[0-9a-f-]+$/)
  const isSent =
    losing === 'the line before' ? await clickInVain(page, act) : await clickOnce(page, act, sent)
  await page.unrouteAll({ behavior: 'wait' })
  if (losing === 'the line') await restoreLine(page)
  else expect(isSent).toBe(losing === 'nothing')
  if (!isSent) {
    // Nothing of it is lost, not even by a reload.
    if (random.chance(0.5)) {
      await page.reload()
      await settled(page)
      expect(await shown(page)).toEqual(last)
      // It was saved, only the answer was lost: the page shows what is saved now.
      if (walk.postId !== null && (await act.isDisabled())) {
        await page.getByText('Nothing that will be published has changed.', { exact: true }).waitFor()
        return { last, postId: walk.postId }
      }
    }
    await clicking(async () => {
      await act.click()
      await sent()
    })
  }
  return { last, postId: page.url().split('/').at(-1)! }
}

/** When each channel is to publish, as it was typed. */
type Times = Record<string, string>
type Ended = { last: Shown; postId: string; times?: Times }

const everyTime = 'in 2 hours'
/** Of days on which no clock changes. */
const aMoment = (random: Random) =>
  `2027-12-0${1 + random.below(9)}T${10 + random.below(10)}:${10 + random.below(50)}`
/** As people type it. */
const typedAs = (moment: string) => `${Number(moment.slice(8, 10))} Dec 2027 ${moment.slice(11)}`

/** Gives the post its time, and sometimes channels times of their own; what each is then to be. */
async function choosesTimes(walk: Walk): Promise<Times | undefined> {
  const { page, random, done } = walk
  const forAll = page.getByRole('textbox', { name: 'Publish at' })
  const each = page.getByRole('group', { name: 'Different times' }).getByRole('textbox')
  const differ = page.getByRole('checkbox', { name: /^Different times/ })
  if ((await differ.count()) === 0 || random.chance(0.4)) {
    await forAll.fill(everyTime)
    return undefined
  }
  const all = aMoment(random)
  await forAll.fill(typedAs(all))
  await differ.check()
  done.push('gives channels times of their own')
  const names = await each.evaluateAll((boxes) =>
    boxes.map((box) => (box as unknown as { labels: { textContent: string }[] }).labels[0]!.textContent),
  )
  const times: Times = Object.fromEntries(names.map((name) => [name, all]))
  for (const [at, name] of names.entries()) {
    if (random.chance(0.3)) continue
    times[name] = aMoment(random)
    await each.nth(at).fill(typedAs(times[name]))
  }
  if (random.chance(0.3)) {
    const before = await each.evaluateAll((boxes) =>
      boxes.map((box) => (box as unknown as { value: string }).value),
    )
    await page.reload()
    await settled(page)
    await expect
      .poll(() =>
        each.evaluateAll((boxes) => boxes.map((box) => (box as unknown as { value: string }).value)),
      )
      .toEqual(before)
  }
  return times
}

/** When each channel of a post is to publish, in the zone of the workspace: UTC. */
async function timesOf(postId: string): Promise<Times> {
  const { body } = await world.app.ask('GET', `/agent/v1/posts/${postId}`)
  const destinations = body.destinations as { displayName: string; publishAt: string; status: string }[]
  return Object.fromEntries(
    destinations.flatMap(({ displayName, publishAt, status }) =>
      status === 'scheduled' ? [[displayName, publishAt.slice(0, 16)]] : [],
    ),
  )
}

async function openComposer(walk: Walk, search: string): Promise<void> {
  await walk.page.goto(`${world.workspaceUrl}/compose${search}`)
  await settled(walk.page)
}

async function writesNew(walk: Walk, begin = openComposer(walk, '')): Promise<Ended> {
  const { page, random, words } = walk
  await begin
  for (const name of NAMES.slice(0, 1 + random.below(3))) await checkbox(page, name).check()
  if ((await box(page).inputValue()) === '') await box(page).fill(words())
  await wander(walk)
  const times = await choosesTimes(walk)
  const ended = await send(walk, /^Schedule$/)
  return times === undefined ? ended : { ...ended, times }
}

/** Begins with a template: its fields are what was typed into them, letter by letter. */
async function usesTemplate(walk: Walk): Promise<void> {
  const { page, words } = walk
  const [text, reply, who, what] = [words(), words(), words(), words()]
  const template = {
    name: `Template ${text.split(' ')[0]}`,
    text: `${text} {{who}}`,
    thread: [{ text: `{{what}} ${reply} {{who}}` }],
  }
  const made = await world.app.ask('POST', '/agent/v1/templates', {
    headers: { 'idempotency-key': crypto.randomUUID() },
    body: { confirmed: true, ...template },
  })
  expect(made).toMatchObject({ status: 201 })
  await openComposer(walk, `?template=${made.body.templateId}`)
  const dialog = page.getByRole('dialog', { name: 'Use a template' })
  await dialog.getByLabel('who').fill(who)
  await dialog.getByLabel('what').fill(what)
  await dialog.locator('[type=submit]').click()
  await dialog.waitFor({ state: 'detached' })
  expect(await typed(page)).toEqual([`${text} ${who}`, `${what} ${reply} ${who}`])
}

async function edits(walk: Walk, postId: string): Promise<Ended> {
  walk.postId = postId
  await openComposer(walk, `?postId=${postId}`)
  await wander(walk)
  // So that there is something to save.
  await box(walk.page).fill(walk.words())
  if (walk.random.chance(0.4)) await meetsAnother(walk, postId)
  const save = walk.page.getByRole('button', { name: 'Save changes' })
  const nothing = walk.page.getByText('Nothing that will be published has changed.', { exact: true })
  // Until what was last written is checked, what was wrong before it can keep the button off.
  await save.and(walk.page.locator(':enabled')).or(nothing).waitFor()
  const last = await shown(walk.page)
  // Into a text that nobody uses any more, nothing is saved.
  if (await nothing.isVisible()) return { last, postId }
  return send(walk, /^Save changes$/)
}

/** An agent saves the post while it is written on: both versions are shown, and one of three ways is chosen. */
async function meetsAnother({ page, random, done, words }: Walk, postId: string): Promise<void> {
  const save = page.getByRole('button', { name: 'Save changes' })
  if (await save.isDisabled()) return
  const { body } = await world.app.ask('GET', `/agent/v1/posts/${postId}`)
  const edited = await world.app.ask('POST', `/agent/v1/posts/${postId}/edit`, {
    headers: { 'idempotency-key': crypto.randomUUID() },
    body: { confirmed: true, editToken: body.editToken, content: { text: words() } },
  })
  expect(edited.status).toBe(200)
  await clicking(async () => {
    await save.click()
    await page.getByRole('region', { name: 'Two versions' }).waitFor()
  })
  const way = random.pick(['Use theirs', 'Keep mine', 'Combine both'])
  done.push(`meets another: ${way}`)
  await page.getByRole('button', { name: way }).click()
  await page.getByRole('region', { name: 'Two versions' }).waitFor({ state: 'detached' })
}

async function agents(walk: Walk, state: 'scheduled' | 'immediate'): Promise<string> {
  const names = NAMES.slice(0, 1 + walk.random.below(3))
  const texts = {
    text: walk.words(),
    ...(walk.random.chance(0.5) ? { thread: [{ text: walk.words() }] } : {}),
  }
  const plan = walk.random.chance(0.5)
    ? { channelIds: names.map((name) => world.channelIds.get(name)!), ...texts }
    : {
        targets: names.map((name) => ({
          channelId: world.channelIds.get(name)!,
          ...texts,
          text: walk.words(),
        })),
      }
  const publishAt = new Date(Date.now() + 86_400_000).toISOString()
  return world.aPostOf({ state, ...plan, ...(state === 'scheduled' ? { publishAt } : {}) })
}

async function approves(walk: Walk): Promise<Ended> {
  const postId = await agents(walk, 'immediate')
  walk.postId = postId
  await openComposer(walk, `?postId=${postId}&approve=true`)
  await box(walk.page).fill(walk.words())
  await wander(walk)
  return send(walk, /^Save and approve$/)
}

/** What the request shows that is approved. */
async function shownRequest(page: Page): Promise<Shown> {
  const groups: [string[], string[]][] = await page.evaluate(`
    [...document.querySelectorAll('article section[aria-label]')].map((section) => [
      section.getAttribute('aria-label').split(', '),
      [...section.querySelectorAll('p[dir=auto]')].map(({ textContent }) => textContent),
    ])`)
  return Object.fromEntries(
    groups.flatMap(([names, texts]) => names.map((name) => [name, texts.map((text): Part => [text])])),
  )
}

/** Approves what an agent asked for, as the page shows it; sometimes undone, and asked again. */
async function approvesAsShown(walk: Walk): Promise<Ended> {
  const { page, random, done } = walk
  const postId = await agents(walk, 'immediate')
  await page.goto(`${world.workspaceUrl}/posts/${postId}`)
  await page.getByRole('link', { name: 'Review' }).click()
  const approve = page.getByRole('button', { name: /^Approve/ })
  await approve.waitFor()
  const last = await shownRequest(page)
  const isApproved = () =>
    page
      .getByText(/^Approved/)
      .first()
      .waitFor()
  await approve.click({ trial: true })
  const losing = random.pick<Losing>(['nothing', 'the line', 'the line before'])
  if (losing !== 'nothing') done.push(`loses ${losing}`)
  await lose(page, losing, random)
  const isDone =
    losing === 'the line before'
      ? await clickInVain(page, approve)
      : await clickOnce(page, approve, isApproved)
  await page.unrouteAll({ behavior: 'wait' })
  await restoreLine(page)
  if (!isDone)
    await clicking(async () => {
      await approve.click()
      await isApproved()
    })
  return { last, postId }
}

const journeys: Record<string, (walk: Walk) => Promise<Ended>> = {
  'a new post': async (walk) => writesNew(walk),
  'a new post from a template': async (walk) => writesNew(walk, usesTemplate(walk)),
  'a new post, edited': async (walk) => edits(walk, (await writesNew(walk)).postId),
  'an agent’s post, edited': async (walk) => edits(walk, await agents(walk, 'scheduled')),
  'an agent’s request, edited and approved': approves,
  'an agent’s request, approved as shown': approvesAsShown,
}

const SIGNS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** The alt texts of the pictures that the network shows of a post, in their order. */
async function altTextsAt(url: string): Promise<string[]> {
  const page = await (await fetch(url)).text()
  const [focal = ''] = /<article class="post focal[\s\S]*?<\/article>/.exec(page) ?? []
  return [...focal.matchAll(/<img src="\/media\/[^"]*" alt="([^"]*)"/g)].map(([, alt = '']) =>
    alt.replaceAll(/&(#?\w+);/g, (whole, name: string) => SIGNS[name] ?? whole),
  )
}

/** What the network has of a post once its time has come: the texts of each channel, in order, each of them made once. */
async function published(postId: string, before: Record<string, number>): Promise<Shown> {
  const { app } = world
  await app.db`
    update destination set publish_at = now(), due_at = now(), expires_at = now() + interval '1 day'
    where  post_id = ${postId} and due_at is not null and status = 'scheduled'`
  await app.db.notify('postrider_due', '')
  type Destination = { displayName: string; status: string; parts: { text: string; releaseUrl: string }[] }
  const read = async () =>
    (await app.ask('GET', `/agent/v1/posts/${postId}`)).body.destinations as Destination[]
  const isOver = (all: Destination[]) =>
    all.every(({ status }) => ['published', 'cancelled'].includes(status))
  await expect.poll(async () => isOver(await read()), { timeout: 30_000 }).toBe(true)
  const live = (await read()).filter(({ status }) => status === 'published')
  const result: Shown = {}
  for (const { displayName, parts } of live)
    result[displayName] = await Promise.all(
      parts.map(async ({ text, releaseUrl }): Promise<Part> => [text, ...(await altTextsAt(releaseUrl))]),
    )
  const expected = Object.entries(result).flatMap(([name, parts]) =>
    parts.map(([text]) => [`${name}: ${text}`, 1]),
  )
  const creates = await world.creates()
  const made = Object.entries(creates).flatMap(([key, count]) => {
    const more = count - (before[key] ?? 0)
    return more === 0 ? [] : [[key, more]]
  })
  expect(Object.fromEntries(made)).toEqual(Object.fromEntries(expected))
  return result
}

test(`what the page shows last is what goes out, over ${walks} random walks`, async () => {
  for (let at = 0; at < walks; at++) {
    const random = randomOf(seed + at)
    // Each kind comes as often.
    const kind = Object.keys(journeys)[(seed + at) % Object.keys(journeys).length]!
    // A quick machine walks more often in a minute than a session may.
    await world.signInAnew()
    const page = await world.desk.newPage()
    const walk: Walk = {
      page,
      random,
      done: [kind],
      words: makeWords(random, `W${seed + at}`),
      postId: null,
    }
    try {
      await page.goto(`${world.workspaceUrl}/members`)
      await uploadPictures(page, `W${seed + at}`)
      const before = await world.creates()
      const { last, postId, times } = await journeys[kind]!(walk)
      expect(Object.keys(last).length).toBeGreaterThan(0)
      if (times !== undefined) expect(await timesOf(postId)).toEqual(times)
      expect(await published(postId, before)).toEqual(last)
      expect(unasked).toEqual([])
    } catch (cause) {
      throw new Error(`walk ${at} (WALK_SEED=${seed + at}): ${walk.done.join(', ')}`, { cause })
    }
    await walk.page.close()
  }
})
