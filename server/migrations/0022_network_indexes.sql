-- migrate: concurrently
create index concurrently if not exists channel_of_origin on channel (provider_origin);
create index concurrently if not exists channel_paused on channel (paused_until) where paused_until is not null;
