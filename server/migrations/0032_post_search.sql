-- What search reads: the different texts of a post, folded. A table of its own, since publishing updates parts all the
-- time, and an update must not write the index of the texts again.
create table post_search (
  workspace_id uuid   not null,
  post_id      uuid   not null,
  folded       text[] not null,
  primary key (workspace_id, post_id),
  foreign key (workspace_id, post_id) references post on delete cascade
);

-- Stands for a workspace among the n-grams of its posts. It is negative, and no n-gram is; two workspaces that share one
-- cost each other time and nothing else.
create function search_key(workspace_id uuid) returns bigint language sql immutable parallel safe
return ('x' || right(replace(workspace_id::text, '-', ''), 16))::bit(64)::bigint | (-9223372036854775808)::bigint;

-- The n-grams of texts, of one to three characters each, behind the key: their code points (21 bits each) in one number.
-- So they hang neither on a locale nor on a collation, and no upgrade of either makes the index wrong. The cost keeps the
-- planner from computing them where the index has them.
create function search_grams(key bigint, folded text[]) returns bigint[]
language plpgsql immutable parallel safe cost 10000 as $$
declare
  grams bigint[] := array[key];
  words text;
  codes bigint[];
begin
  foreach words in array folded loop
    codes := array(select ascii(character)::bigint << 42 from string_to_table(words, null) as character);
    grams := grams || codes
          || array(select a | (b >> 21) from unnest(codes, codes[2:]) as pair (a, b) where b is not null)
          || array(
               select a | (b >> 21) | (c >> 42)
               from   unnest(codes, codes[2:], codes[3:]) as triple (a, b, c)
               where  c is not null);
  end loop;
  return grams;
end $$;

-- As a trigger, no writer of parts can forget it, those of the release before included.
create function write_post_search() returns trigger language plpgsql as $$
begin
  insert into post_search as s (workspace_id, post_id, folded)
  select d.workspace_id, d.post_id, array_agg(distinct p.folded collate "C")
  from   (
    select distinct d.workspace_id, d.post_id
    from   written w
    join   destination d on d.workspace_id = w.workspace_id and d.id = w.destination_id) touched
  join   destination d on d.workspace_id = touched.workspace_id and d.post_id = touched.post_id
  join   part p on p.workspace_id = d.workspace_id and p.destination_id = d.id
  group  by d.workspace_id, d.post_id
  on     conflict (workspace_id, post_id) do update
  set    folded = excluded.folded
  where  s.folded <> excluded.folded;
  return null;
end $$;

create trigger part_writes_search after insert on part referencing new table as written
for each statement execute function write_post_search();
