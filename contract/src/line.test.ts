import { describe, expect, test } from 'vitest'
import { lineFault, toLine } from './line.ts'

describe('a line of text', () => {
  test.each([
    ['Acme'],
    ['Zażółć – “Łódź” & Söhne'],
    ['👨‍👩‍👧 Family'],
    ['❤️'],
    ['می‌خواهم'],
    ['שלום \u200f!'],
    ['क्‍ष'],
    [''],
  ])('%j has no fault, and stays as it is', (text) => {
    expect(lineFault(text)).toBeNull()
    expect(toLine(text)).toBe(text)
  })

  test.each([
    ['a\nb', 'break', 'U+000A', 'a b'],
    ['a\r\nb', 'break', 'U+000D', 'a b'],
    ['a\u2028b', 'break', 'U+2028', 'a b'],
    ['a\u0085b', 'break', 'U+0085', 'a b'],
    ['a\tb', 'control', 'U+0009', 'a b'],
    ['a\u001b[31mb', 'control', 'U+001B', 'a [31mb'],
    ['a\0', 'control', 'U+0000', 'a'],
    ['a\u009f', 'control', 'U+009F', 'a'],
    ['a\u202egnp.exe', 'direction', 'U+202E', 'agnp.exe'],
    ['\u2066a', 'direction', 'U+2066', 'a'],
    ['   ', 'unseen', '', ''],
    ['\u200b\u200d', 'unseen', '', ''],
    ['\u3164', 'unseen', '', ''],
    ['\u2800 \u2800', 'unseen', '', ''],
    ['\u00ad', 'unseen', '', ''],
  ])('%j has the fault %s %s, and becomes %j', (text, is, character, line) => {
    expect(lineFault(text)).toEqual({ is, character })
    expect(toLine(text)).toBe(line)
    expect(lineFault(toLine(text))).toBeNull()
  })

  test('half of a surrogate pair is replaced', () => {
    expect(toLine('a\ud800')).toBe('a\ufffd')
  })
})
