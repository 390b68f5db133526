-- migrate: concurrently
create index concurrently if not exists media_item_sent on media_item (workspace_id, sent_sha256, id);
