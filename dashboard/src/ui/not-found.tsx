import { Link } from '@tanstack/react-router'
import { buttonClass } from './button.tsx'
import { Page } from './page.tsx'

/** What stands at an address in a workspace that is none of its screens. */
export function NotFound() {
  return (
    <Page
      title="Page not found"
      lead="Nothing is at this address. It may be mistyped, or the page has moved."
    >
      <Link className={buttonClass('primary')} to="/w/$workspaceId/today" from="/w/$workspaceId">
        Go to Today
      </Link>
    </Page>
  )
}
