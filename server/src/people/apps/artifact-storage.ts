import type { Adapter, AdapterPayload } from 'oidc-provider'
import { hashSecret } from '../../platform/sealing/bearer-secret.ts'
import type { Db } from '../../platform/postgres/db.ts'
import {
  type Artifact,
  consumeArtifact,
  evictDeviceCodes,
  evictInteractions,
  evictUnusedClients,
  findArtifact,
  findArtifactByUid,
  noteUse,
  pollDeviceCode,
  putArtifact,
  removeArtifact,
  revokeGrantArtifacts,
  revokeGrantOf,
} from './artifact-store.ts'

/**
 * The authorization server's storage: one table of PostgreSQL, in which no id can be read. `usedBefore` makes what is
 * thrown for a code that another request consumed after the library had read it, and `slowDown` what is thrown for a device that
 * asks too often: the library answers its own errors as they are.
 */
export function artifactStorage(
  db: Db,
  { usedBefore, slowDown }: { usedBefore: () => Error; slowDown: () => Error },
): (model: string) => Adapter {
  async function consume(model: string, id: string): Promise<void> {
    if (await consumeArtifact(db, model, id)) return
    await revokeGrantOf(db, model, id)
    throw usedBefore()
  }
  async function poll(id: string): Promise<AdapterPayload | undefined> {
    const code = await pollDeviceCode(db, id)
    if (code === undefined) return undefined
    const { decided, consumed, expiresIn, tooSoon } = code
    if (!decided && !consumed && tooSoon && (expiresIn ?? 0) > 0) throw slowDown()
    return payloadOf(code, id)
  }
  return (model) => ({
    async upsert(id, { jti: _jti, userCode, ...payload }, expiresIn) {
      // A person's session is ours, and each authorization a decision of its own: the library need not remember anybody.
      if (model === 'Session') return
      // The code of a person is looked up by its hash, as ids are.
      const { grantId, uid = userCode } = payload
      await putArtifact(db, { model, id, payload, grantId, uid, expiresIn })
      // What is stored for anybody who asks makes room for itself.
      if (model === 'Client') await evictUnusedClients(db)
      if (model === 'Interaction' && payload['result'] === undefined) await evictInteractions(db)
      if (model === 'DeviceCode') await evictDeviceCodes(db)
    },
    find: async (id) =>
      model === 'DeviceCode' ? poll(id) : payloadOf(await findArtifact(db, model, id), id),
    findByUid: async (uid) => payloadOf(await findArtifactByUid(db, model, uid)),
    // A person enters it on a page of ours: see device-codes.
    findByUserCode: async () => undefined,
    consume: (id) => (model === 'RefreshToken' ? noteUse(db, model, id) : consume(model, id)),
    destroy: (id) => removeArtifact(db, model, id),
    revokeByGrantId: (grantId) => revokeGrantArtifacts(db, hashSecret(grantId)),
  })
}

/**
 * The library compares the end of a time with the clock of this process, and what it stores comes from that of another one
 * perhaps. The database decides, so the end is said anew by how much is left.
 */
function payloadOf(artifact: Artifact | undefined, id?: string): AdapterPayload | undefined {
  if (artifact === undefined) return undefined
  const { payload, consumed, expiresIn } = artifact
  return {
    ...payload,
    ...(id === undefined ? {} : { jti: id }),
    ...(consumed ? { consumed: 1 } : {}),
    ...(expiresIn === null ? {} : { exp: Math.floor(Date.now() / 1_000) + Math.ceil(expiresIn) }),
  }
}
