// Printed from the networks by `npm run generate`. Not edited by hand.

/** What a person fills in to connect an account. */
export type NetworkField = {
  readonly name: string
  readonly title: string
  readonly says: string
  readonly secret?: true
}

export type Network = {
  readonly displayName: string
  /** What is copied from the network; null where accounts are not connected so. */
  readonly form: readonly NetworkField[] | null
  /** What is asked before signing in at the network; null where accounts are not connected so. */
  readonly signIn: readonly NetworkField[] | null
  /** One sign-in can give access to several accounts. */
  readonly several?: true
}

export const networks: Readonly<Record<string, Network>> = {
  bluesky: {
    displayName: 'Bluesky',
    form: [
      {
        name: 'handle',
        title: 'Handle',
        says: 'the handle of the account, such as alice.bsky.social, or its DID',
      },
      {
        name: 'appPassword',
        title: 'App password',
        says: 'create one at Bluesky under Settings, Privacy and security, App passwords',
        secret: true,
      },
      {
        name: 'server',
        title: 'Server',
        says: "the address of the account's server (PDS); by default found by the handle",
      },
    ],
    signIn: [
      {
        name: 'handle',
        title: 'Handle',
        says: 'the handle of the account, such as alice.bsky.social, or its DID',
      },
    ],
  },
  discord: {
    displayName: 'Discord',
    form: [
      {
        name: 'webhookUrl',
        title: 'Webhook URL',
        says: 'from the settings of the Discord channel, under Integrations, Webhooks; for a thread, add ?thread_id= and its number',
        secret: true,
      },
    ],
    signIn: null,
  },
  facebook: { displayName: 'Facebook', form: null, signIn: [], several: true },
  instagram: { displayName: 'Instagram', form: null, signIn: [], several: true },
  linkedin: {
    displayName: 'LinkedIn',
    form: null,
    signIn: [
      {
        name: 'organization',
        title: 'Organization',
        says: 'the number of the page, from its admin address (linkedin.com/company/2414183/admin), or “all” to choose of yourself and the pages that you administer; leave it empty to post as yourself',
      },
    ],
    several: true,
  },
  mastodon: {
    displayName: 'Mastodon',
    form: [
      {
        name: 'server',
        title: 'Instance',
        says: "the address of the account's instance, such as mastodon.social",
      },
      {
        name: 'accessToken',
        title: 'Access token',
        says: 'create one on the instance under Preferences, Development, New application, with the scopes read:accounts read:statuses write:statuses write:media',
        secret: true,
      },
    ],
    signIn: [
      {
        name: 'server',
        title: 'Instance',
        says: "the address of the account's instance, such as mastodon.social",
      },
    ],
  },
  nostr: {
    displayName: 'Nostr',
    form: [
      {
        name: 'secretKey',
        title: 'Private key or remote signer',
        says: 'the key of the account (nsec1… or 64 hex digits), or the address of a remote signer (bunker://…)',
        secret: true,
      },
      { name: 'relays', title: 'Relays', says: 'more relays to publish to, separated by spaces' },
      {
        name: 'mediaServer',
        title: 'Media server',
        says: "a Blossom server for images and videos; by default the first in the account's list, or a public one",
      },
    ],
    signIn: null,
  },
  telegram: {
    displayName: 'Telegram',
    form: [
      {
        name: 'chat',
        title: 'Channel',
        says: 'the @name of the channel or group, or, if it is private, the link of one of its posts or its number',
      },
      {
        name: 'botToken',
        title: 'Bot token',
        says: 'from @BotFather; the bot must be an administrator of the channel',
        secret: true,
      },
      { name: 'server', title: 'Bot API server', says: 'only if you run your own Bot API server' },
    ],
    signIn: null,
  },
  threads: { displayName: 'Threads', form: null, signIn: [] },
  wordpress: {
    displayName: 'WordPress',
    form: [
      { name: 'site', title: 'Site', says: 'the address of the site, including its folder if it has one' },
      {
        name: 'user',
        title: 'User name',
        says: 'the sign-in name of a user with the role Author, Editor or Administrator',
      },
      {
        name: 'applicationPassword',
        title: 'Application password',
        says: 'create one on the site under Users, Profile, Application Passwords; not the password of the user',
        secret: true,
      },
    ],
    signIn: null,
  },
  x: { displayName: 'X', form: null, signIn: [] },
  youtube: { displayName: 'YouTube', form: null, signIn: [] },
}
