import type { SeenAt } from './seen-answer.ts'

const bot = (error_code: number, description: string) => ({ ok: false, error_code, description })
const read = '2026-11-28'

export const telegram: SeenAt = {
  answers: [
    {
      status: 400,
      body: bot(400, 'Bad Request: chat not found'),
      seen: 'https://github.com/bottenderjs/messaging-apis/issues/414',
      read,
      is: 'reauthorize',
    },
    {
      status: 400,
      body: bot(400, 'Bad Request: group chat was upgraded to a supergroup chat'),
      seen: 'https://github.com/ableev/Zabbix-in-Telegram/issues/210',
      read,
      is: 'reauthorize',
    },
    {
      status: 400,
      body: bot(400, 'Bad Request: CHAT_ADMIN_REQUIRED'),
      seen: 'https://github.com/TelegramBotAPI/errors/issues/2',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 400,
      body: bot(400, 'Bad Request: message is too long'),
      seen: 'https://github.com/guidone/node-red-contrib-chatbot/issues/254',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 400,
      body: bot(400, 'Bad Request: CHAT_RESTRICTED'),
      seen: 'https://github.com/tdlib/telegram-bot-api/issues/863',
      read,
      is: 'rejected permission_refused',
    },
  ],
}
