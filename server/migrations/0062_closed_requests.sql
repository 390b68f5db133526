-- Of two drafts of a post that were cancelled at the same time, each cancel saw the other draft as left, and the request of the
-- post stayed open. Only a cancel takes a draft away and leaves the request to this: it waits here for one that came before, and
-- the next statement sees what that one did. What expires was no draft, and locks nothing that it does not close, so that
-- two that expire much at once do not wait for each other.
create or replace function close_approval() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  if old.status = 'draft' then
    perform
    from   approval a
    where  a.workspace_id = new.workspace_id and a.post_id = new.post_id and a.status = 'pending'
    for    no key update;
  end if;

  update approval a
  set    status = 'superseded'
  where  a.workspace_id = new.workspace_id and a.post_id = new.post_id and a.status = 'pending'
  and    not exists (
    select from destination d
    where  d.workspace_id = new.workspace_id and d.post_id = new.post_id and d.status = 'draft');
  return null;
end $$;

update approval a
set    status = 'superseded'
where  a.status = 'pending' and not exists (
  select from destination d
  where  d.workspace_id = a.workspace_id and d.post_id = a.post_id and d.status = 'draft');
