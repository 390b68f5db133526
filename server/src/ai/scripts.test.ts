import { expect, test } from 'vitest'
import { isInScriptOf } from './scripts.ts'

test.each([
  ['ja', '新しいバージョンが公開されました。どうぞお試しください。', true],
  ['ja', 'Acme Cloud Version 2 ist da 新しいバージョンが公開されました', true],
  ['ja', 'Our new version is out, and it is faster than before.', false],
  ['de', 'Наша новая версия вышла, она быстрее прежней.', false],
  ['ru', 'Наша новая версия вышла, она быстрее прежней.', true],
  ['sr-Latn', 'Nova verzija je izašla i brža je nego ranije.', true],
  ['sr-Latn', 'Нова верзија је изашла и бржа је него раније.', false],
  ['zh-Hant', '新版本已經發布,速度比以前快得多,歡迎大家下載試用。', true],
  ['ko', '새 버전이 나왔습니다. 이전보다 훨씬 빠릅니다. 지금 사용해 보세요.', true],
  ['ar', 'صدر الإصدار الجديد وهو أسرع من ذي قبل. جربه الآن.', true],
  ['en', 'https://例え.jp/長い長い長い長い長い長い長い長い長い道 #タグタグタグ', true],
  ['el', 'OK', true],
  ['tlh', 'nuqneH, a language whose script is not known here at all', true],
])('%s: %s', (language, text, fits) => {
  expect(isInScriptOf(text, language)).toBe(fits)
})
