import type { MediaKind } from '@postrider/contract'
import styles from './media.module.css'
import type { LibrarySearch } from './use-library.ts'
import { words } from './words.ts'

type LibraryFiltersProps = { search: LibrarySearch; onChange: (search: LibrarySearch) => void }

export function LibraryFilters({ search, onChange }: LibraryFiltersProps) {
  return (
    <div className={styles.filters}>
      <input
        type="search"
        aria-label={words.search}
        placeholder={words.search}
        value={search.q}
        onChange={({ target }) => onChange({ ...search, q: target.value })}
      />
      <select
        aria-label={words.kind}
        value={search.kind}
        onChange={({ target }) => onChange({ ...search, kind: target.value as MediaKind | '' })}
      >
        <option value="">{words.anyKind}</option>
        {Object.entries(words.kinds).map(([kind, name]) => (
          <option key={kind} value={kind}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label={words.use}
        value={search.used}
        onChange={({ target }) => onChange({ ...search, used: target.value as LibrarySearch['used'] })}
      >
        <option value="">{words.anyUse}</option>
        <option value="yes">{words.used}</option>
        <option value="no">{words.unused}</option>
      </select>
    </div>
  )
}
