import { de as media } from './features/media/words.de.ts'
import { de as composer } from './features/composer/words.de.ts'
import { de as approvals } from './features/approvals/words.de.ts'
import { de as apps } from './features/apps/words.de.ts'
import { de as attention } from './features/attention/words.de.ts'
import { de as bulk } from './features/bulk/words.de.ts'
import { de as calendar } from './features/calendar/words.de.ts'
import { de as channels } from './features/channels/words.de.ts'
import { de as credentials } from './features/credentials/words.de.ts'
import { de as developers } from './features/developers/words.de.ts'
import { de as events } from './features/events/words.de.ts'
import { de as firstRun } from './features/first-run/words.de.ts'
import { de as keys } from './features/keys/words.de.ts'
import { de as labels } from './features/labels/words.de.ts'
import { de as lib } from './lib/words.de.ts'
import { de as notices } from './features/notices/words.de.ts'
import { de as posts } from './features/posts/words.de.ts'
import { de as preview } from './features/preview/words.de.ts'
import { de as series } from './features/series/words.de.ts'
import { de as settings } from './features/settings/words.de.ts'
import { de as templates } from './features/templates/words.de.ts'
import { de as terms } from './terms/words.de.ts'
import { de as today } from './features/today/words.de.ts'
import { de as ui } from './ui/words.de.ts'
import { de as webhooks } from './features/webhooks/words.de.ts'
import { germanFindings, germanHistory, germanOf, problemWords } from '@postrider/contract/german'

/** Everything that the dashboard says in German, by feature. */
export const german = {
  composer,
  media,
  problems: problemWords,
  findings: germanFindings,
  sentence: germanOf,
  history: germanHistory,
  approvals,
  apps,
  attention,
  bulk,
  calendar,
  channels,
  credentials,
  developers,
  events,
  firstRun,
  keys,
  labels,
  lib,
  notices,
  posts,
  preview,
  series,
  settings,
  templates,
  terms,
  today,
  ui,
  webhooks,
}
