import { type ReactNode, useEffect } from 'react'
import styles from './shell.module.css'

type PageProps = {
  title: string
  lead?: ReactNode
  actions?: ReactNode
  /** It takes all the width that there is. */
  wide?: boolean
  children: ReactNode
}

/** A screen: its heading names the tab, too. */
export function Page({ title, lead, actions, wide = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Postrider`
  }, [title])
  return (
    <div className={wide ? styles.widePage : styles.page}>
      <header className={styles.head}>
        <div className={styles.heading}>
          <h1>{title}</h1>
          {lead === undefined ? null : <p className={styles.lead}>{lead}</p>}
        </div>
        {actions === undefined ? null : <div className={styles.headActions}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}
