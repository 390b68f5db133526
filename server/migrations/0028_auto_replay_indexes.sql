-- migrate: concurrently
create index concurrently if not exists delivery_failed on delivery (endpoint_id, settled_at) where status = 'failed';
create index concurrently if not exists endpoint_auto_replay on endpoint (id) where auto_replay;
