import { isProblem } from '../api/problem.ts'
import { proveAddress } from '../api/queries.ts'
import { Notice, ProblemNotice } from './states.tsx'
import { words } from './words.ts'

/** What a write was refused for. Where it asks for a fresh proof of who is there, the way to give one. */
export function WriteProblem({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null
  if (!isProblem(error, 'fresh_proof_required')) return <ProblemNotice error={error} />
  return (
    <Notice tone="amber" live>
      <p>
        {words.confirmIdentity}{' '}
        <a href={proveAddress()} target="_blank" rel="noreferrer">
          {words.confirmIt}
        </a>
      </p>
    </Notice>
  )
}
