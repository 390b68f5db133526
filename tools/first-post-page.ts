import type { Provider } from '../server/src/networks/providers/port/port.ts'
import { providers } from '../server/src/networks/providers/registry.ts'

/** What the ten minutes are at one network, in so far as the network's own facts do not say it. */
type Guide = {
  /** Which account to take. */
  readonly account: string
  /** What is posted, as options of `post`, where a text alone is not taken. */
  readonly media?: string
  /** Where the post is seen, and how it is deleted there. */
  readonly look: string
  readonly remove: string
  /** What the tests cannot know, so that it deserves a second look. */
  readonly watch: readonly string[]
}

const guides: Readonly<Record<string, Guide>> = {
  bluesky: {
    account: 'Any account of your own. A second one is made in a minute at [bsky.app](https://bsky.app).',
    look: 'Open the printed address in a private window, without signing in.',
    remove: 'On the post: the three dots, _Delete post_.',
    watch: ['If your account is on a server of its own, `--server` names it.'],
  },
  discord: {
    account: 'A server of your own with a channel that only you can see.',
    look: 'Open the printed address in Discord, signed in as a member of that server.',
    remove:
      'Hover over the message: the three dots, _Delete Message_. You need the right to manage messages.',
    watch: ['Forum channels take no post from Postrider. Use a text channel, or the address of a thread.'],
  },
  facebook: {
    account:
      'A Page that you make for this and leave unpublished, or one without followers. In development mode, only people with a role in the app see what it publishes.',
    look: 'Open the printed address, signed in as yourself, since a new Page may not be visible to strangers.',
    remove:
      'On the post: the three dots, _Move to trash_. Look in Meta Business Suite under _Drafts_, too: there should be none left.',
    watch: [
      'The post is made as a draft and then shown. If it stays a draft, that is what we need to know.',
      'If the Page belongs to a business portfolio, say so.',
    ],
  },
  instagram: {
    account:
      'A professional account that you make for this, linked to a Page. Facebook signs you in, so take the Page along when you choose.',
    media: '--media photo.jpg --alt "A test picture"',
    look: 'Open the printed address in the Instagram app, or in a private window.',
    remove:
      'In the app, on the post: the three dots, _Delete_. The website can’t delete posts of every account.',
    watch: [
      'Instagram fetches the picture from your server, so `BASE_URL` has to be reachable from the internet by https. `doctor` says whether it is.',
      'A JPEG between 4:5 and 1.91:1 is taken. Others are a second test.',
    ],
  },
  linkedin: {
    account:
      'Your own profile with the visibility that only your connections see, or better a page that you create for this.',
    look: 'Open the printed address, signed in.',
    remove: 'On the post: the three dots, _Delete post_.',
    watch: [
      'LinkedIn may say for a few seconds that a new token was revoked. Postrider waits for that.',
      'Put parentheses and a `#hashtag` into the text: a text that was not escaped well ends at the first of them.',
    ],
  },
  mastodon: {
    account: 'Any account of your own. Most instances take a second one for tests.',
    look: 'Open the printed address in a private window.',
    remove: 'On the post: the three dots, _Delete_.',
    watch: ['Say which software the instance runs, and its version: `doctor networks` prints it.'],
  },
  nostr: {
    account:
      'A key that you make for this. What is on relays can be asked to be deleted, but no relay has to comply: post nothing that should not stay.',
    look: 'Open the printed address in a client of your choice.',
    remove: 'In a client: _Request deletion_ of the note. Relays may keep it.',
    watch: ['Relays that want a payment or an invitation refuse notes. Say which relays you used.'],
  },
  telegram: {
    account: 'A channel that you make for this, with the bot as an administrator who may post.',
    look: 'Open the printed address in Telegram.',
    remove: 'On the message: _Delete_, for everyone.',
    watch: ['Of a private channel, the address opens for its members only.'],
  },
  threads: {
    account:
      'A profile that you make for this. Add it to the app as a tester, and accept that in the settings of the profile.',
    look: 'Open the printed address in a private window.',
    remove: 'On the post: the three dots, _Delete_.',
    watch: [
      'Threads may refuse a finished container for half a minute. Postrider tries again, so wait for the end.',
      'For a picture, `BASE_URL` has to be reachable from the internet by https.',
    ],
  },
  wordpress: {
    account: 'A site of your own, with a user of the role Author and an application password of that user.',
    look: 'Open the printed address in a private window.',
    remove: 'In _Posts_, _Move to Trash_; in _Media_, delete the test picture.',
    watch: ['Security plugins may close the REST API. Say which are active.'],
  },
  x: {
    account:
      'An account that you make for this. X charges for each post and each read: the ten minutes cost some cents.',
    look: 'Open the printed address in a private window.',
    remove: 'On the post: the three dots, _Delete_.',
    watch: [
      'Without credits, X answers 402 or 403. Buy the smallest amount first.',
      'Post the same text a second time: it has to fail as `duplicate_refused`.',
    ],
  },
  youtube: {
    account: 'A channel that you make for this.',
    media: '--media video.mp4',
    look: 'Open the printed address. A video of an app that Google has not audited stays private: then only you see it, signed in.',
    remove: 'In YouTube Studio, under _Content_: _Delete forever_.',
    watch: [
      'A few seconds of video are enough. Google counts uploads per day and project.',
      'Say whether the video was public, unlisted or private at the end.',
    ],
  },
}

/** `docs/first-real-post.md`: how the owner of an account or app proves that publishing works there. */
export function firstPostPage(): string {
  const networks = [...providers.values()].filter(({ provider }) => !provider.startsWith('sandbox-'))
  return `<!-- Generated by \`npm run generate\` from tools/first-post-page.ts and server/src/networks/providers/. -->

# Your first real post

The tests of Postrider run against real servers where there are any, and against strict doubles of the networks that need an app of
yours: Facebook, Instagram, Threads, X, LinkedIn and YouTube. Whoever has such an app can find out in ten minutes whether it all
works for them, and tell us if it doesn't.

You need a running server ([how to start one](operating.md)), and an account that nobody follows. Don't use the account of your brand.

## 1. Start with a record

<!-- block: not run: it starts a server; starting.test.ts does -->

\`\`\`sh
npm start -- --record calls.jsonl
\`\`\`

From now on, each call to a network and its answer are a line in \`calls.jsonl\`. You need the file only if something fails.
[What is in it](#what-the-record-has) and what isn't is below. With processes for each role, start the one with \`publisher\` this way, and
the one with \`api\`, too, if connecting is what fails.

## 2. Connect the account

In the dashboard, under Channels, or with \`npm run postrider -- channel add <network>\`. The page of your network ([list](networks/README.md)) says
how its app is registered. If nothing is connected, the page in your browser says why. That alone is worth a report if the reason
isn't true.

## 3. Check the connection

<!-- block: not run: the accounts of the tests are at no real network -->

\`\`\`sh
npm run postrider -- doctor networks
\`\`\`

Every line should begin with \`ok\` or \`–\`. [What each line means](checks.md#what-is-found), and what to do.

## 4. Post, and look

<!-- block: not run: the accounts of the tests are at no real network -->

\`\`\`sh
npm run postrider -- post "A first test (please ignore) #test" --to <handle> --at +5s --wait
\`\`\`

It waits for the end and prints the address. Open it: is the post there, once, with the whole text? Then post again with a picture
(\`--media photo.jpg --alt "A test picture"\`), and look again.

If it prints \`checking\`, the network has not said what became of the call. Wait for 20 minutes, look on the network yourself, and
compare with what the post's page says then.

## 5. Delete it by hand

Postrider never deletes what was published. Delete the test posts on the network. Then stop the server with Ctrl-C, and start it
without \`--record\`.

## If something fails

Open an issue with the form "Something is wrong", and attach:

- \`calls.jsonl\`
- what \`doctor networks\` printed, without the names of your accounts
- what you expected, and what is on the network
- the message on the post's page, with its code

Don't attach \`.env\`, the log or the database.

## What the record has

One line of JSON for each call, with:

- the method, the host and the path of the call, where ids are \`{…}\`
- the names of all fields that were sent, and of what kind their values are: a text of 28 characters, a number, a file of 40,312 bytes
- the status of the answer, its headers about limits, versions and times, and the names of its fields
- of a refusal: its codes, and of its sentences the words that are among the 1,200 that networks' APIs are made of

Everything else is \`…\`: a word that is not on that list (\`server/src/networks/providers/port/recorded-words.ts\`) can't be in the file, whoever put it where. So there are no tokens
or passwords, no texts, no names or handles, no ids, no addresses of people or of their servers (those are \`server 1\`, \`server 2\`), and no media. Look into it before you
send it. Only you can read the file, and it ends at 20 MB.

## At each network

${networks.map(sectionOf).join('\n\n')}
`
}

function sectionOf({ provider, displayName, connecting, app, limits, supports, drafts }: Provider): string {
  const guide = guides[provider]
  if (guide === undefined) throw new Error(`tools/first-post-page.ts says nothing of ${provider}`)
  const { account, media, look, remove, watch } = guide
  const { oauth } = connecting
  const settings = (app ?? provider).toUpperCase()
  const needs =
    oauth?.client === 'configured'
      ? [
          `App: \`${settings}_CLIENT_ID\` and \`${settings}_CLIENT_SECRET\`, as [registered](networks/${provider}.md).`,
        ]
      : []
  const scopes =
    oauth === null
      ? []
      : [
          `It asks for ${oauth.scope
            .split(/[ ,]+/)
            .map((scope) => `\`${scope}\``)
            .join(', ')}.`,
        ]
  const post = `npm run postrider -- post "A first test (please ignore) #test"${media === undefined ? '' : ` ${media}`} --to ${provider}:<handle> --at +5s --wait`
  const thread = supports.threads ? [`Then a thread: add \`--thread "And a second part"\`.`] : []
  const draft =
    drafts === undefined
      ? []
      : ['It is made unseen first (a draft, a container, a private video), and shown by a second call.']
  const lines = [
    `**Account.** ${account}`,
    ...needs.map((line) => `**App.** ${line.slice('App: '.length)}`),
    ...scopes.map((line) => `**Access.** ${line}`),
    `**Post.** Up to ${limits.maxCharacters.toLocaleString('en')} characters. ${[...draft, ...thread].join(' ')}`.trim(),
  ]
  return `### ${displayName}

${lines.map((line) => `- ${line}`).join('\n')}
- **Look.** ${look}
- **Delete.** ${remove}
${watch.map((line) => `- **Watch.** ${line}`).join('\n')}

<!-- block: not run: the accounts of the tests are at no real network -->

\`\`\`sh
npm run postrider -- channel add ${provider}
${post}
\`\`\``
}
