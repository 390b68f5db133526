import type { HttpRequest, HttpResponse } from '../../src/networks/providers/port/calls.ts'
import { answer } from './publish-work.ts'

/** A network whose lists of Pages and of business portfolios each have a second page, with what is on the first. */
export function inTwoLists(network: (request: HttpRequest) => HttpResponse) {
  return (request: HttpRequest): HttpResponse => {
    const { pathname, searchParams } = request.url
    const response = network(request)
    if (!/\/(?:accounts|businesses|owned_pages|client_pages)$/.test(pathname) || searchParams.has('after'))
      return response
    const { data } = JSON.parse(response.body) as { data: unknown[] }
    const paging = { cursors: { after: 'the-next' }, next: 'https://graph.facebook.com/next' }
    return answer(response.status, { data, paging })
  }
}
