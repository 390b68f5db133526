-- What a request for approval was about, so that the next one can say what changed; null for those asked before.
alter table approval add column content jsonb check (jsonb_typeof(content) = 'array');
