/** What somebody asks who sees Postrider for the first time, in their own words, and the pages that answer it. */
export const questions: readonly { readonly question: string; readonly answeredBy: readonly string[] }[] = [
  { question: 'how do I install it', answeredBy: ['index.html', 'operating.html'] },
  { question: 'publish my first post', answeredBy: ['index.html'] },
  { question: 'what does checking mean', answeredBy: ['evidence.html', 'states.html'] },
  { question: 'connect Bluesky', answeredBy: ['networks/bluesky.html'] },
  {
    question: 'why does LinkedIn ask me to reconnect',
    answeredBy: ['networks/linkedin.html', 'states.html'],
  },
  { question: 'Telegram bot channel', answeredBy: ['networks/telegram.html'] },
  { question: 'use with Claude', answeredBy: ['mcp.html'] },
  { question: 'verify webhook signature', answeredBy: ['webhooks.html', 'sdk.html'] },
  {
    question: 'idempotency key',
    answeredBy: ['posts.html', 'sdk.html', 'problems/', 'reference.html', 'n8n.html'],
  },
  { question: 'how do I back up', answeredBy: ['operating.html'] },
  { question: 'upgrade to a new version', answeredBy: ['operating.html'] },
  { question: 'run behind nginx', answeredBy: ['operating.html'] },
  { question: 'docker compose', answeredBy: ['operating.html', 'index.html'] },
  { question: 'who can approve posts', answeredBy: ['approvals.html', 'roles.html'] },
  { question: 'limit what an agent key may do', answeredBy: ['keys.html'] },
  { question: 'upload an image with alt text', answeredBy: ['media.html', 'sdk.html', 'index.html'] },
  {
    question: 'maximum image size',
    answeredBy: ['media.html', 'networks/', 'problems/media_too_large.html'],
  },
  { question: 'forgot my password', answeredBy: ['sign-in.html', 'mail.html'] },
  { question: 'lost secret keys', answeredBy: ['secret-keys.html'] },
  { question: 'TypeScript client', answeredBy: ['sdk.html'] },
  { question: 'n8n workflow', answeredBy: ['n8n.html'] },
  {
    question: 'rate limited error',
    answeredBy: ['problems/rate_limited.html', 'problems/index.html', 'rehearsing.html'],
  },
  { question: 'test without a real account', answeredBy: ['sandbox.html', 'rehearsing.html', 'index.html'] },
  {
    question: 'cancel a scheduled post',
    answeredBy: ['posts.html', 'reference.html', 'cli.html', 'commands.html', 'sdk.html'],
  },
  { question: 'write posts with AI', answeredBy: ['ai.html'] },
]
