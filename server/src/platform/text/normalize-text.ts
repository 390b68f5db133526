/** Longer than the runs of marks of any language (UAX #15, 13); the last two become marks by NFKC. */
const LONG_RUN = /[\p{M}\uff9e\uff9f]{31,}/gu

/**
 * `text.normalize(form)`, in linear time for any text. The built-in method takes the square of the length of a run of
 * combining marks that are not in canonical order: such runs are put in order first, which changes no result.
 */
export function normalizeText(text: string, form: 'NFC' | 'NFKC'): string {
  return text.replaceAll(LONG_RUN, (run) => orderMarks(run, DECOMPOSITIONS[form])).normalize(form)
}

/** The canonical ordering algorithm (Unicode, D109) as a bucket sort. */
function orderMarks(run: string, form: Decomposition): string {
  let ordered = ''
  const buckets = new Map<string, string[]>()
  function flush(): void {
    const sorted = [...buckets].toSorted(([a], [b]) => classes.indexOf(a) - classes.indexOf(b))
    for (const [, marks] of sorted) ordered += marks.join('')
    buckets.clear()
  }
  for (const character of run) {
    for (const { mark, combiningClass } of marksOf(character, form)) {
      if (combiningClass === null) {
        flush()
        ordered += mark
      } else {
        const bucket = buckets.get(combiningClass)
        if (bucket === undefined) buckets.set(combiningClass, [mark])
        else bucket.push(mark)
      }
    }
  }
  flush()
  return ordered
}

const DECOMPOSITIONS = { NFC: 'NFD', NFKC: 'NFKD' } as const
type Decomposition = (typeof DECOMPOSITIONS)[keyof typeof DECOMPOSITIONS]
type Mark = { readonly mark: string; readonly combiningClass: string | null }

/** What each mark that was met decomposes to: there are some 2,500 of them. */
const decomposed = { NFD: new Map<string, Mark[]>(), NFKD: new Map<string, Mark[]>() }

function marksOf(character: string, form: Decomposition): Mark[] {
  let marks = decomposed[form].get(character)
  if (marks === undefined) {
    marks = Array.from(character.normalize(form), (mark) => ({
      mark,
      combiningClass: combiningClassOf(mark),
    }))
    decomposed[form].set(character, marks)
  }
  return marks
}

/** One mark of each combining class that was met, in the order of the classes. */
const classes: string[] = []

/**
 * The mark that stands for the combining class of this one; null for class 0, which nothing is moved across.
 * JavaScript does not tell classes, but shows their order: normalisation swaps two marks that are out of it.
 */
function combiningClassOf(mark: string): string | null {
  return isMoved(mark) ? findClass(mark) : null
}

/** U+0334 has the lowest class there is, U+0345 the highest. */
function isMoved(mark: string): boolean {
  return mark === '\u0334' || mark === '\u0345' || precedes('\u0334', mark) || precedes(mark, '\u0345')
}

function findClass(mark: string): string {
  let [low, high] = [0, classes.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const other = classes[middle] ?? mark
    if (precedes(other, mark)) low = middle + 1
    else if (precedes(mark, other)) high = middle
    else return other
  }
  classes.splice(low, 0, mark)
  return mark
}

/** Whether the class of the first is lower, and not 0. */
function precedes(first: string, second: string): boolean {
  return first !== second && (second + first).normalize('NFD') === first + second
}
