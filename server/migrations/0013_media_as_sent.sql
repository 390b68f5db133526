-- The hash of the file as it was sent, to find the items made of it; null for images of before, of which it is not known.
alter table media_item add column sent_sha256 bytea;
-- What is no image is stored as it was sent.
update media_item set sent_sha256 = sha256 where kind <> 'image';
