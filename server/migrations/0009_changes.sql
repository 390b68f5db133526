-- Requests for approval are ordered by the database, whatever the clocks of the hosts that name them.
alter table approval add column seq bigint;
update approval a
set    seq = o.seq
from   (select workspace_id, id, row_number() over (order by requested_at, id) as seq from approval) o
where  o.workspace_id = a.workspace_id and o.id = a.id;
alter table approval alter column seq set not null;
alter table approval alter column seq add generated always as identity;
select setval(pg_get_serial_sequence('approval', 'seq'), coalesce(max(seq), 0) + 1, false) from approval;
drop index approval_of_post;
create index approval_of_post on approval (workspace_id, post_id, seq desc);

-- Once no draft of a post is left that an approval could publish, nothing is left to decide.
create function close_approval() returns trigger language plpgsql as $$
begin
  update approval a
  set    status = 'superseded'
  where  a.workspace_id = new.workspace_id and a.post_id = new.post_id and a.status = 'pending'
  and    not exists (
    select from destination d
    where  d.workspace_id = new.workspace_id and d.post_id = new.post_id and d.status = 'draft');
  return null;
end $$;
create trigger destination_over after update of status on destination for each row
  when (old.status is distinct from new.status and new.status in ('cancelled', 'expired'))
  execute function close_approval();

update approval a
set    status = 'superseded'
where  a.status = 'pending' and not exists (
  select from destination d
  where  d.workspace_id = a.workspace_id and d.post_id = a.post_id and d.status = 'draft');

-- Who made the latest change that replaced a token, and which fields it changed; null until the first.
alter table post
  add column changed_at      timestamptz,
  add column changed_by_type text check (changed_by_type in ('agent_key', 'oauth', 'person', 'service')),
  add column changed_by_name text,
  add column changed         text[] not null default '{}';
alter table destination
  add column changed_at      timestamptz,
  add column changed_by_type text check (changed_by_type in ('agent_key', 'oauth', 'person', 'service')),
  add column changed_by_name text,
  add column changed         text[] not null default '{}',
  add column last_error      jsonb;        -- kept until it is published
update destination set last_error = error where error is not null and status <> 'published';

-- Whoever replaces a control token without saying who they are is the service itself.
create function note_change() returns trigger language plpgsql as $$
begin
  if new.control_token is distinct from old.control_token then
    if new.changed_at is not distinct from old.changed_at then
      new.changed_at := clock_timestamp();
      new.changed_by_type := 'service';
      new.changed_by_name := 'Postrider';
    end if;
    new.changed := array_remove(array[
      case when new.status is distinct from old.status then 'status' end,
      case when new.publish_at is distinct from old.publish_at then 'publishAt' end,
      case when new.expires_at is distinct from old.expires_at then 'expiresAt' end,
      case when new.check_again_at is distinct from old.check_again_at then 'checkAgainAt' end,
      case when new.published_at is distinct from old.published_at then 'publishedAt' end,
      case when new.release_url is distinct from old.release_url then 'releaseUrl' end,
      case when new.error is distinct from old.error then 'error' end,
      case when new.content is distinct from old.content then 'content' end,
      case when new.settings is distinct from old.settings then 'settings' end], null);
  end if;
  new.last_error := case when new.status <> 'published' then coalesce(new.error, old.last_error) end;
  return new;
end $$;
create trigger destination_changed before update of control_token, error on destination for each row
  execute function note_change();
