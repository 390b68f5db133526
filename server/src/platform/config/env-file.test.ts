import { expect, test } from 'vitest'
import { isSetting } from './settings.ts'
import { readEnvFile } from './env-file.ts'

const read = (...lines: string[]) => readEnvFile(lines.join('\n'), isSetting)

test('settings, comments, quotes of several lines and names of others that we use bring no warning', () => {
  const lines = [
    '# PORT: 1',
    '',
    'PORT=4000',
    ' export HOST=0.0.0.0',
    `MAIL_FROM='a`,
    `b: c'`,
    'NODE_OPTIONS=--x',
  ]
  expect(read(...lines)).toEqual({
    values: { PORT: '4000', HOST: '0.0.0.0', MAIL_FROM: 'a\nb: c', NODE_OPTIONS: '--x' },
    warnings: [],
  })
})

test.each([['PORT: 4000'], ['- PORT=4000'], ['services:'], ['PO RT=1']])(
  'the line %s is named, and takes no other line with it',
  (line) => {
    const warnings = ['Line 2 of .env is not understood, and left out. Write it as NAME=value.']
    expect(read('HOST=0.0.0.0', line, 'DATA_DIR=/data')).toEqual({
      values: { HOST: '0.0.0.0', DATA_DIR: '/data' },
      warnings,
    })
    expect(read('HOST=0.0.0.0', line).warnings).toEqual(warnings)
  },
)

test('a name that is no setting is named, and its value is not', () => {
  expect(read('SECRET_KEY=abc').warnings).toEqual([
    '.env sets SECRET_KEY, which is not a setting of Postrider.',
  ])
})
