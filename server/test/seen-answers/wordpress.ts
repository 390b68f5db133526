import { anUpload } from '../rigs/publish-work.ts'
import { endOf, type SeenAt } from './seen-answer.ts'

const read = '2026-11-29'
const wp = (status: number, code: string, message = 'Sorry.') => ({ code, message, data: { status } })
const published = '{"id":7,"status":"publish","link":"https://example.com/hello/"}'
const authorization = { root: 'https://example.com/wp-json/', user: 'alice', password: 'p' }

export const wordpress: SeenAt = {
  others: {
    upload: ({ upload }, seen) => endOf(upload!(anUpload(authorization, 'image')), seen),
  },
  answers: [
    {
      status: 401,
      body: wp(401, 'rest_cannot_create', 'Sorry, you are not allowed to create posts as this user.'),
      seen: 'https://github.com/WordPress/application-passwords/issues/67',
      read,
      is: 'reauthorize',
    },
    {
      status: 401,
      body: wp(401, 'incorrect_password', 'The password entered is an invalid application password.'),
      seen: 'https://github.com/wp-net/WordPressPCL/issues/337',
      read,
      is: 'reauthorize',
    },
    {
      status: 401,
      body: wp(401, 'restx_logged_out', 'Sorry, you must be logged in to make a request.'),
      seen: 'https://github.com/WP-API/WP-API/issues/2432',
      read,
      is: 'reauthorize',
    },
    // A site that lets nobody in for now, whatever the password.
    {
      status: 401,
      body: wp(401, 'vip_maintenance_mode_rest_not_logged_in', 'REST API access is currently restricted.'),
      seen: 'https://github.com/Automattic/maintenance-mode-wp/issues/20',
      read,
      is: 'deferred provider_unavailable',
    },
    {
      status: 503,
      body: wp(503, 'vip_maintenance_mode_unauthorized', 'REST API access is currently restricted.'),
      seen: 'https://github.com/Automattic/maintenance-mode-wp/pull/31',
      read,
      is: 'unknown',
    },
    {
      status: 503,
      body: '<!DOCTYPE html>\n<title>In manutenzione.</title>\n<h1>Momentaneamente non disponibile per manutenzione.</h1>',
      seen: 'https://github.com/johngodley/redirection/issues/1694',
      read,
      is: 'unknown',
    },
    {
      status: 403,
      body: wp(403, 'rest_forbidden', 'Du bist leider nicht berechtigt, dies zu tun.'),
      seen: 'https://github.com/WP-API/WP-API/issues/2822',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 403,
      body: '<html>\n<head><title>403 Forbidden</title></head>\n<hr><center>nginx</center>\n</html>',
      seen: 'https://github.com/johngodley/redirection/issues/799',
      read,
      is: 'unknown',
    },
    {
      status: 403,
      body: { status: 'error', error: 'FORBIDDEN', code: '400', error_description: 'Sorry.' },
      seen: 'https://github.com/varsitynewsnetwork/wordpress-rest-api-client/issues/27',
      read,
      is: 'unknown',
    },
    {
      status: 404,
      body: wp(404, 'rest_no_route', 'No route was found matching the URL and request method.'),
      seen: 'https://github.com/gitroomhq/postiz-app/issues/932',
      read,
      is: 'deferred provider_unavailable',
    },
    // The post was there.
    {
      status: 500,
      body: '500 hphp_invoke',
      seen: 'https://github.com/WP-API/WP-API/issues/1844',
      read,
      is: 'unknown',
    },
    // The post was there, too; the site's PHP was set to show its warnings.
    {
      status: 200,
      body: `<br />\n<b>Warning</b>:  Cannot modify header information - headers already sent<br />\n${published}`,
      seen: 'https://github.com/WP-API/node-wpapi/issues/282',
      read,
      is: 'unknown',
    },
    // Nothing was saved: the call was led to another address, and became one that reads.
    {
      status: 200,
      body: [],
      seen: 'https://github.com/WP-API/node-wpapi/issues/248',
      read,
      is: 'unknown',
    },
    {
      status: 403,
      body: "<h1>Forbidden</h1>\n<p>You don't have permission to access /wp-json/wp/v2/media on this server.</p>",
      to: 'upload',
      seen: 'https://github.com/wp-net/WordPressPCL/issues/156',
      read,
      is: 'deferred provider_unavailable',
    },
    {
      status: 500,
      body: wp(500, 'rest_upload_sideload_error'),
      to: 'upload',
      seen: 'https://github.com/wp-net/WordPressPCL/issues/203',
      read,
      is: 'rejected media_refused',
    },
    {
      status: 400,
      body: wp(400, 'rest_upload_limited_space'),
      to: 'upload',
      seen: 'https://github.com/Automattic/wordpress-rs/pull/417',
      read,
      is: 'rejected media_refused',
    },
    {
      status: 413,
      body: '',
      to: 'upload',
      seen: 'https://github.com/wordpress-mobile/WordPress-FluxC-Android/pull/378',
      read,
      is: 'rejected media_refused',
    },
  ],
}
