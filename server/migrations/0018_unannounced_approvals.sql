-- migrate: concurrently
create index concurrently if not exists approval_unannounced on approval (expires_at)
  where status = 'pending' and announced_at is null;
