-- How a recording is coded; null where there is no such track, where its codec is not known, and for items that came before this.
alter table media_item
  add column video_codec text,
  add column audio_codec text;
