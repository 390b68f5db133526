import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { openOutbound } from '../platform/outbound/outbound-http.ts'
import type { LinkCard } from '../networks/providers/port/procedure.ts'
import { linkCardReader } from './link-cards.ts'
import { openMediaWorkers } from './media-workers.ts'
import { openTempFiles } from './temp-files.ts'

/*
 * Pages as they are met on the web, written for this test, and read over HTTP as a link's page is. What each says is what a browser shows
 * as its title, and what networks show that make cards themselves.
 */

type Page = {
  readonly is: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Buffer
  readonly title: string | null
  readonly description?: string
}

const html = (head: string, body = '<p>Words</p>') =>
  `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n${head}\n</head>\n<body>\n${body}\n</body>\n</html>\n`
const og = (title: string, description = '') =>
  `<meta property="og:title" content="${title}"><meta property="og:description" content="${description}">`

/** The text with each character that ASCII does not have as the bytes that an encoding has for it. */
function bytesOf(text: string, bytes: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(
    Array.from(text, (character) => {
      const own = bytes[character]
      return own === undefined ? Buffer.from(character, 'latin1') : Buffer.from(own, 'hex')
    }),
  )
}

const CYRILLIC = { П: 'cf', р: 'f0', и: 'e8', в: 'e2', е: 'e5', т: 'f2' }
const KANJI = { 日: '93fa', 本: '967b', 語: '8cea' }
const HAN = { 你: 'c4e3', 好: 'bac3', 㐀: '8139ee39' }
const ICONS = `<svg width="16" height="16"><title>Menu icon</title><path d="M0 0h16v2H0z"/></svg>`
const CSS = `.a${'b'.repeat(60)}{margin:0}\n`

const pages: readonly Page[] = [
  {
    is: 'of a news site: Open Graph beside Twitter and a longer title',
    body: html(
      `<title>Rain ahead – The Daily</title><meta name="twitter:title" content="Rain (Twitter)">${og('Rain ahead', 'Take an umbrella.')}`,
    ),
    title: 'Rain ahead',
    description: 'Take an umbrella.',
  },
  {
    is: 'of a blog: a title and a description alone',
    body: html('<title>My blog</title>\n<meta name="description" content="Notes on gardens">'),
    title: 'My blog',
    description: 'Notes on gardens',
  },
  {
    is: 'with `name` and `property` on the same tag',
    body: html(
      '<title>t</title><meta name="description" property="og:description" content="Both"><meta name="title" property="og:title" content="One tag">',
    ),
    title: 'One tag',
    description: 'Both',
  },
  {
    is: 'with several properties in one attribute, as RDFa allows',
    body: html('<meta property="og:title twitter:title" content="Two names">'),
    title: 'Two names',
  },
  {
    is: 'with names for all kinds of characters',
    body: html(
      og(
        'Caf&eacute; &Amacr;rz&abreve; &rarr; &CounterClockwiseContourIntegral; &NotEqualTilde;',
        '&copy 2026 &ndash; &#8364;&#x1F600;',
      ),
    ),
    title: 'Café Ārză → ∳ ≂̸',
    description: '© 2026 – €😀',
  },
  {
    is: 'with numbers that mean what Windows has there',
    body: html('<title>&#147;Quoted&#148; &#133; &#150;</title>'),
    title: '“Quoted” … –',
  },
  {
    is: 'with an ampersand in an address that is no reference',
    body: html('<title>a?b=1&copy=2&lt</title><meta name="description" content="x?a=1&copy=2&amp;d=3">'),
    title: 'a?b=1©=2<',
    description: 'x?a=1&copy=2&d=3',
  },
  {
    is: 'in upper case, with single quotes and without',
    body: `<HTML><HEAD><META NAME=DESCRIPTION CONTENT='Shouted "words"'><TITLE>Loud</TITLE></HEAD><BODY>`,
    title: 'Loud',
    description: 'Shouted "words"',
  },
  {
    is: 'with the values before the names, line ends within tags, and white space around =',
    body: html('<meta\n  content = "First the\n value"\n\tproperty\t=\t"og:title"\n/>'),
    title: 'First the value',
  },
  {
    is: 'with an older page in a comment',
    body: html(`<!-- <title>Old</title> ${og('Commented out')} --><title>New</title>`),
    title: 'New',
  },
  {
    is: 'with comments for Internet Explorer, and one that ends early',
    body: html(`<!--[if lt IE 9]><title>IE</title><![endif]--><!--> <title>Shown</title>`),
    title: 'Shown',
  },
  {
    is: 'with tags in the strings of its scripts',
    body: html(
      `<script>document.write("<title>Scripted</title></head><body>")</script><script type="application/ld+json">{"html":"<meta property='og:title' content='In JSON'></head>"}</script>${og('Real')}`,
    ),
    title: 'Real',
  },
  {
    is: 'with a script that opens another in a comment of its own',
    body: html(`<script><!--\n document.write("<script></script></head>") //--></script>${og('After it')}`),
    title: 'After it',
  },
  {
    is: 'with a script whose end tag is upper case and spaced',
    body: html(`<SCRIPT>var a = "<title>x</title>"</SCRIPT  ><title>Ended</title>`),
    title: 'Ended',
  },
  {
    is: 'with a pixel for readers without scripts in its head',
    body: html(
      `<noscript><img height="1" src="https://pixel.example/tr?a=1&b=2" alt=">"/><title>No scripts</title></noscript>${og('Behind it')}`,
    ),
    title: 'Behind it',
  },
  {
    is: 'with a template that has a head of its own',
    body: html(`<template><title>Piece</title>${og('Of a piece')}</head></template><title>Whole</title>`),
    title: 'Whole',
  },
  {
    is: 'with a drawing that has a title, in the head',
    body: html(`${ICONS}<title>Page</title>`),
    title: 'Page',
  },
  {
    is: 'with a drawing that is never closed',
    body: html(`<svg><title>Icon</title><path d="M0 0">${og('Closed by a tag')}`),
    title: 'Closed by a tag',
  },
  {
    is: 'with 1 MB of styles before its properties',
    body: html(`<style>${CSS.repeat(14_000)}</style>${og('Far down')}`),
    title: 'Far down',
  },
  {
    is: 'with 500 kB of state before its properties, as a video site has it',
    body: html(
      `<script>var state = ${JSON.stringify(Array.from({ length: 9_000 }, (_, id) => ({ id, html: '<body><b>x</b></body>' })))}</script>${og('A video')}`,
    ),
    title: 'A video',
  },
  {
    is: 'with a mark of another file in its head, which ends it for browsers',
    body: html(`\ufeff<link rel="stylesheet" href="a.css">${og('Marked')}`),
    title: 'Marked',
  },
  {
    is: 'with a stray element in its head',
    body: html(`<div id="app-shell"></div><title>Stray</title>${og('Still said')}`),
    title: 'Still said',
  },
  {
    is: 'without head and body, as HTML allows',
    body: `<!doctype html><meta charset=utf-8><title>Short</title><link rel=icon href=a.png><p>Words`,
    title: 'Short',
  },
  {
    is: 'without html, of which the tags are not closed',
    body: `<head><meta property=og:title content=Bare><meta property=og:description content='Without end'`,
    title: 'Bare',
  },
  {
    is: 'in XHTML, served as HTML',
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">\n<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Strict &#233;</title><meta name="description" content="An old page" /></head><body></body></html>`,
    title: 'Strict é',
    description: 'An old page',
  },
  {
    is: 'in XHTML, served as such',
    type: 'application/xhtml+xml',
    body: Buffer.from(
      '<?xml version="1.0" encoding="iso-8859-1"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>Gr\xfc\xdfe</title></head><body/></html>',
      'latin1',
    ),
    title: 'Grüße',
  },
  {
    is: 'of AMP',
    body: `<!doctype html><html ⚡ lang="de"><head><meta charset="utf-8"><script async src="https://cdn.example/v0.js"></script><style amp-boilerplate>body{animation:-amp-start 8s}</style><noscript><style amp-boilerplate>body{animation:none}</style></noscript><title>Schnell &amp; klein</title><link rel="canonical" href="https://example.com/long"></head><body>`,
    title: 'Schnell & klein',
  },
  {
    is: 'with properties that are empty, and given twice',
    body: html(`${og('', '')}${og('First', 'One')}${og('Second', 'Two')}<title>Last</title>`),
    title: 'First',
    description: 'One',
  },
  {
    is: 'with an attribute given twice, of which the first counts',
    body: html('<meta property="og:title" content="One" content="Two" property="og:description">'),
    title: 'One',
  },
  {
    is: 'with characters that no database takes',
    body: html(og('a\0b\u0007c&#xD800;&#0;', 'x\r\n\ty')),
    title: 'a\ufffdb c\ufffd\ufffd',
    description: 'x y',
  },
  {
    is: 'in windows-1251, by its header',
    type: 'text/html; charset=windows-1251',
    body: bytesOf('<head><title>Привет</title></head>', CYRILLIC),
    title: 'Привет',
  },
  {
    is: 'in windows-1251, by an old tag of its own behind a long comment',
    body: bytesOf(
      `<head><!--${' '.repeat(3_000)}--><title>Привет</title><meta http-equiv="Content-Type" content="text/html; charset=windows-1251"></head>`,
      CYRILLIC,
    ),
    title: 'Привет',
  },
  {
    is: 'in shift_jis, by a tag of its own',
    body: bytesOf(`<head><meta charset='Shift_JIS'><title>日本語</title></head>`, KANJI),
    title: '日本語',
  },
  {
    is: 'in gb18030, with a character of four bytes, by a name with other capitals',
    body: bytesOf(`<head><META CHARSET=GB18030><title>你好㐀</title></head>`, HAN),
    title: '你好㐀',
  },
  {
    is: 'in iso-8859-1, which is windows-1252',
    type: 'text/html;charset="ISO-8859-1"',
    body: Buffer.from('<title>\x93Gr\xfc\xdfe\x94 \x80 5</title>', 'latin1'),
    title: '“Grüße” € 5',
  },
  {
    is: 'in windows-1252, and says so nowhere',
    body: Buffer.from('<title>Caf\xe9</title>', 'latin1'),
    title: 'Café',
  },
  {
    is: 'in UTF-8, and says so nowhere',
    body: '<title>Café ☕</title>',
    title: 'Café ☕',
  },
  {
    is: 'in UTF-8 by its mark, whatever its header says',
    type: 'text/html; charset=iso-8859-1',
    body: '\ufeff<head><meta charset="windows-1251"><title>Größe</title></head>',
    title: 'Größe',
  },
  {
    is: 'in UTF-16 by its mark',
    body: Buffer.from('\ufeff<head><title>Wide ☕</title></head><body>', 'utf16le'),
    title: 'Wide ☕',
  },
  {
    is: 'in UTF-8, which calls itself UTF-16',
    body: '<head><meta charset="utf-16"><title>Größe</title></head>',
    title: 'Größe',
  },
  {
    is: 'in an encoding that nobody has',
    type: 'text/html; charset=klingon',
    body: '<head><meta charset="utf-8"><title>Größe</title></head>',
    title: 'Größe',
  },
  {
    is: 'packed with gzip',
    headers: { 'content-encoding': 'gzip' },
    body: gzipSync(html(og('Packed'))),
    title: 'Packed',
  },
  {
    is: 'packed with Brotli',
    headers: { 'content-encoding': 'br' },
    body: brotliCompressSync(html(`<style>${CSS.repeat(5_000)}</style>${og('Packed small')}`)),
    title: 'Packed small',
  },
  {
    is: 'with words behind its head that are not its own',
    body: `<head><title>Own</title></head><meta property="og:title" content="Forged"><body>${og('Forged, too')}`,
    title: 'Own',
  },
  { is: 'without a title', body: html('<meta name="description" content="Nothing else">'), title: null },
]

const server = createServer((request: IncomingMessage, response: ServerResponse) => {
  const page = pages[Number(request.url?.slice(1))]
  if (page === undefined) return response.writeHead(404).end()
  response.writeHead(200, { 'content-type': page.type ?? 'text/html', ...page.headers })
  return response.end(page.body)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const folder = await mkdtemp(join(tmpdir(), 'postrider-pages-'))
const workers = openMediaWorkers({ processes: 1 })
const outbound = openOutbound({
  connectMs: 5_000,
  totalMs: 60_000,
  bodyMaxBytes: 1,
  userAgent: 'test',
  rules: { httpsOnly: true, trustedOrigins: [origin], trustedNetworks: [] },
})
const read = linkCardReader({ outbound, tempFiles: await openTempFiles(folder), workers, limitMs: 60_000 })
afterAll(async () => {
  await workers.stop()
  await outbound.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await rm(folder, { recursive: true, force: true })
})

const picture = { contentTypes: ['image/png'], maxBytes: 1_000, maxWidth: 10, maxHeight: 10 }

async function cardAt(path: number): Promise<LinkCard | null> {
  const { signal } = new AbortController()
  return (await read('workspace', new URL(`${origin}/${path}`), picture, signal)).card
}

test.each(pages.map((page, at) => [page.is, at, page] as const))(
  'a page %s',
  async (_, at, { title, description = '' }) => {
    expect(await cardAt(at)).toEqual(title === null ? null : { title, description, picture: null })
  },
)
