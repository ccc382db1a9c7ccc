import type { PaymentRefusal } from '../gate/payment-gate.ts'

/** Refuses a path that a router and a file server read differently: its sender must not choose the price. */
export function ambiguousPath(): PaymentRefusal {
  return {
    kind: 'refused',
    status: 400,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify({
      error: 'Bad request',
      detail:
        'the path can be read in more than one way: leave out //, ., .., backslashes and needless escapes',
    }),
  }
}
