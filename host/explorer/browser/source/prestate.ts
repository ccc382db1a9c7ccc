import { bytesKey, EMPTY_BYTES, equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatData, type Hex } from '../../../base/hex.ts'
import { isGiven, loose } from '../../../client/remote-node/answer-member.ts'
import type { NodeClient } from '../../../client/remote-node/node-client.ts'
import {
  keepSlot,
  type RemoteRead,
  remoteReadName,
  type StateSource,
  storeAccountRead,
} from '../../../client/remote-node/remote-state.ts'
import {
  isMissingMethod,
  isMissingState,
  nodeCallError,
} from '../../../client/remote-node/rpc-answer.ts'
import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import type { AccessListEntry } from '../../../evm/chain-types/transaction.ts'
import { decodeAccount } from '../../../evm/state/account.ts'
import { noReads, type RecordedReads, slotKey } from '../../../evm/state/recorded-state.ts'
import { JsonMember } from '../../../evm/trace/bundle/bundle-json.ts'

export interface PrestateOptions {
  readonly client: NodeClient
  readonly hash: Hex
  readonly keccak256: Keccak256
  /** The state after the parent block; block hashes are read there too. */
  readonly parent: StateSource
  /** The transaction is the first of its block: its state is that after the parent block. */
  readonly isFirst: boolean
  readonly accessList: readonly AccessListEntry[]
  /** Accounts that the transaction's authorizations delegate (EIP-7702). */
  readonly delegates: readonly Uint8Array[]
  /** Accounts that the protocol changes before the first transaction. */
  readonly systemContracts: readonly Uint8Array[]
  /** Called with oddities that are not errors. */
  readonly note: (text: string) => void
}

const METHOD = 'debug_traceTransaction'
/** The first byte of delegation code (EIP-7702), and of no other (EIP-3541). */
const DELEGATION = 0xef

/**
 * The state before a transaction, by geth's prestateTracer: the accounts that it touched, and their slots.
 *
 * The tracer leaves out several values:
 * - block hashes, which are requested separately;
 * - accounts that were empty before, unless the node supports `includeEmpty` (its diff reveals those the transaction changed);
 * - code that an account delegates to since this very transaction (EIP-7702);
 * - reads of an opcode that runs out of gas;
 * - access list entries that are not used.
 *
 * For the first transaction of a block, these values are read from the state after the parent block, and so are
 * unused ones. For a later transaction, the rest is unknown.
 */
export class Prestate implements StateSource {
  readonly reads: RecordedReads = noReads()
  readonly #options: PrestateOptions
  #created: ReadonlySet<string> | undefined

  private constructor(options: PrestateOptions) {
    this.#options = options
  }

  /**
   * Requests the state; undefined if the node does not serve the tracer, or has no state for it.
   * @throws PEER_INVALID, and what the request throws
   */
  static async ask(options: PrestateOptions): Promise<Prestate | undefined> {
    const { client, hash } = options
    const params = [hash, { tracer: 'prestateTracer', tracerConfig: { includeEmpty: true } }]
    const [answer] = await client.askAll([{ method: METHOD, params }])
    if (answer === undefined) return undefined
    if ('error' in answer) {
      if (isMissingMethod(answer.error) || isMissingState(answer.error)) return undefined
      throw nodeCallError(client.name, METHOD, answer.error)
    }
    const prestate = new Prestate(options)
    client.decode(METHOD, answer.result, (accounts) => prestate.#keep(accounts))
    return prestate
  }

  async fetch(reads: readonly RemoteRead[]): Promise<void> {
    const { parent, client } = this.#options
    const ofParent = reads.filter((read) => this.#isOfParent(read))
    await parent.fetch(ofParent)
    for (const read of ofParent) this.#copy(read)
    for (const [i, read] of reads.entries()) {
      if (ofParent.includes(read)) continue
      const isKept =
        (await this.#keepEmpty(read)) ||
        (await this.#keepUnused(read)) ||
        (await this.#keepDelegate(read))
      // Later reads may come from a wrong guess, and not be reads of the true run.
      if (isKept || i > 0) continue
      throw new LockstepError(
        'NOT_FOUND',
        `${client.name}: prestateTracer does not return ${remoteReadName(read)}, which the transaction reads`,
        { hint: 'allow the way `reads`, on a node that has the state of the parent block' },
      )
    }
  }

  #keep(accounts: JsonMember): void {
    for (const [name, account] of accounts.entries()) {
      const address = new JsonMember(name, 'an address').data(20)
      const at = (member: string) => account.at(member)
      storeAccountRead(this.reads, this.#options.keccak256, address, {
        balance: isGiven(at('balance')) ? loose(at('balance'), 256) : 0n,
        nonce: nonceOf(at('nonce')),
        code: isGiven(at('code')) ? at('code').data() : EMPTY_BYTES,
      })
      if (!isGiven(at('storage'))) continue
      for (const [slot, value] of at('storage').entries()) {
        keepSlot(this.reads, address, new JsonMember(slot, 'a slot').data(32), loose(value, 256))
      }
    }
  }

  #isOfParent(read: RemoteRead): boolean {
    if (read.kind === 'blockHash') return true
    const { isFirst, systemContracts } = this.#options
    return isFirst && !systemContracts.some((one) => equalBytes(one, read.address))
  }

  #copy(read: RemoteRead): void {
    const { accounts, slots, codes, blockHashes } = this.#options.parent.reads
    if (read.kind === 'blockHash') {
      this.reads.blockHashes.set(read.number, blockHashes.get(read.number))
    } else if (read.kind === 'account') {
      const key = bytesKey(read.address)
      const account = accounts.get(key)
      if (account !== undefined) this.reads.accounts.set(key, account)
      for (const [hash, code] of codes) this.reads.codes.set(hash, code)
    } else {
      const key = slotKey(read.address, read.slot)
      const slot = slots.get(key)
      if (slot !== undefined) this.reads.slots.set(key, slot)
    }
  }

  /** Records an empty value for an account that the transaction created. Returns false for other reads. */
  async #keepEmpty(read: RemoteRead): Promise<boolean> {
    if (read.kind === 'blockHash') return false
    this.#created ??= await this.#askCreated()
    if (!this.#created.has(formatData(read.address))) return false
    keepEmpty(this.reads, this.#options.keccak256, read)
    return true
  }

  /**
   * Records a value for an unused access list entry, and returns false for other reads. The tracer does not return the
   * entry, so any value is valid for the run. Takes the value after the parent block if the node has it.
   */
  async #keepUnused(read: RemoteRead): Promise<boolean> {
    if (read.kind === 'blockHash') return false
    const { accessList, parent, keccak256, note } = this.#options
    const entries = accessList.filter(({ address }) => equalBytes(address, read.address))
    const isNamed =
      read.kind === 'account'
        ? entries.length > 0
        : entries.some(({ storageKeys }) => storageKeys.some((key) => equalBytes(key, read.slot)))
    if (!isNamed) return false
    const what = `the access list names ${remoteReadName(read)}, which the transaction does not use`
    try {
      await parent.fetch([read])
      this.#copy(read)
      note(`${what}: the bundle has its value after the parent block`)
    } catch (thrown) {
      if (!(thrown instanceof LockstepError) || thrown.code !== 'STATE_PRUNED') throw thrown
      keepEmpty(this.reads, keccak256, read)
      note(`${what}, and the node has no state of it: it is empty in the bundle`)
    }
    return true
  }

  /**
   * Records an account that the transaction itself delegates to, which the tracer misses, and returns false for other
   * reads. Only its code is used, and code that existed after the parent block still exists; its balance and nonce are
   * taken from there.
   */
  async #keepDelegate(read: RemoteRead): Promise<boolean> {
    const { delegates, parent } = this.#options
    if (read.kind !== 'account') return false
    if (!delegates.some((address) => equalBytes(address, read.address))) return false
    await parent.fetch([read])
    const { accounts, codes } = parent.reads
    const record = accounts.get(bytesKey(read.address))?.record
    const code = record && codes.get(bytesKey(decodeAccount(record).codeHash))?.code
    // An account that itself delegates may have changed since.
    if (code === undefined || code.length === 0 || code[0] === DELEGATION) return false
    this.#copy(read)
    return true
  }

  /** Returns the accounts that the diff has after the transaction but not before it. */
  async #askCreated(): Promise<ReadonlySet<string>> {
    const { client, hash } = this.#options
    const params = [hash, { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }]
    const answer = await client.askOptional(METHOD, params)
    if (answer === undefined) return new Set()
    return client.decode(METHOD, answer, (diff) => {
      // A node without the diff mode returns the accounts as before.
      if (!isGiven(diff.at('pre')) || !isGiven(diff.at('post'))) return new Set()
      const names = (part: string) =>
        diff
          .at(part)
          .entries()
          .map(([name]) => name.toLowerCase())
      const before = new Set(names('pre'))
      return new Set(names('post').filter((name) => !before.has(name)))
    })
  }
}

function keepEmpty(
  reads: RecordedReads,
  keccak256: Keccak256,
  read: Exclude<RemoteRead, { kind: 'blockHash' }>,
): void {
  const { address } = read
  if (read.kind === 'storage') keepSlot(reads, address, read.slot, 0n)
  else storeAccountRead(reads, keccak256, address, { balance: 0n, nonce: 0n, code: EMPTY_BYTES })
}

/** geth returns a number, other nodes a quantity. */
function nonceOf(nonce: JsonMember): bigint {
  const { value } = nonce
  if (!isGiven(nonce)) return 0n
  if (typeof value !== 'number') return loose(nonce, 64)
  if (!Number.isSafeInteger(value) || value < 0) throw nonce.wants('a nonce')
  return BigInt(value)
}
