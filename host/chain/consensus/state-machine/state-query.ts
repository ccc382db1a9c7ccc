import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { type ErrorCode, LockstepError } from '../../../base/error.ts'
import { Mutex } from '../../../base/mutex.ts'
import type { StateProof, StateProver } from '../../../storage/commit/proof/state-proof.ts'
import { encodeCommitmentProof } from '../comet/commitment-proof.ts'

/** ABCI `Query` for a key of a module's store: `/store/<module>/key`. */
export interface QueryRequest {
  readonly path: string
  readonly data: Uint8Array
  /** 0 for the latest. */
  readonly height: number
  readonly prove: boolean
}

/** A step of a proof from a key to the root hash. */
export interface ProofOp {
  readonly type: 'ics23:iavl' | 'ics23:simple'
  readonly key: Uint8Array
  /** `CommitmentProof` in protobuf. */
  readonly data: Uint8Array
}

export interface QueryResponse {
  /** 0 on success; otherwise a code of `codespace`, with the reason in `log`. */
  readonly code: number
  readonly codespace: string
  readonly log: string
  readonly key: Uint8Array
  /** Empty if the key is absent; the proof distinguishes that from an empty value. */
  readonly value: Uint8Array
  /** Proof from the key up to the app hash of `height`, which the next header states. */
  readonly proofOps: readonly ProofOp[]
  readonly height: number
}

/** Error codes of the Cosmos SDK for queries. */
const CODESPACE = 'sdk'
const UNKNOWN_REQUEST = 6
const INVALID_REQUEST = 18
const INVALID_HEIGHT = 26
const NOT_SUPPORTED = 37

const REFUSALS: ReadonlyMap<ErrorCode, number> = new Map([
  ['NOT_FOUND', UNKNOWN_REQUEST],
  ['STATE_PRUNED', INVALID_HEIGHT],
  ['UNSUPPORTED', NOT_SUPPORTED],
])

const STORE_PATH = /^\/store\/([^/]+)\/key$/

/** Limit of waiting queries: the default connection limit of the consensus RPC. */
const MAX_WAITING = 900

/**
 * Answers ABCI queries. Sends the state commit one query at a time, so that hashing a block waits for one proof at
 * most.
 */
export class StateQuery {
  readonly #prover: StateProver
  readonly #newest: () => number
  #waiting = 0
  readonly #proofs = new Mutex()

  /** @param newest returns the latest height given to the state commit */
  constructor(prover: StateProver, newest: () => number) {
    this.#prover = prover
    this.#newest = newest
  }

  /** @throws SERVER_BUSY if too many queries wait, and the error that stopped the state commit */
  async query(request: QueryRequest): Promise<QueryResponse> {
    const { path, data, height } = request
    const newest = this.#newest()
    const [, module] = STORE_PATH.exec(path) ?? []
    if (module === undefined) {
      return refused(UNKNOWN_REQUEST, `invalid path: "${path}", want /store/<module>/key`)
    }
    if (data.length === 0) return refused(INVALID_REQUEST, 'data is empty, want the key')
    if (height < 0) return refused(INVALID_HEIGHT, `height ${height} is negative`)
    if (height > newest) {
      return refused(INVALID_HEIGHT, `height ${height} is in the future, the newest is ${newest}`)
    }
    try {
      const proof = await this.#prove(module, data, height === 0 ? newest : height)
      return answered(data, proof, request.prove)
    } catch (thrown) {
      const code = thrown instanceof LockstepError ? REFUSALS.get(thrown.code) : undefined
      if (code === undefined) throw thrown
      const { message, hint } = thrown as LockstepError
      return refused(code, `${message}; ${hint}`)
    }
  }

  async #prove(module: string, key: Uint8Array, height: number): Promise<StateProof> {
    if (this.#waiting >= MAX_WAITING) {
      throw new LockstepError(
        'SERVER_BUSY',
        `${this.#waiting} queries of the state are already waiting`,
      )
    }
    this.#waiting++
    try {
      return await this.#proofs.runExclusive(() => this.#prover.prove(module, key, height))
    } finally {
      this.#waiting--
    }
  }
}

function answered(
  key: Uint8Array,
  { height, tree, store }: StateProof,
  isProven: boolean,
): QueryResponse {
  const value = tree.kind === 'exist' ? tree.value : EMPTY_BYTES
  const proofOps: ProofOp[] = [
    { type: 'ics23:iavl', key, data: encodeCommitmentProof(tree) },
    { type: 'ics23:simple', key: store.key, data: encodeCommitmentProof(store) },
  ]
  return {
    code: 0,
    codespace: '',
    log: '',
    key,
    value,
    proofOps: isProven ? proofOps : [],
    height,
  }
}

function refused(code: number, log: string): QueryResponse {
  return {
    code,
    codespace: CODESPACE,
    log,
    key: EMPTY_BYTES,
    value: EMPTY_BYTES,
    proofOps: [],
    height: 0,
  }
}
