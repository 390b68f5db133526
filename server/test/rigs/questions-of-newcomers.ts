/** What somebody asks who sees Postrider for the first time, in their own words, and the pages that answer it. */
export const questions: readonly {
  readonly question: string
  readonly answeredBy: readonly string[]
  /** What stands on such a page, where the page was read for it. */
  readonly says?: RegExp
}[] = [
  { question: 'how do I install it', answeredBy: ['index.html', 'operating.html'] },
  { question: 'publish my first post', answeredBy: ['index.html'] },
  { question: 'what does checking mean', answeredBy: ['evidence.html', 'states.html'] },
  { question: 'connect Bluesky', answeredBy: ['networks/bluesky.html'] },
  {
    question: 'why does LinkedIn ask me to reconnect',
    answeredBy: ['networks/linkedin.html', 'states.html'],
  },
  { question: 'WordPress application password', answeredBy: ['networks/wordpress.html'] },
  { question: 'Nostr relays and nsec key', answeredBy: ['networks/nostr.html'] },
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
  { question: 'how do I start the server', answeredBy: ['index.html'], says: /npm ci &amp;&amp; npm start/ },
  { question: 'what statuses can a post have', answeredBy: ['states.html'], says: /partially_published/ },
  { question: 'evidence that a post is live', answeredBy: ['evidence.html'], says: /network/ },
  {
    question: 'approve a post before it is published',
    answeredBy: ['approvals.html', 'keys.html'],
    says: /approv/,
  },
  { question: 'connect Mastodon', answeredBy: ['networks/mastodon.html'], says: /channel add mastodon/ },
  { question: 'connect X', answeredBy: ['networks/x.html'], says: /channel add x/ },
  {
    question: 'connect several Facebook Pages',
    answeredBy: ['networks/facebook.html'],
    says: /channel add facebook/,
  },
  {
    question: 'connect an Instagram account',
    answeredBy: ['networks/instagram.html'],
    says: /channel add instagram/,
  },
  {
    question: 'connect LinkedIn organization page',
    answeredBy: ['networks/linkedin.html'],
    says: /--organization/,
  },
  {
    question: 'connect a Threads profile',
    answeredBy: ['networks/threads.html'],
    says: /channel add threads/,
  },
  {
    question: 'upload a video to YouTube',
    answeredBy: ['networks/youtube.html'],
    says: /channel add youtube/,
  },
  { question: 'connect Discord', answeredBy: ['networks/discord.html'], says: /channel add discord/ },
  {
    question: 'no answer came, is it safe to retry',
    answeredBy: ['posts.html', 'sdk.html', 'problems/', 'cli.html', 'evidence.html'],
    says: /same (idempotency )?key|idempotencyKey/,
  },
  { question: 'how to verify a webhook', answeredBy: ['webhooks.html', 'sdk.html'], says: /verifyWebhook/ },
  { question: 'restore a backup', answeredBy: ['operating.html'], says: /restore \/backups/ },
  { question: 'automatic backup every night', answeredBy: ['operating.html'], says: /cron/ },
  {
    question: 'how many requests per minute',
    answeredBy: ['operating.html', 'problems/rate_limited.html', 'keys.html'],
    says: /RATE_LIMIT_PER_MINUTE|Retry-After/,
  },
  { question: 'connect Claude Code by MCP', answeredBy: ['mcp.html'], says: /claude mcp add/ },
  { question: 'plan file YAML', answeredBy: ['plan.html'], says: /timeZone/ },
  {
    question: 'exit codes of the command line',
    answeredBy: ['cli.html'],
    says: /unknown whether it happened/,
  },
  { question: 'log in over SSH without a browser', answeredBy: ['cli.html'], says: /--device/ },
  { question: 'n8n trigger node', answeredBy: ['n8n.html'], says: /[Tt]rigger/ },
  { question: 'permissions of an agent key', answeredBy: ['keys.html', 'roles.html'], says: /posts:write/ },
  {
    question: 'video size limit',
    answeredBy: ['media.html', 'networks/', 'problems/media_too_large.html'],
    says: /1 GB|MB/,
  },
  { question: 'is the dashboard available in German', answeredBy: ['dashboard.html'], says: /German/ },
  { question: 'reverse proxy TLS', answeredBy: ['operating.html'], says: /TRUST_PROXY/ },
]
