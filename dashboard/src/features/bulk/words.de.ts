import { plural } from '../../lib/plural.de.ts'
import type { Words } from './words.ts'

const posts = (count: number) => plural(count, 'Beitrag', 'Beiträge')

export const de: Words = {
  runs: 'Änderungen an mehreren Beiträgen',
  stop: 'Stoppen',
  undo: 'Rückgängig',
  hide: 'Ausblenden',
  by: (name: string, what: string) => `${name}: ${what}`,
  waiting: {
    move: (count: number) => `Verschiebt gleich ${posts(count)}.`,
    submit: (count: number) => `Fragt gleich die Freigabe an: ${posts(count)}.`,
    cancel: (count: number) => `Bricht in einigen Sekunden ${posts(count)} ab.`,
    discard: (count: number) => `Verwirft in einigen Sekunden ${posts(count)}.`,
  },
  running: {
    move: (done: number, of: number) => `Beiträge werden verschoben: ${done} von ${of}.`,
    submit: (done: number, of: number) => `Freigabe wird angefragt: ${done} von ${of}.`,
    cancel: (done: number, of: number) => `Beiträge werden abgebrochen: ${done} von ${of}.`,
    discard: (done: number, of: number) => `Entwürfe werden verworfen: ${done} von ${of}.`,
  },
  ended: {
    move: (count: number) => `${posts(count)} verschoben.`,
    submit: (count: number) => `Freigabe angefragt: ${posts(count)}.`,
    cancel: (count: number) => `${posts(count)} abgebrochen.`,
    discard: (count: number) => `${posts(count)} verworfen.`,
  },
  movingBack: (done: number, of: number) => `Beiträge werden zurückverschoben: ${done} von ${of}.`,
  movedBack: (count: number) => `${posts(count)} zurückverschoben.`,
  stopped: (left: number) => `Gestoppt: ${posts(left)} unverändert gelassen.`,
  notChanged: (count: number) => `${posts(count)} nicht geändert`,
  postWithout: 'Beitrag',
  andMore: (count: number) => `und ${count} weitere`,
}
