/** All that is looked at: its name for programs, and the one for people. */
export const subjects = {
  release: 'Postrider',
  database: 'database',
  clock: 'clock',
  disk: 'disk',
  locks: 'locks',
  writes: 'writes',
  sessions: 'sessions',
  durability: 'durability',
  connections: 'connections',
  schema: 'schema',
  secret_keys: 'secret keys',
  media: 'media',
  media_storage: 'media storage',
  media_room: 'media room',
  media_for_networks: 'media for networks',
  channels: 'channels',
  network_versions: 'versions of networks',
  restore: 'restore',
  access: 'access',
  workspaces: 'workspaces',
  publisher: 'publisher',
  webhook_dispatcher: 'webhook dispatcher',
  mail_sender: 'mail sender',
  housekeeping: 'housekeeping',
  work: 'work',
  posts_due: 'posts due',
  posts_in_doubt: 'posts in doubt',
  second_posts: 'second posts',
  posts_without_access: 'posts without access',
  series: 'series',
  webhook_deliveries: 'webhook deliveries',
  webhook_endpoints: 'webhook endpoints',
  mail_queue: 'mail queue',
  backup: 'backup',
  sandbox_network: 'sandbox network',
  api: 'API',
  own_port: 'own port',
  mail: 'mail',
  identity_provider: 'identity provider',
  internet: 'internet',
} as const

export type Subject = keyof typeof subjects

/** What a fault is. `standsStill`: work that is due is not done until somebody acts, though all else may be well. */
type Fault = {
  readonly of: Subject
  readonly status: 'warn' | 'fail'
  readonly standsStill?: true
  readonly means: string
}

/**
 * All that can be found wrong, by the code that programs read: a code never changes its meaning. `docs/doctor.md` is made from this
 * list.
 */
export const faults = {
  database_unreachable: { of: 'database', status: 'fail', means: 'It cannot be opened.' },
  database_unsuitable: { of: 'database', status: 'fail', means: 'It is too old, or has no UTF-8.' },
  clock_apart: {
    of: 'clock',
    status: 'warn',
    means: 'The clocks of this machine and of the database are 2 seconds apart or more.',
  },
  clock_far_apart: {
    of: 'clock',
    status: 'fail',
    means: 'The clocks of this machine and of the database are a minute apart or more.',
  },
  disk_low: { of: 'disk', status: 'warn', means: 'Less than 1 GiB is free for `DATA_DIR`.' },
  disk_full: { of: 'disk', status: 'fail', means: 'Less than 128 MiB is free for `DATA_DIR`.' },
  locks_waited_for: {
    of: 'locks',
    status: 'warn',
    means: 'A process of the database holds a lock that statements wait for.',
  },
  writes_slow: { of: 'writes', status: 'warn', means: 'A write takes a second or more to be on disk.' },
  writes_refused: { of: 'writes', status: 'fail', means: 'The database is read-only.' },
  sessions_lost: { of: 'sessions', status: 'fail', means: 'A pooler takes the sessions apart.' },
  durability_off: {
    of: 'durability',
    status: 'warn',
    means: '`fsync` or `synchronous_commit` is off: a crash can lose commits.',
  },
  durability_hidden: {
    of: 'durability',
    status: 'warn',
    means: 'There are standbys, and the user may not see whether they are synchronous.',
  },
  durability_asynchronous: {
    of: 'durability',
    status: 'warn',
    means: 'No standby is synchronous: a failover can lose commits.',
  },
  connections_short: {
    of: 'connections',
    status: 'warn',
    means: 'The database allows fewer connections than a process may open.',
  },
  schema_newer: {
    of: 'schema',
    status: 'warn',
    means: 'A newer release has migrated; this one can work on it.',
  },
  schema_behind: { of: 'schema', status: 'fail', means: 'It is older than this release.' },
  schema_too_new: { of: 'schema', status: 'fail', means: 'This release cannot work on it.' },
  schema_foreign: {
    of: 'schema',
    status: 'fail',
    means: 'It is that of another build, or from before 0.1.0.',
  },
  secret_keys_missing: {
    of: 'secret_keys',
    status: 'fail',
    means: 'A key is missing that stored secrets need.',
  },
  secret_keys_damaged: { of: 'secret_keys', status: 'fail', means: 'Stored secrets cannot be decrypted.' },
  secret_keys_outdated: { of: 'secret_keys', status: 'warn', means: 'An older key is still in use.' },
  secret_keys_open: {
    of: 'secret_keys',
    status: 'warn',
    means: 'Other users of the machine can read the file of the keys.',
  },
  media_elsewhere: {
    of: 'media',
    status: 'fail',
    means: 'The place is not where the media of this database is.',
  },
  media_missing: { of: 'media', status: 'fail', means: 'Files are missing, cut or damaged.' },
  media_unreadable: { of: 'media', status: 'fail', means: 'The place cannot be read.' },
  media_storage_shared: {
    of: 'media_storage',
    status: 'warn',
    means: 'Another installation uses the same place.',
  },
  media_storage_unknown_files: {
    of: 'media_storage',
    status: 'warn',
    means: 'Files are there that this installation has not stored.',
  },
  media_storage_contested: {
    of: 'media_storage',
    status: 'warn',
    means: 'Another database uses the place under the id of this one, as a copy does.',
  },
  media_room_low: { of: 'media_room', status: 'warn', means: 'Less than 1 GiB is free for media.' },
  media_room_no_files: { of: 'media_room', status: 'fail', means: 'No file can be stored.' },
  media_for_networks_not_public: {
    of: 'media_for_networks',
    status: 'warn',
    means: 'Networks fetch media themselves, and `BASE_URL` is no public address.',
  },
  media_for_networks_not_https: {
    of: 'media_for_networks',
    status: 'warn',
    means: 'Networks fetch media themselves, and `BASE_URL` has no https.',
  },
  media_for_networks_no_name: {
    of: 'media_for_networks',
    status: 'warn',
    means: 'Networks fetch media themselves, and the name in `BASE_URL` cannot be looked up.',
  },
  channels_ending: { of: 'channels', status: 'warn', means: 'The access to an account ends within a week.' },
  channels_lapsed: {
    of: 'channels',
    status: 'warn',
    standsStill: true,
    means: 'The access to an account has ended: its posts wait for it to be reconnected.',
  },
  network_versions_ending: {
    of: 'network_versions',
    status: 'warn',
    means:
      'A network ends the version of its API that this release uses within a month: then it may refuse all calls.',
  },
  restore_held: {
    of: 'restore',
    status: 'warn',
    standsStill: true,
    means: 'Posts are held since a restore.',
  },
  access_suspended: {
    of: 'access',
    status: 'warn',
    standsStill: true,
    means: 'Members or agent keys are suspended since a restore.',
  },
  workspaces_frozen: {
    of: 'workspaces',
    status: 'warn',
    means: 'A workspace was stopped, to go on in another installation or to be deleted.',
  },
  publisher_missing: {
    of: 'publisher',
    status: 'warn',
    standsStill: true,
    means: 'None has run on this database.',
  },
  publisher_silent: {
    of: 'publisher',
    status: 'warn',
    standsStill: true,
    means: 'The last heartbeat is more than a minute old.',
  },
  webhook_dispatcher_missing: {
    of: 'webhook_dispatcher',
    status: 'warn',
    standsStill: true,
    means: 'None has run on this database.',
  },
  webhook_dispatcher_silent: {
    of: 'webhook_dispatcher',
    status: 'warn',
    standsStill: true,
    means: 'The last sign of life is more than a minute old.',
  },
  mail_sender_missing: {
    of: 'mail_sender',
    status: 'warn',
    standsStill: true,
    means: 'None has run on this database.',
  },
  mail_sender_silent: {
    of: 'mail_sender',
    status: 'warn',
    standsStill: true,
    means: 'The last sign of life is more than ten minutes old.',
  },
  housekeeping_missing: {
    of: 'housekeeping',
    status: 'warn',
    standsStill: true,
    means: 'It has never run on this database.',
  },
  housekeeping_silent: {
    of: 'housekeeping',
    status: 'warn',
    standsStill: true,
    means: 'It last ran more than three hours ago.',
  },
  posts_due_late: {
    of: 'posts_due',
    status: 'warn',
    standsStill: true,
    means: 'A post could have been claimed more than a minute ago.',
  },
  posts_in_doubt_long: {
    of: 'posts_in_doubt',
    status: 'warn',
    standsStill: true,
    means: 'A post has been `checking` for more than an hour: a person has to look.',
  },
  second_posts_live: {
    of: 'second_posts',
    status: 'warn',
    means: 'A post was found to be live twice in the last 14 days.',
  },
  posts_without_access_waiting: {
    of: 'posts_without_access',
    status: 'warn',
    standsStill: true,
    means: 'Posts wait for their channel to be reconnected.',
  },
  series_late: {
    of: 'series',
    status: 'warn',
    standsStill: true,
    means: 'Posts of series could have been made more than five minutes ago.',
  },
  series_refused: { of: 'series', status: 'warn', means: 'The post of an occurrence was refused.' },
  webhook_deliveries_late: {
    of: 'webhook_deliveries',
    status: 'warn',
    standsStill: true,
    means: 'A delivery to an endpoint that answers has been due for more than a minute.',
  },
  webhook_deliveries_given_up: {
    of: 'webhook_deliveries',
    status: 'warn',
    means: 'Deliveries were given up within a day.',
  },
  webhook_endpoints_failing: {
    of: 'webhook_endpoints',
    status: 'warn',
    means: 'An endpoint fails, or was disabled after it failed.',
  },
  mail_queue_late: {
    of: 'mail_queue',
    status: 'warn',
    standsStill: true,
    means: 'Mail has waited for more than a quarter of an hour.',
  },
  mail_queue_given_up: { of: 'mail_queue', status: 'warn', means: 'Mail was given up within a day.' },
  backup_missing: {
    of: 'backup',
    status: 'warn',
    means: 'None was made in a day, with the embedded database.',
  },
  backup_old: { of: 'backup', status: 'warn', means: 'The last one is more than two days old.' },
  sandbox_network_silent: { of: 'sandbox_network', status: 'warn', means: 'It does not answer.' },
  api_silent: {
    of: 'api',
    status: 'warn',
    standsStill: true,
    means: 'The server does not answer at `BASE_URL`.',
  },
  api_faulty: {
    of: 'api',
    status: 'warn',
    standsStill: true,
    means: 'What answers at `BASE_URL` is not this server, or one that cannot work.',
  },
  own_port_silent: {
    of: 'own_port',
    status: 'warn',
    standsStill: true,
    means: 'The server does not answer at `HOST` and `PORT`, whatever is in front of it.',
  },
  own_port_faulty: {
    of: 'own_port',
    status: 'warn',
    standsStill: true,
    means: 'What answers at `HOST` and `PORT` is not this server, or one that cannot work.',
  },
  mail_refused: { of: 'mail', status: 'fail', means: 'The mail server takes no mail.' },
  identity_provider_faulty: {
    of: 'identity_provider',
    status: 'fail',
    means: 'It does not answer as an issuer should.',
  },
  internet_no_names: { of: 'internet', status: 'warn', means: 'Names cannot be looked up.' },
  internet_unreachable: { of: 'internet', status: 'warn', means: 'There is no way out over HTTPS.' },
} as const satisfies Record<string, Fault>

export type FaultCode = keyof typeof faults

/** The code where a look itself failed, whatever its subject. */
export const LOOK_FAILED = 'look_failed'

export type FindingCode = FaultCode | `${Subject}_ok` | typeof LOOK_FAILED

/** What `--strict` fails for, too. */
export function standsStill(code: FindingCode): boolean {
  return (faults as Partial<Record<string, Fault>>)[code]?.standsStill === true
}
