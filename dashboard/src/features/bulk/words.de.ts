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
    approve: (count: number) => `Gibt gleich ${posts(count)} frei.`,
    reject: (count: number) => `Lehnt gleich ${posts(count)} ab.`,
  },
  running: {
    move: (done: number, of: number) => `Beiträge werden verschoben: ${done} von ${of}.`,
    submit: (done: number, of: number) => `Freigabe wird angefragt: ${done} von ${of}.`,
    cancel: (done: number, of: number) => `Beiträge werden abgebrochen: ${done} von ${of}.`,
    discard: (done: number, of: number) => `Entwürfe werden verworfen: ${done} von ${of}.`,
    approve: (done: number, of: number) => `Beiträge werden freigegeben: ${done} von ${of}.`,
    reject: (done: number, of: number) => `Beiträge werden abgelehnt: ${done} von ${of}.`,
  },
  ended: {
    move: (count: number) => `${posts(count)} verschoben.`,
    submit: (count: number) => `Freigabe angefragt: ${posts(count)}.`,
    cancel: (count: number) => `${posts(count)} abgebrochen.`,
    discard: (count: number) => `${posts(count)} verworfen.`,
    approve: (count: number) => `${posts(count)} freigegeben.`,
    reject: (count: number) => `${posts(count)} abgelehnt.`,
  },
  moved: {
    undoing: (done: number, of: number) => `Beiträge werden zurückverschoben: ${done} von ${of}.`,
    undone: (count: number) => `${posts(count)} zurückverschoben.`,
  },
  decided: {
    undoing: (done: number, of: number) => `Entscheidungen werden zurückgenommen: ${done} von ${of}.`,
    undone: (count: number) => `Wartet wieder auf Freigabe: ${posts(count)}.`,
  },
  stopped: (left: number) => `Gestoppt: ${posts(left)} unverändert gelassen.`,
  notChanged: (count: number) => `${posts(count)} nicht geändert`,
  postWithout: 'Beitrag',
  andMore: (count: number) => `und ${count} weitere`,
}
