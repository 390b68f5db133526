import { german } from '../../lib/language.ts'

/* What the composer says to people; what other screens of it say stands beside them. */

/** `2 of 3 channels`: how many, in words where there are few. */
const allChannels = (count: number) => (count === 2 ? 'both channels' : `all ${count} channels`)

const en = {
  approvesAsIs: 'Nothing has changed. Approves the post as it is.',
  channels: {
    legend: 'Channels',
    chosen: (count: number, of: number) => `${count} of ${of} chosen`,
    more: (hidden: number) => (hidden === 0 ? 'Find channels…' : `Find channels… (${hidden} more chosen)`),
    title: 'Choose channels',
    search: 'Search by name, account or network',
    network: 'Network',
    anyNetwork: 'All networks',
    usedLast: 'Used last',
    all: 'All channels',
    found: (count: number) => (count === 1 ? '1 found' : `${count} found`),
    chooseFound: (count: number) => `Choose all ${count} found`,
    clear: 'Choose none',
    done: 'Done',
    over: 'over',
    most: (most: number) => `A post can have ${most} channels.`,
  },
  reach: {
    all: (count: number) => `You are writing for ${allChannels(count)}.`,
    others: (count: number) => (count === 1 ? '1 more text' : `${count} more texts`),
    own: 'Own text',
    follows: 'Follow the shared text',
  },
  parts: {
    text: 'Text',
    followUp: (index: number) => `Follow-up ${index}`,
    placeholder: 'What do you want to say?',
    followUpPlaceholder: 'Published as a reply to the part before',
    suggestions: 'Used before',
    addMedia: 'Media',
    addFollowUp: 'Follow-up',
    remove: 'Remove this part',
    noChannel: (count: number) => (count === 1 ? '1 character' : `${count.toLocaleString()} characters`),
  },
  media: {
    altHint: 'What it shows, for people who can’t see it. It can change until a post is published with it.',
    list: 'Media',
    noAlt: 'No alt text',
    editAlt: (name: string) => `Edit alt text: ${name}`,
    crop: 'Crop…',
    cropOf: (name: string) => `Crop: ${name}`,
    remove: (name: string) => `Remove from the post: ${name}`,
    move: (place: number, of: number) => `Move ${place} of ${of}: drag, or use the arrow keys`,
    moved: (place: number, of: number) => `Moved to place ${place} of ${of}.`,
    tooWide: (network: string, ratio: string) => `${network} cuts the sides: wider than ${ratio}.`,
    tooTall: (network: string, ratio: string) => `${network} cuts top and bottom: taller than ${ratio}.`,
    cropTitle: 'Crop image',
    cropLead: 'The cropped image is saved as a new file. The original stays in your media.',
    ratio: 'Ratio, width to height',
    zoom: 'Zoom',
    across: 'Left to right',
    down: 'Top to bottom',
    cropSave: 'Use cropped image',
    cropUnread: 'This image can’t be read here. Crop it elsewhere and upload it again.',
    cancel: 'Cancel',
  },
  counts: {
    of: (characters: number, max: number) => `${characters.toLocaleString()} / ${max.toLocaleString()}`,
    about: (characters: number, max: number) =>
      `about ${characters.toLocaleString()} / ${max.toLocaleString()}`,
  },
  preview: {
    title: 'Preview',
    on: (names: string) => `On ${names}`,
    fold: '… more',
    more: (count: number) => (count === 1 ? 'Show 1 more preview' : `Show ${count} more previews`),
    fewer: 'Show fewer previews',
    same: (count: number) => (count === 1 ? 'and 1 more channel' : `and ${count} more channels`),
    card: (host: string) => `Link card of ${host}`,
    cardBy: (network: string) =>
      `Title and picture are read from the page when this is published on ${network}.`,
    markdown: 'Discord shows * and _ around words, and # or > before a line, as formatting.',
    folded: (network: string) => `${network} shows the rest after a click.`,
  },
  kept: {
    here: 'What you type is kept in this browser.',
    checking: 'Checking…',
    away: 'The server doesn’t answer. What you type is kept in this browser, and checked again automatically.',
    refused: 'This browser can’t keep drafts. Save before leaving.',
  },
}
export type Words = typeof en

export const words: Words = german?.composer ?? en
