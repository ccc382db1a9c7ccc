import { type MessagePort, parentPort, type TransferListItem } from 'node:worker_threads'
import { toPlainError } from '../plain-error.ts'
import type { FromWorker, NumberedWork } from './worker-messages.ts'

/**
 * Answers the requests of a `WorkerClient`: with what `perform` returns, or with the error that it throws. A request
 * begins when it arrives, also while others are in progress.
 * @param transferOf buffers of a result that change hands
 */
export function serveWork<Work, Result>(
  perform: (work: Work) => Result | Promise<Result>,
  transferOf: (result: Result) => readonly TransferListItem[] = () => [],
): void {
  const port = parentPort as MessagePort
  const send = (message: FromWorker<Result, never>, transfer: readonly TransferListItem[] = []) =>
    port.postMessage(message, transfer)
  port.on('message', async ({ number, work }: NumberedWork<Work>) => {
    try {
      const result = await perform(work)
      send({ number, result }, transferOf(result))
    } catch (thrown) {
      send({ number, error: toPlainError(thrown) })
    }
  })
}

/** Sends a message that answers no request. */
export function sendNote<Note>(note: Note): void {
  const port = parentPort as MessagePort
  port.postMessage({ note } satisfies FromWorker<never, Note>)
}
