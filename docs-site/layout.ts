import type { Heading } from './markdown.ts'
import { type Page, relativeUrl, type Section } from './pages.ts'

/** A whole page. It needs no script: the search leads to a page of its own. */
export function layout(
  page: Pick<Page, 'url' | 'title' | 'source'>,
  { html, headings, sections }: { html: string; headings: readonly Heading[]; sections: readonly Section[] },
  script?: string,
): string {
  const to = (url: string) => escape(relativeUrl(page.url, url))
  const order = sections.flatMap(({ pages }) => pages)
  const place = order.findIndex(({ url }) => url === page.url)
  const beside = place === -1 ? [] : [order[place - 1], order[place + 1]]
  const [before, after] = beside.map((other) =>
    other === undefined ? '' : `<a href="${to(other.url)}">${escape(other.label)}</a>`,
  )
  const contents = headings.filter(({ level }) => level === 2)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(page.url === 'index.html' ? 'Postrider' : `${page.title} · Postrider`)}</title>
<link rel="icon" href="${to('icon.svg')}">
<link rel="stylesheet" href="${to('style.css')}">
${script === undefined ? '' : `<script type="module" src="${to(script)}"></script>\n`}</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="brand" href="${to('index.html')}"><img src="${to('icon.svg')}" alt="" width="26" height="26">Postrider</a>
<a class="menu" href="#pages">All pages</a>
<form action="${to('search.html')}" role="search"><input type="search" name="q" placeholder="Search" aria-label="Search the documents"></form>
</header>
<div class="columns">
<main id="content">
${html}
<p class="beside">${before ?? ''}<span></span>${after ?? ''}</p>
</main>
${
  contents.length < 2
    ? '<aside></aside>'
    : `<aside><nav aria-label="On this page"><h2>On this page</h2><ul>${contents.map(({ id, text }) => `<li><a href="#${escape(id)}">${escape(text)}</a></li>`).join('')}</ul></nav></aside>`
}
<nav class="pages" id="pages" aria-label="Pages">
${sections
  .map(
    ({ title, pages }) =>
      `<h2>${escape(title)}</h2><ul>${pages
        .map(
          ({ url, label }) =>
            `<li><a href="${to(url)}"${url === page.url ? ' aria-current="page"' : ''}>${escape(label)}</a></li>`,
        )
        .join('')}</ul>`,
  )
  .join('\n')}
</nav>
</div>
</body>
</html>
`
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
