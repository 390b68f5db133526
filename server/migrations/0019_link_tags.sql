-- What is added to the links of posts, as `LinkTags` of the contract; null for nothing.
alter table workspace add column link_tags jsonb;
