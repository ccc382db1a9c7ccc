import { bigintToBytes, bytesKey } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { formatData, formatQuantity, type Hex } from '../../base/hex.ts'
import type { Keccak256 } from '../../evm/chain-types/signature-recovery.ts'
import { EMPTY_CODE_HASH, encodeAccount } from '../../evm/state/account.ts'
import { noReads, type RecordedReads, slotKey } from '../../evm/state/recorded-state.ts'
import type { AsyncStateView } from '../../evm/state/view.ts'
import type { JsonMember } from '../../evm/trace/bundle/bundle-json.ts'
import { given, loose } from './answer-member.ts'
import type { NodeClient } from './node-client.ts'
import { type CallAnswer, type NodeCall, nodeCallError } from './rpc-answer.ts'

/** A part of a state that a run reads. Code comes with its account. */
export type RemoteRead =
  | { readonly kind: 'account'; readonly address: Uint8Array }
  | { readonly kind: 'storage'; readonly address: Uint8Array; readonly slot: Uint8Array }
  | { readonly kind: 'blockHash'; readonly number: number }

/** Returns the name of a read for messages. */
export function remoteReadName(read: RemoteRead): string {
  if (read.kind === 'blockHash') return `the hash of block ${read.number}`
  const address = formatData(read.address)
  return read.kind === 'account'
    ? `account ${address}`
    : `slot ${formatData(read.slot)} of ${address}`
}

/** Fetches missing parts of a state. */
export interface StateSource {
  /** What has been fetched. */
  readonly reads: RecordedReads
  /** Fetches missing parts: the first one, and as many of the others as it can. */
  fetch(reads: readonly RemoteRead[]): Promise<void>
}

export interface RemoteStateOptions {
  readonly client: NodeClient
  /** Number of the block whose post-state it is. */
  readonly height: number
  /** The same block, if it is identified by something other than its number. */
  readonly block?: Hex | BlockName
  readonly keccak256: Keccak256
  /** Maximum reads: accounts, slots and block hashes. */
  readonly maxReads?: number
}

/** A block by its hash (EIP-1898), which stays the same block after a reorg. */
export type BlockName = { readonly blockHash: Hex }

export const DEFAULT_MAX_READS = 50_000

/**
 * The state of a node after one block, by plain reads: eth_getBalance, eth_getTransactionCount, eth_getCode,
 * eth_getStorageAt. Fetched values are cached.
 *
 * An account without nonce, balance and code counts as absent, as it does since Spurious Dragon (EIP-161). Every read
 * throws STATE_PRUNED if the node does not retain the state, LIMIT_EXCEEDED, and errors of asking the node.
 */
export class NodeStateView implements AsyncStateView, StateSource {
  readonly reads: RecordedReads = noReads()
  readonly #client: NodeClient
  readonly #height: number
  readonly #block: Hex | BlockName
  readonly #keccak256: Keccak256
  readonly #maxReads: number

  constructor({
    client,
    height,
    block = formatQuantity(height),
    keccak256,
    maxReads = DEFAULT_MAX_READS,
  }: RemoteStateOptions) {
    this.#client = client
    this.#height = height
    this.#block = block
    this.#keccak256 = keccak256
    this.#maxReads = maxReads
  }

  async fetch(reads: readonly RemoteRead[]): Promise<void> {
    const wanted = reads.filter((read) => !this.#isKnown(read)).map((read) => this.#fetchOf(read))
    const { accounts, slots, blockHashes } = this.reads
    const count = accounts.size + slots.size + blockHashes.size + wanted.length
    if (count > this.#maxReads) {
      throw new LockstepError(
        'LIMIT_EXCEEDED',
        `${this.#client.name}: the run asks for ${count} accounts and slots after block ${this.#height}, more than ${this.#maxReads}`,
        { hint: 'raise `maxReads`, or ask a node that serves debug_traceTransaction' },
      )
    }
    const calls = wanted.flatMap((one) => one.calls)
    const answers = await this.#client.askAll(calls)
    let at = 0
    for (const one of wanted) {
      const own = answers.slice(at, at + one.calls.length)
      at += one.calls.length
      one.keep(own.map((answer, i) => this.#result(one.calls[i] as NodeCall, answer)))
    }
  }

  async account(address: Uint8Array): Promise<Uint8Array | undefined> {
    await this.fetch([{ kind: 'account', address }])
    return this.reads.accounts.get(bytesKey(address))?.record
  }

  async storage(address: Uint8Array, slot: Uint8Array): Promise<Uint8Array | undefined> {
    await this.fetch([{ kind: 'storage', address, slot }])
    return this.reads.slots.get(slotKey(address, slot))?.value
  }

  /** @throws NOT_FOUND if no account with the code was read */
  code(codeHash: Uint8Array): Uint8Array {
    const known = this.reads.codes.get(bytesKey(codeHash))
    if (known !== undefined) return known.code
    throw new LockstepError(
      'NOT_FOUND',
      `code hash ${formatData(codeHash)} belongs to no account that was read`,
    )
  }

  async blockHash(number: number): Promise<Uint8Array | undefined> {
    await this.fetch([{ kind: 'blockHash', number }])
    return this.reads.blockHashes.get(number)
  }

  #isKnown(read: RemoteRead): boolean {
    const { accounts, slots, blockHashes } = this.reads
    if (read.kind === 'account') return accounts.has(bytesKey(read.address))
    if (read.kind === 'storage') return slots.has(slotKey(read.address, read.slot))
    return blockHashes.has(read.number)
  }

  #result({ method }: NodeCall, answer: CallAnswer): JsonResult {
    if ('error' in answer) throw nodeCallError(this.#client.name, method, answer.error)
    return (decode) => this.#client.decode(method, answer.result, decode)
  }

  #fetchOf(read: RemoteRead): Fetch {
    const tag = this.#block
    switch (read.kind) {
      case 'account': {
        const params = [formatData(read.address), tag]
        const methods = ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode']
        return {
          calls: methods.map((method) => ({ method, params })),
          keep: ([balance, nonce, code]) =>
            storeAccountRead(this.reads, this.#keccak256, read.address, {
              balance: (balance as JsonResult)((value) => loose(value, 256)),
              nonce: (nonce as JsonResult)((value) => loose(value, 64)),
              code: (code as JsonResult)((value) => value.data()),
            }),
        }
      }
      case 'storage': {
        const { address, slot } = read
        const params = [formatData(address), formatData(slot), tag]
        return {
          calls: [{ method: 'eth_getStorageAt', params }],
          keep: ([word]) =>
            keepSlot(
              this.reads,
              address,
              slot,
              (word as JsonResult)((value) => loose(value, 256)),
            ),
        }
      }
      case 'blockHash': {
        const { number } = read
        return {
          calls: [{ method: 'eth_getBlockByNumber', params: [formatQuantity(number), false] }],
          keep: ([block]) => {
            const hash = (block as JsonResult)((value) =>
              given(value, (member) => member.at('hash').data(32)),
            )
            this.reads.blockHashes.set(number, hash)
          },
        }
      }
    }
  }
}

type JsonResult = <Value>(decode: (member: JsonMember) => Value) => Value

/** The calls for one read, and the function that takes their results. */
interface Fetch {
  readonly calls: readonly NodeCall[]
  readonly keep: (results: readonly JsonResult[]) => void
}

/** Stores an account with its code; an empty one is absent (EIP-161). */
export function storeAccountRead(
  reads: RecordedReads,
  keccak256: Keccak256,
  address: Uint8Array,
  { balance, nonce, code }: { balance: bigint; nonce: bigint; code: Uint8Array },
): void {
  const isEmpty = balance === 0n && nonce === 0n && code.length === 0
  const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccak256(code)
  reads.codes.set(bytesKey(codeHash), { codeHash, code })
  reads.accounts.set(bytesKey(address), {
    address,
    ...(!isEmpty && { record: encodeAccount({ nonce, balance, codeHash }) }),
  })
}

export function keepSlot(
  reads: RecordedReads,
  address: Uint8Array,
  slot: Uint8Array,
  value: bigint,
): void {
  reads.slots.set(slotKey(address, slot), {
    address,
    slot,
    ...(value !== 0n && { value: bigintToBytes(value, 32) }),
  })
}
