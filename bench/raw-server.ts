import fastify from 'fastify'
import postgres from 'postgres'

/*
 * What a request with one durable statement costs at least: Fastify, the same driver with as many connections, one
 * statement by primary key. No credential, no rules, no log.
 */

const [socketDir = '', database = ''] = process.argv.slice(2)
const sql = postgres({
  ...{ path: `${socketDir}/.s.PGSQL.5432`, host: 'localhost', database, username: 'postrider' },
  max: 10,
})
const app = fastify()

app.get<{ Params: { workspaceId: string; id: string } }>('/read/:workspaceId/:id', async ({ params }) => {
  const [row] = await sql`select * from post where workspace_id = ${params.workspaceId} and id = ${params.id}`
  return row
})

app.post<{ Body: { id: string; text: string } }>('/write', async ({ body }, reply) => {
  await sql`insert into raw_write (id, text) values (${body.id}, ${body.text})`
  return reply.code(201).send({ id: body.id })
})

app.post<{ Body: { id: string; text: string } }>('/change', async ({ body }) => {
  const [row] = await sql`update raw_write set text = ${body.text} where id = ${body.id} returning id, text`
  return row
})

const url = await app.listen({ port: 0, host: '127.0.0.1' })
process.send?.({ url })
process.once('disconnect', () => void app.close().then(() => sql.end()))
