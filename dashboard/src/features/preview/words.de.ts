import type { Words } from './words.ts'

export const de: Words = {
  fold: '… mehr',
  folded: (network) => `Etwa ab hier zeigt ${network} den Rest erst nach einem Klick.`,
  card: (host) => `Linkkarte von ${host}`,
  cardBy: (network) =>
    `Titel und Bild werden von der Seite gelesen, wenn der Beitrag auf ${network} veröffentlicht wird.`,
  markdown: (network) =>
    `${network} zeigt * und _ um Wörter, und # oder > vor einer Zeile, als Formatierung.`,
  tooWide: (network, ratio) =>
    `${network} schneidet bei Bildern, die breiter als ${ratio} sind, im Feed meist die Seiten ab.`,
  tooTall: (network, ratio) =>
    `${network} schneidet bei Bildern, die höher als ${ratio} sind, im Feed meist oben und unten ab.`,
  count: (characters, max) => `${characters.toLocaleString('de')} von ${max.toLocaleString('de')} Zeichen`,
  aboutCount: (characters, max) =>
    `Etwa ${characters.toLocaleString('de')} von ${max.toLocaleString('de')} Zeichen`,
}
