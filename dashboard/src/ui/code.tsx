import { useId } from 'react'
import styles from './code.module.css'
import { CopyButton } from './copy.tsx'

/** Text for a machine, to be copied as it stands. */
export function Code({ label, text }: { label: string; text: string }) {
  const id = useId()
  return (
    <figure className={styles.code} aria-labelledby={id}>
      <figcaption id={id}>{label}</figcaption>
      <CopyButton text={text} />
      <pre tabIndex={0}>{text}</pre>
    </figure>
  )
}
