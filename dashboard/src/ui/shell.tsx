import type { Right } from '@postrider/contract'
import {
  Activity,
  AppWindow,
  CalendarDays,
  CircleAlert,
  CircleCheckBig,
  FileText,
  Images,
  LayoutTemplate,
  KeyRound,
  LogOut,
  type Icon,
  Menu as MenuIcon,
  Monitor,
  Moon,
  Plug,
  Plus,
  ScrollText,
  Repeat,
  Search,
  Settings,
  Sun,
  SunMedium,
  UserRound,
  Users,
  Webhook,
} from './icons.ts'
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import type { Address } from '../addresses.ts'
import { useServerBusy } from '../api/queries.ts'
import { Link, usePlace } from '../navigation.tsx'
import { buttonClass, IconButton } from './button.tsx'
import { Menu } from './menu.tsx'
import styles from './shell.module.css'
import { chooseTheme, useTheme } from './theme.ts'
import { words } from './words.ts'

type NavLink = {
  to: Exclude<Address, '/' | `${string}$${string}$${string}`>
  label: string
  icon: Icon
  count?: number
  isAlarm?: boolean
  /** What a role has to have, so that the link is there at all. */
  needs?: Right
}
/** What the frame shows once it is known who is signed in. */
type Known = {
  workspaceName: string
  personName: string
  /** What the person's role allows. */
  rights: readonly Right[]
  /** How many posts wait for this person's decision. */
  waiting: number
  /** How much needs somebody. */
  attention: number
  otherWorkspaces: readonly { workspaceId: string; name: string }[]
  onSwitch: (workspaceId: string) => void
  onSearch: () => void
  onSignOut: () => void
  onAccount: () => void
}
type ShellProps = {
  workspaceId: string
  known?: Known
  /** Whether the server does not answer. */
  away: boolean
  children: ReactNode
}

export function Shell({ workspaceId, known, away, children }: ShellProps) {
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  const online = useOnline()
  const isBusy = useServerBusy()
  useEffect(() => {
    if (!open) return
    const onEscape = (event: KeyboardEvent) => event.key === 'Escape' && close()
    addEventListener('keydown', onEscape)
    return () => removeEventListener('keydown', onEscape)
  }, [open])

  return (
    <div className={styles.shell}>
      <a
        className={styles.skip}
        href="#main"
        onClick={(event) => {
          // Against <base>, the address would be another page.
          event.preventDefault()
          document.getElementById('main')?.focus()
        }}
      >
        {words.skip}
      </a>
      <div className={styles.topbar}>
        <IconButton
          label={words.menu}
          aria-expanded={open}
          aria-controls="sidebar"
          onClick={() => setOpen(true)}
        >
          <MenuIcon aria-hidden />
        </IconButton>
        <strong>{known?.workspaceName}</strong>
        {known === undefined ? null : (
          <IconButton label={words.search} onClick={known.onSearch}>
            <Search aria-hidden />
          </IconButton>
        )}
      </div>
      {open ? (
        <button type="button" className={styles.scrim} aria-label={words.closeMenu} onClick={close} />
      ) : null}
      <Sidebar {...{ workspaceId, known, open }} onNavigate={close} />
      <Tabs {...{ workspaceId, known }} />
      <main id="main" className={styles.main} tabIndex={-1}>
        {away ? (
          <p className={styles.offline} role="status">
            {online ? words.serverAway : words.youAreOffline}
          </p>
        ) : null}
        {!away && isBusy ? (
          <p className={styles.offline} role="status">
            {words.serverBusy}
          </p>
        ) : null}
        {children}
      </main>
    </div>
  )
}

/** On a phone, what is used most, within reach of a thumb. */
function Tabs({ workspaceId, known }: { workspaceId: string; known: Known | undefined }) {
  const isWriting = usePlace().address === '/w/$workspaceId/compose'
  // The composer needs the room for its own buttons.
  if (isWriting) return null
  const tabs: NavLink[] = [
    {
      to: '/w/$workspaceId/today',
      label: words.today,
      icon: SunMedium,
      count: known?.attention ?? 0,
      isAlarm: true,
    },
    { to: '/w/$workspaceId/calendar', label: words.calendar, icon: CalendarDays },
    { to: '/w/$workspaceId/compose', label: words.newPost, icon: Plus, needs: 'posts:write' },
    {
      to: '/w/$workspaceId/approvals',
      label: words.approvals,
      icon: CircleCheckBig,
      count: known?.waiting ?? 0,
    },
    { to: '/w/$workspaceId/channels', label: words.channels, icon: Plug },
  ]
  return (
    <nav className={styles.tabs} aria-label={words.mainPhone}>
      <NavList links={tabs} rights={known?.rights ?? []} {...{ workspaceId }} />
    </nav>
  )
}

const themes = [
  { theme: 'light', label: words.light, icon: Sun },
  { theme: 'dark', label: words.dark, icon: Moon },
  { theme: 'system', label: words.systemTheme, icon: Monitor },
] as const

type SidebarProps = { workspaceId: string; known: Known | undefined; open: boolean; onNavigate: () => void }

function Sidebar({ open, onNavigate, workspaceId, known }: SidebarProps) {
  const rights = known?.rights ?? []
  const work: NavLink[] = [
    { to: '/w/$workspaceId/today', label: words.today, icon: SunMedium },
    { to: '/w/$workspaceId/calendar', label: words.calendar, icon: CalendarDays },
    { to: '/w/$workspaceId/posts', label: words.posts, icon: FileText },
    { to: '/w/$workspaceId/series', label: words.series, icon: Repeat },
    {
      to: '/w/$workspaceId/approvals',
      label: words.approvals,
      icon: CircleCheckBig,
      count: known?.waiting ?? 0,
    },
    {
      ...({ to: '/w/$workspaceId/attention', label: words.attention, icon: CircleAlert } as const),
      count: known?.attention ?? 0,
      isAlarm: true,
    },
    { to: '/w/$workspaceId/channels', label: words.channels, icon: Plug },
    { to: '/w/$workspaceId/media', label: words.media, icon: Images },
    { to: '/w/$workspaceId/templates', label: words.templates, icon: LayoutTemplate },
  ]
  const developers: NavLink[] = [
    { to: '/w/$workspaceId/keys', label: words.keys, icon: KeyRound, needs: 'keys:manage' },
    { to: '/w/$workspaceId/apps', label: words.apps, icon: AppWindow, needs: 'keys:manage' },
    { to: '/w/$workspaceId/webhooks', label: words.webhooks, icon: Webhook, needs: 'webhooks:manage' },
    { to: '/w/$workspaceId/events', label: words.events, icon: Activity },
  ]
  const administration: NavLink[] = [
    { to: '/w/$workspaceId/members', label: words.members, icon: Users },
    { to: '/w/$workspaceId/audit', label: words.audit, icon: ScrollText, needs: 'audit:read' },
    { to: '/w/$workspaceId/settings', label: words.settings, icon: Settings },
  ]
  return (
    <nav id="sidebar" className={styles.sidebar} data-open={open} aria-label={words.main}>
      <Link className={styles.brand} to="/w/$workspaceId/today" params={{ workspaceId }} onClick={onNavigate}>
        <img src="icon.svg" alt="" />
        {known?.workspaceName}
      </Link>
      {rights.includes('posts:write') ? (
        <Link
          className={buttonClass('primary', styles.compose)}
          to="/w/$workspaceId/compose"
          params={{ workspaceId }}
          onClick={onNavigate}
        >
          <Plus aria-hidden />
          {words.newPost}
        </Link>
      ) : null}
      <NavList links={work} {...{ rights, workspaceId, onNavigate }} />
      <p className={styles.group}>{words.developers}</p>
      <NavList links={developers} {...{ rights, workspaceId, onNavigate }} />
      <p className={styles.group}>{words.administration}</p>
      <NavList links={administration} {...{ rights, workspaceId, onNavigate }} />
      {known === undefined ? null : <Foot {...known} />}
    </nav>
  )
}

/** Search, and what is the person's own. */
function Foot({ personName, otherWorkspaces, onSwitch, onSearch, onAccount, onSignOut }: Known) {
  const current = useTheme()
  const switchTo = otherWorkspaces.map(({ workspaceId, name }) => ({
    label: words.switchTo(name),
    onSelect: () => onSwitch(workspaceId),
  }))
  return (
    <div className={styles.foot}>
      <button type="button" className={buttonClass('quiet')} onClick={onSearch}>
        <Search aria-hidden />
        {words.searchShort}
        <kbd aria-hidden>{/mac/i.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <Menu
        label={words.accountOf(personName)}
        trigger={
          <>
            <UserRound aria-hidden />
            {personName}
          </>
        }
        items={[
          ...switchTo,
          ...themes
            .filter(({ theme }) => theme !== current)
            .map(({ theme, label, icon: Icon }) => ({
              label,
              icon: <Icon aria-hidden />,
              onSelect: () => chooseTheme(theme),
            })),
          { label: words.account, icon: <UserRound aria-hidden />, onSelect: onAccount },
          { label: words.signOut, icon: <LogOut aria-hidden />, onSelect: onSignOut },
        ]}
      />
    </div>
  )
}

type NavListProps = {
  links: readonly NavLink[]
  rights: readonly Right[]
  workspaceId: string
  onNavigate?: () => void
}

function NavList({ links, rights, workspaceId, onNavigate }: NavListProps) {
  const { address } = usePlace()
  const open = links.filter(({ needs }) => needs === undefined || rights.includes(needs))
  return (
    <ul>
      {open.map(({ to, label, icon: Icon, count = 0, isAlarm = false }) => (
        <li key={label}>
          <Link
            className={styles.link}
            to={to}
            params={{ workspaceId }}
            aria-current={address === to || address?.startsWith(`${to}/`) ? 'page' : undefined}
            onClick={onNavigate}
          >
            <Icon aria-hidden />
            {label}
            {count === 0 ? null : (
              <span
                className={isAlarm ? `${styles.count} ${styles.alarm}` : styles.count}
                aria-label={isAlarm ? words.inNeed(count) : words.waiting(count)}
              >
                {count}
              </span>
            )}
          </Link>
        </li>
      ))}
    </ul>
  )
}

function useOnline(): boolean {
  return useSyncExternalStore(
    (listener) => {
      addEventListener('online', listener)
      addEventListener('offline', listener)
      return () => {
        removeEventListener('online', listener)
        removeEventListener('offline', listener)
      }
    },
    () => navigator.onLine,
  )
}
