// Runs a PLC directory and a PDS until its input ends; says their ports on a line of JSON. Copied to where its packages are.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secp256k1Keypair } from '@atproto/crypto'
import * as plcServer from '@did-plc/server'

const dataDir = mkdtempSync(join(tmpdir(), 'postrider-pds-'))
const [plcPort, pdsPort] = [await freePort(), await freePort()]
const rotationKey = await Secp256k1Keypair.create({ exportable: true })
const recoveryKey = await Secp256k1Keypair.create()

const plc = plcServer.PlcServer.create({ db: plcServer.Database.mock(), port: plcPort })
await plc.start()
Object.assign(process.env, {
  PDS_DEV_MODE: 'true',
  PDS_PORT: String(pdsPort),
  PDS_HOSTNAME: 'localhost',
  PDS_SERVICE_DID: 'did:web:localhost',
  PDS_DATA_DIRECTORY: dataDir,
  PDS_BLOBSTORE_DISK_LOCATION: join(dataDir, 'blobs'),
  PDS_RECOVERY_DID_KEY: recoveryKey.did(),
  PDS_ADMIN_PASSWORD: 'admin',
  PDS_JWT_SECRET: 'secret-of-the-tests',
  PDS_DPOP_SECRET: '0'.repeat(64),
  PDS_SERVICE_HANDLE_DOMAINS: '.test',
  PDS_DID_PLC_URL: `http://localhost:${plcPort}`,
  PDS_PLC_ROTATION_KEY_K256_PRIVATE_KEY_HEX: Buffer.from(await rotationKey.export()).toString('hex'),
  PDS_INVITE_REQUIRED: 'false',
  PDS_DISABLE_SSRF_PROTECTION: 'true',
  PDS_RATE_LIMITS_ENABLED: process.env.PDS_TEST_RATE_LIMITS ?? 'false',
  PDS_BSKY_APP_VIEW_URL: 'http://appview.invalid',
  PDS_BSKY_APP_VIEW_DID: 'did:web:appview.invalid',
  PDS_MOD_SERVICE_URL: 'http://mod.invalid',
  PDS_MOD_SERVICE_DID: 'did:web:mod.invalid',
  LOG_ENABLED: 'false',
})
const { PDS, envToCfg, envToSecrets, readEnv } = await import('@atproto/pds')
const env = readEnv()
const pds = await PDS.create(envToCfg(env), envToSecrets(env))
await pds.start()
process.stdout.write(`${JSON.stringify({ plcPort, pdsPort })}\n`)

process.stdin.resume()
process.stdin.on('end', async () => {
  await pds.destroy().catch(() => undefined)
  rmSync(dataDir, { recursive: true, force: true })
  process.exit(0)
})

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
