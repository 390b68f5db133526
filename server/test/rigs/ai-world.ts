import { type AiDouble, type Manner, openAiDouble } from '../doubles/ai-double.ts'
import { openApiJudge } from './openapi-judge.ts'
import { type Answer, openRunningApp, type RunningApp } from './running-app.ts'

/* The real app, asking through the real SDK over real HTTP. Only the model is a double. */

export type Make = 'post-drafts' | 'post-images'
export type RequestOptions = {
  /** The idempotency key; null for none, one of its own when left out. */
  key?: string | null | undefined
  /** Another app than that of the world. */
  of?: RunningApp | undefined
  /** Another agent key than the app's. */
  by?: string
  signal?: AbortSignal
}

export type AiWorld = AsyncDisposable & {
  app: RunningApp
  double: AiDouble
  /** Asks for drafts or an image, with these changes of a request that works. Answers are held against the document. */
  make: (what: Make, change?: object, asking?: RequestOptions) => Promise<Answer>
  /** Another app that asks the same double, on a database of its own. */
  another: (env: Record<string, string>) => Promise<RunningApp>
  /** The row of the generation that was begun last. */
  last: () => Promise<Record<string, unknown>>
}

const REQUESTS: Record<Make, object> = {
  'post-drafts': {
    confirmed: true,
    brief: 'Version 2 is out.',
    destinations: [{ provider: 'sandbox-short' }],
    language: 'en',
    tone: 'plain',
    result: 'draft',
  },
  'post-images': {
    confirmed: true,
    prompt: 'A rider at a gate.',
    altText: 'A rider hands over a letter.',
    aspectRatio: '1:1',
    provider: 'openai',
  },
}
const OPERATIONS: Record<Make, string> = {
  'post-drafts': 'generatePostDrafts',
  'post-images': 'generatePostImage',
}

/** The double answers in these manners until it is told others. */
export async function openAiWorld(env: Record<string, string>, ...manners: Manner[]): Promise<AiWorld> {
  await using opened = new AsyncDisposableStack()
  const double = opened.use(await openAiDouble(...manners))
  const { judge } = openApiJudge()
  const settings = {
    OPENAI_BASE_URL: double.baseUrl,
    OPENAI_API_KEY: 'sk-test',
    AI_MODEL: 'openai/writer,openai/other',
    AI_IMAGE_MODEL: 'openai/painter',
    STOP_SECONDS: '0',
  }
  const app = opened.use(await openRunningApp({ env: { ...settings, ...env } }))
  const running = opened.move()
  return {
    app,
    double,
    async make(what, change = {}, { key = crypto.randomUUID(), of = app, by, signal } = {}) {
      const answer = await of.ask('POST', `/agent/v1/ai/${what}`, {
        body: { ...REQUESTS[what], ...change },
        headers: key === null ? {} : { 'idempotency-key': key },
        ...(by === undefined ? {} : { key: by }),
        ...(signal === undefined ? {} : { signal }),
      })
      judge(OPERATIONS[what], answer.status, answer.body)
      return answer
    },
    another: (more) => openRunningApp({ env: { ...settings, ...more } }),
    async last() {
      const [row] = await app.db`select * from ai_generation order by id desc limit 1`
      return row ?? {}
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
