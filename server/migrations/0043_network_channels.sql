-- migrate: concurrently
create index concurrently if not exists channel_of_network on channel (provider_origin, workspace_id, id);
