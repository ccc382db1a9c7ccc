import type { LockstepError } from '../../base/error.ts'
import type { MasterSecret } from '../vault/master-secret.ts'

/**
 * How the daemon and its two processes speak. Each process gets one line of JSON on stdin, its `Start` with the
 * lengths of the secrets, and behind the line the secrets as bytes: none becomes a text of JSON. Stdin then stays open
 * as long as its daemon lives: its end, however the daemon ended, is the order to stop. On stdout a process writes one
 * `ChildLine` a line. What it writes to stderr is logged; nothing secret may be among it.
 */
export interface StartLine<Start> {
  readonly start: Start
  readonly identity: Identity | undefined
  readonly secrets: readonly { readonly kind: MasterSecret['kind']; readonly length: number }[]
}

/** The user that a process becomes once its code is loaded; undefined where it stays the daemon's. */
export interface Identity {
  readonly uid: number
  readonly gid: number
  /** Supplementary groups. */
  readonly groups: readonly number[]
}

/** What the signer is started with: its ready facts are the position of the secret that was the master key. */
export interface SignerStart {
  /** Of its own alone; holds `signer.db`. */
  readonly folder: string
  /** To listen at. Its folder is there; a file that is left of an earlier signer is to be replaced. */
  readonly socket: string
  /** Base URLs that signed requests may name, without a slash at the end. */
  readonly publicUrls: readonly string[]
  readonly requireRequestExpiry: boolean
  readonly requirePolicy: boolean
  /** Who may change policies of what has no owner: its app, or nobody. */
  readonly policyChanges: 'app' | 'owner'
}

export interface SignerFacts {
  /** Position in `secrets` of the one that opened the vault. */
  readonly secret: number
}

/** What the process of the API is started with. */
export interface ServiceStart {
  /** Of its own alone; holds `service.db`. */
  readonly folder: string
  /** The signer's. */
  readonly socket: string
  readonly host: string
  /** 0 takes a free one; at a later start it is the one taken first. */
  readonly port: number
  /** Paths of PEM files; undefined is plain HTTP. */
  readonly tls: { readonly certificate: string; readonly key: string } | undefined
  /** As the configuration has them: empty where the address is meant. */
  readonly publicUrls: readonly string[]
  /** This node's own is among them where it serves its RPC. */
  readonly chains: readonly ChainStart[]
  /** Requests of an app in a second; 0 is any number. */
  readonly rateLimit: number
  readonly webhookAllowPrivate: boolean
}

export interface ChainStart {
  /** CAIP-2. */
  readonly id: string
  readonly rpc: string
}

export interface ServiceFacts {
  /** Where it listens. */
  readonly port: number
}

export const CHILD_LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const

export type ChildLogLevel = (typeof CHILD_LOG_LEVELS)[number]

/** A line that a process writes to stdout. */
export type ChildLine<Facts> =
  /** It answers; once. */
  | { readonly ready: Facts }
  /** It cannot start: the daemon ends with the same error, where the process was never ready. */
  | {
      readonly failed: Pick<LockstepError, 'message' | 'hint'> & { readonly code: string }
    }
  | {
      readonly level: ChildLogLevel
      readonly message: string
      readonly fields: Readonly<Record<string, unknown>>
    }

/** The log of a process: the daemon writes its lines into that of the node. Fields hold nothing secret. */
export type ChildLog = Readonly<
  Record<ChildLogLevel, (message: string, fields?: Readonly<Record<string, unknown>>) => void>
>
