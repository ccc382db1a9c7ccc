import type { LockstepError } from '../../base/error.ts'
import type { MasterSecret } from '../vault/master-secret.ts'

/**
 * Protocol between the daemon and its two child processes. Each process gets one line of JSON on stdin: its `Start`
 * and the lengths of the secrets. The secrets follow as bytes, so that none is in a JSON string. Stdin stays open
 * while the daemon lives; its end, for whatever reason, is the order to stop. On stdout a process writes one
 * `ChildLine` per line. Its stderr is logged and must contain no secret.
 */
export interface StartLine<Start> {
  readonly start: Start
  readonly identity: Identity | undefined
  readonly secrets: readonly { readonly kind: MasterSecret['kind']; readonly length: number }[]
}

/** The user that a process switches to after loading its code. Undefined to stay the daemon's user. */
export interface Identity {
  readonly uid: number
  readonly gid: number
  /** Supplementary groups. */
  readonly groups: readonly number[]
}

/** Start parameters of the signer. Its ready facts are the position of the secret that was the master key. */
export interface SignerStart {
  /** Accessible to the signer only; holds `signer.db`. */
  readonly folder: string
  /** Path to listen on. The folder exists; a socket file of an earlier signer is replaced. */
  readonly socket: string
  /** Base URLs that signed requests may use, without a trailing slash. */
  readonly publicUrls: readonly string[]
  readonly requireRequestExpiry: boolean
  readonly requirePolicy: boolean
  /** Who may change policies of ownerless resources: the app, or no one. */
  readonly policyChanges: 'app' | 'owner'
}

export interface SignerFacts {
  /** Index in `secrets` of the one that opened the vault. */
  readonly secret: number
}

/** Start parameters of the API process. */
export interface ServiceStart {
  /** Accessible to the API process only; holds `service.db`. */
  readonly folder: string
  /** Path of the signer's socket. */
  readonly socket: string
  readonly host: string
  /** 0 picks a free port. Restarts reuse the port of the first start. */
  readonly port: number
  /** Paths of PEM files. Undefined for plain HTTP. */
  readonly tls: { readonly certificate: string; readonly key: string } | undefined
  /** As configured. Empty for the listening address. */
  readonly publicUrls: readonly string[]
  /** Includes this node, if it serves its RPC. */
  readonly chains: readonly ChainStart[]
  /** Requests per second of one app. 0 for no limit. */
  readonly rateLimit: number
  readonly webhookAllowPrivate: boolean
}

export interface ChainStart {
  /** CAIP-2. */
  readonly id: string
  readonly rpc: string
}

export interface ServiceFacts {
  /** The listening port. */
  readonly port: number
}

export const CHILD_LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const

export type ChildLogLevel = (typeof CHILD_LOG_LEVELS)[number]

/** A line that a process writes to stdout. */
export type ChildLine<Facts> =
  /** Sent once, when the process accepts requests. */
  | { readonly ready: Facts }
  /** It cannot start. If it was never ready, the daemon exits with the same error. */
  | {
      readonly failed: Pick<LockstepError, 'message' | 'hint'> & { readonly code: string }
    }
  | {
      readonly level: ChildLogLevel
      readonly message: string
      readonly fields: Readonly<Record<string, unknown>>
    }

/** Log of a child process. The daemon writes its lines to the log of the node. Fields contain no secrets. */
export type ChildLog = Readonly<
  Record<ChildLogLevel, (message: string, fields?: Readonly<Record<string, unknown>>) => void>
>
