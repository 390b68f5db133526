declare module 'virtual:operations' {
  /** `METHOD /path` by operation id. */
  export const addresses: Readonly<Record<string, string>>
}

/** An icon of the package `@iconify-json/lucide`, by its name there. */
declare module 'icon:*' {
  import type { Icon } from '../ui/icon.tsx'
  const icon: Icon
  export default icon
}
