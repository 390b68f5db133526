import { Link } from '../navigation.tsx'
import { buttonClass } from './button.tsx'
import { Page } from './page.tsx'
import { words } from './words.ts'

/** What stands at an address in a workspace that is none of its screens. */
export function NotFound() {
  return (
    <Page title={words.notFound} lead={words.notFoundHint}>
      <Link className={buttonClass('primary')} to="/w/$workspaceId/today">
        {words.toToday}
      </Link>
    </Page>
  )
}
