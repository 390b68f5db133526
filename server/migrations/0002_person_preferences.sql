-- How a person has calendars and clocks shown, and in which language they read; null as their browser has it.
alter table person
  add column week_start text,
  add column clock      text,
  add column language   text,
  add constraint person_week_start check (week_start in ('monday', 'saturday', 'sunday')) not valid,
  add constraint person_clock check (clock in ('12h', '24h')) not valid,
  add constraint person_language check (language in ('en', 'de')) not valid;
