-- migrate: concurrently
create index concurrently if not exists attempt_age on attempt using brin (armed_at) with (autosummarize = on);
create index concurrently if not exists approval_age on approval using brin (requested_at) with (autosummarize = on);
