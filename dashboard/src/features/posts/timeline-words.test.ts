import { expect, test } from 'vitest'
import { germanHistory } from './timeline-words.de.ts'

test.each([
  ['Dr. Ada wrote the post.', 'Dr. Ada hat den Beitrag geschrieben.'],
  ['Ada changed its text and follow-ups.', 'Ada hat geändert: Text, Folgebeiträge.'],
  [
    'Somebody rejected it: “Too long. It is out.”.',
    'Jemand hat den Beitrag abgelehnt: “Too long. It is out.”.',
  ],
  [
    'Moved from Tue, 1 Dec 2026, 09:00 UTC to Wed, 2 Dec 2026, 09:00 UTC.',
    'Verschoben von Di, 1 Dez 2026, 09:00 UTC auf Mi, 2 Dez 2026, 09:00 UTC.',
  ],
  [
    'Attempt to publish, follow-up 2: it is out.',
    'Versuch zu veröffentlichen, Folgebeitrag 2: Er ist sichtbar.',
  ],
  [
    'The network was called and answered with HTTP 201 after 12 ms. It is out. Its id there is 179.',
    'Das Netzwerk wurde aufgerufen und antwortete mit HTTP 201 nach 12 ms. Er ist sichtbar. Seine ID dort: 179.',
  ],
  [
    'The network was called and did not answer (ECONNRESET) after 5 ms; the request was cut off on its way. Not possible now, and nothing is out.',
    'Das Netzwerk wurde aufgerufen und antwortete nicht (ECONNRESET) nach 5 ms, die Anfrage wurde unterwegs unterbrochen. Zurzeit nicht möglich, nichts wurde veröffentlicht.',
  ],
  [
    'The network was asked for the post and answered with HTTP 200. It is not there, and may still come. (4 times the same, A to B)',
    'Das Netzwerk wurde nach dem Beitrag gefragt und antwortete mit HTTP 200. Er ist nicht vorhanden, kann aber noch erscheinen. (4-mal dasselbe, A bis B)',
  ],
  ['Webhook to a.example: pending, 1 attempt so far.', 'Webhook an a.example: steht aus, bisher 1 Versuch.'],
  // What the network said stays in its words.
  ['Failed. Your quota is used up.', 'Fehlgeschlagen. Your quota is used up.'],
])('a history reads in German: %s', (english, german) => {
  expect(germanHistory(english)).toBe(german)
})
