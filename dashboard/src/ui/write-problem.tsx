import { isProblem } from '../api/problem.ts'
import { proveAddress } from '../api/queries.ts'
import { Notice, ProblemNotice } from './states.tsx'

/** What a write was refused for. Where it asks for a fresh proof of who is there, the way to give one. */
export function WriteProblem({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null
  if (!isProblem(error, 'fresh_proof_required')) return <ProblemNotice error={error} />
  return (
    <Notice tone="amber" live>
      <p>
        This needs that you showed who you are within the last ten minutes.{' '}
        <a href={proveAddress()}>Show who you are</a>, and you come back to this page.
      </p>
    </Notice>
  )
}
