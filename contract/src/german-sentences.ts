import { fieldRows } from './content-fields.ts'

/*
 * The server's sentences that people meet, and the same in German. `{}` stands for what is filled in: in the German, `{}` shows it as
 * it is, `<>` in German where it has one, in the order of the English; `{2}` and `<2>` name one by its place. A test walks
 * the server's sources and fails where a sentence is missing here, or is here and no longer said.
 */
export const sentences: readonly (readonly [english: string, german: string])[] = [
  // imports and plans
  [
    'A file holds {} posts. Shorten the time between `from` and `to`, or add a filter.',
    'Eine Datei fasst {} Beiträge. Wählen Sie einen kürzeren Zeitraum oder einen weiteren Filter.',
  ],
  [
    'The texts of these posts are too long for one file. Shorten the time between `from` and `to`, or add a filter.',
    'Die Texte dieser Beiträge sind zu lang für eine Datei. Wählen Sie einen kürzeren Zeitraum oder einen weiteren Filter.',
  ],
  [
    'This row is the same as line {}. Remove one of them, or give both an `id`.',
    'Diese Zeile ist dieselbe wie Zeile {}. Entfernen Sie eine davon, oder geben Sie beiden eine „id“.',
  ],
  [
    '{} is also on line {}. Rows with the same `id` form one post, so each must name different `channels`.',
    '{} steht auch in Zeile {}. Zeilen mit derselben „id“ bilden einen Beitrag, jede muss andere Kanäle nennen.',
  ],
  [
    'Line {} has another `{}` for {}. Rows with the same `id` form one post: repeat what its first row has, or leave this empty.',
    'Zeile {} hat für {3} ein anderes `{2}`. Zeilen mit derselben „id“ bilden einen Beitrag: Wiederholen Sie, was in der ersten steht, oder lassen Sie es leer.',
  ],
  [
    '`name` is missing. It identifies the import and its posts permanently.',
    'Der Name fehlt. Er kennzeichnet den Import und seine Beiträge dauerhaft.',
  ],
  [
    '`name` is not allowed with a plan, which has its own name.',
    'Ein Plan hat einen eigenen Namen. Lassen Sie den Namen weg.',
  ],
  [
    'No channel, and no channel group with channels, has the ID {}.',
    'Kein Kanal und keine Kanalgruppe mit Kanälen hat die ID {}.',
  ],
  [
    'The file has {} posts. An import can have {}. Split the file.',
    'Die Datei hat {} Beiträge, ein Import höchstens {}. Teilen Sie die Datei auf.',
  ],
  [
    'The file has {} rows. An import can have {}. Split the file.',
    'Die Datei hat {} Zeilen, ein Import höchstens {}. Teilen Sie die Datei auf.',
  ],
  [
    'The file takes too much time or memory to read. Split it into smaller files.',
    'Die Datei zu lesen dauert zu lange oder braucht zu viel Speicher. Teilen Sie sie in kleinere Dateien auf.',
  ],
  [
    'The file has too many cells and lines. Split it into smaller files.',
    'Die Datei hat zu viele Zellen und Zeilen. Teilen Sie sie in kleinere Dateien auf.',
  ],
  [
    'The file has too many values. Split it into smaller files.',
    'Die Datei hat zu viele Werte. Teilen Sie sie in kleinere Dateien auf.',
  ],
  [
    'The file says too much for all of its channels together. Split it into smaller files.',
    'Die Datei enthält zu viel Text für alle ihre Kanäle zusammen. Teilen Sie sie in kleinere Dateien auf.',
  ],
  [
    'This post is too large. Shorten its texts, or name fewer channels.',
    'Dieser Beitrag ist zu groß. Kürzen Sie seine Texte, oder nennen Sie weniger Kanäle.',
  ],
  ['This list has {} items, and can have {}.', 'Diese Liste hat {} Einträge und kann {} haben.'],
  [
    'This is nested deeper than {} levels. A plan has nine at most.',
    'Das ist tiefer als {} Ebenen verschachtelt. Ein Plan hat höchstens neun.',
  ],
  [
    "Files can't be read right now: the server is short of memory or open files. Nothing was changed. Try again later.",
    'Dateien können gerade nicht gelesen werden: Dem Server fehlt es an Speicher oder offenen Dateien. Es wurde nichts geändert. Versuchen Sie es später noch einmal.',
  ],
  [
    'Another import with this name is running. Try again in a second. Its posts are not created twice.',
    'Ein anderer Import mit diesem Namen läuft gerade. Versuchen Sie es gleich noch einmal. Nichts wird doppelt erstellt.',
  ],
  [
    'This workspace has no post {}. Leave `postId` empty to create one.',
    'Dieser Arbeitsbereich hat keinen Beitrag {}. Lassen Sie „postId“ leer, um einen zu erstellen.',
  ],
  ['Column `{}`: {}', 'Spalte `{}`: <>'],
  [
    'Nothing was imported. Problems in the file: {}, the first in line {}.',
    'Es wurde nichts importiert. Fehler in der Datei: {}, der erste in Zeile {}.',
  ],
  ['Upload {}, then put its `mediaId` into `media`.', 'Laden Sie {} hoch.'],
  [
    'Nothing was imported. Files to upload first: {}.',
    'Es wurde nichts importiert. Zuerst hochzuladende Dateien: {}.',
  ],
  ['The file is empty. {}', 'Die Datei ist leer. <>'],
  ['Its first line names the columns: {}.', 'Ihre erste Zeile nennt die Spalten: {}.'],
  [
    'A quote opens in this row and is never closed. Close it before the next delimiter.',
    'In dieser Zeile öffnet ein Anführungszeichen, das nie geschlossen wird. Schließen Sie es vor dem nächsten Trennzeichen.',
  ],
  [
    'This cell has a quote in the middle. Put the whole cell in quotes, and double each quote inside it.',
    'Mitten in dieser Zelle steht ein Anführungszeichen. Setzen Sie die ganze Zelle in Anführungszeichen, und verdoppeln Sie jedes darin.',
  ],
  [
    'The column {} appears twice. Keep one of them.',
    'Die Spalte {} kommt zweimal vor. Behalten Sie eine davon.',
  ],
  ['There is no column `text`. {}', 'Es gibt keine Spalte „text“. <>'],
  [
    'This row has {} cells, and the first line {}. Quote text that contains a {} or a line break, and add a {} for each empty cell.',
    'Diese Zeile hat {} Zellen, die erste Zeile {}. Setzen Sie Text mit {} oder einem Zeilenumbruch in Anführungszeichen, und schreiben Sie {4} für jede leere Zelle.',
  ],
  ['There are {}.', 'Es gibt {}.'],
  ['Did you mean `{}`?', 'Meinen Sie `{}`?'],
  [
    'There is no column `{}`. {} Columns whose names begin with # are ignored.',
    'Eine Spalte `{}` gibt es nicht. <> Spalten, deren Name mit # beginnt, werden ignoriert.',
  ],
  ['{} is several channels: name {}.', '{} steht für mehrere Kanäle: Nennen Sie einen genau: {}.'],
  ['There is no channel yet.', 'Es gibt noch keinen Kanal.'],
  ['There is no channel {}. {}', 'Einen Kanal {} gibt es nicht. <>'],
  ['Did you mean {}?', 'Meinen Sie {}?'],
  ['{} The groups are {}.', '<> Die Gruppen sind {}.'],
  ['This must be {}, and not {}.{}', 'Hier muss {1} stehen, nicht {2}.{3}'],
  ['{} does not fit: it is {}. {}', '{} passt nicht, erlaubt ist: {}. {}'],
  ['`{}` is missing.', '`{}` fehlt.'],
  ['`{}` is unknown here. {}', '`{}` gibt es hier nicht. <>'],
  ['This is not valid YAML: {}', 'Das ist kein gültiges YAML: {}'],
  ['Its aliases cannot be read: {}.', 'Die Verweise darin sind nicht lesbar: {}.'],
  [
    'The ID {} is also used at {}:{}. Give each post its own.',
    'Die ID {} steht auch in {}:{}. Geben Sie jedem Beitrag eine eigene.',
  ],
  [
    '{} has no channels. Give it `channels`, or set `channels` for all posts.',
    '{} hat keinen Kanal. Geben Sie welche an, oder legen Sie „channels“ für alle Beiträge fest.',
  ],
  [
    'There is no time zone {}. Use a name such as Europe/Berlin.',
    '{} ist keine Zeitzone. Verwenden Sie einen Namen wie Europe/Berlin.',
  ],
  ['{} appears twice.', '{} kommt zweimal vor.'],
  ['{} is not one of the channels of {}.', '{} gehört nicht zu den Kanälen von {}.'],
  [
    'Some channels have a time and others have none. Give all of them a time, or none.',
    'Manche Kanäle haben eine Zeit, andere keine. Geben Sie allen eine oder keinem.',
  ],
  ['{} is not a post ID.', '{} ist keine ID eines Beitrags.'],
  [
    'This post is empty. Give it `text` or `media`.',
    'Dieser Beitrag ist leer. Geben Sie ihm Text oder Medien.',
  ],
  [
    'Give exactly one of `file`, `url` and `mediaId`.',
    'Geben Sie genau eins von „file“, „url“ und „mediaId“ an.',
  ],
  ['{} is not a media ID.', '{} ist keine ID einer Datei.'],
  [
    '{} is not a time. Write it as 2027-01-10T09:00+01:00.',
    '{} ist keine Zeit. Schreiben Sie sie wie 2027-01-10T09:00+01:00.',
  ],
  [
    '{} is not a time. Write it as 2027-01-10T09:00, or with an offset as 2027-01-10T09:00+01:00.',
    '{} ist keine Zeit. Schreiben Sie sie wie 2027-01-10T09:00 oder mit Abstand zu UTC wie 2027-01-10T09:00+01:00.',
  ],
  [
    '{} does not exist in {}, because clocks go forward. Write {}.',
    '{} gibt es in {} nicht, weil die Uhren vorgestellt werden. Schreiben Sie <>.',
  ],
  [
    '{} exists twice in {}, because clocks go back. Write {}.',
    '{} gibt es in {} zweimal, weil die Uhren zurückgestellt werden. Schreiben Sie <>.',
  ],
  // ai
  [
    'Running requests have reserved the rest of the {} images that this workspace has for today. Try again in {} seconds.',
    'Laufende Anfragen haben den Rest der {} Bilder reserviert, die dieser Arbeitsbereich heute hat. Versuchen Sie es in {} Sekunden erneut.',
  ],
  [
    'This workspace has used its {} images for today. The budget resets at {}.',
    'Die {} Bilder dieses Arbeitsbereichs für heute sind verbraucht. Neue gibt es ab {}.',
  ],
  [
    'Running requests have reserved the rest of the {} AI tokens that this workspace has for today. Try again in {} seconds.',
    'Laufende Anfragen haben den Rest der {} KI-Tokens reserviert, die dieser Arbeitsbereich heute hat. Versuchen Sie es in {} Sekunden erneut.',
  ],
  [
    'Of the {} AI tokens of this workspace for today {} are left, and this needs about {}. The budget is reset at {}.',
    'Von den {} KI-Tokens dieses Arbeitsbereichs für heute sind noch {} übrig, gebraucht werden etwa {}. Neue gibt es ab {}.',
  ],
  ['The destination {} is named twice. Name it once.', 'Das Ziel {} ist doppelt angegeben.'],
  [
    '{} has no threads. Leave it out, or ask for another `result`.',
    '{} hat keine Threads. Lassen Sie es weg, oder wählen Sie ein anderes Ergebnis.',
  ],
  [
    'A destination needs the `id` of a channel, or a `provider`.',
    'Ein Ziel braucht die ID eines Kanals oder ein Netzwerk.',
  ],
  [
    'There is no channel {} in this workspace. Take the `channelId` from the list of channels.',
    'Der Kanal {} ist nicht in diesem Arbeitsbereich.',
  ],
  ['{} Leave it out, or enable it again.', '<> Lassen Sie ihn weg, oder aktivieren Sie ihn wieder.'],
  ['The channel is one of {}, not of {}. Leave `provider` out.', 'Der Kanal gehört zu {}, nicht zu {}.'],
  ['{} takes at most {} characters; `{}` was sent.', '{} erlaubt höchstens {} Zeichen, angegeben sind {}.'],
  [
    'More than {} characters on {} need an account with a subscription ({}). Name the connected channel by its `id`.',
    'Mehr als {} Zeichen auf {} gehen nur mit einem Abonnement ({}). Wählen Sie den verbundenen Kanal.',
  ],
  [
    'No subscription ({}) is confirmed for this channel, so {} takes {} characters. Reconnect the channel to read the subscription again, or ask for less.',
    'Für diesen Kanal ist kein Abonnement ({}) bestätigt, {} erlaubt daher {} Zeichen. Verbinden Sie ihn neu, oder wählen Sie einen kürzeren Text.',
  ],
  [
    'There is no provider {} on this server. There are: {}.',
    'Das Netzwerk {} gibt es auf diesem Server nicht. Es gibt: {}.',
  ],
  [
    'This credential lacks `media:read`, which drafts about media need. Use one that has it, or leave `mediaIds` out.',
    'Entwürfe zu Medien brauchen die Berechtigung, Medien zu sehen.',
  ],
  [
    'There is no media item {} in this workspace. Upload it first.',
    'Die Datei {} ist nicht in diesem Arbeitsbereich. Laden Sie sie zuerst hoch.',
  ],
  [
    '`language` is no language tag (BCP 47), such as `en`, `de-AT` or `zh-Hant`.',
    'Das ist kein Sprachkürzel (BCP 47) wie „de“, „de-AT“ oder „zh-Hant“.',
  ],
  [
    '`currentText` is missing: `{}` needs a text to work on.',
    'Es fehlt der Text, mit dem gearbeitet werden soll.',
  ],
  [
    "What {} wrote can't be used, even after {} repairs. {}{} Nothing was stored, and nothing is ever cut to fit. Ask for less, or try again.",
    'Was {} geschrieben hat, ist auch nach {} Korrekturen nicht brauchbar. {3}{4} Nichts wurde gespeichert, und nichts wird gekürzt. Verlangen Sie weniger, oder versuchen Sie es erneut.',
  ],
  [
    '`altText` is empty. Say what the image shows.',
    'Der Alternativtext ist leer. Beschreiben Sie, was das Bild zeigt.',
  ],
  [
    'This server has no model of {} that can draw. It has {}. Ask for one of these, or ask your server operator to configure {}.',
    'Dieser Server hat kein Modell von {}, das Bilder erzeugt. Er hat: {}.',
  ],
  ['{} Nothing was stored.', '<> Nichts wurde gespeichert.'],
  [
    "The image was made and counts toward today's budget, but there is no room to store it right now. Nothing was stored. Sending the request again makes another image.",
    'Das Bild wurde erzeugt und zählt zum Tagesbudget, aber zurzeit ist kein Platz, es zu speichern. Ein neuer Versuch erzeugt ein anderes.',
  ],
  [
    "The server was interrupted while the model was working, so it isn't known whether it answered, or at what cost. Nothing was stored. Sending the request again, with the same key or another, asks the model again.",
    'Der Server wurde unterbrochen, während das Modell arbeitete. Ob es geantwortet hat, ist nicht bekannt. Nichts wurde gespeichert. Ein neuer Versuch fragt das Modell erneut.',
  ],
  [
    'No AI model is set up on this server. Write the text yourself, or ask your server operator to set one up.',
    'Auf diesem Server ist kein KI-Modell eingerichtet. Schreiben Sie selbst, oder bitten Sie den Serverbetrieb, eines einzurichten.',
  ],
  [
    '`modelId` is none of the models of this server: {}.',
    'Das Modell gibt es auf diesem Server nicht. Es gibt: {}.',
  ],
  [
    '{} did not finish in time. Try again, ask for less, or ask your server operator to raise AI_TIMEOUT_SECONDS.',
    '{} wurde nicht rechtzeitig fertig. Versuchen Sie es erneut, oder verlangen Sie weniger.',
  ],
  ['The request was cancelled because the client disconnected.', 'Die Anfrage wurde abgebrochen.'],
  [
    'The vendor of {} cannot be reached. Try again in a minute.',
    'Der Anbieter von {} ist nicht erreichbar. Versuchen Sie es in einer Minute erneut.',
  ],
  [
    'The vendor of {} refuses the key of this server. Ask your server operator to correct it.',
    'Der Anbieter von {} lehnt den Schlüssel dieses Servers ab. Fragen Sie den Serverbetrieb.',
  ],
  [
    'The vendor does not know the model {}. Choose another model, or ask your server operator to correct AI_MODEL.',
    'Der Anbieter kennt das Modell {} nicht. Fragen Sie den Serverbetrieb.',
  ],
  [
    'The vendor of {} accepts no more requests right now. Try again later.',
    'Der Anbieter von {} nimmt zurzeit keine Anfragen mehr. Versuchen Sie es später erneut.',
  ],
  [
    'The vendor of {} refused the request. Ask for something else, or try another model.',
    'Der Anbieter von {} hat die Anfrage abgelehnt. Verlangen Sie etwas anderes, oder wählen Sie ein anderes Modell.',
  ],
  [
    'The vendor of {} failed. Try again in a minute.',
    'Beim Anbieter von {} ist etwas schiefgelaufen. Versuchen Sie es in einer Minute erneut.',
  ],
  [
    'The answer of the vendor of {} cannot be read. Check that it speaks the right protocol.',
    'Die Antwort des Anbieters von {} ist nicht lesbar. Fragen Sie den Serverbetrieb.',
  ],
  ['{} refused to do this. Ask for something else.', '{} hat das abgelehnt. Verlangen Sie etwas anderes.'],
  [
    '{} returned nothing. Try again, or try another model.',
    '{} hat nichts erzeugt. Versuchen Sie es erneut, oder wählen Sie ein anderes Modell.',
  ],
  [
    '{} was not finished when its tokens were used up. Ask for less, or ask your server operator to raise AI_MAX_OUTPUT_TOKENS.',
    '{} wurde mit seinen Tokens nicht fertig. Verlangen Sie weniger.',
  ],
  [
    'The model did not make an image of a supported type.',
    'Das Modell hat kein Bild eines unterstützten Typs erzeugt.',
  ],
  // api
  ['Something in the request is invalid.', 'Etwas an der Eingabe stimmt nicht.'],
  ['{} must be {}; {} was sent.', '{} muss <> sein, nicht <>.'],
  ['{} must be one of {}; {} was sent.', '{} muss einer dieser Werte sein: {}. Eingegeben wurde <>.'],
  ['{} must have the form of {}; {} was sent.', '{} muss eine Form wie {} haben. Eingegeben wurde <>.'],
  ['{} must match `{}`; {} was sent.', '{} hat nicht die nötige Form (`{}`). Eingegeben wurde <>.'],
  ['{} must have at least {}; {} were sent.', '{} muss mindestens <> haben, es sind {}.'],
  ['{} must have at most {}; {} were sent.', '{} darf höchstens <> haben, es sind {}.'],
  ['{} holds the same item twice, at {} and {}.', '{} enthält dasselbe doppelt, an Stelle {} und {}.'],
  ['{} is missing.', '{} fehlt.'],
  [
    '{} holds a line break ({}). Write it in one line.',
    '{} enthält einen Zeilenumbruch ({}). Schreiben Sie alles in eine Zeile.',
  ],
  ['{} holds a control character ({}). Remove it.', '{} enthält ein Steuerzeichen ({}). Entfernen Sie es.'],
  [
    '{} holds an invisible character that changes the direction of writing ({}). Remove it.',
    '{} enthält ein unsichtbares Zeichen, das die Schreibrichtung ändert ({}). Entfernen Sie es.',
  ],
  [
    '{} has only spaces or invisible characters. Write something that can be seen.',
    '{} besteht nur aus Leerzeichen oder unsichtbaren Zeichen. Schreiben Sie etwas Sichtbares.',
  ],
  ['{} is not known here: no {}s are allowed.', '{1} ist hier nicht erlaubt.'],
  ['{} is not known here.{} Allowed: {}.', '{1} ist hier nicht erlaubt. Erlaubt sind: {3}.'],
  // app-routes
  ['Key not found in this workspace.', 'Diesen Schlüssel gibt es in diesem Arbeitsbereich nicht.'],
  ['App not found in this workspace.', 'Diese App gibt es in diesem Arbeitsbereich nicht.'],
  ['The post has no destination on this channel.', 'Der Beitrag hat diesen Kanal nicht.'],
  [
    'Only a published post has an ID and an address on the network.',
    'Nur ein veröffentlichter Beitrag hat eine ID und eine Adresse im Netzwerk.',
  ],
  ['Give the ID that the post has on the network.', 'Geben Sie die ID an, die der Beitrag im Netzwerk hat.'],
  ['`url` must be an http or https address.', 'Die Adresse muss mit http oder https beginnen.'],
  // approvals
  [
    'Expired without a decision. Editing the post requests approval again.',
    'Abgelaufen ohne Entscheidung. Eine Änderung des Beitrags fragt erneut an.',
  ],
  [
    'The post was cancelled, expired or restored from a backup before a decision.',
    'Der Beitrag wurde vor der Entscheidung abgebrochen, ist abgelaufen oder stammt aus einer Sicherung.',
  ],
  // apps
  [
    'You have signed in again since this page was shown. Check the request, then decide again.',
    'Sie haben sich seither neu angemeldet. Prüfen Sie die Anfrage und entscheiden Sie erneut.',
  ],
  [
    "You chose a channel that this workspace doesn't have. Choose only channels of this workspace.",
    'Sie haben einen Kanal gewählt, den dieser Arbeitsbereich nicht hat. Wählen Sie nur seine Kanäle.',
  ],
  [
    'Tick at least one permission, or deny the request.',
    'Wählen Sie mindestens eine Berechtigung, oder lehnen Sie ab.',
  ],
  [
    'You are no longer a member of this workspace. Choose another one.',
    'Sie sind nicht mehr Mitglied dieses Arbeitsbereichs. Wählen Sie einen anderen.',
  ],
  ['The person denied the request.', 'Die Anfrage wurde abgelehnt.'],
  [
    'No device waits under this code. Check it. Codes are good once, for 10 minutes: then start again on the device.',
    'Unter diesem Code wartet kein Gerät. Prüfen Sie ihn. Ein Code gilt einmal und für 10 Minuten: Beginnen Sie danach am Gerät von vorn.',
  ],
  [
    'Posts a day: give a whole number from 1 to 100,000, or leave it empty.',
    'Beiträge pro Tag: Geben Sie eine ganze Zahl von 1 bis 100.000 ein, oder lassen Sie das Feld leer.',
  ],
  [
    'Days ahead: give a number above 0 and up to 3,650, or leave it empty.',
    'Tage im Voraus: Geben Sie eine Zahl über 0 und bis 3.650 ein, oder lassen Sie das Feld leer.',
  ],
  [
    'Channels: tick at most 100 of those that are listed.',
    'Kanäle: Wählen Sie höchstens 100 der aufgeführten.',
  ],
  ['For how long: choose one of {} days.', 'Dauer: Wählen Sie {} Tage.'],
  // channels
  ['The channel is disabled in this workspace.', 'Der Kanal ist in diesem Arbeitsbereich deaktiviert.'],
  ['The network {} is not enabled on this server.', 'Das Netzwerk {} ist auf diesem Server nicht aktiviert.'],
  [
    "This server has lost the key to the channel's access. Reconnect the channel.",
    'Dieser Server kann den Zugriff nicht mehr entschlüsseln. Verbinden Sie den Kanal neu.',
  ],
  [
    "The network no longer accepts the channel's access. Reconnect the channel.",
    'Das Netzwerk akzeptiert den Zugriff nicht mehr. Verbinden Sie den Kanal neu.',
  ],
  ['The network has no profiles.', 'Das Netzwerk hat keine Profile.'],
  ['The network did not answer.', 'Das Netzwerk hat nicht geantwortet.'],
  [
    'This server has no app at {}. Ask your server operator to register one and name it in the settings.',
    'Für {} ist auf diesem Server keine App eingerichtet. Fragen Sie den Serverbetrieb.',
  ],
  ['{} does not answer.', '{} antwortet nicht.'],
  ["This server could not refresh the channel's access.", 'Dieser Server konnte den Zugriff nicht erneuern.'],
  ['Another process is refreshing the access.', 'Der Zugriff wird gerade erneuert.'],
  ['The network is not enabled on this server.', 'Das Netzwerk ist auf diesem Server nicht aktiviert.'],
  ['The network has no refresh.', 'Das Netzwerk kennt kein Erneuern.'],
  ['Refreshing the access took too many requests.', 'Das Erneuern des Zugriffs brauchte zu viele Anfragen.'],
  [
    'The address of the network is one that this server does not call.',
    'Die Adresse des Netzwerks ruft dieser Server nicht auf.',
  ],
  ['The network did not answer ({}).', 'Das Netzwerk hat nicht geantwortet ({}).'],
  // posts
  ['Channel not found in this workspace.', 'Diesen Kanal gibt es in diesem Arbeitsbereich nicht.'],
  ['This account has no picture that can be shown.', 'Dieses Konto hat kein Bild, das sich anzeigen lässt.'],
  ['Media item not found in this workspace.', 'Diese Datei gibt es in diesem Arbeitsbereich nicht.'],
  ['Send the `nextCursor` of the previous page, with the same search.', 'Laden Sie die Liste neu.'],
  [
    'The post can no longer be cancelled: on each channel, publishing has started or finished.',
    'Auf keinem Kanal lässt sich der Beitrag noch abbrechen: Überall hat die Veröffentlichung begonnen oder ist abgeschlossen.',
  ],
  [
    'More than {} posts that need approval use this file. Upload it again for more posts.',
    'Mehr als {} Beiträge, die eine Freigabe brauchen, verwenden diese Datei. Laden Sie sie für weitere erneut hoch.',
  ],
  [
    'A post with this alt text is published or being published. To use another text elsewhere, upload the file again.',
    'Ein Beitrag mit diesem Alternativtext ist veröffentlicht oder wird es gerade. Für einen anderen Text laden Sie die Datei erneut hoch.',
  ],
  ['Say which channels to `add`, or to `remove`.', 'Wählen Sie, welche Kanäle dazukommen oder wegfallen.'],
  [
    'This credential lacks `media:read`, which the check of a plan with media needs. Use one that has it, or leave the media out.',
    'Beiträge mit Medien brauchen die Berechtigung, Medien zu sehen.',
  ],
  [
    'Post not found, or it has no destination on this channel.',
    'Diesen Beitrag gibt es nicht, oder er hat diesen Kanal nicht.',
  ],
  [
    "The rest of a thread can't wait for approval. Ask a person to give it a time, or create a post with the rest.",
    'Der Rest eines Threads kann nicht auf Freigabe warten. Eine Person muss ihm einen Zeitpunkt geben, oder erstellen Sie einen Beitrag mit dem Rest.',
  ],
  [
    "The published part of the thread and its settings can't change. Send those parts unchanged, followed by at least one more.",
    'Der veröffentlichte Teil des Threads und seine Einstellungen können sich nicht ändern. Lassen Sie diese Beiträge, wie sie sind, und mindestens einen danach.',
  ],
  [
    'A post, series or template uses this file. Remove it from there first. Published posts keep it.',
    'Ein Beitrag, eine Serie oder eine Vorlage verwendet diese Datei. Entfernen Sie sie dort zuerst. Veröffentlichte Beiträge behalten sie.',
  ],
  [
    "The post has no active destination on this channel. Editing changes content; it doesn't add or remove channels.",
    'Der Beitrag ist auf diesem Kanal nicht aktiv. Bearbeiten ändert Inhalte, aber keine Kanäle.',
  ],
  [
    'The channel had its own `{}`, which this edit of all channels replaces.',
    'Der Kanal hatte eigene Inhalte, die diese Änderung aller Kanäle ersetzt.',
  ],
  ['Name the channels to change in `targets`.', 'Wählen Sie die Kanäle, die sich ändern sollen.'],
  [
    'Part {} had a file that the new thread leaves out.',
    'Folgebeitrag {} enthielt eine Datei, die im neuen Thread fehlt.',
  ],
  [
    'Name its `mediaIds`, `[]` for none, or change single parts with `parts`.',
    'Fügen Sie die Datei wieder hinzu, oder ändern Sie einzelne Beiträge.',
  ],
  [
    'Another post with the same text is on this channel within 24 hours ({}).',
    'Ein anderer Beitrag mit demselben Text ist auf diesem Kanal innerhalb von 24 Stunden geplant oder veröffentlicht (<>).',
  ],
  [
    'Change the text unless you mean to repeat it. Some networks refuse repetitions.',
    'Ändern Sie den Text, wenn das keine Absicht ist. Manche Netzwerke lehnen Wiederholungen ab.',
  ],
  [
    '`publishAt` ({}) is not in the future; it is {} now.',
    'Die Zeit (<>) liegt nicht in der Zukunft. Es ist jetzt <>.',
  ],
  ['Choose a later time.', 'Wählen Sie eine spätere Zeit.'],
  ['{} has no posting times.', '{} hat keine Veröffentlichungszeiten.'],
  [
    'Choose a time for it, or ask an owner or admin to give it posting times.',
    'Wählen Sie eine Zeit, oder bitten Sie einen Inhaber oder Admin um Veröffentlichungszeiten für den Kanal.',
  ],
  ['{} is no posting time of {}.', '{} ist keine Veröffentlichungszeit von {}.'],
  [
    'Choose one of its posting times, or schedule the post for that time without the queue.',
    'Wählen Sie eine seiner Veröffentlichungszeiten, oder planen Sie den Beitrag ohne die Warteschlange für diese Zeit.',
  ],
  [
    'The posting time {} of {} is taken by another post.',
    'Die Veröffentlichungszeit {} von {} ist schon vergeben.',
  ],
  [
    'Choose another one, or take the next in the queue.',
    'Wählen Sie eine andere, oder nehmen Sie die nächste der Warteschlange.',
  ],
  [
    '{} has no free posting time after its queue within {} years.',
    '{} hat hinter seiner Warteschlange in den nächsten {} Jahren keine freie Veröffentlichungszeit.',
  ],
  ['Take the first free one, or choose a time.', 'Nehmen Sie die erste freie, oder wählen Sie eine Zeit.'],
  [
    '{} has no free posting time within {} years.',
    '{} hat in den nächsten {} Jahren keine freie Veröffentlichungszeit.',
  ],
  [
    'Choose a time, or ask an owner or admin to give it more posting times.',
    'Wählen Sie eine Zeit, oder bitten Sie einen Inhaber oder Admin um mehr Veröffentlichungszeiten für den Kanal.',
  ],
  [
    'The rest of a thread takes no posting time. Give `publishAt` a date-time.',
    'Der Rest eines Threads kommt nicht in die Warteschlange. Wählen Sie eine Zeit.',
  ],
  [
    'The queue has changed since the preview, so nothing was changed. Look at the preview again.',
    'Die Warteschlange hat sich seit der Vorschau geändert, daher wurde nichts geändert. Sehen Sie sich die Vorschau noch einmal an.',
  ],
  ['`{}` is listed twice. Keep one of them.', '`{}` ist doppelt angegeben.'],
  [
    'More than {} posts are queued, which are not moved at once. Set the posting times without moving them.',
    'Mehr als {} Beiträge sind in der Warteschlange, und so viele werden nicht auf einmal verschoben. Legen Sie die Zeiten fest, ohne sie zu verschieben.',
  ],
  [
    'Only {} of {} queued posts fit into the posting times of the next {} years. Add posting times, or leave the posts where they are.',
    'Nur {} von {} Beiträgen der Warteschlange passen in die Veröffentlichungszeiten der nächsten {} Jahre. Legen Sie mehr Zeiten fest, oder verschieben Sie die Beiträge nicht.',
  ],
  ['`publishAt` is more than {} years ahead.', 'Die Zeit liegt mehr als {} Jahre in der Zukunft.'],
  ['Choose a time before {}.', 'Wählen Sie eine Zeit vor <>.'],
  [
    'The channel is listed twice. A post has one destination per channel.',
    'Der Kanal ist doppelt gewählt. Ein Beitrag erscheint auf jedem Kanal einmal.',
  ],
  [
    'Keep one of them, or combine them into one thread.',
    'Lassen Sie nur einen davon, oder machen Sie einen Thread daraus.',
  ],
  ['Take the `channelId` from the list of channels.', 'Wählen Sie einen Kanal aus der Liste.'],
  [
    'Reconnect the channel before the post is due.',
    'Verbinden Sie den Kanal neu, bevor der Beitrag fällig ist.',
  ],
  ['Leave the channel out, or enable it again.', 'Lassen Sie den Kanal weg, oder aktivieren Sie ihn wieder.'],
  [
    "The channel's access ends at {}, before the post is due.",
    'Der Zugriff des Kanals endet am <>, bevor der Beitrag fällig ist.',
  ],
  [
    'Reconnect the channel before the post is due, or choose an earlier time.',
    'Verbinden Sie den Kanal rechtzeitig neu, oder wählen Sie eine frühere Zeit.',
  ],
  ['Upload the file and use the `mediaId` from the answer.', 'Laden Sie die Datei hoch.'],
  ['The post has no visible text and no media.', 'Der Beitrag ist leer.'],
  ['Add text or media{}.', 'Schreiben Sie etwas, oder fügen Sie Medien hinzu<>.'],
  ['{} has no threads.', '{} hat keine Threads.'],
  ['{} gets no first comment from Postrider.', '{} bekommt von Postrider keinen ersten Kommentar.'],
  [
    'Leave `thread` out for this channel, or give the channel its own content in `targets`.',
    'Lassen Sie die Folgebeiträge für diesen Kanal weg, oder geben Sie ihm einen eigenen Text.',
  ],
  ['The parameter is named twice. Keep one of them.', 'Der Parameter ist doppelt. Behalten Sie einen davon.'],
  [
    'Leave `firstComment` out for this channel, or give the channel its own content in `targets`.',
    'Lassen Sie den ersten Kommentar für diesen Kanal weg, oder geben Sie ihm einen eigenen Text.',
  ],
  [
    'Use only settings that {} knows, with values that it allows.',
    'Wählen Sie nur Einstellungen, die {} kennt, mit erlaubten Werten.',
  ],
  ['Change this setting.', 'Ändern Sie diese Einstellung.'],
  ['The setting {}.', 'Eine Einstellung hat keinen erlaubten Wert.'],
  ['{} has no such setting.', '{} hat diese Einstellung nicht.'],
  [
    'The {} has changed since this token was read. Read the post again, then retry with its new token.',
    'Der Beitrag hat sich geändert. Laden Sie ihn neu.',
  ],
  [
    'Nothing of the post is a draft: on each channel, it is scheduled, or publishing has started or finished.',
    'Nichts an diesem Beitrag ist ein Entwurf: Auf jedem Kanal ist er geplant, hat die Veröffentlichung begonnen oder ist abgeschlossen.',
  ],
  [
    'Nothing of the post is `scheduled`: on each channel, it is a draft, or publishing has started or finished.',
    'Nichts an diesem Beitrag ist geplant: Auf jedem Kanal ist er ein Entwurf, hat die Veröffentlichung begonnen oder ist abgeschlossen.',
  ],
  [
    'The post is finished on every channel. Create a new post instead.',
    'Der Beitrag ist auf jedem Kanal abgeschlossen. Erstellen Sie einen neuen.',
  ],
  ['The channel is listed twice.', 'Der Kanal ist doppelt gewählt.'],
  [
    'The post already has this channel. Read it again.',
    'Der Beitrag hat diesen Kanal schon. Laden Sie ihn neu.',
  ],
  [
    'The post is finished on this channel, or never had it. Create a new post for it.',
    'Der Beitrag ist auf diesem Kanal abgeschlossen oder hatte ihn nie. Erstellen Sie für ihn einen neuen.',
  ],
  ['`text` is missing: a channel that is added needs it.', 'Ein neuer Kanal braucht einen Text.'],
  [
    'A post needs a channel. To remove them all, cancel the post.',
    'Ein Beitrag braucht einen Kanal. Brechen Sie ihn stattdessen ab.',
  ],
  // connect
  [
    'This connection was checked several times within a minute. Wait {} seconds, then try again.',
    'Diese Verbindung wurde in der letzten Minute schon mehrmals geprüft. Warten Sie {} Sekunden und versuchen Sie es dann noch einmal.',
  ],
  [
    'No channel of this network with this ID was found in this workspace.',
    'Diesen Kanal des Netzwerks gibt es in diesem Arbeitsbereich nicht.',
  ],
  [
    'This server cannot connect accounts of the network {} in this way. `listNetworks` says what it can.',
    'Dieser Server kann Konten des Netzwerks {} nicht auf diesem Weg verbinden.',
  ],
  [
    'This server has no app at {}. The server operator registers one, and sets {}.',
    'Dieser Server hat keine App bei {}. Der Serverbetrieb registriert eine und setzt {}.',
  ],
  ['Name the `channels` that the cell `{}` is for.', 'Nennen Sie die Kanäle, für die die Zelle „{}“ gilt.'],
  ['Write `{}` as yes or no, not {}.', 'Schreiben Sie für „{}“ yes oder no, nicht {}.'],
  [
    'Write `{}` as a JSON object, such as {"visibility":"unlisted"}.',
    'Schreiben Sie „{}“ als JSON-Objekt, etwa {"visibility":"unlisted"}.',
  ],
  [
    'No link with this ID was found in this workspace.',
    'In diesem Arbeitsbereich gibt es keinen Link mit dieser ID.',
  ],
  [
    'The channel to reconnect no longer exists.',
    'Den Kanal, der neu verbunden werden sollte, gibt es nicht mehr.',
  ],
  [
    'This channel belongs to {}, and access was given to {}. Sign in to {} as {} and try again, or connect {} as a channel of its own.',
    'Dieser Kanal gehört {}, der Zugriff kam von {}. Melden Sie sich bei {} als {} an und versuchen Sie es erneut, oder verbinden Sie {} als eigenen Kanal.',
  ],
  [
    'This channel belongs to {}, and access was given to other accounts. Sign in to {} again and allow access to {}.',
    'Dieser Kanal gehört {}, der Zugriff kam von anderen Konten. Melden Sie sich erneut bei {} an und erlauben Sie den Zugriff auf {}.',
  ],
  [
    '“{}” is not exactly one of the accounts that access was given to: {}. Nothing was connected.',
    '„{}“ ist nicht genau eines der Konten, auf die Zugriff gegeben wurde: {}. Nichts wurde verbunden.',
  ],
  ['Choose at least one account.', 'Wählen Sie mindestens ein Konto aus.'],
  // instagram
  [
    'Facebook gave access to no Page with a professional Instagram account where you can create content. Make the account professional in the Instagram app, link it to your Page, and connect again.',
    'Facebook gab Zugriff auf keine Seite mit einem professionellen Instagram-Konto, auf der Sie Inhalte erstellen dürfen. Machen Sie das Konto in der Instagram-App zu einem professionellen, verknüpfen Sie es mit Ihrer Seite, und verbinden Sie erneut.',
  ],
  ['Instagram answered with status {}.', 'Instagram hat mit dem Status {} geantwortet.'],
  [
    'Instagram treats this as spam and has blocked the account or the app for a while. Sign in to Instagram to see why.',
    'Instagram hält das für Spam und hat das Konto oder die App für eine Weile gesperrt. Melden Sie sich bei Instagram an, um den Grund zu sehen.',
  ],
  [
    'Instagram has restricted this account. Sign in to the Instagram app and follow its instructions.',
    'Instagram hat dieses Konto eingeschränkt. Melden Sie sich in der Instagram-App an, und folgen Sie den Anweisungen.',
  ],
  [
    'Instagram does not let this app do that: a permission was taken away, or the person who connected the account can no longer create content on its Page. Reconnect the channel and allow everything.',
    'Instagram erlaubt dieser App das nicht: Eine Berechtigung wurde entzogen, oder wer das Konto verbunden hat, darf auf seiner Seite keine Inhalte mehr erstellen. Verbinden Sie den Kanal neu, und erlauben Sie alles.',
  ],
  [
    "Instagram can't take the file ({}). Export it as its guidelines say, and upload the result.",
    'Instagram kann die Datei nicht annehmen ({}). Exportieren Sie sie nach den Vorgaben von Instagram, und laden Sie das Ergebnis hoch.',
  ],
  ['Instagram refuses the caption as too long.', 'Instagram lehnt die Bildunterschrift als zu lang ab.'],
  ['Instagram could not process the post.', 'Instagram konnte den Beitrag nicht verarbeiten.'],
  ['Instagram refuses the post as it is.', 'Instagram lehnt den Beitrag so ab.'],
  [
    'The database clock is ahead of the clock of Instagram.',
    'Die Uhr der Datenbank geht gegenüber Instagram vor.',
  ],
  [
    'Instagram says that the post is published but does not list it yet.',
    'Instagram meldet den Beitrag als veröffentlicht, führt ihn aber noch nicht auf.',
  ],
  ['A story on Instagram has no comments.', 'Eine Story auf Instagram hat keine Kommentare.'],
  [
    'Leave `firstComment` or `story` out.',
    'Lassen Sie den ersten Kommentar weg, oder veröffentlichen Sie nicht als Story.',
  ],
  [
    'The caption has {} hashtags; Instagram allows {}.',
    'Die Bildunterschrift hat {} Hashtags, Instagram erlaubt {}.',
  ],
  [
    'The comment has {} hashtags; Instagram allows {}.',
    'Der Kommentar hat {} Hashtags, Instagram erlaubt {}.',
  ],
  ['Leave {} of the hashtags out.', 'Lassen Sie {} der Hashtags weg.'],
  [
    'The caption has {} mentions; Instagram allows {}.',
    'Die Bildunterschrift hat {} Erwähnungen, Instagram erlaubt {}.',
  ],
  [
    'The comment has {} mentions; Instagram allows {}.',
    'Der Kommentar hat {} Erwähnungen, Instagram erlaubt {}.',
  ],
  ['Leave {} of the mentions out.', 'Lassen Sie {} der Erwähnungen weg.'],
  [
    'A post on Instagram needs an image or a video.',
    'Ein Beitrag auf Instagram braucht ein Bild oder ein Video.',
  ],
  ['Attach one, or leave this channel out.', 'Fügen Sie eins an, oder lassen Sie diesen Kanal weg.'],
  [
    'Attach a longer one, or leave this channel out.',
    'Fügen Sie ein längeres an, oder lassen Sie diesen Kanal weg.',
  ],
  ['Crop it, and use the result.', 'Schneiden Sie es zu, und verwenden Sie das Ergebnis.'],
  [
    'A story on Instagram is one image or one video.',
    'Eine Story auf Instagram ist ein Bild oder ein Video.',
  ],
  [
    'Keep one, and publish the others as separate posts.',
    'Behalten Sie eins, und veröffentlichen Sie die anderen in eigenen Beiträgen.',
  ],
  ['A story on Instagram shows no text.', 'Eine Story auf Instagram zeigt keinen Text.'],
  [
    'Leave the text out for this channel, or leave `story` out.',
    'Lassen Sie den Text für diesen Kanal weg, oder veröffentlichen Sie nicht als Story.',
  ],
  // facebook
  ['A reel on Facebook is one video.', 'Ein Reel auf Facebook ist ein Video.'],
  [
    'Attach one video, or leave `reel` out.',
    'Hängen Sie ein Video an, oder veröffentlichen Sie nicht als Reel.',
  ],
  [
    'A Facebook post with media shows no link card.',
    'Ein Beitrag auf Facebook mit Medien zeigt keine Linkvorschau.',
  ],
  [
    'Leave `link` out and write the address in the text, or leave the media out.',
    'Lassen Sie die Link-Vorschau weg und schreiben Sie die Adresse in den Text, oder lassen Sie die Medien weg.',
  ],
  [
    'Facebook does not let this app do that on the Page: a permission was taken away, or the person who connected it can no longer create content there. Reconnect the channel and allow everything.',
    'Facebook erlaubt dieser App das auf der Seite nicht: Eine Berechtigung wurde entzogen, oder wer sie verbunden hat, darf dort keine Inhalte mehr erstellen. Verbinden Sie den Kanal neu und erlauben Sie alles.',
  ],
  [
    'Facebook has blocked the Page or the app from this for a while, for content that it found abusive. Sign in to Facebook to see why.',
    'Facebook hat die Seite oder die App dafür eine Zeit lang gesperrt, wegen Inhalten, die es für missbräuchlich hält. Melden Sie sich bei Facebook an, um den Grund zu sehen.',
  ],
  [
    'Facebook already has the same post from this Page.',
    'Facebook hat denselben Beitrag dieser Seite schon.',
  ],
  [
    'Facebook could not read the page of the link. Check the address.',
    'Facebook konnte die Seite des Links nicht lesen. Prüfen Sie die Adresse.',
  ],
  [
    'Facebook did not grant everything that publishing needs: {} is missing. Connect again and allow everything it asks for.',
    'Facebook hat nicht alles erlaubt, was zum Veröffentlichen nötig ist: {} fehlt. Verbinden Sie erneut und erlauben Sie alles, wonach gefragt wird.',
  ],
  [
    'A reel on Facebook is an upright video (9:16) of at least 540 × 960 pixels.',
    'Ein Reel auf Facebook ist ein hochkantes Video (9:16) mit mindestens 540 × 960 Pixeln.',
  ],
  [
    'Facebook gave access to no Page. Connect again and choose your Pages, and the business portfolio they belong to, on Facebook.',
    'Facebook gab Zugriff auf keine Seite. Verbinden Sie erneut und wählen Sie auf Facebook Ihre Seiten aus, und das Unternehmensportfolio, zu dem sie gehören.',
  ],
  [
    'Facebook gave access to no Page. Connect again and choose your Pages on Facebook. If they belong to a business portfolio, also allow access to your portfolios. If Facebook does not ask for that, your server operator has to add the permission for portfolios to the app.',
    'Facebook gab Zugriff auf keine Seite. Verbinden Sie erneut und wählen Sie auf Facebook Ihre Seiten aus. Wenn sie zu einem Unternehmensportfolio gehören, erlauben Sie auch den Zugriff auf Ihre Portfolios. Wenn Facebook nicht danach fragt, muss der Serverbetrieb der App die Berechtigung für Portfolios hinzufügen.',
  ],
  [
    "Your role on the Page {} doesn't allow creating content. Ask an admin of the Page to give you the task Content, then connect again.",
    'Ihre Rolle auf der Seite {} erlaubt nicht, Inhalte zu erstellen. Bitten Sie einen Admin der Seite um die Aufgabe „Content“ und verbinden Sie dann erneut.',
  ],
  [
    'Your business portfolio has the Page {}, but you have no access to it. Ask an admin of the portfolio to assign you the Page with the task Content, then connect again.',
    'Ihr Unternehmensportfolio hat die Seite {}, aber Sie haben keinen Zugriff darauf. Bitten Sie einen Admin des Portfolios, Ihnen die Seite mit der Aufgabe „Content“ zuzuweisen, und verbinden Sie dann erneut.',
  ],
  [
    'Facebook did not list all of your Pages. Create a new link and connect again later.',
    'Facebook hat nicht alle Ihre Seiten genannt. Erstellen Sie später einen neuen Link und verbinden Sie erneut.',
  ],
  [
    "Facebook does not recognize this server's app by its client ID and secret. Ask your server operator to check FACEBOOK_CLIENT_ID and FACEBOOK_CLIENT_SECRET.",
    'Facebook erkennt die App dieses Servers nicht an ihrer Client-ID und ihrem Geheimnis. Bitten Sie den Serverbetrieb, FACEBOOK_CLIENT_ID und FACEBOOK_CLIENT_SECRET zu prüfen.',
  ],
  [
    'Facebook did not accept the sign-in. Create a new link and connect again.',
    'Facebook hat die Anmeldung nicht angenommen. Erstellen Sie einen neuen Link und verbinden Sie erneut.',
  ],
  [
    'Facebook answered the sign-in with status {}. Try again later.',
    'Facebook hat auf die Anmeldung mit Status {} geantwortet. Versuchen Sie es später erneut.',
  ],
  ['Facebook answered with status {}.', 'Facebook hat mit Status {} geantwortet.'],
  ['Facebook could not process this video.', 'Facebook konnte dieses Video nicht verarbeiten.'],
  ['Facebook does not accept this file.', 'Facebook nimmt diese Datei nicht an.'],
  ['Facebook refuses the post as invalid.', 'Facebook lehnt den Beitrag als ungültig ab.'],
  [
    'Facebook no longer has the draft of this post. Retry it.',
    'Facebook hat den Entwurf dieses Beitrags nicht mehr. Versuchen Sie es erneut.',
  ],
  [
    'The post to comment on no longer exists.',
    'Den Beitrag, der kommentiert werden soll, gibt es nicht mehr.',
  ],
  ['Facebook could not process the reel.', 'Facebook konnte das Reel nicht verarbeiten.'],
  ['Facebook is still processing the reel.', 'Facebook verarbeitet das Reel noch.'],
  ['The post is no longer on Facebook.', 'Den Beitrag gibt es auf Facebook nicht mehr.'],
  ["The account's server shows nothing of the account.", 'Der Server des Kontos zeigt nichts von dem Konto.'],
  [
    'LinkedIn does not accept its own new access token yet. Connect again in a minute.',
    'LinkedIn nimmt sein eigenes neues Zugriffstoken noch nicht an. Verbinde in einer Minute noch einmal.',
  ],
  [
    'Bluesky does not take a file of this type in this place.',
    'Bluesky nimmt Dateien dieses Typs an dieser Stelle nicht an.',
  ],
  [
    'Threads has restricted this profile, or blocks this post for a while. Sign in to Threads to see why.',
    'Threads hat dieses Profil eingeschränkt oder blockiert diesen Beitrag eine Zeit lang. Melden Sie sich bei Threads an, um den Grund zu sehen.',
  ],
  [
    'X does not let this app upload files for the account. Reconnect the channel and allow everything.',
    'X lässt diese App keine Dateien für das Konto hochladen. Verbinden Sie den Kanal neu und erlauben Sie alles.',
  ],
  [
    "LinkedIn does not let this server's app post. Ask your server operator to check the app's products in the LinkedIn developer portal, then retry.",
    'LinkedIn lässt die App dieses Servers nicht posten. Bitten Sie den Betreiber des Servers, die Produkte der App im LinkedIn-Entwicklerportal zu prüfen, und versuchen Sie es dann erneut.',
  ],
  [
    'A file of this post is larger than Bluesky takes.',
    'Eine Datei dieses Beitrags ist größer, als Bluesky annimmt.',
  ],
  [
    "The account's relays refuse the note, without a reason that is known.",
    'Die Relays des Kontos lehnen die Notiz ab, ohne einen bekannten Grund.',
  ],
  ['The container of this post has ended.', 'Der Container dieses Beitrags ist abgelaufen.'],
  [
    'The network says that the post is published, and answered with status {} when asked for the list of posts.',
    'Das Netzwerk meldet den Beitrag als veröffentlicht und hat die Frage nach der Liste der Beiträge mit Status {} beantwortet.',
  ],
  [
    'The network does not show yet what was just made there. Publishing resumes automatically.',
    'Das Netzwerk zeigt noch nicht, was dort eben angelegt wurde. Die Veröffentlichung geht von selbst weiter.',
  ],
  ['The draft is in the bin of the site.', 'Der Entwurf ist im Papierkorb der Website.'],
  [
    'The network refused the call, but what it was to show is public.',
    'Das Netzwerk hat den Aufruf abgelehnt, doch was er zeigen sollte, ist öffentlich.',
  ],
  [
    'The network refused the call, and could not be asked whether the post is public all the same.',
    'Das Netzwerk hat den Aufruf abgelehnt und ließ sich nicht fragen, ob der Beitrag trotzdem öffentlich ist.',
  ],
  ['{} is not connected by a form.', '{} wird nicht über ein Formular verbunden.'],
  [
    '{} received too many requests. Try again later.',
    '{} hat zu viele Anfragen erhalten. Versuchen Sie es später erneut.',
  ],
  [
    'The address is a private one, or not https. Give the public address of the server; the server operator can permit a private one by TRUSTED_ORIGINS.',
    'Die Adresse ist privat oder nicht https. Geben Sie die öffentliche Adresse des Servers an. Eine private kann der Serverbetrieb mit TRUSTED_ORIGINS erlauben.',
  ],
  [
    'No server answers at {} ({}). Check the address.',
    'Unter {} antwortet kein Server ({}). Prüfen Sie die Adresse.',
  ],
  [
    'Postrider can’t reach {} ({}). Nothing is wrong with what you entered: check this server’s connection to the internet, then try again.',
    'Postrider erreicht {} nicht ({}). An Ihrer Eingabe liegt es nicht: Prüfen Sie die Internetverbindung dieses Servers und versuchen Sie es erneut.',
  ],
  [
    '{} did not answer ({}). Try again later.',
    '{} hat nicht geantwortet ({}). Versuchen Sie es später erneut.',
  ],
  ['{} is required.', '{} fehlt.'],
  ['{} is not connected in this way.', '{} wird nicht auf diese Weise verbunden.'],
  [
    '{} forgets the apps that are registered there. Try again later.',
    '{} behält die dort eingerichteten Apps nicht. Versuchen Sie es später erneut.',
  ],
  [
    '{} needed too many requests to connect. Try again later.',
    '{} brauchte zum Verbinden zu viele Anfragen. Versuchen Sie es später erneut.',
  ],
  [
    '{} reports that access was refused. Nothing was connected. Create a new link to try again.',
    '{} meldet, dass der Zugriff abgelehnt wurde. Nichts wurde verbunden. Erstellen Sie einen neuen Link.',
  ],
  [
    '{} ended the sign-in with {}. Nothing was connected. Create a new link to try again.',
    '{} hat die Anmeldung mit {} beendet. Nichts wurde verbunden. Erstellen Sie einen neuen Link.',
  ],
  [
    'This sign-in expired. Create a new link.',
    'Diese Anmeldung ist abgelaufen. Erstellen Sie einen neuen Link.',
  ],
  [
    'This sign-in began in another browser, or this browser blocks cookies for this site. Open the link again in the browser where you sign in.',
    'Diese Anmeldung begann in einem anderen Browser, oder dieser Browser speichert keine Cookies für diese Seite. Öffnen Sie den Link in dem Browser, in dem Sie sich anmelden.',
  ],
  [
    'The person who created this link can no longer connect accounts to its workspace. Nothing was connected. Ask an owner for a new link.',
    'Die Person, die diesen Link erstellt hat, darf in ihrem Arbeitsbereich keine Konten mehr verbinden. Nichts wurde verbunden. Bitten Sie einen Inhaber um einen neuen Link.',
  ],
  [
    'This server failed when the sign-in came back from the network. Check the list of channels to see whether the account is connected. If not, create a new link and connect again.',
    'Dieser Server hat einen Fehler gemacht, als die Anmeldung zurückkam. Sehen Sie in der Liste der Kanäle nach, ob das Konto verbunden ist. Wenn nicht, erstellen Sie einen neuen Link.',
  ],
  [
    'The network sent neither a code nor a reason. Nothing was connected. Create a new link to try again.',
    'Das Netzwerk hat weder einen Code noch einen Grund gesendet. Nichts wurde verbunden. Erstellen Sie einen neuen Link.',
  ],
  // destinations
  [
    'Publishing has started. Some of it may be live.',
    'Die Veröffentlichung hat begonnen: Ein Teil ist möglicherweise schon sichtbar.',
  ],
  [
    'Some of it may be live. Retrying could publish it twice.',
    'Ein Teil ist möglicherweise schon sichtbar. Eine Wiederholung könnte doppelt veröffentlichen.',
  ],
  [
    'The post is waiting for approval and is published once approved.',
    'Der Beitrag wartet auf Freigabe und wird dann veröffentlicht.',
  ],
  [
    'The post was not approved. Edit it to request approval again.',
    'Der Beitrag wurde nicht freigegeben. Bearbeiten Sie ihn, um erneut anzufragen.',
  ],
  [
    '{} Enable it again, or cancel the post on this channel.',
    '<> Aktivieren Sie ihn wieder, oder brechen Sie den Beitrag dort ab.',
  ],
  [
    'The post is `{}` on a channel, so its content can no longer change.',
    'Der Beitrag hat auf einem Kanal den Status <>. Sein Inhalt kann sich nicht mehr ändern.',
  ],
  [
    'Some of the post is published, and nothing more will be sent (`{}`), so its content can no longer change.',
    'Ein Teil des Beitrags ist veröffentlicht, und der Beitrag ist abgeschlossen (<>). Sein Inhalt kann sich nicht mehr ändern.',
  ],
  ['This needs the permission `posts:write`.', 'Dafür ist die Berechtigung nötig, Beiträge zu schreiben.'],
  [
    'This address has expired, or its post is not being published now.',
    'Diese Adresse ist abgelaufen, oder ihr Beitrag wird gerade nicht veröffentlicht.',
  ],
  // keys
  [
    '`expiresAt` is in the past. Give a later time, or none.',
    'Das Ablaufdatum ist vorbei. Wählen Sie ein späteres oder keines.',
  ],
  ['The workspace has no channel {}.', 'Der Arbeitsbereich hat den Kanal {} nicht.'],
  [
    'Only a post of which all channels are drafts can be sent for approval.',
    'Nur ein Beitrag, der auf allen Kanälen Entwurf ist, kann zur Freigabe eingereicht werden.',
  ],
  ['The post waits for approval already.', 'Der Beitrag wartet schon auf Freigabe.'],
  [
    'This credential is limited to some of the posts, and an endpoint gets the events of all. Read `GET /agent/v1/events` instead.',
    'Dieser Zugang ist auf einen Teil der Beiträge beschränkt, und ein Endpunkt erhält die Ereignisse aller.',
  ],
  // labels
  [
    'Too many posts have this label to count them now. List them with `label`.',
    'Dieses Label haben zu viele Beiträge, um sie jetzt zu zählen. Filtern Sie die Liste danach.',
  ],
  ['Say which labels to `add`, or to `remove`.', 'Geben Sie an, welche Labels dazukommen oder wegfallen.'],
  [
    'The post would have {} labels. It can have {}: remove some.',
    'Der Beitrag hätte {} Labels. Er kann {} haben: Entfernen Sie welche.',
  ],
  // channel groups
  ['Channel group not found in this workspace.', 'In diesem Arbeitsbereich gibt es die Kanalgruppe nicht.'],
  [
    'There is a group called “{}” already. Choose another name.',
    'Eine Gruppe namens „{}“ gibt es schon. Wählen Sie einen anderen Namen.',
  ],
  ['Another group has this name.', 'Eine andere Gruppe heißt so.'],
  ['The channel group has no channel.', 'Die Kanalgruppe hat keinen Kanal.'],
  [
    'Put channels into the group, or name the channels themselves.',
    'Nehmen Sie Kanäle in die Gruppe auf, oder wählen Sie die Kanäle selbst.',
  ],
  [
    'These are {} channels. A post can have up to {}.',
    'Das sind {} Kanäle, ein Beitrag kann höchstens {} haben.',
  ],
  ['Create several posts, each with fewer channels.', 'Erstellen Sie mehrere Beiträge mit weniger Kanälen.'],
  // listing
  ['Send the `nextCursor` of the previous page, with the same filters.', 'Laden Sie die Liste neu.'],
  ['`to` must be later than `from`.', 'Das Ende muss nach dem Anfang liegen.'],
  [
    'The search had to read too many posts. Add a filter (`status`, `channelId`, `author`, `createdById`), shorten the time between `from` and `to`, or search for something that newer posts contain.',
    'Die Suche musste zu viele Beiträge lesen. Filtern Sie stärker, oder verkürzen Sie den Zeitraum.',
  ],
  ['`from` is not a day that exists.', 'Diesen Tag gibt es nicht.'],
  ['`{}` is not a date-time that exists.', '{} ist kein Datum, das es gibt.'],
  [
    '`to` can be at most {} days after `from`. Ask for shorter ranges, one after the other.',
    'Der Zeitraum darf höchstens {} Tage haben.',
  ],
  // live
  ['Sign in, then repeat the request.', 'Melden Sie sich an und versuchen Sie es erneut.'],
  [
    'This was on its way for too long, and nothing was changed. Try again.',
    'Das war zu lange unterwegs, und nichts wurde geändert. Versuchen Sie es erneut.',
  ],
  [
    "This workspace doesn't exist, or you are not a member of it.",
    'Diesen Arbeitsbereich gibt es nicht, oder Sie sind dort nicht Mitglied.',
  ],
  [
    'You have {} streams open. Close one, or wait until one has ended.',
    'Sie haben {} Verbindungen offen. Schließen Sie eine, oder warten Sie, bis eine endet.',
  ],
  // media
  [
    'Send the `nextCursor` of the previous page, with the same `kind` and `sentSha256`.',
    'Laden Sie die Liste neu.',
  ],
  [
    'The stored file is missing or damaged. Upload the same file again to restore it everywhere, or restore it from a backup.',
    'Die Datei fehlt oder ist beschädigt. Laden Sie dieselbe Datei erneut hoch, um sie überall wiederherzustellen, oder holen Sie sie aus einer Sicherung.',
  ],
  [
    'It crashes every process that tries to decode it. Export it again with another program.',
    'Sie lässt sich nicht verarbeiten. Exportieren Sie sie mit einem anderen Programm.',
  ],
  [
    'It takes too long to decode. Make it smaller or simpler.',
    'Ihre Verarbeitung dauert zu lange. Machen Sie sie kleiner oder einfacher.',
  ],
  [
    'It takes too much memory to decode. Make it smaller or simpler.',
    'Ihre Verarbeitung braucht zu viel Speicher. Machen Sie sie kleiner oder einfacher.',
  ],
  [
    "Media can't be processed right now: the server is short of disk space, memory or open files. Nothing was changed. Try again later.",
    'Zurzeit lassen sich keine Medien verarbeiten: Dem Server fehlt Platz, Speicher oder eine freie Datei. Nichts wurde geändert. Versuchen Sie es später erneut.',
  ],
  [
    "The server's storage for media is not the right one. Nothing was changed. Ask the server operator to correct it, then try again.",
    'Der Medienspeicher des Servers ist nicht der richtige. Nichts wurde geändert. Bitten Sie den Betreiber des Servers, das zu korrigieren, und versuchen Sie es dann erneut.',
  ],
  [
    "The server's folder for media is missing: it was removed, or its disk is not mounted. Nothing was changed. Ask the server operator to bring it back, then try again.",
    'Der Medienordner des Servers fehlt: Er wurde entfernt, oder seine Festplatte ist nicht eingehängt. Nichts wurde geändert. Bitten Sie den Betreiber des Servers, ihn wiederherzustellen, und versuchen Sie es dann erneut.',
  ],
  [
    'The file is larger than the network allows, or of another type.',
    'Die Datei ist größer, als das Netzwerk erlaubt, oder von einem anderen Typ.',
  ],
  ['This is {}. Only images can be downloaded.', 'Das ist <>. Nur Bilder lassen sich laden.'],
  [
    'This file type is not supported. Send JPEG, PNG, WebP, GIF, AVIF, MP4, MOV, WebM, MP3, M4A, WAV, OGG or PDF.',
    'Dieser Dateityp wird nicht unterstützt. Laden Sie JPEG, PNG, WebP, GIF, AVIF, MP4, MOV, WebM, MP3, M4A, WAV, OGG oder PDF hoch.',
  ],
  [
    'The file is {}, but its `Content-Type` says otherwise. Send the right type, or none.',
    'Die Datei ist {}, gesendet wurde sie als etwas anderes. Exportieren Sie sie neu.',
  ],
  [
    '{} can have up to {} MB. Make the file smaller, then upload it again.',
    '<> dürfen {} MB haben. Machen Sie die Datei kleiner und laden Sie sie erneut hoch.',
  ],
  [
    "It can't be read: it is damaged, cut short, or not what it seems.",
    'Sie ist nicht lesbar: beschädigt, unvollständig oder von anderer Art, als sie scheint.',
  ],
  [
    'The media storage refuses requests of this server. Nothing was changed. Ask the server operator to correct that, then try again.',
    'Der Medienspeicher lehnt Anfragen dieses Servers ab. Nichts wurde geändert. Bitten Sie den Betreiber des Servers, das zu beheben, und versuchen Sie es dann erneut.',
  ],
  [
    'The media storage is not answering properly right now. Nothing was changed. Try again later.',
    'Der Medienspeicher antwortet zurzeit nicht richtig. Nichts wurde geändert. Versuchen Sie es später erneut.',
  ],
  [
    'The file also holds {}. Export it again without extras.',
    'Die Datei enthält zusätzlich <>. Exportieren Sie sie neu, ohne Zusätze.',
  ],
  ['Its file format is not supported.', 'Dieses Dateiformat wird nicht unterstützt.'],
  ['Audio can have up to {} MB.', 'Ton darf {} MB haben.'],
  ['The file is empty.', 'Die Datei ist leer.'],
  // members
  ['Workspace not found.', 'Diesen Arbeitsbereich gibt es nicht.'],
  ['Make another member an owner first.', 'Machen Sie zuerst ein anderes Mitglied zum Inhaber.'],
  [
    'Make another member an owner first, then leave.',
    'Machen Sie zuerst ein anderes Mitglied zum Inhaber, und verlassen Sie dann den Arbeitsbereich.',
  ],
  ['Member not found in this workspace.', 'Dieses Mitglied gibt es in diesem Arbeitsbereich nicht.'],
  [
    'Only owners can add, change or remove owners. Ask one of them.',
    'Nur Inhaber können Inhaber ernennen, ändern oder entfernen. Fragen Sie einen von ihnen.',
  ],
  [
    `The time zone "{}" doesn't exist. Give an IANA name such as Europe/Vienna.`,
    'Die Zeitzone "{}" gibt es nicht. Geben Sie einen IANA-Namen wie Europe/Vienna an.',
  ],
  // operations
  // pages
  [
    'The name must have 1 to 100 characters in one line.',
    'Der Name muss 1 bis 100 Zeichen in einer Zeile haben.',
  ],
  [
    'This is not an email address such as ada@example.com. Before the @ it has ASCII characters only.',
    'Das ist keine E-Mail-Adresse wie ada@example.com. Vor dem @ sind nur ASCII-Zeichen erlaubt.',
  ],
  // platform
  ['This is not a complete URL.', 'Das ist keine vollständige Adresse.'],
  [
    'It must start with https://. Your server operator can allow this one with TRUSTED_ORIGINS.',
    'Die Adresse muss mit https:// beginnen. Der Serverbetrieb kann diese mit TRUSTED_ORIGINS erlauben.',
  ],
  ['It must start with https:// or http://.', 'Die Adresse muss mit https:// oder http:// beginnen.'],
  [
    'It must not contain a user name or password: they would be stored and shown in the clear.',
    'Die Adresse darf weder Namen noch Passwort enthalten: Beides würde offen gespeichert und angezeigt.',
  ],
  [
    'It must not have a fragment (#…): fragments are never sent.',
    'Die Adresse darf kein Fragment (#…) haben: Fragmente werden nie gesendet.',
  ],
  [
    "The port must be 443, or a port from 1024 that browsers don't block. Your server operator can allow this one with TRUSTED_ORIGINS.",
    'Der Port muss 443 sein, oder ab 1024 und von Browsern nicht gesperrt. Der Serverbetrieb kann diesen mit TRUSTED_ORIGINS erlauben.',
  ],
  [
    'The host must be a full public name, such as hooks.example.com. Your server operator can allow this one with TRUSTED_ORIGINS.',
    'Die Adresse braucht einen vollständigen öffentlichen Namen wie hooks.example.com. Der Serverbetrieb kann diese mit TRUSTED_ORIGINS erlauben.',
  ],
  [
    'The host has no public address. Your server operator can allow this one with TRUSTED_ORIGINS.',
    'Die Adresse ist nicht öffentlich. Der Serverbetrieb kann sie mit TRUSTED_ORIGINS erlauben.',
  ],
  ['It can have at most 2,048 characters.', 'Die Adresse darf höchstens 2.048 Zeichen haben.'],
  // timeline
  ['Post not found in this workspace.', 'Diesen Beitrag gibt es in diesem Arbeitsbereich nicht.'],
  // providers
  [
    'Bluesky shows either media or a link card, so this post gets no card.',
    'Bluesky zeigt entweder Medien oder eine Linkkarte: Dieser Beitrag bekommt keine Karte.',
  ],
  [
    'Leave the media out, or accept that there is no card.',
    'Lassen Sie die Medien weg, oder verzichten Sie auf die Karte.',
  ],
  [
    'This is not a handle. A handle looks like alice.bsky.social.',
    'Das ist kein Handle. Es sieht aus wie alice.bsky.social.',
  ],
  ["Handles can't be looked up right now.", 'Handles lassen sich zurzeit nicht nachschlagen.'],
  [
    'No account has the handle {}. Check its spelling.',
    'Das Handle {} gibt es nicht. Prüfen Sie die Schreibweise.',
  ],
  ['The document of the account {} cannot be read.', 'Das Dokument des Kontos {} ist nicht lesbar.'],
  [
    'The account that {} points to calls itself {}. Use that.',
    'Das Konto hinter {} nennt sich {}. Nehmen Sie das.',
  ],
  ["The server returned a session that can't be read.", 'Der Server hat eine unlesbare Sitzung geliefert.'],
  [
    "This is the account's own password, which also needs a code. Create an app password and use that.",
    'Das ist das Passwort des Kontos selbst, und es verlangt zusätzlich einen Code. Erstellen Sie ein App-Passwort und nehmen Sie das.',
  ],
  [
    'Bluesky does not accept this handle with this app password. Create a new one and copy all of it.',
    'Bluesky nimmt dieses Handle mit diesem App-Passwort nicht an. Erstellen Sie ein neues und kopieren Sie es vollständig.',
  ],
  [
    'Bluesky takes no more sign-ins for this account for a few minutes. Try again later.',
    'Bluesky nimmt für dieses Konto einige Minuten lang keine Anmeldung mehr an. Versuchen Sie es später erneut.',
  ],
  [
    'The server at this address is not a Bluesky server. Check the address.',
    'Dort antwortet kein Bluesky-Server. Prüfen Sie die Adresse.',
  ],
  [
    'The server answered the sign-in with status {}. Try again later.',
    'Der Server hat die Anmeldung mit Status {} beantwortet. Versuchen Sie es später erneut.',
  ],
  [
    'The account is deactivated. Activate it at Bluesky first.',
    'Das Konto ist deaktiviert. Aktivieren Sie es zuerst bei Bluesky.',
  ],
  [
    'Bluesky has suspended this account, so nothing can be published with it.',
    'Bluesky hat dieses Konto gesperrt: Damit lässt sich nichts veröffentlichen.',
  ],
  [
    'Bluesky sends people back only to https addresses and http://127.0.0.1, and not to {}. Your server operator can set BASE_URL. Until then, use an app password.',
    'Bluesky leitet nur an https-Adressen und an http://127.0.0.1 zurück, nicht an {}. Der Serverbetrieb kann BASE_URL setzen. Bis dahin geht ein App-Passwort.',
  ],
  [
    "The account's server takes no sign-in from this server{}. Its document has to be readable at {}. Until then, use an app password.",
    'Der Server des Kontos nimmt keine Anmeldung von diesem Server an{}. Sein Dokument muss unter {} lesbar sein. Bis dahin geht ein App-Passwort.',
  ],
  ['{} offers no sign-in for apps.', '{} bietet keine Anmeldung für Apps.'],
  ['{} does not say how to sign in.', '{} nennt keine Anmeldung.'],
  [
    'Another server answered the sign-in. Nothing was connected.',
    'Ein anderer Server hat die Anmeldung beantwortet. Nichts wurde verbunden.',
  ],
  [
    'Bluesky could not finish the sign-in. Try again.',
    'Bluesky konnte die Anmeldung nicht abschließen. Versuchen Sie es erneut.',
  ],
  [
    'Bluesky did not accept the sign-in. Create a new link and try again.',
    'Bluesky hat die Anmeldung nicht angenommen. Erstellen Sie einen neuen Link.',
  ],
  [
    'You signed in with another account than @{}. Nothing was connected.',
    'Sie haben sich mit einem anderen Konto als @{} angemeldet. Nichts wurde verbunden.',
  ],
  [
    'Not everything that publishing needs was allowed. Allow all of it.',
    'Nicht alles Nötige wurde erlaubt. Erlauben Sie es, sonst lässt sich nichts veröffentlichen.',
  ],
  [
    'The app password was deleted, or the session was unused for too long.',
    'Das App-Passwort wurde gelöscht, oder die Sitzung blieb zu lange unbenutzt.',
  ],
  [
    'The server answered the refresh with status {}.',
    'Der Server hat das Erneuern mit Status {} beantwortet.',
  ],
  [
    'The account withdrew the access, or it expired.',
    'Das Konto hat den Zugriff entzogen, oder er ist abgelaufen.',
  ],
  ['The server answered with status {}.', 'Der Server hat mit Status {} geantwortet.'],
  [
    "The file is larger than the account's server allows.",
    'Die Datei ist größer, als der Server des Kontos erlaubt.',
  ],
  ["The account's server does not accept this file.", 'Der Server des Kontos nimmt diese Datei nicht an.'],
  [
    'The post that this one replies to is no longer on Bluesky.',
    'Der Beitrag, auf den dieser antwortet, ist bei Bluesky nicht mehr da.',
  ],
  [
    "The post is larger than the account's server allows.",
    'Der Beitrag ist größer, als der Server des Kontos erlaubt.',
  ],
  [
    "The account's server refuses the post as invalid.",
    'Der Server des Kontos lehnt den Beitrag als ungültig ab.',
  ],
  [
    'The check of the record was answered with status {}.',
    'Die Prüfung des Eintrags wurde mit Status {} beantwortet.',
  ],
  [
    'Another record has the key of this post.',
    'Unter dem Schlüssel dieses Beitrags steht ein anderer Eintrag.',
  ],
  ['Bluesky has suspended this account.', 'Bluesky hat dieses Konto gesperrt.'],
  [
    'The account is deactivated on this server. Activate it, or reconnect the channel if the account has moved.',
    'Das Konto ist auf diesem Server deaktiviert. Aktivieren Sie es, oder verbinden Sie den Kanal neu, wenn das Konto umgezogen ist.',
  ],
  [
    'Bluesky does not allow posts with this sign-in. Reconnect the channel and allow everything it asks for.',
    'Bluesky lässt mit dieser Anmeldung nichts veröffentlichen. Verbinden Sie den Kanal neu und erlauben Sie alles, wonach gefragt wird.',
  ],
  ['The post has {} media items. {} allows {}.', 'Der Beitrag hat {} Dateien, {} erlaubt {}.'],
  [
    'The post has {} videos; {} allows {} in a part.',
    'Der Beitrag hat {} Videos, {} erlaubt je Beitrag oder Folgebeitrag {}.',
  ],
  [
    'The post has {} animations; {} allows {} in a part.',
    'Der Beitrag hat {} Animationen, {} erlaubt je Beitrag oder Folgebeitrag {}.',
  ],
  [
    'The files have {} together; {} allows {} in a part.',
    'Die Dateien haben zusammen {}, {} erlaubt je Beitrag oder Folgebeitrag {}.',
  ],
  [
    'Move some of them to a follow-up, or export them smaller.',
    'Verschieben Sie einige in einen Folgebeitrag, oder exportieren Sie sie kleiner.',
  ],
  [
    'Leave {} out, or move them to a follow-up.',
    'Lassen Sie {} weg, oder verschieben Sie sie in einen Folgebeitrag.',
  ],
  [
    'The post mixes {}, which {} does not take together.',
    'Der Beitrag mischt <>. {} erlaubt das nicht zusammen.',
  ],
  ['Put each kind into its own follow-up.', 'Verteilen Sie die Arten auf verschiedene Beiträge des Threads.'],
  ['{} takes no {}.', '{} erlaubt keine <>.'],
  [
    'Leave the media out for this channel, or give the channel its own content in `targets`.',
    'Lassen Sie die Medien für diesen Kanal weg, oder geben Sie ihm einen eigenen Inhalt.',
  ],
  [
    'Give the channel its own content in `targets`. It takes {}.',
    'Geben Sie dem Kanal einen eigenen Inhalt. Er erlaubt <>.',
  ],
  [
    'The image will be scaled or converted when it is published, never cropped: {}.',
    'Das Bild wird beim Veröffentlichen verkleinert oder umgewandelt, nie beschnitten: <>.',
  ],
  [
    "You don't need to do anything. To control how it looks, upload it in that size and type.",
    'Sie müssen nichts tun. Um das Aussehen selbst zu bestimmen, laden Sie es in dieser Größe und diesem Typ hoch.',
  ],
  [
    'The image is an animation. {} shows its first frame as a still.',
    'Das Bild ist eine Animation. {} zeigt ihr erstes Bild, unbewegt.',
  ],
  ['To keep it moving, upload it as a video.', 'Damit es sich bewegt, laden Sie es als Video hoch.'],
  [
    'Upload it as a video, or set `settings.stillImages` to publish the still.',
    'Laden Sie es als Video hoch, oder erlauben Sie für diesen Kanal ein unbewegtes Bild.',
  ],
  [
    '{} takes no alt texts: this one is left out there.',
    '{} nimmt keine Alternativtexte: Dieser fällt dort weg.',
  ],
  [
    "You don't need to do anything. If readers need it, say it in the text.",
    'Sie müssen nichts tun. Wenn Leser ihn brauchen, schreiben Sie ihn in den Text.',
  ],
  [
    'A post on X shows one animation, without other images.',
    'Ein Beitrag auf X zeigt eine Animation, ohne andere Bilder.',
  ],
  [
    'Keep the animation alone, or move it to a follow-up.',
    'Lassen Sie die Animation allein, oder verschieben Sie sie in einen Folgebeitrag.',
  ],
  ['Convert it, and upload the result.', 'Wandeln Sie die Datei um und laden Sie das Ergebnis hoch.'],
  [
    'Export it smaller, and upload the result.',
    'Exportieren Sie die Datei kleiner und laden Sie das Ergebnis hoch.',
  ],
  [
    'Export it in a lower resolution, and upload the result.',
    'Exportieren Sie sie mit geringerer Auflösung und laden Sie das Ergebnis hoch.',
  ],
  ['Cut it shorter, and upload the result.', 'Kürzen Sie die Datei und laden Sie das Ergebnis hoch.'],
  ['Upload a larger one.', 'Laden Sie eine größere Datei hoch.'],
  ['The {} has {}; {} allows {}.', '<> hat <>, <> erlaubt <>.'],
  ['The video codec is {}; {} allows {}.', 'Der Video-Codec ist {}, {} erlaubt {}.'],
  ['The audio codec is {}; {} allows {}.', 'Der Audio-Codec ist {}, {} erlaubt {}.'],
  [
    'Export it with another video codec, and upload the result.',
    'Exportieren Sie das Video mit einem anderen Video-Codec, und laden Sie das Ergebnis hoch.',
  ],
  [
    'Export it with another audio codec, and upload the result.',
    'Exportieren Sie die Datei mit einem anderen Audio-Codec, und laden Sie das Ergebnis hoch.',
  ],
  [
    'The video has {} frames per second; {} allows up to {}.',
    'Das Video hat {} Bilder pro Sekunde, {} erlaubt bis zu {}.',
  ],
  [
    'The video has {} frames per second; {} allows {} to {}.',
    'Das Video hat {} Bilder pro Sekunde, {} erlaubt {} bis {}.',
  ],
  ['The sound has {} channels; {} allows {}.', 'Der Ton hat {} Kanäle, {} erlaubt {}.'],
  [
    'The sound has a sample rate of {} Hz; {} allows {} Hz.',
    'Der Ton hat eine Abtastrate von {} Hz, {} erlaubt {} Hz.',
  ],
  [
    'Export it with another frame rate, and upload the result.',
    'Exportieren Sie das Video mit einer anderen Bildrate, und laden Sie das Ergebnis hoch.',
  ],
  [
    'Export it with stereo sound, and upload the result.',
    'Exportieren Sie die Datei mit Stereoton, und laden Sie das Ergebnis hoch.',
  ],
  [
    'Export it with a lower sample rate, and upload the result.',
    'Exportieren Sie die Datei mit einer niedrigeren Abtastrate, und laden Sie das Ergebnis hoch.',
  ],
  ['The alt text has {} characters; {} allows {}.', 'Der Alternativtext hat {} Zeichen, {} erlaubt {}.'],
  ['Shorten the alt text by {}.', 'Kürzen Sie den Alternativtext um {} Zeichen.'],
  [
    "The image has no alt text. People who can't see it won't know what it shows.",
    'Das Bild hat keinen Alternativtext. Wer es nicht sehen kann, erfährt nicht, was es zeigt.',
  ],
  ['Add an `altText`.', 'Fügen Sie einen Alternativtext hinzu.'],
  [
    'The post has {} bytes in UTF-8. {} allows {}, whatever the number of characters.',
    'Der Beitrag hat {} Byte in UTF-8, {} erlaubt {}, unabhängig von der Zahl der Zeichen.',
  ],
  [
    'Shorten it by {} bytes, or continue in a follow-up.',
    'Kürzen Sie den Text um {} Byte, oder schreiben Sie in einem Folgebeitrag weiter.',
  ],
  ['The post has {} {}; {} allows {}.', 'Der Beitrag hat {} <>, {} erlaubt {}.'],
  [
    'Shorten it by {}, or continue in a follow-up.',
    'Kürzen Sie ihn um {}, oder schreiben Sie in einem Folgebeitrag weiter.',
  ],
  ['Discord did not show the webhook.', 'Discord hat den Webhook nicht gezeigt.'],
  [
    'This is not a webhook address. It looks like https://discord.com/api/webhooks/ with a number and a token, and may end in ?thread_id= with the number of a thread.',
    'Das ist keine Adresse eines Webhooks. Sie beginnt mit https://discord.com/api/webhooks/, hat dann eine Zahl und ein Token, und am Ende manchmal ?thread_id= mit der Nummer eines Threads.',
  ],
  [
    'The address does not lead to an incoming Discord webhook. Copy it again.',
    'Unter dieser Adresse antwortet kein eingehender Discord-Webhook. Kopieren Sie die Adresse erneut.',
  ],
  [
    'Discord knows no such webhook: it was deleted, or the address is incomplete. Copy it again.',
    'Discord kennt diesen Webhook nicht: Er wurde gelöscht, oder die Adresse ist unvollständig. Kopieren Sie sie erneut.',
  ],
  [
    'Discord is not available right now. Try again later.',
    'Discord ist zurzeit nicht erreichbar. Versuchen Sie es später erneut.',
  ],
  ['Discord refuses the message as invalid.', 'Discord lehnt die Nachricht als ungültig ab.'],
  [
    'Discord does not let this webhook post here. Check the settings of the channel and the server.',
    'Discord lässt diesen Webhook hier nichts veröffentlichen. Prüfen Sie die Einstellungen des Kanals und des Servers.',
  ],
  [
    'The files of this post are larger than the server allows.',
    'Die Dateien dieses Beitrags sind größer, als der Server erlaubt.',
  ],
  ['Discord does not accept a file of this post.', 'Discord nimmt eine Datei dieses Beitrags nicht an.'],
  [
    'A filter of the Discord server blocks this message.',
    'Ein Filter des Discord-Servers blockiert diese Nachricht.',
  ],
  [
    'The webhook belongs to a forum or media channel, where messages need a thread. Reconnect with ?thread_id= and the number of a thread at the end of the address.',
    'Der Webhook gehört zu einem Forum- oder Medienkanal, in dem Nachrichten einen Thread brauchen. Verbinden Sie ihn neu, mit ?thread_id= und der Nummer eines Threads am Ende der Adresse.',
  ],
  [
    'Discord takes no message without text or files.',
    'Discord nimmt keine Nachricht ohne Text oder Dateien.',
  ],
  [
    'Discord refuses the message as invalid. It may be too long.',
    'Discord lehnt die Nachricht als ungültig ab, vielleicht ist sie zu lang.',
  ],
  [
    'Discord does not accept the name that this message is shown under. Choose another username.',
    'Discord nimmt den Namen nicht an, unter dem diese Nachricht erscheinen soll. Wählen Sie einen anderen Benutzernamen.',
  ],
  [
    'The Discord server is not accepting files right now.',
    'Der Discord-Server nimmt zurzeit keine Dateien an.',
  ],
  [
    'This Google account has no YouTube channel any more. Create one on YouTube, then retry.',
    'Dieses Google-Konto hat keinen YouTube-Kanal mehr. Erstellen Sie einen auf YouTube, und wiederholen Sie dann.',
  ],
  [
    'YouTube has closed or suspended this channel. Sign in to YouTube to see why.',
    'YouTube hat diesen Kanal geschlossen oder gesperrt. Melden Sie sich bei YouTube an, um den Grund zu sehen.',
  ],
  [
    "The YouTube Data API is not enabled for this server's app. Ask your server operator to enable it in the Google Cloud console, then retry.",
    'Die YouTube Data API ist für die App dieses Servers nicht aktiviert. Bitten Sie den Serverbetrieb, sie in der Google Cloud Console zu aktivieren, und wiederholen Sie dann.',
  ],
  [
    'YouTube does not let this channel do that. Sign in to YouTube to see why.',
    'YouTube erlaubt das diesem Kanal nicht. Melden Sie sich bei YouTube an, um den Grund zu sehen.',
  ],
  [
    'Google no longer accepts the refresh token: the access was ended, or it has expired.',
    'Google nimmt das Refresh-Token nicht mehr an: Der Zugriff wurde beendet oder ist abgelaufen.',
  ],
  ['YouTube shows no channel of this account.', 'YouTube zeigt zu diesem Konto keinen Kanal.'],
  ['YouTube answered with status {}.', 'YouTube hat mit Status {} geantwortet.'],
  [
    'This Google account has no YouTube channel. Create one on YouTube, or sign in with another account.',
    'Dieses Google-Konto hat keinen YouTube-Kanal. Erstellen Sie einen auf YouTube, oder melden Sie sich mit einem anderen Konto an.',
  ],
  [
    'YouTube does not let this app read the channel: it is suspended, or the app lacks the YouTube Data API. Sign in to YouTube to check.',
    'YouTube lässt diese App den Kanal nicht lesen: Er ist gesperrt, oder der App fehlt die YouTube Data API. Melden Sie sich bei YouTube an, um nachzusehen.',
  ],
  [
    'YouTube answered with status {} when asked for the channel. Try again later.',
    'YouTube hat auf die Frage nach dem Kanal mit Status {} geantwortet. Versuchen Sie es später noch einmal.',
  ],
  ['A post on YouTube needs a video.', 'Ein Beitrag auf YouTube braucht ein Video.'],
  [
    'The channel has no playlist with this `playlistId` that videos can be added to.',
    'Der Kanal hat die gewählte Playlist nicht, oder ihr lassen sich keine Videos hinzufügen.',
  ],
  [
    'YouTube refuses to add the video to this playlist.',
    'YouTube nimmt das Video nicht in diese Playlist auf.',
  ],
  ['YouTube refuses the details of the video.', 'YouTube lehnt die Angaben zum Video ab.'],
  ['YouTube refuses the title of the video.', 'YouTube lehnt den Titel des Videos ab.'],
  ['YouTube refuses the text of the video.', 'YouTube lehnt den Text des Videos ab.'],
  ['YouTube refuses the tags of the video.', 'YouTube lehnt die Tags des Videos ab.'],
  ['YouTube refuses the category of the video.', 'YouTube lehnt die Kategorie des Videos ab.'],
  [
    "YouTube keeps the video private, as it does for apps that Google hasn't audited. It is uploaded: make it public in YouTube Studio.",
    'YouTube lässt das Video privat, wie bei allen Apps, die Google nicht geprüft hat. Es ist hochgeladen: Machen Sie es in YouTube Studio öffentlich.',
  ],
  ['The video is no longer on YouTube.', 'Das Video ist nicht mehr auf YouTube.'],
  ['YouTube already has this video on the channel.', 'YouTube hat dieses Video auf dem Kanal schon.'],
  [
    'YouTube has rejected this video. YouTube Studio says why.',
    'YouTube hat dieses Video abgelehnt. YouTube Studio nennt den Grund.',
  ],
  ['YouTube could not process this video.', 'YouTube konnte dieses Video nicht verarbeiten.'],
  [
    'An image can be a thumbnail only if a video comes before it.',
    'Ein Bild kann nur Vorschaubild sein, wenn ein Video davor steht.',
  ],
  [
    "YouTube doesn't let this channel set thumbnails. Verify the channel's phone number on YouTube, or leave the image out.",
    'YouTube lässt diesen Kanal keine Vorschaubilder setzen. Bestätigen Sie auf YouTube die Telefonnummer des Kanals, oder lassen Sie das Bild weg.',
  ],
  ['YouTube does not accept this file.', 'YouTube nimmt diese Datei nicht an.'],
  [
    'A post on YouTube is one video, and may have one image after it as its thumbnail.',
    'Ein Beitrag auf YouTube ist ein Video, nach dem ein Bild als Vorschaubild stehen kann.',
  ],
  [
    'Give it one video as the first item of `mediaIds`, or leave this channel out.',
    'Stellen Sie ein Video an den Anfang, oder lassen Sie diesen Kanal weg.',
  ],
  ['The video has no title.', 'Das Video hat keinen Titel.'],
  [
    'Set `settings.title`, or write a text: its first line is the title.',
    'Schreiben Sie einen Text: Seine erste Zeile ist der Titel.',
  ],
  [
    'The first line of the text is the title. It has {} characters; YouTube allows {}.',
    'Die erste Zeile des Textes ist der Titel. Sie hat {} Zeichen, YouTube erlaubt {}.',
  ],
  ['Shorten the first line, or set `settings.title`.', 'Kürzen Sie die erste Zeile.'],
  [
    'YouTube takes no < or > in titles and descriptions.',
    'YouTube erlaubt in Titeln und Beschreibungen kein < und kein >.',
  ],
  ['Write the text without < and >.', 'Schreiben Sie den Text ohne < und >.'],
  [
    'The tags have {} characters in all; YouTube allows {}.',
    'Die Tags haben zusammen {} Zeichen, YouTube erlaubt {}.',
  ],
  ['Leave some of the tags out.', 'Lassen Sie einige Tags weg.'],
  [
    "YouTube keeps videos private that were uploaded by an app which Google hasn't audited.",
    'YouTube lässt Videos privat, die eine App hochgeladen hat, die Google nicht geprüft hat.',
  ],
  [
    "You don't need to do anything if your server's app has passed Google's audit. Otherwise, make the video public in YouTube Studio.",
    'Hat die App Ihres Servers die Prüfung von Google bestanden, müssen Sie nichts tun. Sonst machen Sie das Video in YouTube Studio öffentlich.',
  ],
  [
    "LinkedIn does not let this account post here: it is restricted, or its role on the page doesn't allow it. Sign in to LinkedIn to check, then reconnect the channel.",
    'LinkedIn lässt dieses Konto hier nichts veröffentlichen: Es ist eingeschränkt, oder seine Rolle auf der Seite reicht nicht. Melden Sie sich bei LinkedIn an, um nachzusehen, und verbinden Sie dann den Kanal neu.',
  ],
  [
    'LinkedIn has ended version {} of its API. Ask your server operator to upgrade Postrider, then retry.',
    'LinkedIn hat die Version {} seiner Schnittstelle beendet. Der Serverbetrieb muss Postrider aktualisieren. Wiederholen Sie danach.',
  ],
  [
    'LinkedIn no longer accepts the refresh token: it has expired or was revoked.',
    'LinkedIn nimmt das Token zum Erneuern nicht mehr an: Es ist abgelaufen oder widerrufen.',
  ],
  [
    'The access token has expired, and LinkedIn gives this app no refresh tokens.',
    'Das Zugriffstoken ist abgelaufen, und LinkedIn gibt dieser App keines zum Erneuern.',
  ],
  ['This server has no app at LinkedIn.', 'Für LinkedIn ist auf diesem Server keine App eingerichtet.'],
  ['LinkedIn answered with status {}.', 'LinkedIn hat mit Status {} geantwortet.'],
  [
    "This member can't manage a page with this number. Check the number, and ask an admin of the page to give the member a role.",
    'Dieses Mitglied darf keine Seite mit dieser Nummer verwalten. Prüfen Sie die Nummer, und lassen Sie ihm von einem Admin der Seite eine Rolle geben.',
  ],
  [
    'LinkedIn refuses this member: the account is restricted. Sign in to LinkedIn to check.',
    'LinkedIn lässt dieses Mitglied nicht zu: Das Konto ist eingeschränkt. Melden Sie sich bei LinkedIn an, um nachzusehen.',
  ],
  [
    'LinkedIn answered with status {} when asked for the account. Try again later.',
    'LinkedIn hat die Frage nach dem Konto mit Status {} beantwortet. Versuchen Sie es später erneut.',
  ],
  [
    'LinkedIn answered with status {} when asked for the pages of this member. Try again later.',
    'LinkedIn hat die Frage nach den Seiten dieses Mitglieds mit Status {} beantwortet. Versuchen Sie es später erneut.',
  ],
  [
    "LinkedIn doesn't let apps read a member's posts.",
    'LinkedIn lässt keine App die Beiträge eines Mitglieds lesen.',
  ],
  [
    'The database clock is ahead of the clock of LinkedIn.',
    'Die Uhr der Datenbank geht gegenüber LinkedIn vor.',
  ],
  ['The list of posts is not in order.', 'Die Liste der Beiträge ist nicht geordnet.'],
  [
    'LinkedIn already has a post with the same content from this account.',
    'LinkedIn hat von diesem Konto schon einen Beitrag mit demselben Inhalt.',
  ],
  ['The text is longer than LinkedIn allows.', 'Der Text ist länger, als LinkedIn erlaubt.'],
  ['LinkedIn refuses the post as invalid.', 'LinkedIn lehnt den Beitrag als ungültig ab.'],
  ['LinkedIn could not process this file.', 'LinkedIn konnte diese Datei nicht verarbeiten.'],
  ['LinkedIn does not accept this file.', 'LinkedIn nimmt diese Datei nicht an.'],
  [
    'The instance does not let this account post: it is suspended or limited, or the access token lacks a scope. Sign in to the instance to check, then reconnect the channel.',
    'Die Instanz lässt dieses Konto nichts veröffentlichen: Es ist gesperrt oder eingeschränkt, oder dem Zugriffstoken fehlt ein Recht. Melden Sie sich bei der Instanz an, um nachzusehen, und verbinden Sie dann den Kanal neu.',
  ],
  ['The instance answered with status {}.', 'Die Instanz hat mit Status {} geantwortet.'],
  [
    '{} is not available right now. Try again later.',
    '{} ist zurzeit nicht erreichbar. Versuchen Sie es später erneut.',
  ],
  [
    '{} is not a Mastodon instance. Check the address.',
    '{} ist keine Mastodon-Instanz. Prüfen Sie die Adresse.',
  ],
  [
    '{} answered with status {}. Try again later.',
    '{} hat mit Status {} geantwortet. Versuchen Sie es später erneut.',
  ],
  [
    'The instance does not accept this access token. Copy all of it, or create a new one.',
    'Die Instanz nimmt dieses Zugriffstoken nicht an. Kopieren Sie es vollständig, oder erstellen Sie ein neues.',
  ],
  [
    'The instance refuses this account: it is suspended, or its sign-up is not finished. Sign in to the instance to check.',
    'Die Instanz lässt dieses Konto nicht zu: Es ist gesperrt, oder seine Anmeldung ist nicht abgeschlossen. Melden Sie sich bei der Instanz an, um nachzusehen.',
  ],
  [
    '{} accepts no apps that return to {}. Use an access token made at the instance.',
    '{} nimmt keine Apps, die zu {} zurückkehren. Ein Zugriffstoken der Instanz geht.',
  ],
  [
    'With its content warning, the text is {} characters over the {} that Mastodon counts for both.',
    'Mit seiner Inhaltswarnung hat der Text {} Zeichen mehr als die {}, die Mastodon für beides zählt.',
  ],
  ['Shorten the text or the content warning.', 'Kürzen Sie den Text oder die Inhaltswarnung.'],
  ['The instance could not process this file.', 'Die Instanz konnte diese Datei nicht verarbeiten.'],
  [
    'The file or its alt text is larger than the instance allows.',
    'Die Datei oder ihr Alternativtext ist größer, als die Instanz erlaubt.',
  ],
  [
    'The instance does not accept this file or its alt text.',
    'Die Instanz nimmt diese Datei oder ihren Alternativtext nicht an.',
  ],
  [
    'The post before this one is no longer on the instance, so this one would not be a reply to it.',
    'Der vorige Beitrag des Threads ist nicht mehr auf der Instanz, dieser wäre also keine Antwort darauf.',
  ],
  ['The text is longer than the instance allows.', 'Der Text ist länger, als die Instanz erlaubt.'],
  ['The instance refuses the post as invalid.', 'Die Instanz lehnt den Beitrag als ungültig ab.'],
  ['The instance refuses the post. It says: “{}”', 'Die Instanz lehnt den Beitrag ab. Sie sagt: „{}“'],
  [
    'A post with the same words is there, with other media or as a reply to another post.',
    'Dort steht ein Beitrag mit denselben Worten, aber anderen Medien oder als Antwort auf einen anderen.',
  ],
  ['Too many posts have been made since the call.', 'Seit dem Aufruf gab es zu viele Beiträge.'],
  [
    'The list of posts does not reach back to before the call.',
    'Die Liste der Beiträge reicht nicht vor den Aufruf zurück.',
  ],
  [
    "The instance does not properly say which software it runs (NodeInfo), so it isn't known which posts its list shows.",
    'Die Instanz sagt nicht richtig, welche Software sie ist (NodeInfo). Deshalb ist nicht bekannt, welche Beiträge ihre Liste zeigt.',
  ],
  [
    "The list of posts can't be read to its end.",
    'Die Liste der Beiträge lässt sich nicht bis zum Ende lesen.',
  ],
  [
    "A post that was edited since then can't be compared.",
    'Ein Beitrag, der seither bearbeitet wurde, lässt sich nicht vergleichen.',
  ],
  [
    'A post is there that may be this one, with another text.',
    'Dort steht ein Beitrag, der dieser sein könnte, mit anderem Text.',
  ],
  [
    "A post from that time can't be compared: the instance doesn't say what was sent.",
    'Ein Beitrag dieser Zeit lässt sich nicht vergleichen: Die Instanz sagt nicht, was gesendet wurde.',
  ],
  [
    '{} did not grant everything that publishing needs. Connect again and allow everything it asks for.',
    '{} hat nicht alles erlaubt, was zum Veröffentlichen nötig ist. Verbinden Sie erneut und erlauben Sie alles, wonach gefragt wird.',
  ],
  [
    '{} answered the sign-in with status {}. Try again later.',
    '{} hat die Anmeldung mit Status {} beantwortet. Versuchen Sie es später erneut.',
  ],
  [
    "{} does not recognize this server's app by its client ID and secret. Ask your server operator to check {}.",
    '{} kennt die App dieses Servers mit ihrer Client-ID und ihrem Geheimnis nicht. Der Serverbetrieb muss {} prüfen.',
  ],
  [
    '{} did not accept the sign-in. Create a new link and connect again.',
    '{} hat die Anmeldung nicht angenommen. Erstellen Sie einen neuen Link und verbinden Sie erneut.',
  ],
  [
    '{} no longer offers a call that this post needs. Ask your server operator to upgrade Postrider, then retry.',
    '{} bietet einen Aufruf nicht mehr an, den dieser Beitrag braucht. Der Serverbetrieb muss Postrider aktualisieren. Wiederholen Sie danach.',
  ],
  ['{} answered the refresh with status {}.', '{} hat das Erneuern mit Status {} beantwortet.'],
  ['The sandbox network does not accept this file.', 'Das Sandbox-Netzwerk nimmt diese Datei nicht an.'],
  [
    'The answer with status {} has no form that the network documents.',
    'Die Antwort mit Status {} hat keine Form, die das Netzwerk beschreibt.',
  ],
  [
    'The sandbox network does not let this account post.',
    'Das Sandbox-Netzwerk lässt dieses Konto nichts veröffentlichen.',
  ],
  [
    'A refusal with status {} does not say that nothing was stored.',
    'Eine Ablehnung mit Status {} sagt nicht, dass nichts gespeichert wurde.',
  ],
  ['The sandbox network refuses this content.', 'Das Sandbox-Netzwerk lehnt diesen Inhalt ab.'],
  [
    'The sandbox network takes no post without text or media.',
    'Das Sandbox-Netzwerk nimmt keinen Beitrag ohne Text oder Medien.',
  ],
  [
    'The text is longer than the sandbox network allows this account.',
    'Der Text ist länger, als das Sandbox-Netzwerk diesem Konto erlaubt.',
  ],
  [
    'The sandbox network no longer has a file of this post.',
    'Das Sandbox-Netzwerk kennt eine Datei dieses Beitrags nicht mehr.',
  ],
  [
    'The text asks for a fault that the sandbox network does not know.',
    'Der Text verlangt einen Fehler, den das Sandbox-Netzwerk nicht kennt.',
  ],
  [
    'The post that this one replies to is no longer on the sandbox network.',
    'Der Beitrag, auf den dieser antwortet, ist nicht mehr im Sandbox-Netzwerk.',
  ],
  [
    'The sandbox network accepted the post but could not process it.',
    'Das Sandbox-Netzwerk hat den Beitrag angenommen und konnte ihn nicht verarbeiten.',
  ],
  [
    'The check of a post in processing was answered with status {}.',
    'Die Prüfung eines Beitrags in Arbeit wurde mit Status {} beantwortet.',
  ],
  [
    'The check of the account was answered with status {}.',
    'Die Prüfung des Kontos wurde mit Status {} beantwortet.',
  ],
  [
    'The database clock is ahead of the clock of the network.',
    'Die Uhr der Datenbank geht gegenüber dem Netzwerk vor.',
  ],
  [
    "The account's list contains a time that can't be read.",
    'Die Liste des Kontos enthält eine unlesbare Zeit.',
  ],
  [
    'This is not a server address. It looks like {}.',
    'Das ist keine Adresse eines Servers. Sie sieht aus wie {}.',
  ],
  [
    'This is neither a private key nor the address of a remote signer. A private key begins with nsec1 or has 64 hex digits; one that begins with npub1 is public. An address begins with bunker://.',
    'Das ist weder ein privater Schlüssel noch die Adresse eines Remote-Signers. Ein privater Schlüssel beginnt mit nsec1 oder hat 64 Hex-Ziffern; einer, der mit npub1 beginnt, ist der öffentliche. Eine Adresse beginnt mit bunker://.',
  ],
  [
    'This address of a remote signer is not complete. Copy all of it: it begins with bunker:// and names at least one relay.',
    'Diese Adresse eines Remote-Signers ist nicht vollständig. Kopieren Sie alles: Sie beginnt mit bunker:// und nennt mindestens ein Relay.',
  ],
  [
    'The remote signer did not answer. Check that it is running and connected to its relays, then try again.',
    'Der Remote-Signer hat nicht geantwortet. Prüfen Sie, ob er läuft und mit seinen Relays verbunden ist, und versuchen Sie es erneut.',
  ],
  [
    'The remote signer does not accept this address: it may have been used already. Create another one in the signer.',
    'Der Remote-Signer nimmt diese Adresse nicht an: Vielleicht wurde sie schon benutzt. Erstellen Sie dort eine neue.',
  ],
  [
    'The remote signer asks you to allow Postrider first, at {}. Then connect again.',
    'Der Remote-Signer möchte, dass Sie Postrider zuerst zulassen: {}. Verbinden Sie den Kanal danach erneut.',
  ],
  [
    'The remote signer asks you to allow Postrider first. Then connect again.',
    'Der Remote-Signer möchte, dass Sie Postrider zuerst zulassen. Verbinden Sie den Kanal danach erneut.',
  ],
  [
    'The remote signer did not sign this. Allow Postrider to sign notes and uploads there, then retry.',
    'Der Remote-Signer hat das nicht signiert. Erlauben Sie Postrider dort, Notizen und Uploads zu signieren, und wiederholen Sie den Beitrag.',
  ],
  [
    'The remote signer signed something other than it was asked to. Reconnect the channel with another signer.',
    'Der Remote-Signer hat etwas anderes signiert als verlangt. Verbinden Sie den Kanal neu, mit einem anderen Remote-Signer.',
  ],
  [
    'The remote signer of the account did not answer. Nothing was sent, and publishing resumes automatically once it does.',
    'Der Remote-Signer des Kontos hat nicht geantwortet. Nichts wurde gesendet. Sobald er antwortet, geht es automatisch weiter.',
  ],
  [
    'No relay has a list of the relays that this account writes to. Enter the relays to publish to.',
    'Kein Relay hat eine Liste der Relays, an die dieses Konto schreibt. Geben Sie die Relays an, auf denen veröffentlicht werden soll.',
  ],
  [
    '{} is not the address of a relay. It looks like wss://relay.example.com.',
    '{} ist nicht die Adresse eines Relays. Sie sieht aus wie wss://relay.example.com.',
  ],
  ['Name at most {} relays.', 'Geben Sie höchstens {} Relays an.'],
  [
    'No relay answered. Try again later, or enter other relays.',
    'Kein Relay hat geantwortet. Versuchen Sie es später erneut, oder geben Sie andere Relays an.',
  ],
  ['No relay answered.', 'Kein Relay hat geantwortet.'],
  [
    "On Nostr, the addresses of media are part of the text. With them, this post is up to {} characters over the {} that the account's relays take.",
    'Bei Nostr gehören die Adressen der Medien zum Text. Mit ihnen ist dieser Beitrag bis zu {} Zeichen länger als die {}, die die Relays des Kontos annehmen.',
  ],
  [
    'Shorten the text by {} characters, or move the media to a follow-up.',
    'Kürzen Sie den Text um {} Zeichen, oder verschieben Sie die Medien in einen Folgebeitrag.',
  ],
  ['The answer is not one that relays send.', 'Die Antwort ist keine, die Relays senden.'],
  [
    'No relay has confirmed the note, but one may still have it.',
    'Kein Relay hat den Beitrag bestätigt, vielleicht hat ihn aber eines.',
  ],
  [
    "The account's relays do not take notes of this account.",
    'Die Relays des Kontos nehmen keine Beiträge dieses Kontos an.',
  ],
  [
    "The account's relays do not let this account write: it may have to register or pay there.",
    'Die Relays des Kontos lassen dieses Konto nicht schreiben: Vielleicht muss es sich dort registrieren oder bezahlen.',
  ],
  [
    "The account's relays do not accept its sign-in.",
    'Die Relays des Kontos nehmen seine Anmeldung nicht an.',
  ],
  [
    "The account's relays refuse the note as invalid.",
    'Die Relays des Kontos lehnen den Beitrag als ungültig ab.',
  ],
  [
    "The account's relays require a proof of work for each note, which Postrider does not compute. Enter other relays.",
    'Die Relays des Kontos verlangen für jeden Beitrag einen Proof of Work, den Postrider nicht erstellt. Geben Sie andere Relays an.',
  ],
  [
    'Not all relays have said whether they have the note.',
    'Nicht alle Relays haben gesagt, ob sie den Beitrag haben.',
  ],
  [
    'The media server changes files. Enter another one, and reconnect the channel.',
    'Der Medienserver verändert Dateien. Geben Sie einen anderen an, und verbinden Sie den Kanal erneut.',
  ],
  [
    'The media server requires payment for this file.',
    'Der Medienserver verlangt für diese Datei eine Bezahlung.',
  ],
  ['The file is larger than the media server allows.', 'Die Datei ist größer, als der Medienserver erlaubt.'],
  [
    'The media server does not accept files of this type.',
    'Der Medienserver nimmt keine Dateien dieses Typs an.',
  ],
  [
    'The media server does not accept files of this account. Enter another server, and reconnect the channel.',
    'Der Medienserver nimmt keine Dateien dieses Kontos an. Geben Sie einen anderen Server an, und verbinden Sie den Kanal erneut.',
  ],
  [
    'This is not the address of a site. It looks like https://example.com.',
    'Das ist keine Adresse einer Website. Sie sieht aus wie https://example.com.',
  ],
  [
    "{} is not a WordPress site, or its REST API is off. Check the address, and the site's security plugins.",
    'Unter {} ist keine WordPress-Website, oder ihre REST-API ist abgeschaltet. Prüfen Sie die Adresse und die Sicherheits-Plugins der Website.',
  ],
  ['The site is at {}. Enter that address.', 'Die Website ist unter {}. Geben Sie diese Adresse ein.'],
  [
    'The site offers no application passwords: it needs HTTPS and WordPress 5.6 or newer, and a plugin can turn them off.',
    'Die Website bietet keine Anwendungspasswörter an: Sie braucht HTTPS und WordPress 5.6 oder neuer, und ein Plugin kann sie abschalten.',
  ],
  [
    'The site is not available right now. Try again later.',
    'Die Website ist zurzeit nicht erreichbar. Versuchen Sie es später erneut.',
  ],
  [
    "The site does not accept this user name and application password. Copy all of the password, or create a new one; the user's own password does not work.",
    'Die Website nimmt diesen Benutzernamen und dieses Anwendungspasswort nicht an. Kopieren Sie das Passwort vollständig, oder erstellen Sie ein neues; das eigene Passwort des Benutzers geht nicht.',
  ],
  [
    'This user cannot publish posts and upload files on the site. Give it the role Author or Editor.',
    'Dieser Benutzer darf auf der Website keine Beiträge veröffentlichen und keine Dateien hochladen. Geben Sie ihm die Rolle Autor oder Redakteur.',
  ],
  ['The site refuses the post as invalid.', 'Die Website lehnt den Beitrag als ungültig ab.'],
  [
    'Someone changed the status of the draft on the site.',
    'Jemand hat den Status des Entwurfs auf der Website geändert.',
  ],
  [
    'The check of the post was answered with status {}.',
    'Die Prüfung des Beitrags wurde mit dem Status {} beantwortet.',
  ],
  [
    'The site does not let this user do that. A post needs the role Author, and a new category the role Editor.',
    'Die Website lässt das diesem Benutzer nicht zu. Ein Beitrag braucht die Rolle Autor, eine neue Kategorie die Rolle Redakteur.',
  ],
  [
    'The site has no category of that name, and does not let this user add one.',
    'Die Website hat keine Kategorie dieses Namens und lässt diesen Benutzer keine anlegen.',
  ],
  [
    'The site has no tag of that name, and does not let this user add one.',
    'Die Website hat kein Schlagwort dieses Namens und lässt diesen Benutzer keines anlegen.',
  ],
  ['The file is larger than the site allows.', 'Die Datei ist größer, als die Website erlaubt.'],
  [
    'The site does not accept this file: its type, or its size.',
    'Die Website nimmt diese Datei nicht an: ihren Typ oder ihre Größe.',
  ],
  ['A post on WordPress needs a title.', 'Ein Beitrag bei WordPress braucht einen Titel.'],
  [
    'The first line of the text is the title on WordPress, and is {} characters over the {} of a title.',
    'Die erste Zeile des Texts ist bei WordPress der Titel, und {} Zeichen länger als die {} eines Titels.',
  ],
  ['Set `settings.title`, or begin with a shorter line.', 'Beginnen Sie mit einer kürzeren Zeile.'],
  [
    'This is neither the @name nor the number of a channel. For a private channel, copy the link of one of its posts.',
    'Das ist weder der @Name noch die Nummer eines Kanals. Bei einem privaten Kanal kopieren Sie den Link eines seiner Beiträge.',
  ],
  [
    '{} is not a Bot API server. Check the address.',
    'Unter {} antwortet kein Bot-API-Server. Prüfen Sie die Adresse.',
  ],
  [
    'The bot @{} cannot see this channel on Telegram. Check the name, and make the bot an administrator of the channel.',
    'Der Bot @{} sieht diesen Kanal auf Telegram nicht. Prüfen Sie den Namen, und machen Sie den Bot zum Administrator des Kanals.',
  ],
  [
    "The bot @{} can't post there. In the channel, open Administrators, add the bot, and allow it to post messages.",
    'Der Bot @{} darf dort nichts veröffentlichen. Öffnen Sie im Kanal die Administratoren, fügen Sie den Bot hinzu, und erlauben Sie ihm, Nachrichten zu senden.',
  ],
  [
    'Telegram does not accept this token. Copy all of it from @BotFather, or create a new one there.',
    'Telegram nimmt dieses Token nicht an. Kopieren Sie es vollständig von @BotFather, oder lassen Sie dort ein neues erstellen.',
  ],
  [
    'This is neither a channel nor a supergroup. Enter one of those.',
    'Das ist weder ein Kanal noch eine Supergruppe. Nennen Sie eines von beiden.',
  ],
  [
    'Telegram is not available right now. Try again later.',
    'Telegram ist zurzeit nicht erreichbar. Versuchen Sie es später erneut.',
  ],
  [
    'The files of this post are larger than Telegram allows.',
    'Die Dateien dieses Beitrags sind größer, als Telegram erlaubt.',
  ],
  [
    'Telegram does not accept the type, size or shape of a file of this post.',
    'Telegram nimmt eine Datei dieses Beitrags nicht an: ihren Typ, ihre Größe oder ihr Format.',
  ],
  [
    'The post before this one is no longer on Telegram, so this one would not be a reply to it.',
    'Der vorige Beitrag des Threads ist nicht mehr bei Telegram, dieser wäre also keine Antwort darauf.',
  ],
  ['The text is longer than Telegram allows.', 'Der Text ist länger, als Telegram erlaubt.'],
  [
    'Telegram takes no message without visible characters.',
    'Telegram nimmt keine Nachricht ohne sichtbare Zeichen.',
  ],
  ['Telegram refuses the message as invalid.', 'Telegram lehnt die Nachricht als ungültig ab.'],
  [
    "The bot can't post this here. Give it the right to post messages and media in the channel.",
    'Der Bot darf das hier nicht veröffentlichen. Geben Sie ihm im Kanal das Recht, Nachrichten und Medien zu senden.',
  ],
  [
    'With media, a Telegram post can have up to {} characters. This one has {}.',
    'Mit Medien hat ein Beitrag bei Telegram höchstens {} Zeichen, dieser hat {}.',
  ],
  [
    'Shorten it by {}, or move the media to a follow-up.',
    'Kürzen Sie ihn um {}, oder verschieben Sie die Medien in einen Folgebeitrag.',
  ],
  [
    'A post is there that may be this one, with another text, other media or another place.',
    'Dort steht ein Beitrag, der dieser sein könnte, mit anderem Text, anderen Medien oder an anderer Stelle.',
  ],
  [
    'The answer with status {} does not tell whether {}.',
    'Die Antwort mit Status {1} sagt nicht, ob der Beitrag gespeichert wurde.',
  ],
  [
    'The check of the posts was answered with status {}.',
    'Die Prüfung der Beiträge wurde mit Status {} beantwortet.',
  ],
  [
    'The app has no credits left at X. Ask your server operator to buy some in the X developer console, then retry.',
    'Die App hat bei X kein Guthaben mehr. Der Serverbetrieb muss es in der Entwicklerkonsole von X aufladen. Wiederholen Sie danach.',
  ],
  [
    'X has suspended or locked this account. Sign in to X to see why.',
    'X hat dieses Konto gesperrt. Melden Sie sich bei X an, um den Grund zu sehen.',
  ],
  [
    "X does not allow this server's app to do that. Ask your server operator to check its access level and permissions in the X developer console.",
    'X erlaubt der App dieses Servers das nicht. Der Serverbetrieb muss ihre Zugriffsstufe und Rechte in der Entwicklerkonsole von X prüfen.',
  ],
  [
    'X no longer accepts the refresh token: the access was ended.',
    'X nimmt das Token zum Erneuern nicht mehr an: Der Zugriff wurde beendet.',
  ],
  ['This server has no app at {}.', 'Für {} ist auf diesem Server keine App eingerichtet.'],
  ['X answered with status {}.', 'X hat mit Status {} geantwortet.'],
  [
    'X does not let this app read the account: it is suspended or locked, or the app lacks access to the API. Sign in to X to check.',
    'X lässt diese App das Konto nicht lesen: Es ist gesperrt, oder der App fehlt der Zugang zur Schnittstelle. Melden Sie sich bei X an, um nachzusehen.',
  ],
  [
    'X answered with status {} when asked for the account. Try again later.',
    'X hat die Frage nach dem Konto mit Status {} beantwortet. Versuchen Sie es später erneut.',
  ],
  ['The database clock is ahead of the clock of X.', 'Die Uhr der Datenbank geht gegenüber X vor.'],
  [
    'X already has a post with the same content from this account.',
    'X hat von diesem Konto schon einen Beitrag mit demselben Inhalt.',
  ],
  [
    'The post before this one is no longer on X, so this one would not be a reply to it.',
    'Der vorige Beitrag des Threads ist nicht mehr bei X, dieser wäre also keine Antwort darauf.',
  ],
  ['The text is longer than X allows this account.', 'Der Text ist länger, als X diesem Konto erlaubt.'],
  ['X refuses the post as invalid.', 'X lehnt den Beitrag als ungültig ab.'],
  [
    "X does not let this app reply here. X limits replies by apps. Your server operator can check the app's access level in the X developer console.",
    'X lässt diese App hier nicht antworten. X begrenzt Antworten von Apps. Der Serverbetrieb sieht die Zugriffsstufe der App in der Entwicklerkonsole von X.',
  ],
  [
    'X does not allow this post: its content, its reply settings or its community are not open to this account or app.',
    'X erlaubt diesem Konto oder dieser App diesen Beitrag nicht: seinen Inhalt, seine Antworteinstellungen oder seine Community.',
  ],
  ['X could not process this file.', 'X konnte diese Datei nicht verarbeiten.'],
  ['X does not accept this file or its alt text.', 'X nimmt diese Datei oder ihren Alternativtext nicht an.'],
  [
    "{} fetches media from this server, but {} can't be reached from the internet.",
    '{} holt Medien von diesem Server ab, aber {} ist aus dem Internet nicht erreichbar.',
  ],
  [
    "{} fetches media from this server, but {} doesn't use https.",
    '{} holt Medien von diesem Server ab, aber {} verwendet kein https.',
  ],
  [
    'Publish without media, or ask your server operator to set BASE_URL to a public address with https.',
    'Veröffentlichen Sie ohne Medien, oder bitten Sie den Serverbetrieb, BASE_URL auf eine öffentliche Adresse mit https zu setzen.',
  ],
  [
    'Threads does not let this app do that: a permission was taken away, or the profile is restricted. Reconnect the channel and allow everything.',
    'Threads erlaubt dieser App das nicht: Eine Berechtigung wurde entzogen, oder das Profil ist eingeschränkt. Verbinden Sie den Kanal neu, und erlauben Sie alles.',
  ],
  [
    'Threads did not grant everything that publishing needs: {} is missing. Connect again and allow everything it asks for.',
    'Threads hat nicht alles erlaubt, was das Veröffentlichen braucht: {} fehlt. Verbinden Sie erneut, und erlauben Sie alles, worum gebeten wird.',
  ],
  ['This server has no app at Threads.', 'Dieser Server hat keine App bei Threads.'],
  [
    'Threads no longer accepts the access token: the access was ended.',
    'Threads nimmt das Zugriffstoken nicht mehr an: Der Zugriff wurde beendet.',
  ],
  [
    'Threads answered the refresh with status {}.',
    'Threads hat die Erneuerung mit dem Status {} beantwortet.',
  ],
  ['Threads answered with status {}.', 'Threads hat mit dem Status {} geantwortet.'],
  [
    "Threads does not recognize this server's app by its client ID and secret. Ask your server operator to check THREADS_CLIENT_ID and THREADS_CLIENT_SECRET.",
    'Threads erkennt die App dieses Servers nicht an ihrer Client-ID und ihrem Geheimnis. Bitten Sie den Serverbetrieb, THREADS_CLIENT_ID und THREADS_CLIENT_SECRET zu prüfen.',
  ],
  [
    'Threads did not accept the sign-in. Create a new link and connect again.',
    'Threads hat die Anmeldung nicht angenommen. Erstellen Sie einen neuen Link, und verbinden Sie erneut.',
  ],
  [
    'Threads did not grant everything that publishing needs: threads_basic is missing. Connect again and allow everything it asks for.',
    'Threads hat nicht alles erlaubt, was das Veröffentlichen braucht: threads_basic fehlt. Verbinden Sie erneut, und erlauben Sie alles, worum gebeten wird.',
  ],
  [
    'Threads answered with status {}. Try again later.',
    'Threads hat mit dem Status {} geantwortet. Versuchen Sie es später erneut.',
  ],
  [
    'The database clock is ahead of the clock of Threads.',
    'Die Uhr der Datenbank geht gegenüber Threads vor.',
  ],
  [
    'Threads says that the post is published but does not list it yet.',
    'Threads meldet den Beitrag als veröffentlicht, führt ihn aber noch nicht auf.',
  ],
  ['Threads could not process the post.', 'Threads konnte den Beitrag nicht verarbeiten.'],
  [
    "Threads can't process the file ({}). Export it as its guidelines say, and upload the result.",
    'Threads kann die Datei nicht verarbeiten ({}). Exportieren Sie sie nach den Vorgaben von Threads, und laden Sie das Ergebnis hoch.',
  ],
  [
    'The post that this one replies to is not on Threads any more.',
    'Der Beitrag, auf den dieser antwortet, ist nicht mehr bei Threads.',
  ],
  ['Threads refuses the post as it is.', 'Threads lehnt den Beitrag so ab.'],
  ['The post has {} links; Threads allows {}.', 'Der Beitrag hat {} Links, Threads erlaubt {}.'],
  [
    'Threads shows the preview of `link` only if the post has no media.',
    'Threads zeigt die Link-Vorschau nur, wenn der Beitrag keine Medien hat.',
  ],
  [
    'Leave `link` out, or publish without media.',
    'Lassen Sie die Link-Vorschau weg, oder veröffentlichen Sie ohne Medien.',
  ],
  // publication
  [
    'Reconnect the channel. Publishing then resumes automatically.',
    'Der Kanal muss neu verbunden werden. Danach geht es automatisch weiter.',
  ],
  [
    'The network is processing the post. Asking for the result failed with an internal error and is retried automatically. The server log has the cause.',
    'Das Netzwerk verarbeitet den Beitrag. Die Frage nach dem Ergebnis ist an einem internen Fehler gescheitert und wird automatisch wiederholt. Die Ursache steht im Serverprotokoll.',
  ],
  [
    'The network is not enabled on this server. Publishing resumes automatically once it is.',
    'Das Netzwerk ist auf diesem Server nicht aktiviert. Sobald es aktiviert ist, geht es automatisch weiter.',
  ],
  [
    "The network no longer accepts the channel's access. Reconnect the channel. Publishing then resumes automatically.",
    'Das Netzwerk akzeptiert den Zugriff des Kanals nicht mehr. Verbinden Sie den Kanal neu. Danach geht es automatisch weiter.',
  ],
  [
    "The network did not confirm the post, and checking it failed with an internal error. The check is retried automatically. The post may be live, so don't publish it again.",
    'Das Netzwerk hat den Beitrag nicht bestätigt, und die Prüfung ist an einem internen Fehler gescheitert. Sie wird automatisch wiederholt. Der Beitrag ist möglicherweise schon sichtbar, bitte nicht erneut veröffentlichen.',
  ],
  [
    "The network did not confirm the post. It may be live, so don't publish it again.",
    'Das Netzwerk hat den Beitrag nicht bestätigt. Er ist möglicherweise schon sichtbar, bitte nicht erneut veröffentlichen.',
  ],
  ['{} takes no media of this kind.', '{} nimmt keine Medien dieser Art.'],
  [
    'The post changed after you looked and is being checked again. Look again.',
    'Der Beitrag hat sich seither geändert und wird wieder geprüft. Sehen Sie erneut nach.',
  ],
  [
    'Another post of this channel is published under this ID. Look for the ID of this one.',
    'Ein anderer Beitrag dieses Kanals ist unter dieser ID veröffentlicht. Suchen Sie die ID dieses Beitrags.',
  ],
  [
    'Only a post that is `checking` can be resolved.',
    'Nur ein Beitrag im Status „Wird geprüft“ lässt sich klären.',
  ],
  [
    "This address doesn't contain the post's ID on the network. Give the ID.",
    'Diese Adresse verrät nicht die ID, die der Beitrag im Netzwerk hat. Geben Sie diese an.',
  ],
  [
    'The call may still arrive, so its absence counts only in {} seconds. Look again then.',
    'Der Aufruf kann noch ankommen. Dass der Beitrag fehlt, zählt erst in {} Sekunden. Sehen Sie dann erneut nach.',
  ],
  [
    'A person checked the network and found that it was not published.',
    'Eine Person hat im Netzwerk nachgesehen: Der Beitrag wurde nicht veröffentlicht.',
  ],
  [
    '{} It was never approved, so a retry requests approval where needed.',
    '<> Er wurde nie freigegeben. Eine Wiederholung fragt um Freigabe an, wo sie nötig ist.',
  ],
  ['The list that was read is not known to show {}.', 'Die gelesene Liste zeigt nicht sicher {}.'],
  [
    'The network answered with HTTP {}, and a check showed that the post was not published.',
    'Das Netzwerk hat mit HTTP {} geantwortet, und eine Prüfung ergab: nicht veröffentlicht.',
  ],
  [
    'Comparing everything there would take too many calls.',
    'Um alles dort zu vergleichen, wären zu viele Anfragen nötig.',
  ],
  ['{} takes no media.', '{} nimmt keine Medien.'],
  // queue
  [
    'Restored from a backup: the previous server may have published it since. Look on the network, then resolve it.',
    'Aus einer Sicherung wiederhergestellt: Der frühere Server hat den Beitrag seither möglicherweise veröffentlicht. Sehen Sie nach und klären Sie ihn.',
  ],
  [
    "This server can't decrypt the channel's access. Nothing was sent, and it retries automatically. `postrider doctor` says which key is missing.",
    'Dieser Server kann den Zugriff des Kanals nicht entschlüsseln. Nichts wurde gesendet. Er versucht es automatisch erneut. Welcher Schlüssel fehlt, findet der Serverbetrieb heraus (`postrider doctor`).',
  ],
  [
    "The network's rate limit for the account is reached. Publishing resumes automatically.",
    'Das Anfragelimit des Netzwerks für dieses Konto ist erreicht. Es geht automatisch weiter.',
  ],
  [
    'The network is not available. Publishing resumes automatically.',
    'Das Netzwerk ist nicht erreichbar. Es geht automatisch weiter.',
  ],
  [
    "A media file of the post can't be read right now. Nothing was sent. If it is lost, upload the same file again, and publishing resumes automatically.",
    'Eine Datei des Beitrags ist zurzeit nicht lesbar. Nichts wurde gesendet. Ist sie verloren, laden Sie dieselbe Datei erneut hoch, dann geht es automatisch weiter.',
  ],
  [
    'The network could not be reached. Nothing was sent, and publishing resumes automatically.',
    'Das Netzwerk war nicht zu erreichen. Nichts wurde gesendet. Es geht automatisch weiter.',
  ],
  [
    'This server could not record the attempt in time, so nothing was sent. Publishing resumes automatically. `/readyz` shows whether the database is away or slow.',
    'Dieser Server konnte den Versuch nicht rechtzeitig festhalten und hat deshalb nichts gesendet. Es geht automatisch weiter.',
  ],
  [
    "The network's address is private or not https, and this server calls no such address. Nothing was sent. Your server operator can allow it with TRUSTED_ORIGINS; publishing then resumes automatically.",
    'Die Adresse des Netzwerks ist privat oder nicht https, solche ruft dieser Server nicht auf. Nichts wurde gesendet. Der Serverbetrieb kann sie mit TRUSTED_ORIGINS erlauben, dann geht es automatisch weiter.',
  ],
  [
    'The access to the account had to be renewed. Nothing is published yet, and publishing resumes automatically.',
    'Der Zugriff auf das Konto musste erneuert werden. Nichts wurde bisher veröffentlicht. Es geht automatisch weiter.',
  ],
  [
    'Internal error. Nothing was sent, and the server retries automatically. Its log has the cause.',
    'Interner Fehler. Nichts wurde gesendet. Der Server versucht es automatisch erneut, die Ursache steht in seinem Protokoll.',
  ],
  // remove-channel-route
  [
    'A post is being published there, or its result is not known yet. Wait or resolve it, then remove the channel.',
    'Dort wird gerade ein Beitrag veröffentlicht, oder sein Ergebnis ist noch unbekannt. Warten Sie, oder klären Sie ihn. Entfernen Sie dann den Kanal.',
  ],
  // reviews
  [
    'Approval request not found in this workspace.',
    'Diese Freigabeanfrage gibt es in diesem Arbeitsbereich nicht.',
  ],
  ['This post was cancelled or has expired.', 'Dieser Beitrag wurde abgebrochen oder ist abgelaufen.'],
  [
    'This request is closed: it was decided, replaced or has expired.',
    'Diese Anfrage ist erledigt: entschieden, ersetzt oder abgelaufen.',
  ],
  [
    'This post changed after the request. Editing it creates a new request.',
    'Dieser Beitrag wurde nach der Anfrage geändert. Eine Bearbeitung erstellt eine neue Anfrage.',
  ],
  [
    'This post changed after you opened it. Review it again.',
    'Dieser Beitrag wurde geändert, nachdem Sie ihn geöffnet haben. Prüfen Sie ihn erneut.',
  ],
  [
    'This request has no decision to undo.',
    'Diese Anfrage hat keine Entscheidung, die sich zurücknehmen lässt.',
  ],
  ['There is a newer request for this post.', 'Für diesen Beitrag gibt es eine neuere Anfrage.'],
  ['The time to decide about this request is over.', 'Die Zeit für eine Entscheidung ist vorbei.'],
  ['The post was changed after the decision.', 'Der Beitrag wurde nach der Entscheidung geändert.'],
  ['Publishing has started.', 'Die Veröffentlichung hat begonnen.'],
  ['The post is no longer scheduled on any channel.', 'Nichts an diesem Beitrag ist noch geplant.'],
  // sandbox
  [
    'Sandbox channel not found in this workspace.',
    'Diesen Sandbox-Kanal gibt es in diesem Arbeitsbereich nicht.',
  ],
  [
    'This server runs no sandbox network. It was started with SANDBOX=off.',
    'Auf diesem Server läuft kein Sandbox-Netzwerk: Er wurde mit SANDBOX=off gestartet.',
  ],
  // sign-in
  ['Ask {} for another one.', 'Bitten Sie {} um einen neuen.'],
  [
    'This invitation was withdrawn. Ask the member who sent it to you.',
    'Diese Einladung wurde zurückgezogen. Fragen Sie das Mitglied, das sie Ihnen gesendet hat.',
  ],
  [
    'This invitation is for {}, and you are signed in as {}. Sign out, and open the link again.',
    'Diese Einladung ist für {}, angemeldet sind Sie als {}. Melden Sie sich ab und öffnen Sie den Link erneut.',
  ],
  [
    'You are already a member of this workspace. There is nothing to accept.',
    'Sie sind schon Mitglied dieses Arbeitsbereichs.',
  ],
  [
    'An authenticator app is set up. Remove it before you set up another one.',
    'Eine Authenticator-App ist eingerichtet. Entfernen Sie sie, bevor Sie eine andere einrichten.',
  ],
  [
    'Recovery codes replace an authenticator app. Set one up first.',
    'Wiederherstellungscodes ersetzen eine Authenticator-App. Richten Sie zuerst eine ein.',
  ],
  ['Change the address in your account again.', 'Ändern Sie die Adresse in Ihrem Konto erneut.'],
  [
    'Sign in to the account with {} in this browser, then open the link again.',
    'Melden Sie sich in diesem Browser am Konto mit {} an und öffnen Sie den Link erneut.',
  ],
  [
    'Open the page from its own address, {}, and try again.',
    'Öffnen Sie die Seite unter ihrer eigenen Adresse, {}, und versuchen Sie es erneut.',
  ],
  [
    '{} did not sign you in, or you cancelled. Start over.',
    '{} hat Sie nicht angemeldet, oder Sie haben abgebrochen. Beginnen Sie neu.',
  ],
  [
    '{} does not recognize this server. Ask your server operator to check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.',
    '{} kennt diesen Server nicht. Der Serverbetrieb muss OIDC_CLIENT_ID und OIDC_CLIENT_SECRET prüfen.',
  ],
  [
    '{} is not answering properly. Try again in a minute, or sign in another way.',
    '{} antwortet nicht richtig. Versuchen Sie es in einer Minute erneut, oder melden Sie sich anders an.',
  ],
  [
    "The answer from {} doesn't belong to a sign-in that began in this browser, or did not come from {}. Start over.",
    'Die Antwort von {1} gehört nicht zu einer Anmeldung, die in diesem Browser begann, oder kam nicht von {2}. Beginnen Sie neu.',
  ],
  [
    'You have {} passkeys. Remove one that you do not use.',
    'Sie haben {} Passkeys. Entfernen Sie einen, den Sie nicht benutzen.',
  ],
  ['This passkey is already registered.', 'Dieser Passkey ist schon eingerichtet.'],
  [
    'This is your only way to sign in. Set a password first.',
    'Das ist Ihre einzige Anmeldung. Legen Sie zuerst ein Passwort fest.',
  ],
  [
    'This passkey seems to be a copy: it was used more often than it says. Sign in with your password, and remove it.',
    'Dieser Passkey scheint eine Kopie zu sein: Er wurde öfter benutzt, als er angibt. Melden Sie sich mit Ihrem Passwort an und entfernen Sie ihn.',
  ],
  [
    'Passkeys need HTTPS or localhost, and a host name. Ask your server operator to set BASE_URL to one.',
    'Passkeys brauchen HTTPS oder localhost, und einen Namen statt einer IP-Adresse. Bitten Sie den Serverbetrieb, BASE_URL entsprechend zu setzen.',
  ],
  [
    'The passkey was not accepted. Try again, or sign in with your password.',
    'Der Passkey wurde nicht angenommen. Versuchen Sie es erneut, oder melden Sie sich mit Ihrem Passwort an.',
  ],
  ["You don't have this passkey.", 'Diesen Passkey haben Sie nicht.'],
  ['The password must have at least {} characters.', 'Das Passwort muss mindestens {} Zeichen haben.'],
  ['The password must have at most {} characters.', 'Das Passwort darf höchstens {} Zeichen haben.'],
  [
    'The password is easily guessed. Use several words that do not belong together.',
    'Das Passwort ist leicht zu erraten. Nehmen Sie mehrere Wörter, die nicht zusammengehören.',
  ],
  ['The password repeats too few characters.', 'Das Passwort wiederholt zu wenige verschiedene Zeichen.'],
  ['The password must not be the email address.', 'Das Passwort darf nicht die E-Mail-Adresse sein.'],
  [
    'Your role here is {}, which lacks `{}`. Ask an owner for another role.',
    'Ihre Rolle hier (<>) erlaubt das nicht. Bitten Sie einen Inhaber um eine andere.',
  ],
  [
    'Too many requests. Wait {} second{}, then retry.',
    'Zu viele Anfragen. Warten Sie {1} Sekunden und versuchen Sie es erneut.',
  ],
  [
    'Your address is confirmed for the first time, so everything added to the account before was removed: {}. Set up again what is yours.',
    'Ihre Adresse wurde zum ersten Mal bestätigt. Was dem Konto vorher hinzugefügt wurde, ist entfernt: {}. Richten Sie neu ein, was Ihres ist.',
  ],
  [
    'Everything that acted in its name was revoked, and what it had scheduled was cancelled: {}. Create or connect again what is yours.',
    'Was im Namen des Kontos handelte, ist widerrufen, und was es geplant hatte, ist abgebrochen: {}. Erstellen oder verbinden Sie neu, was Ihres ist.',
  ],
  [
    '{} that the account had before still work in its workspaces. Revoke those that are not yours.',
    '{} aus der Zeit davor gelten in den Arbeitsbereichen weiter. Widerrufen Sie, was nicht Ihres ist.',
  ],
  ['Request a new one.', 'Fordern Sie einen neuen an.'],
  ['You have no such session.', 'Diese Sitzung haben Sie nicht.'],
  [
    'Only people who own a workspace can create others. Ask one of them.',
    'Nur Inhaber eines Arbeitsbereichs können weitere erstellen. Fragen Sie einen von ihnen.',
  ],
  [
    'Only owners can invite owners. Ask one of them.',
    'Nur Inhaber können Inhaber einladen. Fragen Sie einen von ihnen.',
  ],
  [
    'A person with this email address is already a member.',
    'Eine Person mit dieser E-Mail-Adresse ist schon Mitglied.',
  ],
  ['No open invitation with this ID was found in this workspace.', 'Diese Einladung ist nicht mehr offen.'],
  [
    'This server sends no mail. Share the link yourself (`"deliverBy": "link"`).',
    'Dieser Server sendet keine E-Mails. Senden Sie den Link selbst.',
  ],
  [
    'Create a new one with `postrider owner link` on the server.',
    'Erstellen Sie auf dem Server mit `postrider owner link` einen neuen.',
  ],
  [
    'This link is incomplete or invalid. Ask for a new one.',
    'Dieser Link ist unvollständig oder ungültig. Bitten Sie um einen neuen.',
  ],
  ['This link was already used. It works only once.', 'Dieser Link wurde schon benutzt. Er gilt nur einmal.'],
  [
    'An account with this email address already exists. Use another address, or sign in with it.',
    'Mit dieser E-Mail-Adresse gibt es schon ein Konto. Nehmen Sie eine andere, oder melden Sie sich damit an.',
  ],
  [
    'This workspace already has an owner. Sign in instead.',
    'Dieser Arbeitsbereich hat schon einen Inhaber. Melden Sie sich an.',
  ],
  [
    '{} has not been invited to this server. Ask for an invitation to this address, then sign in again.',
    '{} wurde nicht auf diesen Server eingeladen. Bitten Sie um eine Einladung an diese Adresse, und melden Sie sich dann erneut an.',
  ],
  [
    'This account of {} belongs to another account here. Sign in with it instead.',
    'Dieses Konto von {} gehört zu einem anderen Konto hier. Melden Sie sich damit an.',
  ],
  [
    'This is your only way to sign in. Set a password or add a passkey first.',
    'Das ist Ihre einzige Anmeldung. Legen Sie zuerst ein Passwort fest, oder fügen Sie einen Passkey hinzu.',
  ],
  [
    '{} does not say that it has verified your email address, which is needed the first time. Verify it there, or sign in another way and connect the two in your account.',
    '{} hat Ihre E-Mail-Adresse noch nicht bestätigt, das ist beim ersten Mal nötig. Bestätigen Sie sie dort, oder melden Sie sich anders an und verbinden Sie beide in Ihrem Konto.',
  ],
  [
    '{} gives an email address for you that this server does not accept. It must look like ada@example.com, with only ASCII characters before the @. Change it there, then sign in again.',
    '{} nennt für Sie eine E-Mail-Adresse, die dieser Server nicht annimmt. Sie muss aussehen wie ada@example.com, vor dem @ nur mit ASCII-Zeichen. Ändern Sie sie dort, und melden Sie sich erneut an.',
  ],
  [
    "An account with {} already exists here, but its address was never confirmed. If it is yours, sign in {}, and connect it with {} in your account.{} If it isn't, tell your server operator.",
    'Ein Konto mit {1} gibt es hier schon, seine Adresse wurde nie bestätigt. Wenn es Ihres ist, melden Sie sich auf andere Weise an und verbinden Sie es in Ihrem Konto mit {3}. Wenn nicht, wenden Sie sich an den Serverbetrieb.',
  ],
  [
    'Too many tries. Wait {} minute{}, then try again.',
    'Zu viele Versuche. Warten Sie {1} Minuten und versuchen Sie es erneut.',
  ],
  ['Wrong email or password.', 'E-Mail oder Passwort ist falsch.'],
  [
    'This server was restored from a backup. Your account is suspended until your server operator confirms it (`postrider access confirm`).',
    'Dieser Server wurde aus einer Sicherung wiederhergestellt. Ihr Konto ist gesperrt, bis der Serverbetrieb es bestätigt (`postrider access confirm`).',
  ],
  [
    'The code is wrong or was already used. Wait for the next one in your app, or use a recovery code.',
    'Der Code ist falsch oder schon benutzt. Warten Sie auf den nächsten Ihrer App, oder nehmen Sie einen Wiederherstellungscode.',
  ],
  ['This sign-in expired. Start over.', 'Diese Anmeldung ist abgelaufen. Beginnen Sie neu.'],
  ['Confirm your identity, then try again.', 'Bestätigen Sie Ihre Identität und versuchen Sie es erneut.'],
  // destinations that are due
  [
    'Waits behind 1 post on this channel, which publishes one at a time.',
    'Wartet auf 1 Beitrag, der auf diesem Kanal vorher veröffentlicht wird.',
  ],
  [
    'Waits behind {} posts on this channel, which publishes one at a time.',
    'Wartet auf {} Beiträge, die auf diesem Kanal nacheinander vorher veröffentlicht werden.',
  ],
  [
    'Waits behind more than {} posts on this channel, which publishes one at a time.',
    'Wartet auf mehr als {} Beiträge, die auf diesem Kanal nacheinander vorher veröffentlicht werden.',
  ],
  // series
  [
    'Waits until it is known whether the previous occurrence was published on this channel.',
    'Wartet, bis feststeht, ob der vorherige Beitrag der Serie auf diesem Kanal veröffentlicht wurde.',
  ],
  [
    'Waits until the channel is reconnected and the previous occurrence is published.',
    'Wartet, bis der Kanal neu verbunden und der vorherige Beitrag der Serie veröffentlicht ist.',
  ],
  [
    '{} refuses a text that the account published recently, and this series publishes it {} times.',
    '{} lehnt einen Text ab, den das Konto vor Kurzem veröffentlicht hat, und diese Serie veröffentlicht ihn {} Mal.',
  ],
  [
    'Add more `contents`, so that each is repeated later, or plan fewer occurrences.',
    'Fügen Sie weitere Texte hinzu, damit sich jeder später wiederholt, oder planen Sie weniger Termine.',
  ],
  [
    '`{}` is not allowed with `contents`: each of them has its own.',
    'Jeder Inhalt hat das für sich: Lassen Sie es bei der Serie weg.',
  ],
  [
    '`timeZone` must be the IANA name of a time zone, such as `Europe/Berlin`; `{}` is none.',
    'Die Zeitzone braucht einen IANA-Namen wie Europe/Berlin. `{}` ist keiner.',
  ],
  [
    '`local` is not a date-time that exists, to the millisecond at most, such as `2026-12-01T09:00`.',
    'Der Beginn ist kein Datum mit Uhrzeit, das es gibt.',
  ],
  ['`{}` is not a day that exists.', 'Den Tag `{}` gibt es nicht.'],
  [
    'The rule has no occurrence on {}. Leave the day out of `except`.',
    'Die Regel hat am {} keinen Termin. Nehmen Sie den Tag aus den Ausnahmen.',
  ],
  [
    'On {}, {} in {} {}. Choose another time of day, or put the day into `except`.',
    'Am {} gilt für {} Uhr in {}: <>. Wählen Sie eine andere Uhrzeit, oder nehmen Sie den Tag aus.',
  ],
  [
    'All occurrences of the rule are in the past. Change the rule, or `startsAt`.',
    'Alle Termine der Regel sind vorbei. Ändern Sie die Regel oder den Beginn.',
  ],
  [
    'On its other channels, publishing has started or finished, so the post is not created again.',
    'Auf den anderen Kanälen hat die Veröffentlichung begonnen oder ist vorbei. Deshalb wird der Beitrag nicht noch einmal erstellt.',
  ],
  ['Publishing has started or finished.', 'Die Veröffentlichung hat begonnen oder ist vorbei.'],
  [
    'The post was edited or reviewed after it was created.',
    'Der Beitrag wurde bearbeitet oder freigegeben, nachdem er erstellt wurde.',
  ],
  ['No server was running in time to create it.', 'Kein Server lief rechtzeitig, um ihn zu erstellen.'],
  ['Created without {}: disabled or removed.', 'Ohne {} erstellt: deaktiviert oder entfernt.'],
  [
    'Created without a channel group: empty or removed.',
    'Ohne eine Kanalgruppe erstellt: leer oder entfernt.',
  ],
  [
    '{} can no longer publish here, and the series publishes in their name. Resume it to publish in yours.',
    '{} darf hier nicht mehr veröffentlichen, und die Serie veröffentlicht in diesem Namen. Setzen Sie sie fort, damit sie in Ihrem Namen veröffentlicht.',
  ],
  [
    'The credential “{}” has ended, and the series publishes in its name. Resume it to publish in yours.',
    'Der Zugang „{}“ ist beendet, und die Serie veröffentlicht damit. Setzen Sie die Serie fort, damit sie in Ihrem Namen veröffentlicht.',
  ],
  [
    'Restored from a backup: the previous server may have published later occurrences. Look on the network, then resume.',
    'Aus einer Sicherung wiederhergestellt: Der frühere Server hat möglicherweise weitere Termine veröffentlicht. Sehen Sie im Netzwerk nach, und setzen Sie die Serie dann fort.',
  ],
  [
    'The occurrence on {} has content of its own, and cannot be made with it: {}',
    'Der Termin am {} hat eigenen Inhalt und kann damit nicht erstellt werden: <>',
  ],
  ['Edit it with `only`, or skip it.', 'Ändern Sie diesen Termin allein, oder lassen Sie ihn aus.'],
  [
    'The rule has no occurrences, or hardly any. Change its days, or `INTERVAL`.',
    'Die Regel hat nie oder fast nie einen Termin. Ändern Sie ihre Tage oder den Abstand.',
  ],
  [
    'The rule continues after the year {}. End it earlier.',
    'Die Regel geht über das Jahr {} hinaus. Lassen Sie sie früher enden.',
  ],
  [
    'The series already has {} future changes. Use the date of an existing change in `from`: it replaces that change and all later ones.',
    'Für die Serie sind schon {} Änderungen vorgesehen. Ändern Sie sie ab dem Tag einer von ihnen: Das ersetzt diese und alle späteren.',
  ],
  [
    'The rule has no occurrence from {} on. Change the rule, or `startsAt`.',
    'Die Regel hat ab {} keinen Termin. Ändern Sie die Regel oder den Beginn.',
  ],
  [
    'The rule has more than {} occurrences. End it earlier, and create the next series then.',
    'Die Regel hat mehr als {} Termine. Beenden Sie sie früher, und erstellen Sie dann die nächste Serie.',
  ],
  ['`{}` is not supported in a rule. Use `{}`.', '`{}` gehört hier nicht in eine Regel. Möglich sind `{}`.'],
  ['`{}` takes {}, not `{}`.', '`{}` nimmt <>, nicht `{}`.'],
  ['`{}` appears twice. Give it once.', '`{}` kommt zweimal vor. Geben Sie es einmal an.'],
  [
    'The rule lacks `FREQ`: add `FREQ=DAILY`, `WEEKLY` or `MONTHLY`.',
    'Der Regel fehlt `FREQ`: ergänzen Sie `FREQ=DAILY`, `WEEKLY` oder `MONTHLY`.',
  ],
  [
    'The rule never ends. Add `COUNT=…`, how many there are, or `UNTIL=…`, the last day.',
    'Die Regel endet nie. Geben Sie an, wie oft (`COUNT=…`) oder bis zu welchem Tag (`UNTIL=…`).',
  ],
  [
    'A rule ends by `COUNT` or by `UNTIL`. Leave one of them out.',
    'Eine Regel endet durch `COUNT` oder durch `UNTIL`. Lassen Sie eines davon weg.',
  ],
  ['`COUNT` takes {}, not `{}`.', '`COUNT` nimmt <>, nicht `{}`.'],
  ['`UNTIL` takes {}, and `{}` does not exist.', '`UNTIL` nimmt <>, und `{}` gibt es nicht.'],
  [
    'Only `MONTHLY` takes the first or last of a weekday, such as `1MO`. Leave the number out.',
    'Nur `MONTHLY` nimmt den ersten oder letzten eines Wochentags, wie `1MO`. Lassen Sie die Zahl weg.',
  ],
  [
    '`BYMONTHDAY` belongs to `FREQ=MONTHLY`. Leave it out, or change `FREQ`.',
    '`BYMONTHDAY` gehört zu `FREQ=MONTHLY`. Lassen Sie es weg, oder ändern Sie `FREQ`.',
  ],
  ['The series was paused at its time.', 'Die Serie war zu dieser Zeit pausiert.'],
  [
    '`publishAt` belongs to one occurrence: name it with `only`.',
    'Ein Zeitpunkt gehört zu einem Termin. Wählen Sie, zu welchem.',
  ],
  [
    '`from` is in the past: today is {}. Name a day from today on.',
    'Der Tag ist vorbei, heute ist der {}. Nennen Sie einen Tag ab heute.',
  ],
  [
    '`{}` is not allowed with `only`: one occurrence can have only its own content and time.',
    'Ein einzelner Termin kann nur einen eigenen Inhalt und eine eigene Zeit haben.',
  ],
  [
    'The occurrence already has the post {}. Edit that post.',
    'Der Termin hat schon den Beitrag {}. Bearbeiten Sie diesen Beitrag.',
  ],
  [
    'An occurrence cannot use the posting times of a queue. Give a time.',
    'Ein Termin kann keine Veröffentlichungszeit der Warteschlange verwenden. Geben Sie einen Zeitpunkt an.',
  ],
  [
    'The time is not in the future. Choose a later one.',
    'Der Zeitpunkt liegt nicht in der Zukunft. Wählen Sie einen späteren.',
  ],
  [
    'The time of this occurrence has passed, so it stays skipped.',
    'Die Zeit dieses Termins ist vorbei, er bleibt ausgelassen.',
  ],
  [
    'Its post {} is being published or is finished.',
    'Sein Beitrag {} wird schon veröffentlicht oder ist vorbei.',
  ],
  ['Paused by {}.', 'Pausiert von {}.'],
  ['Ended by {}.', 'Beendet von {}.'],
  [
    'No occurrence of its rule is left. Edit the rule.',
    'Die Regel hat keine weiteren Termine. Ändern Sie die Regel.',
  ],
  ['{} Edit the series first.', '<> Bearbeiten Sie zuerst die Serie.'],
  ['{} Create another series.', '<> Erstellen Sie eine andere Serie.'],
  [
    'The series has changed since this token was read. Read it again, then retry with its new token.',
    'Jemand hat die Serie geändert. Sehen Sie sie noch einmal an.',
  ],
  ['Series not found in this workspace.', 'Diese Serie gibt es in diesem Arbeitsbereich nicht.'],
  [
    'The series has no occurrence on {}. Its `occurrences` name the days.',
    'Die Serie hat am {} keinen Termin.',
  ],
  [
    '`{}` needs `{}`: a range is compared with as long a one before it.',
    'Wählen Sie beide Enden: Der Zeitraum wird mit einem gleich langen davor verglichen.',
  ],
  // templates
  [
    'The workspace has no template {}. `GET /agent/v1/templates` lists them.',
    'Die Vorlage {} gibt es in diesem Arbeitsbereich nicht.',
  ],
  [
    'With these values, a text has more than {} characters. Give shorter ones.',
    'Mit diesen Werten hat ein Text mehr als {} Zeichen. Geben Sie kürzere an.',
  ],
  [
    '`targets` is not allowed beside `template`: each target carries its own content. Give `channelIds`.',
    'Ein Beitrag aus einer Vorlage hat auf allen Kanälen denselben Inhalt.',
  ],
  [
    'The template “{}” has the field `{}`. Give its value.',
    'Die Vorlage „{}“ hat das Feld `{}`. Geben Sie seinen Wert an.',
  ],
  ['The template “{}” has no fields.', 'Die Vorlage „{}“ hat keine Felder.'],
  [
    'The field `{}` is only in texts of the template “{}” that this request replaces. Leave the field out, or your own text.',
    'Das Feld `{}` steht nur in Texten der Vorlage „{}“, die diese Anfrage ersetzt. Lassen Sie das Feld weg oder Ihren eigenen Text.',
  ],
  ['The template “{}” has no field `{}`. It has {}.', 'Die Vorlage „{}“ hat kein Feld `{}`. Sie hat {}.'],
  [
    'The template has changed since this token was read. Read it again, then retry with its new token.',
    'Jemand hat die Vorlage geändert. Sehen Sie sie noch einmal an.',
  ],
  ['Template not found in this workspace.', 'Die Vorlage ist nicht in diesem Arbeitsbereich.'],
  ['The workspace has no media item {}.', 'Der Arbeitsbereich hat keine Mediendatei {}.'],
  [
    'There is a template called “{}” already. Choose another name.',
    'Eine Vorlage namens „{}“ gibt es schon. Wählen Sie einen anderen Namen.',
  ],
  ['Another template has this name.', 'Eine andere Vorlage heißt so.'],
  [
    'A workspace has {} templates at most. Delete one first.',
    'Ein Arbeitsbereich hat höchstens {} Vorlagen. Löschen Sie zuerst eine.',
  ],
  [
    '`{}` begins no field. A field is `{{name}}`, of letters, digits, `_`, `-`, `.` and spaces. `constructor`, `prototype` and `__proto__` are none.',
    '`{}` beginnt kein Feld. Ein Feld ist ein Name zwischen {{ und }}, aus Buchstaben, Ziffern, _, -, . und Leerzeichen. constructor, prototype und __proto__ sind keine.',
  ],
  [
    'The template has {} fields. It can have at most {}.',
    'Die Vorlage hat {} Felder. Sie kann höchstens {} haben.',
  ],
  [
    'This credential is limited to some channels, and so are the templates that it writes. Name some of them in `channelIds`.',
    'Ihr Zugang ist auf einige Kanäle beschränkt, und so sind es Ihre Vorlagen. Wählen Sie davon welche.',
  ],
  // webhooks
  ['Endpoint not found in this workspace.', 'Diesen Endpunkt gibt es in diesem Arbeitsbereich nicht.'],
  ['A workspace can have at most {} endpoints.', 'Ein Arbeitsbereich hat höchstens {} Endpunkte.'],
  ['An endpoint needs a URL and event types.', 'Ein Endpunkt braucht eine Adresse und Ereignisarten.'],
  [
    'A credential can have at most {} endpoints. Delete one first.',
    'Ein Schlüssel hat höchstens {} Endpunkte. Löschen Sie zuerst einen.',
  ],
  [
    '{} secrets are already in use. Wait until the oldest ends, or rotate immediately.',
    'Schon {} Geheimnisse sind in Gebrauch. Warten Sie, bis das älteste endet, oder erneuern Sie sofort.',
  ],
  [
    'The endpoint no longer has a signing secret. Rotate its secret first.',
    'Der Endpunkt hat kein Geheimnis mehr. Erneuern Sie es zuerst.',
  ],
  [
    'The endpoint does not subscribe to {}. It subscribes to {}.',
    'Der Endpunkt hat <> nicht abonniert. Abonniert sind: <>.',
  ],
  [
    'This event is not due to the endpoint, is being sent right now, or is no longer kept.',
    'Dieses Ereignis steht für den Endpunkt nicht an, wird gerade gesendet oder ist nicht mehr gespeichert.',
  ],
  ['The endpoint is disabled. Enable it first.', 'Der Endpunkt ist deaktiviert. Aktivieren Sie ihn zuerst.'],
  ['Choose at least one event type.', 'Wählen Sie mindestens eine Ereignisart.'],
  ['The description can have at most 200 characters.', 'Die Beschreibung darf höchstens 200 Zeichen haben.'],
  ['{} is not an event type. Event types: {}.', '{} ist keine Ereignisart. Es gibt: {}.'],
  [
    'The receiver answered with a status outside 200 to 299.',
    'Der Empfänger hat mit einem Status außerhalb von 200 bis 299 geantwortet.',
  ],
  [
    'The receiver did not answer within 15 seconds.',
    'Der Empfänger hat nicht innerhalb von 15 Sekunden geantwortet.',
  ],
  ["The host's name could not be resolved.", 'Der Name des Servers ließ sich nicht auflösen.'],
  ['The connection failed or broke.', 'Die Verbindung kam nicht zustande oder brach ab.'],
  [
    'The TLS handshake failed, or the certificate is not valid for the host.',
    'Der TLS-Handschlag ist gescheitert, oder das Zertifikat gilt nicht für den Server.',
  ],
  ["The address can't be called.", 'Diese Adresse darf nicht aufgerufen werden.'],
  [
    "The name leads to an address that can't be called.",
    'Der Name führt zu einer Adresse, die nicht aufgerufen werden darf.',
  ],
  ['The request could not be written as HTTP.', 'Die Anfrage ließ sich nicht als HTTP schreiben.'],
  [
    "The signing secret can't be decrypted with the configured keys.",
    'Das Geheimnis lässt sich mit den eingestellten Schlüsseln nicht entschlüsseln.',
  ],
  [
    'The event was older than EVENT_DAYS and is no longer stored; nothing was sent.',
    'Das Ereignis war älter als EVENT_DAYS und ist nicht mehr gespeichert. Nichts wurde gesendet.',
  ],
  [
    'The server crashed mid-request. The receiver may have the event.',
    'Der Server ist während der Anfrage abgestürzt. Der Empfänger hat das Ereignis möglicherweise.',
  ],
  ['`publishAt` is missing. For the whole post, `shift` can replace it.', 'Die Zeit fehlt.'],
  [
    'Send `shift` with `editToken`, for the whole post, and without `publishAt`.',
    'Verschieben um eine Dauer geht nur für den ganzen Beitrag.',
  ],
  ['`shift` must not be zero.', 'Die Verschiebung darf nicht null sein.'],
  ['`minutes` must not be zero.', 'Die Verschiebung darf nicht null sein.'],
  ['Say by how many `minutes` to move.', 'Es fehlt, um wie viel verschoben wird.'],
  ['Send `minutes` for `move` alone.', 'Nur beim Verschieben gibt es eine Dauer.'],
  ['The post is listed twice.', 'Der Beitrag ist doppelt angegeben.'],
  ['`publishAt` is not a date-time that exists.', 'Diese Zeit gibt es nicht.'],
  [
    'The post is no longer `scheduled` on one of these channels. Read it again.',
    'Der Beitrag ist auf einem der Kanäle nicht mehr geplant. Sehen Sie ihn noch einmal an.',
  ],
  ['This has ended already.', 'Das ist schon beendet.'],
  [
    "Only a move or a decision can be undone. What is cancelled doesn't come back.",
    'Nur Verschieben und Entscheidungen lassen sich rückgängig machen. Abgebrochenes kommt nicht zurück.',
  ],
  ['It is undone already.', 'Das ist schon rückgängig gemacht.'],
  [
    'Nothing with this ID was done in this workspace, or it is too long ago.',
    'Das gibt es in diesem Arbeitsbereich nicht, oder es ist zu lange her.',
  ],
  [
    'Restored from a backup: the previous server may have continued it since.',
    'Aus einer Sicherung wiederhergestellt: Der vorherige Server kann es seitdem fortgesetzt haben.',
  ],
  [
    'Something failed on the server. The post was not changed.',
    'Auf dem Server ist etwas fehlgeschlagen. Der Beitrag wurde nicht geändert.',
  ],
  [
    'The member who started it can no longer change posts.',
    'Wer es begonnen hat, darf keine Beiträge mehr ändern.',
  ],
  [
    'The member who started it can no longer approve or reject posts.',
    'Wer es begonnen hat, darf keine Beiträge mehr freigeben oder ablehnen.',
  ],
  [
    'The reference `{}` belongs to another post. Choose another reference.',
    'Die Referenz `{}` gehört schon zu einem anderen Beitrag. Wählen Sie eine andere.',
  ],
  [
    'The reference `{}` belongs to the post {}. Change that post, or choose another reference.',
    'Die Referenz `{}` gehört schon zum Beitrag {}. Ändern Sie diesen, oder wählen Sie eine andere.',
  ],
  // in several rooms
  ['What the model made cannot be used. {}', 'Was das Modell erzeugt hat, ist nicht brauchbar. <>'],
  [
    'Too many people are signing in right now. Try again in a minute.',
    'Gerade melden sich zu viele an. Versuchen Sie es in einer Minute erneut.',
  ],
  ['This link has expired. {}', 'Dieser Link ist abgelaufen. <>'],
  ['The address is refused. {}', 'Die Adresse wird abgelehnt. <>'],
  [
    'The sandbox network already has @{}. Choose another handle.',
    '@{} gibt es im Sandbox-Netzwerk schon. Wählen Sie ein anderes Handle.',
  ],
  [
    'The sandbox network does not answer at {}. Try again in a moment.',
    'Das Sandbox-Netzwerk antwortet unter {} nicht. Versuchen Sie es gleich erneut.',
  ],
  ['The sandbox network refused: {}', 'Das Sandbox-Netzwerk hat abgelehnt: {}'],
  ['This is the last owner of the workspace. {}', 'Das ist der letzte Inhaber des Arbeitsbereichs. <>'],
  [
    'The same file was being deleted at the same time. Upload it again.',
    'Dieselbe Datei wurde gerade gelöscht. Laden Sie sie erneut hoch.',
  ],
  ['With `keepOwn` nothing is changed. {}', 'Nichts wurde geändert. <>'],
  ['Only drafts can be scheduled.', 'Nur Entwürfe lassen sich planen.'],
  [
    'Only what waits for its time can be moved.',
    'Verschieben lässt sich nur, was noch auf seine Zeit wartet.',
  ],
  ['Only what has not started publishing can be cancelled.', 'Abbrechen geht nur vor der Veröffentlichung.'],
  [
    'Only failed posts, or threads refused for good, can be retried.',
    'Wiederholen lassen sich nur fehlgeschlagene Beiträge und endgültig abgelehnte Threads.',
  ],
  ['{} This one is `{}`.{}', '<> Der Status hier: <>.<>'],
  [
    "It can't be made small enough for the network.",
    'Sie lässt sich für das Netzwerk nicht klein genug machen.',
  ],
  [
    'The network takes no type that this image can become.',
    'Das Netzwerk nimmt keinen Typ, in den sich dieses Bild umwandeln lässt.',
  ],
  ['The animation has {} frames; up to {} are allowed.', 'Die Animation hat {} Bilder, erlaubt sind {}.'],
  [
    '{} pixels. Up to {} million are allowed. Make it smaller.',
    '{} Pixel, erlaubt sind {} Millionen. Machen Sie sie kleiner.',
  ],
  ['It has neither picture nor sound.', 'Sie hat weder Bild noch Ton.'],
  [
    'It has no picture, and its container is one for video.',
    'Sie hat kein Bild, ihr Format ist aber eines für Videos.',
  ],
  [
    'It has a picture, and its container is one for sound.',
    'Sie hat ein Bild, ihr Format ist aber eines für Ton.',
  ],
  ["Its length can't be read.", 'Ihre Länge ist nicht lesbar.'],
  ["The size of its picture can't be right.", 'Die Größe ihres Bildes kann nicht stimmen.'],
  [
    'It is cut short: its boxes do not end where the file ends.',
    'Sie ist unvollständig: Ihre Teile enden nicht mit der Datei.',
  ],
  ['The PDF is cut short: its end is missing.', 'Das PDF ist unvollständig: Das Ende fehlt.'],
]

/** What stands in those sentences in the place of `<>`, and the history of a post. */
const fieldPhrases = Object.values(fieldRows).map(({ words: { en, de } }) => [en, de] as const)
export const phrases: readonly (readonly [english: string, german: string])[] = [
  // A time that needs no words.
  ['({})', '({})'],
  [
    ' It may be live, and publishing it again could publish twice.',
    ' Er ist möglicherweise schon sichtbar, eine Wiederholung könnte doppelt veröffentlichen.',
  ],
  ['image', 'Das Bild'],
  ['video', 'Das Video'],
  ['audio file', 'Die Audiodatei'],
  ['document', 'Das Dokument'],
  ['images', 'Bilder'],
  ['videos', 'Videos'],
  ['audio files', 'Audiodateien'],
  ['documents', 'Dokumente'],
  ['An image', 'Bilder'],
  ['A video', 'Videos'],
  ['An audio file', 'Audiodateien'],
  ['A document', 'Dokumente'],
  ['a video', 'ein Video'],
  ['an audio file', 'eine Audiodatei'],
  ['a document', 'ein Dokument'],
  ['{} seconds', '{} Sekunden'],
  ['{} × {} pixels', '<> × <> Pixel'],
  ['{} × {} pixels, {} times as wide as high', '<> × <> Pixel, {}-mal so breit wie hoch'],
  ['up to {}', 'bis zu <>'],
  ['at least {}', 'mindestens <>'],
  ['{} to {} seconds', '{} bis {} Sekunden'],
  ['{} to {} MB', '{} bis {} MB'],
  ['{} to {} times as wide as high', '{}- bis {}-mal so breit wie hoch'],
  ['{} to {} pixels in width', '{} bis {} Pixel in der Breite'],
  ['{} to {} pixels in height', '{} bis {} Pixel in der Höhe'],
  ['{} times as wide as high', '{}-mal so breit wie hoch'],
  ['{} pixels in all', '{} Pixel insgesamt'],
  ['{} pixels in width and height together', '{} Pixel in Breite und Höhe zusammen'],
  ['{} pixels in height', '{} Pixel in der Höhe'],
  ['{} pixels in width', '{} Pixel in der Breite'],
  ['does not exist: the clocks are put forward', 'die Uhren werden vorgestellt, die Zeit gibt es nicht'],
  ['exists twice: the clocks are put back', 'die Uhren werden zurückgestellt, die Zeit gibt es zweimal'],
  ['`DAILY`, `WEEKLY` or `MONTHLY`', '`DAILY`, `WEEKLY` oder `MONTHLY`'],
  ['a number from 1 to {}', 'eine Zahl von 1 bis {}'],
  ['a day such as `20271231`', 'einen Tag wie `20271231`'],
  [
    'weekdays such as `MO,TH`, or with `MONTHLY` such as `1MO,-1FR`',
    'Wochentage wie `MO,TH`, mit `MONTHLY` auch wie `1MO,-1FR`',
  ],
  [
    'days of the month such as `1,15` or `-1` for the last',
    'Tage des Monats wie `1,15`, oder `-1` für den letzten',
  ],
  ['a weekday such as `MO`', 'einen Wochentag wie `MO`'],
  ['any', 'beliebig'],
  ['it has {}, and {} allows {}', 'es hat <>, <> erlaubt <>'],
  ['transparent areas become white', 'durchsichtige Flächen werden weiß'],
  ['a story on Instagram', 'eine Story auf Instagram'],
  ['a reel on Facebook', 'ein Reel auf Facebook'],
  ['characters', 'Zeichen'],
  ['characters as people see them', 'Zeichen, wie man sie sieht'],
  ['characters (an emoji counts as its bytes)', 'Zeichen (ein Emoji zählt so viel wie seine Bytes)'],
  [
    'characters by weight (a link is 23, most emoji and CJK characters are 2)',
    'Zeichen nach Gewicht (ein Link zählt 23, die meisten Emojis und CJK-Zeichen 2)',
  ],
  [
    'characters as people see them (a link is 23, the domain of a mention is free)',
    'Zeichen, wie man sie sieht (ein Link zählt 23, die Domain einer Erwähnung nichts)',
  ],
  [
    'characters (brackets, #, @ and other reserved signs count 2)',
    'Zeichen (Klammern, #, @ und andere reservierte Zeichen zählen 2)',
  ],
  [', or leave the follow-up out', ', oder lassen Sie den Folgebeitrag weg'],
  ['markup that a browser would run', 'Code, den ein Browser ausführen würde'],
  ['a PDF', 'ein PDF'],
  ['an archive', 'ein Archiv'],
  ['The body', 'Die Eingabe'],
  ['The query', 'Die Abfrage'],
  ['text', 'Text'],
  ['a whole number', 'eine ganze Zahl'],
  ['a number', 'eine Zahl'],
  ['`true` or `false`', '`true` oder `false`'],
  ['an object', 'ein Objekt'],
  ['a list', 'eine Liste'],
  ['a list of {}', 'eine Liste mit {}'],
  ['nothing', 'nichts'],
  ['between {} and {}', 'zwischen {} und {}'],
  ['at least {}', 'mindestens {}'],
  ['at most {}', 'höchstens {}'],
  ['a lower-case UUID', 'eine UUID in Kleinbuchstaben'],
  [
    'an RFC 3339 date-time with `Z` or an offset, on a day that exists, in milliseconds at the finest (such as `2026-11-21T10:00:00+01:00`)',
    'ein Zeitpunkt nach RFC 3339 wie `2026-11-21T10:00:00+01:00`',
  ],
  ['an absolute URL', 'eine vollständige Adresse'],
  ['an email address', 'eine E-Mail-Adresse'],
  ['in the format {}', 'im Format {}'],
  ['1 character', '1 Zeichen'],
  ['{} characters', '{} Zeichen'],
  ['1 item', '1 Eintrag'],
  ['{} items', '{} Einträge'],
  ['1 field', '1 Feld'],
  ['{} fields', '{} Felder'],
  ['owner', 'Inhaber'],
  ['admin', 'Admin'],
  ['editor', 'Redaktion'],
  ['approver', 'Freigabe'],
  ['viewer', 'Lesezugriff'],
  ['{} created this post.', '{} hat diesen Beitrag erstellt.'],
  ['{} edited this post.', '{} hat diesen Beitrag bearbeitet.'],
  ['{} changed the {}.', '{} hat geändert: <>.'],
  ['Approval requested.', 'Freigabe angefragt.'],
  ['{} approved this post.', '<> hat diesen Beitrag freigegeben.'],
  ['{} rejected this post.', '<> hat diesen Beitrag abgelehnt.'],
  ['{} approved this post. “{}”', '<> hat diesen Beitrag freigegeben. „{}“'],
  ['{} rejected this post. “{}”', '<> hat diesen Beitrag abgelehnt. „{}“'],
  ['Someone', 'Jemand'],
  ...fieldPhrases,
  ['time', 'Zeit'],
  ['channels', 'Kanäle'],
  ['Publishing attempt.', 'Versuch zu veröffentlichen.'],
  ['Publishing attempt, follow-up {}.', 'Versuch zu veröffentlichen, Folgebeitrag {}.'],
  ['Publishing attempt, first comment.', 'Versuch zu veröffentlichen, erster Kommentar.'],
  ['Restored from a backup.', 'Aus einer Sicherung wiederhergestellt.'],
  ['Restored from a backup, follow-up {}.', 'Aus einer Sicherung wiederhergestellt, Folgebeitrag {}.'],
  ['Restored from a backup, first comment.', 'Aus einer Sicherung wiederhergestellt, erster Kommentar.'],
  ['Published.', 'Veröffentlicht.'],
  ['Refused, not published.', 'Abgelehnt, nicht veröffentlicht.'],
  ['Not possible right now, not published.', 'Zurzeit nicht möglich, nicht veröffentlicht.'],
  ['Access no longer accepted, not published.', 'Zugriff nicht mehr gültig, nicht veröffentlicht.'],
  ['Not confirmed.', 'Nicht bestätigt.'],
  ['Not on the network.', 'Nicht im Netzwerk.'],
  ['In progress.', 'Läuft.'],
  ['Attempt recorded before sending.', 'Versuch vor dem Senden festgehalten.'],
  ['ID on the network: {}.', 'ID im Netzwerk: {}.'],
  ['No link card was made. {}', 'Der Link hat keine Vorschau. <>'],
  ['The link card has no picture. {}', 'Die Link-Vorschau hat kein Bild. <>'],
  [
    'This server does not open {}: it opens public https addresses only.',
    'Dieser Server öffnet {} nicht: Er öffnet nur öffentliche https-Adressen.',
  ],
  ['No connection to {} was possible.', 'Mit {} war keine Verbindung möglich.'],
  ['The page at {} could not be read in time.', 'Die Seite auf {} ließ sich nicht rechtzeitig lesen.'],
  ['The picture at {} could not be read in time.', 'Das Bild auf {} ließ sich nicht rechtzeitig lesen.'],
  ['The address redirects too many times, last to {}.', 'Die Adresse leitet zu oft weiter, zuletzt an {}.'],
  [
    'The page at {} could not be read: the answer was HTTP {}.',
    'Die Seite auf {} ließ sich nicht lesen: Die Antwort war HTTP {}.',
  ],
  [
    'The picture at {} could not be read: the answer was HTTP {}.',
    'Das Bild auf {} ließ sich nicht lesen: Die Antwort war HTTP {}.',
  ],
  ['The connection to {} broke off.', 'Die Verbindung zu {} brach ab.'],
  ['The file at {} is not a web page.', 'Die Datei auf {} ist keine Webseite.'],
  ['The page at {} has no title.', 'Die Seite auf {} hat keinen Titel.'],
  ['The page at {} names no picture.', 'Die Seite auf {} nennt kein Bild.'],
  [
    'The page at {} names a picture with an invalid address.',
    'Die Seite auf {} nennt ein Bild mit ungültiger Adresse.',
  ],
  ['The picture at {} is too large.', 'Das Bild auf {} ist zu groß.'],
  ['The page at {} is too complex to read.', 'Die Seite auf {} ist zu komplex, um sie zu lesen.'],
  [
    'The picture at {} is damaged, too large, or of a type that cannot be read.',
    'Das Bild auf {} ist beschädigt, zu groß oder in keinem lesbaren Format.',
  ],
  ['The network did not accept the picture.', 'Das Netzwerk hat das Bild nicht angenommen.'],
  [
    'Because of an error on this server, {} could not be read.',
    'Wegen eines Fehlers auf diesem Server ließ sich {} nicht lesen.',
  ],
  ['Removed the {} from the network.', 'Aus dem Netzwerk entfernt: <>.'],
  ['The {} is no longer on the network.', 'Nicht mehr im Netzwerk: <>.'],
  [
    'Someone published or changed the {} on the network, so it was left there.',
    'Im Netzwerk von jemandem veröffentlicht oder geändert und dort gelassen: <>.',
  ],
  [
    'The {} could not be removed from the network. Delete it there.',
    'Ließ sich nicht aus dem Netzwerk entfernen: <>. Löschen Sie das dort.',
  ],
  ['draft', 'Entwurf'],
  ['unpublished photo', 'unveröffentlichtes Foto'],
  ['unpublished video', 'unveröffentlichtes Video'],
  ['unpublished reel', 'unveröffentlichtes Reel'],
  ['{} checked the network.', '<> hat im Netzwerk nachgesehen.'],
  [
    'The server that made the backup may have published this since. Look on the network, then resolve it.',
    'Der Server, von dem die Sicherung stammt, hat den Beitrag seither möglicherweise veröffentlicht. Sehen Sie im Netzwerk nach und klären Sie ihn.',
  ],
  [
    'The server stopped before recording an answer.',
    'Der Server wurde beendet, bevor eine Antwort festgehalten war.',
  ],
  ['Confirmed late by the network.', 'Vom Netzwerk verspätet bestätigt.'],
  ['Confirmed by an earlier attempt.', 'Durch einen früheren Versuch bestätigt.'],
  ['Sent to the network.', 'An das Netzwerk gesendet.'],
  ['Looked for the post on the network.', 'Den Beitrag im Netzwerk gesucht.'],
  ['Asked the network for progress.', 'Das Netzwerk nach dem Fortschritt gefragt.'],
  ['Sent again under the same key.', 'Unter demselben Schlüssel erneut gesendet.'],
  ['Not sent.', 'Nicht gesendet.'],
  ['Answered by the server.', 'Vom Server beantwortet.'],
  ['Answer: HTTP {}.', 'Antwort: HTTP {}.'],
  ['Answer: HTTP {} after {} ms.', 'Antwort: HTTP {} nach {} ms.'],
  ['It took {} ms.', 'Dauer: {} ms.'],
  ['No answer ({}).', 'Keine Antwort (<>).'],
  ['No answer after {} ms ({}).', 'Keine Antwort nach {} ms (<>).'],
  ['connection closed', 'Verbindung geschlossen'],
  ['no connection in time', 'keine Verbindung in der Frist'],
  ['no answer in time', 'keine Antwort in der Frist'],
  ['answer incomplete in time', 'keine vollständige Antwort in der Frist'],
  ['The request was interrupted on its way.', 'Die Anfrage wurde unterwegs unterbrochen.'],
  ['The request may have arrived.', 'Die Anfrage ist möglicherweise angekommen.'],
  ['The request was not sent.', 'Die Anfrage wurde nicht gesendet.'],
  ['({} times the same, {} to {})', '({}-mal dasselbe, {} bis {})'],
  ['Not conclusive: {}.', 'Kein eindeutiges Ergebnis: <.>'],
  ['Not there yet, may still appear.', 'Noch nicht da, kann noch erscheinen.'],
  ['No result.', 'Kein Ergebnis.'],
  ['Partly published.', 'Teilweise veröffentlicht.'],
  ['Failed.', 'Fehlgeschlagen.'],
  ['Delayed.', 'Verzögert.'],
  ['Reconnect needed.', 'Verbindung erneuern.'],
  ['Checking.', 'Wird geprüft.'],
  ['Cancelled.', 'Abgebrochen.'],
  ['Expired.', 'Abgelaufen.'],
  ['Scheduled.', 'Geplant.'],
  ['Scheduled for {}.', 'Geplant für <>.'],
  ['Moved from {} to {}.', 'Verschoben von <> auf <>.'],
  ['The rest will be sent on {}.', 'Der Rest wird gesendet: <>.'],
  ['The rest was moved from {} to {}.', 'Der Rest wurde verschoben von <> auf <>.'],
  ['The rest was cancelled.', 'Der Rest wurde abgebrochen.'],
  ['Webhook to {}: delivered, HTTP {}, {}.', 'Webhook an {}: zugestellt, HTTP {}, <>.'],
  ['Webhook to {}: failed, {}.', 'Webhook an {}: fehlgeschlagen, <>.'],
  ['Webhook to {}: failed, {} ({}).', 'Webhook an {}: fehlgeschlagen, <> (<>).'],
  ['Webhook to {}: pending, {} so far.', 'Webhook an {}: steht aus, bisher <>.'],
  ['1 attempt', '1 Versuch'],
  ['{} attempts', '{} Versuche'],
  ['draft', 'Entwurf'],
  ['scheduled', 'Geplant'],
  ['publishing', 'Wird veröffentlicht'],
  ['published', 'Veröffentlicht'],
  ['partially_published', 'Teilweise veröffentlicht'],
  ['failed', 'Fehlgeschlagen'],
  ['delayed', 'Verzögert'],
  ['reconnect_required', 'Verbindung erneuern'],
  ['checking', 'Wird geprüft'],
  ['cancelled', 'Abgebrochen'],
  ['expired', 'Abgelaufen'],
]
