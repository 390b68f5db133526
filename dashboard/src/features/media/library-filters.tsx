import type { MediaKind } from '@postrider/contract'
import { Choice } from '../../ui/choice.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import styles from './media.module.css'
import type { LibrarySearch } from './use-library.ts'
import { words } from './words.ts'

type LibraryFiltersProps = { search: LibrarySearch; onChange: (search: LibrarySearch) => void }

export function LibraryFilters({ search, onChange }: LibraryFiltersProps) {
  return (
    <div className={styles.filters}>
      <SearchField label={words.search} value={search.q} onChange={(q) => onChange({ ...search, q })} />
      <Choice
        label={words.kind}
        all={words.anyKind}
        options={Object.entries(words.kinds)}
        value={search.kind}
        onChange={(kind = '') => onChange({ ...search, kind: kind as MediaKind | '' })}
      />
      <Choice
        label={words.use}
        all={words.anyUse}
        options={[
          ['yes', words.used],
          ['no', words.unused],
        ]}
        value={search.used}
        onChange={(used = '') => onChange({ ...search, used: used as LibrarySearch['used'] })}
      />
    </div>
  )
}
