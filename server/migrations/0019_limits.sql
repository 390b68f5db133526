-- What a credential is narrowed to besides its permissions; what is not in it narrows nothing.
alter table agent_key   add column limits jsonb not null default '{}' check (jsonb_typeof(limits) = 'object');
alter table oauth_grant add column limits jsonb not null default '{}' check (jsonb_typeof(limits) = 'object');

-- The key or grant that created a post; null for a person's, and for posts older than this column.
alter table post add column created_by_id uuid;

-- The key or grant that planned it, by its creation or by the last time that it was given; null for a person.
alter table destination add column planned_by_id uuid;
update destination d
set    planned_by_id = a.actor_id
from   audit_entry a
where  a.workspace_id = d.workspace_id and a.action = 'createPost' and a.actor_type in ('agent_key', 'oauth')
and    a.subject ->> 'postId' = d.post_id::text
and    d.status in ('draft', 'scheduled', 'delayed', 'reconnect_required');
