-- When to look at a channel for what has been held on it long enough to be announced as delayed; a claim that finds it held
-- plans that. At channels of before it is looked once.
alter table channel_queue add column announce_at timestamptz not null default '-infinity';
alter table channel_queue alter column announce_at set default 'infinity';
