import { LockstepError } from '../../../base/error.ts'
import { formatData, formatQuantity } from '../../../base/hex.ts'
import { storeOf } from '../../../evm/chain-types/chain-precompile.ts'
import { NO_ACCOUNT } from '../../../evm/state/account.ts'
import type { AccountProof } from '../../../storage/commit/trie/state-trie.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import {
  ADDRESS_TYPE,
  asArray,
  asString,
  type ParamType,
  SLOT_TYPE,
} from '../argument/parameter.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { requireStateHeight } from '../resolve/block-lookup.ts'
import { writtenTrie } from '../resolve/written-trie.ts'

/** A slot and its notation in the request, which geth repeats in the response. */
export interface ProofKey {
  readonly slot: Uint8Array
  readonly shown: string
}

/** geth's maximum slots of one proof. */
const MAX_KEYS = 1024

const WORD_TEXT = 66

/** The hashes of a missing account in geth's response. */
const ZEROS = new Uint8Array(32)

export const PROOF_KEYS: ParamType<readonly ProofKey[]> = {
  label: 'slots',
  decode: (value) => {
    const keys = asArray(value, 'an array of storage slots')
    if (keys.length > MAX_KEYS) {
      throw tooManyTargets('storage keys', keys.length, MAX_KEYS)
    }
    return keys.map((key) => {
      const slot = SLOT_TYPE.decode(key)
      const whole = formatData(slot)
      const isWhole = asString(key, 'a storage slot').length === WORD_TEXT
      return { slot, shown: isWhole ? whole : formatQuantity(BigInt(whole)) }
    })
  },
}

/**
 * Returns what the commitment of a native chain can prove instead of an account. EVM state is a lattice hash of a
 * set, which proves no single row. Module rows are in IAVL trees, which prove presence and absence.
 */
function provable(address: Uint8Array): string {
  const store = storeOf(address)
  if (store === undefined) {
    return 'debug_traceStateAccess returns what a transaction read, for a replay anywhere, and /abci_query of the consensus RPC proves rows of module stores'
  }
  return `a slot of this precompile is a key of the store ${store}, which /abci_query of the consensus RPC proves against the app hash: path="/store/${store}/key", data=0x<slot>, prove=true`
}

/** An account to prove, with some of its slots. */
export interface ProofTarget {
  readonly address: Uint8Array
  readonly keys: readonly ProofKey[]
}

/** geth has no such method; reth has no limit. */
const MAX_TARGETS = 1024

function tooManyTargets(what: string, count: number, max: number): LockstepError {
  return new LockstepError(
    'REFUSED_ARGUMENT',
    `too many ${what} requested (max ${max}, got ${count})`,
  )
}

export const PROOF_TARGETS: ParamType<readonly ProofTarget[]> = {
  label: 'array of [address, slots]',
  decode: (value) => {
    const items = asArray(value, 'an array of [address, slots]')
    if (items.length > MAX_TARGETS) throw tooManyTargets('accounts', items.length, MAX_TARGETS)
    const targets = items.map((item) => {
      const [address, keys] = asArray(item, 'a pair of address and slots')
      return { address: ADDRESS_TYPE.decode(address), keys: PROOF_KEYS.decode(keys ?? []) }
    })
    const count = targets.reduce((sum, { keys }) => sum + keys.length, 0)
    if (count > MAX_KEYS) throw tooManyTargets('storage keys', count, MAX_KEYS)
    return targets
  },
}

type Prove = (address: Uint8Array, slots: readonly Uint8Array[]) => AccountProof

/**
 * Returns the function that proves accounts of a block.
 * @throws UNSUPPORTED on a native chain that is not for development
 */
async function proverAt(
  call: MethodCall,
  address: Uint8Array,
  block: BlockArgument,
): Promise<Prove> {
  const { imported, dev } = call.context
  if (imported !== undefined) {
    const height = requireStateHeight(call.context, block)
    return (one, slots) => imported.prove(height, one, slots)
  }
  if (dev !== undefined) {
    const trie = await writtenTrie(call, dev, block)
    return (one, slots) => trie.prove(one, slots)
  }
  const text = `no proofs on this chain: its state root is the hash of a lattice and of IAVL trees, not of a Merkle Patricia trie; ${provable(address)}`
  throw new LockstepError('UNSUPPORTED', text)
}

/** Returns the proof of an account and its slots against the state root of a block (EIP-1186). */
export async function getProof(
  call: MethodCall,
  address: Uint8Array,
  keys: readonly ProofKey[],
  block: BlockArgument,
): Promise<unknown> {
  return proofRecord(await proverAt(call, address, block), { address, keys })
}

/** Returns proofs of several accounts in the order of the request, as reth does. */
export async function getMultiProof(
  call: MethodCall,
  targets: readonly ProofTarget[],
  block: BlockArgument,
): Promise<unknown> {
  const [first] = targets
  if (first === undefined) return []
  const prove = await proverAt(call, first.address, block)
  const records: unknown[] = []
  for (const target of targets) {
    records.push(proofRecord(prove, target))
    const turn = call.yield()
    if (turn !== undefined) await turn
  }
  return records
}

function proofRecord(prove: Prove, { address, keys }: ProofTarget): unknown {
  const proven = prove(
    address,
    keys.map(({ slot }) => slot),
  )
  const { account, storageRoot, proof, slots } = proven
  const isAbsent = account === NO_ACCOUNT
  return {
    address: formatData(address),
    accountProof: proof.map(formatData),
    balance: formatQuantity(account.balance),
    codeHash: formatData(isAbsent ? ZEROS : account.codeHash),
    nonce: formatQuantity(account.nonce),
    storageHash: formatData(isAbsent ? ZEROS : storageRoot),
    storageProof: slots.map(({ value, proof: nodes }, i) => ({
      key: keys[i]?.shown,
      value: formatQuantity(value),
      proof: nodes.map(formatData),
    })),
  }
}
