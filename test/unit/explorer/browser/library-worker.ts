import { Worker } from 'node:worker_threads'
import type { WorkerLike } from '../../../../host/explorer/browser/worker-like.ts'

/** A Node worker thread with the interface of a browser's worker of the library. */
export class LibraryWorker implements WorkerLike {
  onmessage: WorkerLike['onmessage'] = null
  onmessageerror: WorkerLike['onmessageerror'] = null
  onerror: WorkerLike['onerror'] = null
  readonly #thread: Worker
  readonly ended: Promise<void>

  constructor(script: URL = new URL('library-thread.ts', import.meta.url)) {
    const thread = new Worker(script)
    this.#thread = thread
    const self = this as unknown as Worker
    thread.on('message', (data) => this.onmessage?.call(self as never, { data } as MessageEvent))
    thread.on('error', ({ message }) =>
      this.onerror?.call(self as never, { message, preventDefault: () => {} } as ErrorEvent),
    )
    this.ended = new Promise((resolve) => thread.on('exit', () => resolve()))
  }

  postMessage(message: unknown): void {
    this.#thread.postMessage(message)
  }

  /** Ends the thread with an uncaught error. */
  crash(): void {
    this.postMessage('crash')
  }

  terminate(): void {
    void this.#thread.terminate()
  }
}
