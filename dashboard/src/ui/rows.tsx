import type { ReactNode } from 'react'
import styles from './rows.module.css'
import { type Reading, Unread } from './states.tsx'

/** A list of things, each with a name, what is known of it, and what can be done with it. */
export function Rows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={styles.rows} aria-label={label}>
      {children}
    </ul>
  )
}

type ListedRowsProps<Item> = {
  label: string
  list: Reading & { readonly data: readonly Item[] | undefined }
  /** What stands there where nothing is in it. */
  empty?: ReactNode
  children: (item: Item) => ReactNode
}

/** A list as it is read: on its way, not to be had, empty, or a row for each item. */
export function ListedRows<Item>({ label, list, empty, children }: ListedRowsProps<Item>) {
  return (
    <>
      <Unread of={list} />
      {list.data?.length === 0 ? empty : null}
      {list.data === undefined || list.data.length === 0 ? null : (
        <Rows label={label}>{list.data.map(children)}</Rows>
      )}
    </>
  )
}

type RowProps = {
  icon?: ReactNode
  title: ReactNode
  /** Beside the title: tags. */
  tags?: ReactNode
  /** Below the title, in smaller letters. */
  detail?: ReactNode
  actions?: ReactNode
  /** Below everything, over the whole width. */
  children?: ReactNode
}

export function Row({ icon, title, tags, detail, actions, children }: RowProps) {
  return (
    <li className={styles.row}>
      {icon === undefined ? null : <span className={styles.icon}>{icon}</span>}
      <div className={styles.body}>
        <div className={styles.title}>
          <strong>{title}</strong>
          {tags}
        </div>
        {detail === undefined ? null : <div className={styles.detail}>{detail}</div>}
        {children}
      </div>
      {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
    </li>
  )
}
