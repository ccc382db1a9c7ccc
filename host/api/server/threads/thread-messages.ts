import type { PlainError } from '../../../base/plain-error.ts'
import type { KeyPairFiles } from '../key-pair.ts'
import type { SharedSumPart } from '../shared-sum.ts'

/** The start-up data of an RPC worker. */
export interface RpcWorkerData {
  /** Data for the script. */
  readonly data: unknown
  /** A word that each thread increments once it has nothing open, if the process exits without closing it. */
  readonly left: SharedArrayBuffer
}

/** The options of a server as structured-clonable data. */
export interface PlainServerOptions {
  readonly host: string
  readonly port: number
  readonly maxBodyBytes: number
  readonly bodyIdleMs: number
  readonly maxConnections: number
  readonly connections: SharedSumPart
  readonly maxHeldBytes: number
  readonly held: SharedSumPart
  readonly reserved: SharedSumPart
  readonly tls: KeyPairFiles | undefined
  /** Names of virtual hosts; undefined accepts all. */
  readonly hosts: readonly string[] | undefined
  /** Undefined if WebSockets are disabled. */
  readonly webSocket: { readonly origins: readonly string[] | undefined } | undefined
  /** True if the thread may itself answer HTTP requests other than upgrades. */
  readonly answersHttp: boolean
}

/** An HTTP request forwarded to the main thread. Names and values of its headers are alternating lines. */
export interface PlainRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: string
  readonly body: Uint8Array
  readonly remoteAddress: string
}

/** Messages of the main thread. `server`, `request` and `peer` are numbers; `body` identifies a streamed body. */
export type ToRpcWorker =
  | { readonly kind: 'listen'; readonly server: number; readonly options: PlainServerOptions }
  | { readonly kind: 'renew'; readonly server: number }
  | { readonly kind: 'close'; readonly server: number; readonly graceMs: number }
  /** The process ends: everything is closed at once. */
  | { readonly kind: 'leave' }
  /** No server is open any more: the thread ends. */
  | { readonly kind: 'end' }
  | {
      readonly kind: 'answer'
      readonly request: number
      readonly status: number
      readonly headers: Readonly<Record<string, string>> | undefined
      readonly body: string | Uint8Array
    }
  | {
      readonly kind: 'streamed'
      readonly request: number
      readonly status: number
      readonly headers: Readonly<Record<string, string>> | undefined
      readonly body: number
    }
  /** The answer to a question of the script, or the error. */
  | {
      readonly kind: 'reply'
      readonly question: number
      readonly reply: unknown
      readonly error: PlainError | undefined
    }
  | { readonly kind: 'chunk'; readonly body: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'bodyEnd'; readonly body: number }
  | { readonly kind: 'bodyBroken'; readonly body: number }
  | { readonly kind: 'text'; readonly peer: number; readonly text: string }
  | { readonly kind: 'message'; readonly peer: number; readonly body: number }
  | { readonly kind: 'room'; readonly peer: number; readonly room: number }
  | {
      readonly kind: 'hangUp'
      readonly peer: number
      readonly code: number
      readonly reason: string
    }

/** Messages of an RPC worker. */
export type FromRpcWorker =
  /** An operation on a server has succeeded, or failed with `error`. */
  | { readonly kind: 'done'; readonly server: number; readonly error: PlainError | undefined }
  | ({ readonly kind: 'request'; readonly request: number; readonly server: number } & PlainRequest)
  /** The client of a request is gone. */
  | { readonly kind: 'aborted'; readonly request: number }
  /** The next chunk of a body is wanted, in the buffer of one that was read where there is one. */
  | { readonly kind: 'pull'; readonly body: number; readonly spare: ArrayBuffer | undefined }
  /** Nothing more is wanted of a body. */
  | { readonly kind: 'drop'; readonly body: number }
  | {
      readonly kind: 'opened'
      readonly peer: number
      readonly server: number
      readonly remoteAddress: string
      readonly canStream: boolean
    }
  | { readonly kind: 'received'; readonly peer: number; readonly bytes: Uint8Array }
  | { readonly kind: 'gone'; readonly peer: number }
  /** A message in pieces is out, or its client gone. */
  | { readonly kind: 'messageOut'; readonly body: number }
  | { readonly kind: 'roomy'; readonly room: number }
  /** What the script asks. */
  | { readonly kind: 'question'; readonly number: number; readonly question: unknown }
  /** What the script has to say. */
  | { readonly kind: 'note'; readonly note: unknown }
  /** The thread has a defect: it closes what it has, and ends. */
  | { readonly kind: 'fault'; readonly error: PlainError }
