import MiniSearch from './minisearch.js'
import { optionsOfSearch } from './search-options.js'

const query = new URLSearchParams(location.search).get('q') ?? ''
const told = document.getElementById('told')
const list = document.getElementById('found')
for (const field of document.querySelectorAll('input[name=q]')) field.value = query

if (query !== '') {
  const answer = await fetch('search-index.json')
  const entries = await answer.json()
  const search = new MiniSearch(optionsOfSearch)
  search.addAll(entries.map((entry, id) => ({ id, ...entry })))
  const found = search.search(query).slice(0, 20)
  told.textContent = found.length === 0 ? `Nothing found for “${query}”.` : `Found for “${query}”:`
  list.append(...found.map(({ id }) => item(entries[id])))
}

function item({ url, title, heading, text }) {
  const link = Object.assign(document.createElement('a'), { href: url, textContent: heading })
  const where = heading === title ? '' : ` · ${title}`
  const summary = Object.assign(document.createElement('p'), { textContent: text })
  const entry = document.createElement('li')
  entry.append(link, where, summary)
  return entry
}
