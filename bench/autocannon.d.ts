/** The little of autocannon that is used here; it brings no types of its own. */
declare module 'autocannon' {
  type Request = { method?: string; path?: string; headers?: Record<string, string>; body?: string }
  type Options = Request & {
    url: string
    connections: number
    /** Seconds. */
    duration?: number
    /** Requests in all, instead of a duration. */
    amount?: number
    /** Sent in turn by each connection; `setupRequest` may build each one before it is sent. */
    requests?: (Request & { setupRequest?: (request: Request) => Request })[]
  }
  type Result = {
    '2xx': number
    non2xx: number
    errors: number
    /** Seconds. */
    duration: number
    latency: { p50: number; p99: number }
  }
  export default function autocannon(options: Options): Promise<Result>
}
