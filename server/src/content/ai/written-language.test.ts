import { expect, test } from 'vitest'
import { canBeIn, loadDetector } from './written-language.ts'

const detector = await loadDetector()

test.each([
  ['ja', '新しいバージョンが公開されました。どうぞお試しください。', true],
  ['ja', 'Acme Cloud Version 2 ist da 新しいバージョンが公開されました', true],
  ['ja', 'Our new version is out, and it is faster than before.', false],
  ['de', 'Наша новая версия вышла, она быстрее прежней.', false],
  ['ru', 'Наша новая версия вышла, она быстрее прежней.', true],
  [
    'sr-Latn',
    'Nova verzija je izašla i brža je nego ranije. Isprobajte je danas i recite nam šta mislite!',
    true,
  ],
  ['sr-Latn', 'Нова верзија је изашла и бржа је него раније.', false],
  ['zh-Hant', '新版本已經發布,速度比以前快得多,歡迎大家下載試用。', true],
  ['ko', '새 버전이 나왔습니다. 이전보다 훨씬 빠릅니다. 지금 사용해 보세요.', true],
  ['ar', 'صدر الإصدار الجديد وهو أسرع من ذي قبل. جربه الآن.', true],
  ['en', 'https://例え.jp/長い長い長い長い長い長い長い長い長い道 #タグタグタグ', true],
  ['el', 'OK', true],
  ['tlh', 'nuqneH, a language whose script is not known here at all', true],
])('the script: %s: %s', (language, text, fits) => {
  expect(canBeIn(text, language, detector)).toBe(fits)
})

/** Languages of one script, in the words of a release, a shop and a company. */
const texts: Record<string, readonly string[]> = {
  en: [
    'Version 2 is out: faster exports, and a dark theme. Try it today and tell us what you think!',
    'Our café opens at 8am on Saturday. The first croissant is on us, so bring a friend along.',
    'No meetings on Fridays. Deep work only. Who else has tried this, and who kept it going?',
  ],
  de: [
    'Version 2 ist da: schnellere Exporte und ein dunkles Design. Probiert es aus und sagt uns eure Meinung!',
    'Unser Café öffnet am Samstag um 8 Uhr. Das erste Croissant geht auf uns, bringt Freunde mit.',
    'Freitags keine Besprechungen, nur konzentrierte Arbeit. Wer hat das auch schon ausprobiert und durchgehalten?',
  ],
  fr: [
    'La version 2 est sortie : des exports plus rapides et un thème sombre. Dites-nous ce que vous en pensez !',
    'Notre café ouvre samedi à 8 h. Le premier croissant est offert, alors venez avec un ami.',
    'Pas de réunion le vendredi, du travail en profondeur seulement. Qui a déjà essayé, et qui a tenu bon ?',
  ],
  es: [
    'La versión 2 ya está aquí: exportaciones más rápidas y un tema oscuro. ¡Pruébala y cuéntanos qué te parece!',
    'Nuestra cafetería abre el sábado a las 8. Al primer cruasán invitamos nosotros, así que trae a un amigo.',
  ],
  nl: [
    'Versie 2 is er: snellere exports en een donker thema. Probeer het vandaag en laat ons weten wat je ervan vindt!',
    'Ons café gaat zaterdag om 8 uur open. De eerste croissant is van ons, dus neem een vriend mee.',
  ],
  pl: [
    'Wersja 2 już jest: szybszy eksport i ciemny motyw. Wypróbuj ją dziś i powiedz nam, co o niej myślisz!',
    'Nasza kawiarnia otwiera się w sobotę o 8. Pierwszy rogalik na nasz koszt, więc weź ze sobą znajomego.',
  ],
  sv: [
    'Version 2 är här: snabbare export och ett mörkt tema. Prova den i dag och berätta vad du tycker om den!',
    'Vårt kafé öppnar på lördag klockan 8. Den första croissanten bjuder vi på, så ta med en vän.',
  ],
  tr: [
    'Sürüm 2 çıktı: daha hızlı dışa aktarma ve koyu tema. Bugün deneyin ve bize ne düşündüğünüzü söyleyin!',
    'Kafemiz cumartesi günü saat 8’de açılıyor. İlk kruvasan bizden, bir arkadaşınızı da getirin.',
  ],
}
const languages = Object.keys(texts)

test.each(languages)('a text in %s can be in it, and in no other language of the script', (language) => {
  for (const text of texts[language] ?? []) {
    expect(languages.filter((other) => canBeIn(text, other, detector))).toEqual([language])
  }
})

test.each([
  [
    'de',
    'Jobs! Senior Backend Engineer (m/w/d) in Berlin oder remote: Kubernetes, PostgreSQL, Rust. Bewirb dich!',
  ],
  [
    'de',
    'Release Notes: Login-Crash behoben, OAuth Token Refresh verbessert, Webhook Retries hinzugefügt, Node 18 entfernt.',
  ],
  [
    'de',
    'Check out our Spring Sale: Sneakers und Hoodies – nur heute bei Acme Streetwear, Mega Deals, Free Shipping!',
  ],
  [
    'fr',
    'On recrute ! Senior Backend Engineer à Paris ou en remote : Kubernetes, PostgreSQL, Rust, Terraform.',
  ],
  [
    'nl',
    'Vacature! Senior Backend Engineer in Amsterdam of remote: Kubernetes, PostgreSQL, Rust, Terraform.',
  ],
  [
    'en',
    'Join Müller & Söhne GmbH at Hannover Messe, hall 7, booth B12, to see our Feinstaubsensor in action.',
  ],
  [
    'en',
    'We are proud to work with Jean-Pierre Müller, Maria García López, Wojciech Kowalski and Lars Andersen.',
  ],
  [
    'nb',
    'Versjon 2 er ute: raskere eksport og et mørkt tema. Prøv den i dag og fortell oss hva du synes om den!',
  ],
  [
    'nn',
    'Versjon 2 er ute: raskare eksport og eit mørkt tema. Prøv han i dag og fortel oss kva du synest om han!',
  ],
  [
    'da',
    'Versjon 2 er ute: raskere eksport og et mørkt tema. Prøv den i dag og fortell oss hva du synes om den!',
  ],
  [
    'ms',
    'Versi 2 sudah hadir: ekspor lebih cepat dan tema gelap. Coba hari ini dan beri tahu kami pendapat Anda!',
  ],
  [
    'gl',
    'A versión 2 xa está aquí: exportacións máis rápidas e un tema escuro. Próbaa e dinos que che parece!',
  ],
  [
    'ku',
    'Guhertoya 2yem derket: hinartina zûtir û temayeke tarî. Îro biceribînin û ji me re bêjin hûn çi difikirin!',
  ],
  [
    'de-CH',
    'Die Version 2 ist da: schnellere Exporte und ein dunkles Design. Wir grüssen alle, die mitgeholfen haben!',
  ],
  ['en', 'Fertig ist es, und wir freuen uns.'],
  [
    'und',
    'Version 2 ist da: schnellere Exporte und ein dunkles Design. Probiert es aus und sagt uns eure Meinung!',
  ],
])('in doubt, a text can be in a language: %s: %s', (language, text) => {
  expect(canBeIn(text, language, detector)).toBe(true)
})
