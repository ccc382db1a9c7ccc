import type { Payment } from './payment.ts'

/**
 * Stores payments whose responses have not arrived. A payment is stored before anything is signed or sent, and
 * deleted after its response. What remains after a crash is money for which a response is still due. Only one process
 * may use a store at a time.
 */
export interface PaymentStore {
  /** Lists the payments for a request, by its digest. */
  list(request: string): Promise<readonly Payment[]>
  /** Stores a payment, replacing the one with its id. Resolves when it is as durable as the store allows. */
  put(payment: Payment): Promise<void>
  delete(id: string): Promise<void>
}

/** Returns a store in memory. */
export function memoryPayments(): PaymentStore {
  const payments = new Map<string, Payment>()
  return {
    list: async (request) => [...payments.values()].filter((one) => one.request === request),
    put: async (payment) => void payments.set(payment.id, payment),
    delete: async (id) => void payments.delete(id),
  }
}

/** The members of `localStorage` that are used. */
export interface TextStorage {
  readonly length: number
  key(index: number): string | null
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** Returns a store in `localStorage`, which survives the page. Keys begin with `prefix`. */
export function storagePayments(storage: TextStorage, prefix = 'lockstep payment '): PaymentStore {
  const names = () =>
    Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '').filter((name) =>
      name.startsWith(prefix),
    )
  return {
    list: async (request) =>
      names()
        .map((name) => JSON.parse(storage.getItem(name) ?? 'null') as Payment | null)
        .filter((payment) => payment !== null)
        .filter((payment) => payment.request === request),
    put: async (payment) => storage.setItem(prefix + payment.id, JSON.stringify(payment)),
    delete: async (id) => storage.removeItem(prefix + id),
  }
}
