import type { ReactNode } from 'react'
import styles from './today.module.css'

/** The heading of a part of the page, and the way to all of what it shows. */
export function Head({ id, title, children }: { id: string; title: ReactNode; children?: ReactNode }) {
  return (
    <div className={styles.head}>
      <h2 id={id}>{title}</h2>
      {children}
    </div>
  )
}
