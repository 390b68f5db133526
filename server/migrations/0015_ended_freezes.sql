-- owner: platform

-- When the last freeze began that ended here, by the SHA-256 of the id of the workspace: it outlives the workspace, and tells nothing of
-- it. A file of that freeze, or of one before, may have gone on since, and is held where it is imported again.
alter table installation add column ended_freezes jsonb not null default '{}';
