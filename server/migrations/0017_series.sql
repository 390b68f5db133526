-- ---------------------------------------------------------------------------------------------------------------------
-- Series
-- owner: series
-- ---------------------------------------------------------------------------------------------------------------------

-- Content that is posted again and again, by a rule. Its posts are made some days before their time, in the name of its maker.
create table series (
  workspace_id    uuid        not null references workspace,
  id              uuid        not null,
  status          text        not null default 'active' check (status in ('active', 'paused', 'ended')),
  reason          text,                  -- why it is paused or ended; null where its rule has come to its end
  -- What it is from which day on, in order; the last one counts for all days to come. series/definition.ts has its shape.
  definitions     jsonb       not null check (jsonb_typeof(definitions) = 'array'),
  -- What these name now: channels or groups of them, labels as they are compared, and what its contents carry.
  channel_ids     uuid[]      not null,
  label_keys      text[]      not null,
  media_ids       uuid[]      not null,
  edit_token      text        not null,
  maker_type      text        not null check (maker_type in ('agent_key', 'oauth', 'person')),
  maker_id        uuid        not null,  -- the key, the grant, or the member
  maker_name      text        not null,
  look_at         timestamptz,           -- when something of it is to be made, or tried again; null for never
  changed_at      timestamptz,
  changed_by_type text        check (changed_by_type in ('agent_key', 'oauth', 'person', 'service')),
  changed_by_name text,
  changed         text[]      not null default '{}',
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  primary key (workspace_id, id),
  constraint only_active_is_made check (status = 'active' or look_at is null)
);
create index series_look_at on series (look_at) where look_at is not null;
create index series_media on series using gin (media_ids) where media_ids <> '{}';

-- A day of a series of which something is known. Its key is what keeps two posts from being made of one occurrence: the row of one
-- that is made is written with its post.
create table series_occurrence (
  workspace_id uuid        not null,
  series_id    uuid        not null,
  date         date        not null,     -- by the clocks of the series
  status       text        not null check (status in ('planned', 'made', 'waiting', 'missed', 'skipped')),
  publish_at   timestamptz,              -- the time that its post was made for, or is tried for
  post_id      uuid,
  edit_token   text,                     -- that of its post as it was made: with another one it was changed or reviewed since
  reason       text,                     -- why it waits, or was missed
  change       jsonb,                    -- the content and the time of its own; null for none
  primary key (workspace_id, series_id, date),
  foreign key (workspace_id, series_id) references series,
  constraint made_has_post check ((status = 'made') = (post_id is not null and edit_token is not null))
);
create unique index series_occurrence_post on series_occurrence (workspace_id, post_id) where post_id is not null;

-- ---------------------------------------------------------------------------------------------------------------------
-- Occurrences among the destinations
-- owner: destinations
-- ---------------------------------------------------------------------------------------------------------------------

-- The series that a post is an occurrence of.
alter table destination add column series_id uuid;

-- ---------------------------------------------------------------------------------------------------------------------
-- What waits for an occurrence
-- owner: queue
-- ---------------------------------------------------------------------------------------------------------------------

-- An occurrence of a series that ends without being published may have kept a later one waiting: the channel is looked at again.
create or replace function follow_destinations() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  is_unnoted  boolean := false;
  leaves      boolean := false;
  is_new_work boolean := true;
begin
  if tg_op = 'UPDATE' then
    -- What is being published is noted already by the claim that begins it, and stays so while it is armed and its lease renewed.
    select bool_or(w.fence > 0 and (w.status <> 'publishing' or not exists (
             select from publication p
             where  p.workspace_id = w.workspace_id and p.channel_id = w.channel_id and p.destination_id = w.id
             and    p.leased_by is not distinct from w.leased_by
             offset 0))),
           bool_or(w.fence > 0 and w.status <> 'publishing'
                   and (w.status not in ('draft', 'cancelled', 'expired') or w.series_id is not null)),
           bool_or(w.fence = 0 and w.status in ('scheduled', 'delayed', 'partially_published'))
    into   is_unnoted, leaves, is_new_work
    from   written w;
  end if;

  -- What begins to be published, changes hands, or is published no longer. With offsets, so that what was written leads to its
  -- publication by the key, however many others there are.
  if is_unnoted then
    with noted as materialized (
      select w.status, w.leased_by as now_leased_by, p.*
      from   written w
      cross  join lateral (
        select p.ctid as place, p.leased_by
        from   publication p
        where  p.workspace_id = w.workspace_id and p.channel_id = w.channel_id and p.destination_id = w.id
        offset 0
      ) p
    ),
    ended as (
      delete from publication where ctid = any (array(select place from noted where status <> 'publishing'))
    ),
    passed_on as (
      update publication p
      set    leased_by = n.now_leased_by
      from   noted n
      where  p.ctid = n.place and n.status = 'publishing' and n.leased_by is distinct from n.now_leased_by
    )
    insert into publication (workspace_id, channel_id, destination_id, leased_by)
    select w.workspace_id, w.channel_id, w.id, w.leased_by
    from   written w
    where  w.status = 'publishing' and not exists (
      select from publication p
      where  p.workspace_id = w.workspace_id and p.channel_id = w.channel_id and p.destination_id = w.id
      offset 0)
    order  by w.workspace_id, w.channel_id;
  end if;

  -- What ends its publication, or becomes claimable again, leaves the channel to whatever is first there.
  if leaves then
    perform queue_channels(array_agg(workspace_id), array_agg(channel_id))
    from   (select distinct workspace_id, channel_id from written
            where fence > 0 and status <> 'publishing'
            and   (status not in ('draft', 'cancelled', 'expired') or series_id is not null)) touched;
  end if;

  -- What becomes claimable, or is due sooner, that no claim has ever had: its own time says when. Where a claim that puts the
  -- channel off is waited for, the lock gives the row as that claim has left it; as a part of the update, its condition would
  -- judge the row as it was before.
  if is_new_work then
    with known as materialized (
      select q.workspace_id, q.channel_id, q.look_at, due.due_at
      from   (
        select w.workspace_id, w.channel_id, min(w.due_at) as due_at
        from   written w
        where  w.status in ('scheduled', 'delayed', 'partially_published')
        group  by w.workspace_id, w.channel_id
      ) due
      join   channel_queue q on q.workspace_id = due.workspace_id and q.channel_id = due.channel_id
      order  by q.workspace_id, q.channel_id
      for    key share of q
    )
    update channel_queue q
    set    look_at = least(q.look_at, known.due_at)
    from   known
    where  q.workspace_id = known.workspace_id and q.channel_id = known.channel_id and known.look_at > known.due_at;
  end if;
  return null;
end $$;
