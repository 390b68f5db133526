-- migrate: concurrently
create index concurrently if not exists destination_processing on destination (due_at)
  where status = 'publishing' and lease_until is null;
