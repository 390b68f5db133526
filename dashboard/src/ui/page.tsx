import { type ReactNode, useEffect } from 'react'
import styles from './shell.module.css'

type PageProps = { title: string; lead?: ReactNode; actions?: ReactNode; children: ReactNode }

/** A screen: its heading names the tab, too. */
export function Page({ title, lead, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Postrider`
  }, [title])
  return (
    <div className={styles.page}>
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
