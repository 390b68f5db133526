import type { Adapter, AdapterPayload } from 'oidc-provider'
import { hashSecret } from '../platform/bearer-secret.ts'
import type { Db } from '../platform/db.ts'
import {
  type Artifact,
  consumeArtifact,
  evictInteractions,
  evictUnusedClients,
  findArtifact,
  findArtifactByUid,
  noteUse,
  putArtifact,
  removeArtifact,
  revokeGrantArtifacts,
  revokeGrantOf,
} from './artifact-store.ts'

/**
 * The authorization server's storage: one table of PostgreSQL, in which no id can be read. `usedBefore` makes what is
 * thrown for a code that another request consumed after the library had read it: the library answers its own errors as they are.
 */
export function artifactStorage(db: Db, usedBefore: () => Error): (model: string) => Adapter {
  async function consume(model: string, id: string): Promise<void> {
    if (await consumeArtifact(db, model, id)) return
    await revokeGrantOf(db, model, id)
    throw usedBefore()
  }
  return (model) => ({
    async upsert(id, { jti: _jti, ...payload }, expiresIn) {
      // A person's session is ours, and each authorization a decision of its own: the library need not remember anybody.
      if (model === 'Session') return
      const { grantId, uid } = payload
      await putArtifact(db, { model, id, payload, grantId, uid, expiresIn })
      // What is stored for anybody who asks makes room for itself.
      if (model === 'Client') await evictUnusedClients(db)
      if (model === 'Interaction' && payload['result'] === undefined) await evictInteractions(db)
    },
    find: async (id) => payloadOf(await findArtifact(db, model, id), id),
    findByUid: async (uid) => payloadOf(await findArtifactByUid(db, model, uid)),
    // Of the device grant, which is not offered.
    findByUserCode: async () => undefined,
    consume: (id) => (model === 'RefreshToken' ? noteUse(db, model, id) : consume(model, id)),
    destroy: (id) => removeArtifact(db, model, id),
    revokeByGrantId: (grantId) => revokeGrantArtifacts(db, hashSecret(grantId)),
  })
}

function payloadOf(artifact: Artifact | undefined, id?: string): AdapterPayload | undefined {
  if (artifact === undefined) return undefined
  const { payload, consumed } = artifact
  return { ...payload, ...(id === undefined ? {} : { jti: id }), ...(consumed ? { consumed: 1 } : {}) }
}
