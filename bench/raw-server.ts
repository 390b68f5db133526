import fastify from 'fastify'
import pg from 'pg'

/*
 * What a request with one durable statement costs at least: Fastify, the same driver with as many connections, one
 * statement by primary key. No credential, no rules, no log.
 */

const [socketDir = '', database = ''] = process.argv.slice(2)
const pool = new pg.Pool({ host: socketDir, database, user: 'postrider', max: 10 })
const app = fastify()

app.get<{ Params: { workspaceId: string; id: string } }>('/read/:workspaceId/:id', async ({ params }) => {
  const text = 'select * from post where workspace_id = $1 and id = $2'
  const { rows } = await pool.query({ name: 'read', text, values: [params.workspaceId, params.id] })
  return rows[0] as object
})

app.post<{ Body: { id: string; text: string } }>('/write', async ({ body }, reply) => {
  const text = 'insert into raw_write (id, text) values ($1, $2)'
  await pool.query({ name: 'write', text, values: [body.id, body.text] })
  return reply.code(201).send({ id: body.id })
})

app.post<{ Body: { id: string; text: string } }>('/change', async ({ body }) => {
  const text = 'update raw_write set text = $1 where id = $2 returning id, text'
  const { rows } = await pool.query({ name: 'change', text, values: [body.text, body.id] })
  return rows[0] as object
})

const url = await app.listen({ port: 0, host: '127.0.0.1' })
process.send?.({ url })
process.once('disconnect', () => void app.close().then(() => pool.end()))
