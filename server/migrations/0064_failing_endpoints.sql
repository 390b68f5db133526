-- migrate: concurrently
create index concurrently if not exists endpoint_failing on endpoint (failing_since) where failing_since is not null;
