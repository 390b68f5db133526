/** To see the person's Pages, to read what they publish, to publish there, and to comment as a Page. */
export const PERMISSIONS = [
  'pages_show_list',
  'pages_read_engagement',
  'pages_manage_posts',
  'pages_manage_engagement',
]
