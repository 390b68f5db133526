/** Markup that is safe to send: written here as a literal, or escaped on its way in. */
export class Html {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
}

type Value = string | number | Html | null | readonly Html[]

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Template tag: every value is escaped unless it is Html already; null renders nothing. */
export function html(literals: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(literals.reduce((before, literal, at) => before + render(values[at - 1] ?? null) + literal))
}

function render(value: Value): string {
  if (value === null) return ''
  if (value instanceof Html) return value.markup
  if (typeof value === 'object') return value.map(({ markup }) => markup).join('')
  return String(value).replace(/[&<>"']/g, (character) => escapes[character] ?? '')
}
