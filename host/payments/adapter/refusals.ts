import type { Refusal } from '../gate/payment-gate.ts'

/** A path that a router reads as one route and a file server as another: which price it has is not for its sender. */
export function ambiguousPath(): Refusal {
  return {
    kind: 'refused',
    status: 400,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify({
      error: 'Bad request',
      detail:
        'the path can be read in more than one way: leave out //, ., .., backslashes and escapes that need not be',
    }),
  }
}
