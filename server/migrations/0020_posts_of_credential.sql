-- migrate: concurrently
create index concurrently if not exists post_of_credential on post (workspace_id, created_by_id, created_at)
  where created_by_id is not null;
