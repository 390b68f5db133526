import { operations } from '@postrider/contract'
import { expect, onTestFinished, test, vi } from 'vitest'
import { answerWriter } from './answer-writer.ts'

test('no answer has the log filled with warnings of its schema', () => {
  const warnings: unknown[][] = []
  for (const level of ['log', 'warn', 'error'] as const) {
    const spy = vi.spyOn(console, level).mockImplementation((...words) => void warnings.push(words))
    onTestFinished(() => spy.mockRestore())
  }
  const schemas = Object.values(operations).map(({ answer }) => answer.schema)

  // What is written is no answer of most of them: the schema is compiled all the same, which is what warns.
  for (const schema of schemas) {
    try {
      answerWriter(schema)({})
    } catch {
      continue
    }
  }

  expect(schemas.length).toBeGreaterThan(50)
  expect(warnings).toEqual([])
})
