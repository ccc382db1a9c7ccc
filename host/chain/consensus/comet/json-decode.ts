import { LockstepError } from '../../../base/error.ts'
import { lookup } from '../../../base/lookup.ts'
import { parseTime } from '../../../base/time.ts'
import type { CometBlock } from './block.ts'
import type { BlockId } from './block-id.ts'
import { BLOCK_ID_FLAG, type Commit, type CommitSignature, NO_COMMIT } from './commit.ts'
import { PUBLIC_KEY_LENGTH } from './ed25519.ts'
import type { CometHeader } from './header.ts'
import { ZERO_TIME } from './timestamp.ts'
import { type CometValidator, cometAddress } from './validator-set.ts'

// Decodes CometBFT's JSON from other nodes. All input is untrusted, including its shape.

const HASH_LENGTH = 32
const ADDRESS_LENGTH = 20
const SIGNATURE_LENGTH = 64
const PUBLIC_KEY_TYPE = 'tendermint/PubKeyEd25519'

function refuse(what: string, rule: string): never {
  throw new LockstepError('PEER_INVALID', `${what} is not ${rule}`)
}

/** A JSON value with its path for error messages. */
class Field {
  readonly #value: unknown
  readonly #path: string

  constructor(value: unknown, path: string) {
    this.#value = value
    this.#path = path
  }

  get isAbsent(): boolean {
    return this.#value === undefined || this.#value === null
  }

  field(name: string): Field {
    const value = this.#value
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return refuse(this.#path, 'an object')
    }
    return new Field(
      lookup(value as Readonly<Record<string, unknown>>, name),
      `${this.#path}.${name}`,
    )
  }

  /** Returns the elements of an array; null, Go's encoding of an empty one, has none. */
  list(): readonly Field[] {
    if (this.isAbsent) return []
    if (!Array.isArray(this.#value)) return refuse(this.#path, 'an array')
    return this.#value.map((value, i) => new Field(value, `${this.#path}[${i}]`))
  }

  text(): string {
    return typeof this.#value === 'string' ? this.#value : refuse(this.#path, 'a text')
  }

  /** 64-bit integers are encoded as decimal strings, 32-bit ones as numbers. */
  integer(): number {
    const value = this.#value
    const isText = typeof value === 'string' && /^(0|-?[1-9]\d{0,15})$/.test(value)
    const number = isText ? Number(value) : value
    return typeof number === 'number' && Number.isSafeInteger(number)
      ? number
      : refuse(this.#path, 'an integer of 53 bits')
  }

  count(): number {
    const number = this.integer()
    return number >= 0 ? number : refuse(this.#path, 'an integer of at least 0')
  }

  time(): bigint {
    const text = this.text()
    if (text === '0001-01-01T00:00:00Z') return ZERO_TIME
    try {
      return parseTime(text)
    } catch {
      return refuse(this.#path, 'a time in UTC')
    }
  }

  /** Decodes hex whose length in bytes is one of `lengths`. */
  hex(...lengths: readonly number[]): Uint8Array {
    const text = this.text()
    const bytes = /^([0-9a-fA-F]{2})*$/.test(text) ? Buffer.from(text, 'hex') : undefined
    if (bytes === undefined || !lengths.includes(bytes.length)) {
      return refuse(this.#path, `hex of ${lengths.join(' or ')} bytes`)
    }
    return Uint8Array.from(bytes)
  }

  base64(): Uint8Array {
    const text = this.text()
    const bytes = Buffer.from(text, 'base64')
    return bytes.toString('base64') === text
      ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
      : refuse(this.#path, 'base64')
  }
}

function decodeBlockId(json: Field): BlockId {
  const parts = json.field('parts')
  return {
    hash: json.field('hash').hex(0, HASH_LENGTH),
    parts: { total: parts.field('total').count(), hash: parts.field('hash').hex(0, HASH_LENGTH) },
  }
}

function decodeHeader(json: Field): CometHeader {
  const hash = (name: string, ...lengths: readonly number[]): Uint8Array =>
    json.field(name).hex(...(lengths.length === 0 ? [HASH_LENGTH] : lengths))
  const version = json.field('version')
  const app = version.field('app')
  return {
    version: { block: version.field('block').count(), app: app.isAbsent ? 0 : app.count() },
    chainId: json.field('chain_id').text(),
    height: json.field('height').count(),
    time: json.field('time').time(),
    lastBlockId: decodeBlockId(json.field('last_block_id')),
    lastCommitHash: hash('last_commit_hash'),
    dataHash: hash('data_hash'),
    validatorsHash: hash('validators_hash'),
    nextValidatorsHash: hash('next_validators_hash'),
    consensusHash: hash('consensus_hash'),
    // The application chooses the length of its app hash.
    appHash: json.field('app_hash').hex(...Array.from({ length: 65 }, (_, length) => length)),
    lastResultsHash: hash('last_results_hash', 0, HASH_LENGTH),
    evidenceHash: hash('evidence_hash'),
    proposerAddress: hash('proposer_address', ADDRESS_LENGTH),
  }
}

function decodeSignature(json: Field): CommitSignature {
  const blockIdFlag = json.field('block_id_flag').integer()
  const isAbsent = blockIdFlag === BLOCK_ID_FLAG.ABSENT
  if (!Object.values<number>(BLOCK_ID_FLAG).includes(blockIdFlag)) {
    return refuse(`block_id_flag ${blockIdFlag}`, '1, 2 or 3')
  }
  const signature = json.field('signature')
  const bytes = signature.isAbsent ? new Uint8Array() : signature.base64()
  if (bytes.length !== (isAbsent ? 0 : SIGNATURE_LENGTH)) {
    return refuse(`a signature of ${bytes.length} bytes`, 'one of ed25519')
  }
  return {
    blockIdFlag,
    validatorAddress: json.field('validator_address').hex(isAbsent ? 0 : ADDRESS_LENGTH),
    timestamp: json.field('timestamp').time(),
    signature: bytes,
  }
}

function decodeCommit(json: Field): Commit {
  const signatures = json.field('signatures').list()
  const height = json.field('height').count()
  // The commit before the first block.
  if (height === 0 && signatures.length === 0) return NO_COMMIT
  return {
    height,
    round: json.field('round').count(),
    blockId: decodeBlockId(json.field('block_id')),
    signatures: signatures.map(decodeSignature),
  }
}

/** A header with the commit that decided it. */
export interface SignedHeader {
  readonly header: CometHeader
  readonly commit: Commit
}

/**
 * Decodes the result of /commit.
 * @throws PEER_INVALID
 */
export function decodeSignedHeader(result: unknown): SignedHeader {
  const json = new Field(result, 'result').field('signed_header')
  return {
    header: decodeHeader(json.field('header')),
    commit: decodeCommit(json.field('commit')),
  }
}

/**
 * Decodes the result of /block.
 * @throws PEER_INVALID
 */
export function decodeBlockResult(result: unknown): CometBlock {
  const json = new Field(result, 'result').field('block')
  const evidence = json.field('evidence')
  if (!evidence.isAbsent && evidence.field('evidence').list().length > 0) {
    return refuse('a block with evidence', 'supported: a chain with one validator has none')
  }
  return {
    header: decodeHeader(json.field('header')),
    transactions: json
      .field('data')
      .field('txs')
      .list()
      .map((transaction) => transaction.base64()),
    lastCommit: decodeCommit(json.field('last_commit')),
  }
}

/**
 * Decodes a page of /validators.
 * @throws PEER_INVALID
 */
export function decodeValidators(result: unknown): {
  readonly validators: readonly CometValidator[]
  readonly total: number
} {
  const json = new Field(result, 'result')
  const validators = json
    .field('validators')
    .list()
    .map((member) => {
      const key = member.field('pub_key')
      if (key.field('type').text() !== PUBLIC_KEY_TYPE) {
        return refuse('the key of a validator', `of type ${PUBLIC_KEY_TYPE}`)
      }
      const publicKey = key.field('value').base64()
      if (publicKey.length !== PUBLIC_KEY_LENGTH) {
        return refuse('the key of a validator', `of ${PUBLIC_KEY_LENGTH} bytes`)
      }
      return {
        publicKey,
        power: member.field('voting_power').count(),
        address: cometAddress(publicKey),
      }
    })
  return { validators, total: json.field('total').count() }
}

/**
 * Decodes chain and heights from the result of /status.
 * @throws PEER_INVALID
 */
export function decodeStatus(result: unknown): {
  readonly chainId: string
  readonly earliestHeight: number
  readonly latestHeight: number
} {
  const json = new Field(result, 'result')
  const sync = json.field('sync_info')
  return {
    chainId: json.field('node_info').field('network').text(),
    earliestHeight: sync.field('earliest_block_height').count(),
    latestHeight: sync.field('latest_block_height').count(),
  }
}
