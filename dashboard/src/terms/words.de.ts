import type { Words } from './words.ts'

export const de: Words = {
  roles: {
    owner: 'Inhaber',
    admin: 'Admin',
    editor: 'Redaktion',
    approver: 'Freigabe',
    viewer: 'Lesezugriff',
  },
  roleHints: {
    owner: 'Verantwortet den Arbeitsbereich und ernennt weitere Inhaber. Es gibt immer mindestens einen.',
    admin: 'Verwaltet Mitglieder, Agentenschlüssel, Webhooks, Kanäle und Regeln.',
    editor: 'Schreibt Beiträge, lädt Medien hoch und klärt unbestätigte Ergebnisse.',
    approver: 'Gibt Beiträge frei oder lehnt sie ab. Ändert sonst nichts.',
    viewer: 'Sieht Beiträge, Kalender, Medien und Kanäle. Ändert nichts.',
  },
  permissionHints: {
    'channels:read': 'Kanäle sehen und Beiträge für sie prüfen.',
    'calendar:read': 'Den Kalender sehen.',
    'posts:read': 'Beiträge und ihren Status auf jedem Kanal sehen.',
    'posts:write': 'Beiträge erstellen und ändern.',
    'media:read': 'Medien sehen und herunterladen.',
    'media:write': 'Medien hochladen.',
    'ai:generate': 'Entwürfe und Bilder erzeugen.',
    'webhooks:write': 'Eigene Webhook-Endpunkte erstellen und verwalten.',
  },
}
