import { expect, test } from 'vitest'
import { importCircles } from './import-circles.ts'

const circlesOf = (imports: Record<string, string[]>) => importCircles(new Map(Object.entries(imports)))

test('files that import each other are told as a way round, and those that only lead there are not', () => {
  expect(
    circlesOf({
      'app.ts': ['a/one.ts'],
      'a/one.ts': ['a/two.ts', 'plain.ts'],
      'a/two.ts': ['b/three.ts'],
      'b/three.ts': ['plain.ts', 'a/one.ts'],
      'plain.ts': [],
    }),
  ).toEqual([['a/one.ts', 'a/two.ts', 'b/three.ts', 'a/one.ts']])
})

test('each group of files is told once, by its shortest way round', () => {
  expect(
    circlesOf({
      'a.ts': ['b.ts', 'c.ts'],
      'b.ts': ['c.ts'],
      'c.ts': ['a.ts', 'd.ts'],
      'd.ts': ['d.ts'],
    }),
  ).toEqual([
    ['a.ts', 'c.ts', 'a.ts'],
    ['d.ts', 'd.ts'],
  ])
})

test('several ways to one file are no circle', () => {
  expect(circlesOf({ 'a.ts': ['b.ts', 'c.ts'], 'b.ts': ['d.ts'], 'c.ts': ['d.ts'], 'd.ts': [] })).toEqual([])
})
