import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import styles from './button.module.css'

type Variant = 'default' | 'primary' | 'danger' | 'quiet'

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  variant?: Variant
  /** The key that does the same; shown in the button. */
  keyHint?: string
  /** The action is under way: the button stays in place and does nothing. */
  busy?: boolean
  ref?: Ref<HTMLButtonElement>
}

export function Button({ variant, keyHint, busy = false, children, className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={buttonClass(variant, className)}
      aria-busy={busy || undefined}
      disabled={rest.disabled === true || busy}
    >
      {children}
      {keyHint === undefined ? null : <kbd className={styles.key}>{keyHint}</kbd>}
    </button>
  )
}

/** A button that shows an icon only; `label` is its name for everyone who cannot see it. */
export function IconButton({
  label,
  children,
  ...rest
}: ButtonProps & { label: string; children: ReactNode }) {
  return (
    <Button
      variant="quiet"
      {...rest}
      className={`${styles.square} ${rest.className ?? ''}`}
      aria-label={label}
      title={label}
    >
      {children}
    </Button>
  )
}

/** The look of a button, for links. */
export function buttonClass(variant: Variant = 'default', more = ''): string {
  return [styles.button, variant === 'default' ? '' : styles[variant], more].filter(Boolean).join(' ')
}
