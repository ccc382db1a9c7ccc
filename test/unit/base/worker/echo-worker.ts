import { parentPort } from 'node:worker_threads'
import { LockstepError } from '../../../../host/base/error.ts'
import { sendNote, serveWork } from '../../../../host/base/worker/serve-work.ts'

/** Work of the echo worker in the tests of `WorkerClient`. */
export type EchoWork =
  | { readonly kind: 'echo'; readonly text: string }
  | { readonly kind: 'refuse'; readonly text: string }
  | { readonly kind: 'note'; readonly text: string }
  /** Answers after the note `go on` of another request. */
  | { readonly kind: 'wait'; readonly text: string }
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'throw'; readonly text: string }
  | { readonly kind: 'answer'; readonly number: number }

let release: (() => void) | undefined

serveWork(async (work: EchoWork): Promise<unknown> => {
  switch (work.kind) {
    case 'echo':
      release?.()
      return work.text
    case 'refuse':
      throw new LockstepError('STORE_FULL', work.text, { hint: 'free some space' })
    case 'note':
      sendNote(work.text)
      return work.text
    case 'wait':
      await new Promise<void>((resolve) => {
        release = resolve
      })
      return work.text
    case 'exit':
      return process.exit(work.code)
    case 'throw':
      setImmediate(() => {
        throw new Error(work.text)
      })
      return new Promise(() => {})
    case 'answer':
      parentPort?.postMessage({ number: work.number, result: '' })
      return ''
  }
})
