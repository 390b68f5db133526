import { BookOpen } from '../../ui/icons.ts'
import { buttonClass } from '../../ui/button.tsx'
import { words } from './words.ts'

/** The way to the interactive reference of the Agent API. */
export function ReferenceLink() {
  return (
    <a
      className={buttonClass('quiet')}
      href={new URL('openapi', document.baseURI).href}
      target="_blank"
      rel="noreferrer"
    >
      <BookOpen aria-hidden />
      {words.reference}
    </a>
  )
}
