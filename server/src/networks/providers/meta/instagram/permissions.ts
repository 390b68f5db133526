/**
 * To see the person's Pages and their Instagram accounts, to publish there, and to comment
 * (https://developers.facebook.com/documentation/instagram-platform/content-publishing). Where a person has their role on the Page
 * from a business, Meta asks for one of `ads_management` and `business_management`, too.
 */
export const PERMISSIONS = [
  'pages_show_list',
  'pages_read_engagement',
  'business_management',
  'instagram_basic',
  'instagram_content_publish',
  'instagram_manage_comments',
]
