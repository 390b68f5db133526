// Fails where a code block of a document is neither run by a test nor excused: see tools/doc-blocks.ts.
import { faultOf, readBlocks } from './doc-blocks.ts'

for (const block of readBlocks()) {
  const fault = faultOf(block)
  if (fault === null) continue
  console.log(`${block.page}:${block.line}: ${fault}`)
  process.exitCode = 1
}
