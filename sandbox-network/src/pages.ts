import { accountPath } from './accounts.ts'
import type { Account } from './accounts.ts'
import { directives } from './directives.ts'
import type { Directive } from './directives.ts'
import { html } from './html.ts'
import type { Html } from './html.ts'
import { mediumPath } from './media.ts'
import { postPath } from './posts.ts'
import type { Post } from './posts.ts'

type Medium = { id: string; contentType: string; altText: string }

/** A public post with what its page shows around it. */
export type Shown = { post: Post; parent: Post | null; replyCount: number; media: readonly Medium[] }
export type Person = { account: Account; postCount: number }

const number = new Intl.NumberFormat('en')
const day = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})
const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'medium', timeZone: 'UTC' })

type Place = { linked: boolean; namesParent: boolean }
type Frame = { title: string; at?: 'home' | 'rehearse'; live?: boolean; single?: boolean }

/** The newest posts of everyone, or an invitation to make the first. */
export function homePage(
  posts: readonly Shown[],
  people: readonly Person[],
  { nowMs, baseUrl }: { nowMs: number; baseUrl: string },
): string {
  const feed =
    posts.length === 0
      ? invitation(people, baseUrl)
      : html`<h1>Latest posts <span class="live">Live</span></h1>
          ${posts.map((shown) => feedPost(shown, nowMs))}`
  return page(
    { title: 'Sandbox', at: 'home', live: true },
    html`<main id="main" class="card">${feed}</main>
      <aside>
        ${people.length === 0 ? null : peopleCard(people)}
        <p class="note">
          A social network for rehearsals. What is posted here stays here. Add a
          <a href="/rehearse">directive</a> to a post to see how it fares when things go wrong.
        </p>
      </aside>`,
  )
}

/** One account and its posts. */
export function profilePage(
  { account, postCount }: Person,
  posts: readonly Shown[],
  { nowMs, olderThan, live }: { nowMs: number; olderThan: number | null; live: boolean },
): string {
  const older = olderThan === null ? null : html`<a class="more" href="?before=${olderThan}">Older posts</a>`
  return page(
    { title: `${account.displayName} (@${account.handle})`, live, single: true },
    html`<main id="main" class="card">
      <div class="profile">
        ${avatar(account)}
        <div>
          <h1 dir="auto">${account.displayName}</h1>
          <p>
            @${account.handle} · ${number.format(postCount)} ${postCount === 1 ? 'post' : 'posts'} ·
            ${profileWord(account)} up to ${number.format(account.maxCharacters)} characters
          </p>
        </div>
      </div>
      ${
        posts.length === 0
          ? html`<div class="empty">
              ${illustration}
              <p>@${account.handle} has not posted yet.</p>
            </div>`
          : posts.map((shown) => feedPost(shown, nowMs))
      }
      ${older}
    </main>`,
  )
}

/** A post, with what it answers above it and what answers it below. */
export function threadPage(
  above: readonly Shown[],
  focal: Shown,
  below: readonly Shown[],
  { nowMs }: { nowMs: number },
): string {
  const { post } = focal
  return page(
    { title: `${post.displayName}: ${firstWords(post.text) || 'a post without words'}`, single: true },
    html`<main id="main" class="card thread">
      <h1>${above.length + below.length === 0 ? 'Post' : 'Thread'}</h1>
      ${above.map((shown) => feedPost(shown, nowMs, { linked: true, namesParent: false }))}
      ${focalPost(focal, below.length > 0)}
      ${below.map((shown, at) => feedPost(shown, nowMs, placeInThread(post, below, at)))}
    </main>`,
  )
}

/** What a post's text can ask for. */
export function rehearsePage(): string {
  return page(
    { title: 'Rehearse · Sandbox', at: 'rehearse', single: true },
    html`<main id="main" class="card">
      <div class="prose">
        <h1>Rehearse what can go wrong</h1>
        <p>
          Put a directive anywhere in the text of a post. Each has its turn once for the same account, text
          and place in a thread, so that a second try shows what comes next; several take turns in the order
          written. Change the text to start over.
        </p>
        <p>Numbers may be left out; those shown are the defaults.</p>
      </div>
      <dl class="directives">
        ${Object.entries(directives).map(
          ([name, { amount, meaning }]) =>
            html`<div>
              <dt><code class="directive">${spelling(name, amount)}</code></dt>
              <dd>${meaning}</dd>
            </div>`,
        )}
      </dl>
    </main>`,
  )
}

/** Nothing here, or, when live, perhaps not yet: a post in processing appears once it is published. */
export function missingPage({ live } = { live: false }): string {
  return page(
    { title: 'Nothing here · Sandbox', single: true, live },
    html`<main id="main" class="card">
      <div class="empty">
        ${illustration}
        <h1>Nothing here</h1>
        <p>No such account or post, or one that is not public yet. <a href="/">See the latest posts</a>.</p>
      </div>
    </main>`,
  )
}

function page({ title, at, live = false, single = false }: Frame, content: Html): string {
  const current = (name: Frame['at']) => (at === name ? html` aria-current="page"` : null)
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        ${live ? html`<meta http-equiv="refresh" content="2" />` : null}
        <title>${title}</title>
        <link rel="stylesheet" href="/style.css" />
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header class="top">
          <div>
            <a class="brand" href="/">${mark}Sandbox</a>
            <nav aria-label="Pages">
              <a href="/" ${current('home')}>Home</a>
              <a href="/rehearse" ${current('rehearse')}>Rehearse</a>
            </nav>
          </div>
        </header>
        <div class="frame${single ? ' single' : ''}">${content}</div>
      </body>
    </html> `.markup
}

function feedPost(
  { post, parent, replyCount, media }: Shown,
  nowMs: number,
  { linked, namesParent }: Place = { linked: false, namesParent: true },
): Html {
  const answers =
    parent === null || !namesParent
      ? null
      : html`<a href="${postPath(parent)}">↳ In reply to @${parent.handle}</a>`
  const replies =
    replyCount === 0
      ? null
      : html`<a href="${postPath(post)}"
          >${number.format(replyCount)} ${replyCount === 1 ? 'reply' : 'replies'}</a
        >`
  return html`<article class="post ${linked ? 'linked' : ''}">
    ${avatar(post)}
    <div>
      <p class="by">
        <a href="${accountPath(post.handle)}"><strong dir="auto">${post.displayName}</strong></a>
        <span>@${post.handle}</span>
        <a class="when" href="${postPath(post)}"
          ><time datetime="${isoTime(post)}">${age(post.createdAtMs, nowMs)}</time></a
        >
      </p>
      ${words(post)} ${pictures(media)}
      ${answers === null && replies === null ? null : html`<p class="meta">${answers}${replies}</p>`}
    </div>
  </article>`
}

function focalPost({ post, replyCount, media }: Shown, answered: boolean): Html {
  return html`<article class="post focal ${answered ? 'linked' : ''}">
    ${avatar(post)}
    <p class="by">
      <a href="${accountPath(post.handle)}"><strong dir="auto">${post.displayName}</strong></a>
      <span>@${post.handle}</span>
    </p>
    ${words(post)} ${pictures(media)}
    <p class="meta">
      <time datetime="${isoTime(post)}">${moment.format(post.createdAtMs)} UTC</time>
      <span>Post ${post.id}</span>
      ${replyCount === 0 ? null : html`<span>${number.format(replyCount)} ${replyCount === 1 ? 'reply' : 'replies'}</span>`}
    </p>
  </article>`
}

function words({ text }: Post): Html | null {
  return text.trim() === '' ? null : html`<p class="text" dir="auto">${richText(text)}</p>`
}

function pictures(media: readonly Medium[]): Html | null {
  if (media.length === 0) return null
  return html`<div class="media">${media.map(picture)}</div>`
}

function picture({ id, contentType, altText }: Medium): Html {
  return contentType.startsWith('video/')
    ? html`<video src="${mediumPath(id)}" aria-label="${altText}" controls preload="metadata"></video>`
    : html`<img src="${mediumPath(id)}" alt="${altText}" loading="lazy" />`
}

function peopleCard(people: readonly Person[]): Html {
  return html`<section class="card people">
    <h2>Accounts</h2>
    <ul>
      ${people.map(
        ({ account, postCount }) =>
          html`<li>
            <a href="${accountPath(account.handle)}">
              <span class="avatar hue-${hueOf(account.handle)}" aria-hidden="true"
                >${initialOf(account)}</span
              >
              <span><strong>${account.displayName}</strong><small>@${account.handle}</small></span>
              <span class="count" title="Posts">${number.format(postCount)}</span>
            </a>
          </li>`,
      )}
    </ul>
  </section>`
}

function invitation(people: readonly Person[], baseUrl: string): Html {
  const account = `curl -X POST ${baseUrl}/control/accounts \\
  -H 'Content-Type: application/json' \\
  -d '{"handle":"ada","profile":"short"}'`
  const post = `curl -X POST ${baseUrl}/api/v1/posts \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"text":"Hello from the sandbox"}'`
  return html`<div class="empty">
    ${illustration}
    <h1>${people.length === 0 ? 'No accounts yet' : 'No posts yet'}</h1>
    <p>
      ${
        people.length === 0
          ? 'There is no account yet. Make one; its token lets it post.'
          : 'The accounts are ready. The first post appears here by itself.'
      }
    </p>
    <pre>${people.length === 0 ? account : post}</pre>
  </div>`
}

function avatar(person: { handle: string; displayName: string }): Html {
  return html`<a
    class="avatar hue-${hueOf(person.handle)}"
    href="${accountPath(person.handle)}"
    tabindex="-1"
    aria-hidden="true"
    >${initialOf(person)}</a
  >`
}

function initialOf({ displayName }: { displayName: string }): string {
  return /\p{L}|\p{N}|\p{Extended_Pictographic}/u.exec(displayName)?.[0] ?? '·'
}

function hueOf(handle: string): number {
  let sum = 0
  for (const character of handle.toLowerCase()) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521
  return sum % 8
}

function profileWord({ profile }: Account): string {
  return profile === 'short' ? 'Short posts,' : 'Professional,'
}

/** Escaped text in which addresses are links and directives stand out. */
function richText(text: string): Html {
  const pieces = text.split(/(https?:\/\/[\x21-\x7e]*[\w/#&=+%@~$*-]|#sandbox:[a-z0-9-]+(?:=\d+)?)/gi)
  return html`${pieces.map((piece, at) => (at % 2 === 0 ? html`${piece}` : richPiece(piece)))}`
}

function richPiece(piece: string): Html {
  if (!piece.startsWith('http')) return html`<span class="directive">${piece}</span>`
  return html`<a href="${piece}" rel="nofollow noopener noreferrer ugc">${piece}</a>`
}

/** Linked: a line leads on to the answer just below. A parent just above, or the focal post, needs no naming. */
function placeInThread(focal: Post, posts: readonly Shown[], at: number): Place {
  const [before, here, after] = [posts[at - 1]?.post, posts[at]?.post, posts[at + 1]?.post]
  const parentId = here?.inReplyTo
  return {
    linked: after !== undefined && after.inReplyTo === here?.id,
    namesParent: parentId !== focal.id && parentId !== before?.id,
  }
}

function spelling(name: string, amount: Directive['amount']): string {
  return `#sandbox:${name}${amount === null ? '' : `=${amount.default}`}`
}

function firstWords(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= 60 ? line : `${line.slice(0, 60).toWellFormed()}…`
}

function isoTime({ createdAtMs }: Post): string {
  return new Date(createdAtMs).toISOString()
}

function age(atMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - atMs) / 1000))
  if (seconds < 5) return 'now'
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`
  return day.format(atMs)
}

const mark = html`<svg viewBox="0 0 28 28" aria-hidden="true">
  <rect class="sky" width="28" height="28" rx="8" />
  <circle class="sun" cx="18" cy="11" r="4.5" />
  <path class="dune" d="M0 20c6-6 11-5 16-1s8 3 12 0v1a8 8 0 0 1-8 8H8a8 8 0 0 1-8-8z" />
</svg>`

const illustration = html`<svg viewBox="0 0 176 84" aria-hidden="true">
  <circle class="sun" cx="120" cy="34" r="15" />
  <path class="far" d="M0 62c30-26 58-24 88-6s58 14 88-8v36H0z" />
  <path class="dune" d="M0 74c26-16 48-16 74-4s66 12 102-6v20H0z" />
</svg>`
