import { fromPlainError, type PlainError, toPlainError } from '../../host/base/plain-error.ts'

/** A method call on an object in another process. */
export interface RemoteCall {
  readonly kind: 'call'
  readonly id: number
  readonly method: string
  readonly args: readonly unknown[]
}

export interface RemoteReply {
  readonly kind: 'reply'
  readonly id: number
  readonly value?: unknown
  readonly error?: PlainError
}

/** Methods of an object in another process, over any channel that clones messages. */
export class RemoteCalls {
  readonly #send: (call: RemoteCall) => void
  readonly #waiting = new Map<
    number,
    { resolve(value: unknown): void; reject(error: unknown): void }
  >()
  #nextId = 0

  constructor(send: (call: RemoteCall) => void) {
    this.#send = send
  }

  /** Returns a function that calls a method there. */
  method<Method>(method: string): Method {
    const ask = (...args: unknown[]) =>
      new Promise((resolve, reject) => {
        const id = this.#nextId++
        this.#waiting.set(id, { resolve, reject })
        this.#send({ kind: 'call', id, method, args })
      })
    return ask as Method
  }

  take({ id, value, error }: RemoteReply): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error === undefined) waiting?.resolve(value)
    else waiting?.reject(fromPlainError(error))
  }

  /** Rejects the calls in flight. */
  fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}

/** Runs a received call and returns the reply to send. */
export async function replyTo(
  target: object,
  { id, method, args }: RemoteCall,
): Promise<RemoteReply> {
  try {
    const run = target[method as keyof typeof target] as (...args: unknown[]) => unknown
    return { kind: 'reply', id, value: await run.apply(target, [...args]) }
  } catch (thrown) {
    return { kind: 'reply', id, error: toPlainError(thrown) }
  }
}
