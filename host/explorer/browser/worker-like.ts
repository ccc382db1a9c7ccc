/** The members of a Worker that are used. */
export type WorkerLike = Pick<
  Worker,
  'postMessage' | 'terminate' | 'onmessage' | 'onmessageerror' | 'onerror'
>
