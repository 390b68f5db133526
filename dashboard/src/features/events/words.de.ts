import type { Words } from './words.ts'

export const de: Words = {
  title: 'Ereignisse',
  lead: 'Jede aufgezeichnete Änderung eines Beitrags, wie sie an Webhooks geht.',
  export: 'Angezeigte Ereignisse exportieren',
  none: 'Noch keine Ereignisse',
  noneHint: 'Ereignisse erscheinen hier, sobald Sie einen Beitrag planen oder veröffentlichen.',
  event: 'Ereignis',
  allEvents: 'Alle Ereignisse',
  channel: 'Kanal',
  allChannels: 'Alle Kanäle',
  noneFiltered: 'Kein Ereignis passt.',
  older: 'Ältere Ereignisse anzeigen',
  details: 'Einzelheiten',
  postOf: (id: string) => `Beitrag zu Ereignis ${id}`,
  post: 'Beitrag',
  readPost: 'Den Beitrag lesen',
}
