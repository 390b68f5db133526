/* Words that say nothing of what is looked for. */
export const COMMON = new Set(
  'a an and are as at be by can do does for from have how i if in is it its me my of on or should that the there to what when where which who why will with you your'.split(
    ' ',
  ),
)

/* How a word is looked for: without a common ending, and at the beginning of a word, or with a letter that is wrong. */
export const optionsOfSearch = {
  storeFields: ['url'],
  fields: ['heading', 'title', 'url', 'text', 'words'],
  processTerm(term) {
    const word = term.toLowerCase()
    return COMMON.has(word) ? null : word.replace(/(?<=.{4})(s|ing|ed)$/, '')
  },
  searchOptions: {
    boost: { heading: 4, title: 2, url: 3 },
    // It names everything; who wants to know how is helped by the other pages.
    boostDocument: (id, term, { url }) => (url.startsWith('reference.html') ? 0.4 : 1),
    prefix: (term) => term.length > 3,
    fuzzy: 0.15,
    combineWith: 'OR',
  },
}
