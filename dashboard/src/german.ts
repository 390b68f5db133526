import { de as apps } from './features/apps/words.de.ts'
import { de as credentials } from './features/credentials/words.de.ts'
import { de as keys } from './features/keys/words.de.ts'
import { de as settings } from './features/settings/words.de.ts'
import { de as today } from './features/today/words.de.ts'
import { de as terms } from './terms/words.de.ts'

/** Everything that the dashboard says in German, by feature. */
export const german = { apps, credentials, keys, settings, terms, today }
