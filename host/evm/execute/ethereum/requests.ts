import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, equalBytes } from '../../../base/bytes.ts'
import { parseData } from '../../../base/hex.ts'
import type { Log } from '../../chain-types/log.ts'
import { atLeast, type Revision } from '../../chain-types/revision.ts'
import type { BlockEnv } from '../../engine/message.ts'
import { isContract } from '../../state/account.ts'
import { answerFrom } from '../../state/answer.ts'
import type { StateFork } from '../../state/state-fork.ts'
import type { AccessListBuilder } from '../access-list-builder.ts'
import type { BlockEngine } from '../block-engine.ts'
import { invalidBlock } from './header-rules.ts'

/** Keccak-256 of DepositEvent(bytes,bytes,bytes,bytes,bytes). */
const DEPOSIT_EVENT = parseData(
  '0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5',
)
/** Bytes of a deposit event, and offset and length of its five fields (EIP-6110). */
const DEPOSIT_DATA = 576
const DEPOSIT_FIELDS: readonly (readonly [offset: number, length: number])[] = [
  [160, 48],
  [256, 32],
  [320, 8],
  [384, 96],
  [512, 8],
]

/** Withdrawal request contract (EIP-7002). */
export const WITHDRAWALS: Uint8Array = parseData('0x00000961ef480eb55e80d19ad83579a64c007002')
/** Consolidation request contract (EIP-7251). */
export const CONSOLIDATIONS: Uint8Array = parseData('0x0000bbddc7ce488642fb579f8b00f3a590007251')

/** Builder deposit and exit contracts (EIP-8282). */
export const BUILDER_DEPOSITS: Uint8Array = parseData('0x0000bff46984e3725691fa540a8c7589300d8282')
export const BUILDER_EXITS: Uint8Array = parseData('0x000064d678505ad48f8ccb093bc65613800e8282')

/** Contracts called after the transactions, with the type of their requests and their first revision. */
const REQUEST_CONTRACTS: readonly (readonly [
  type: number,
  address: Uint8Array,
  since: Revision,
])[] = [
  [1, WITHDRAWALS, 'Prague'],
  [2, CONSOLIDATIONS, 'Prague'],
  [3, BUILDER_DEPOSITS, 'Amsterdam'],
  [4, BUILDER_EXITS, 'Amsterdam'],
]

/** Returns the contracts that blocks of a revision call after their transactions. */
export function requestContracts(revision: Revision): Uint8Array[] {
  return REQUEST_CONTRACTS.filter(([, , since]) => atLeast(revision, since)).map(
    ([, address]) => address,
  )
}

function readOffset(data: Uint8Array, at: number): bigint {
  return BigInt(
    `0x${Array.from(data.subarray(at, at + 32), (b) => b.toString(16).padStart(2, '0')).join('')}`,
  )
}

function parseDeposit(data: Uint8Array): Uint8Array {
  if (data.length !== DEPOSIT_DATA)
    throw invalidBlock(`a deposit event has ${data.length} bytes, want ${DEPOSIT_DATA}`)
  const fields = DEPOSIT_FIELDS.map(([offset, length], index) => {
    if (readOffset(data, 32 * index) !== BigInt(offset)) throw invalidBlock('deposit event offset')
    if (readOffset(data, offset) !== BigInt(length)) throw invalidBlock('deposit event length')
    return data.subarray(offset + 32, offset + 32 + length)
  })
  return concatBytes(fields)
}

/** Returns the data of the deposit request: all deposits in the deposit contract's logs (EIP-6110). */
function readDeposits(logs: Iterable<Log>, depositContract: Uint8Array): Uint8Array {
  const deposits: Uint8Array[] = []
  for (const { address, topics, data } of logs) {
    const [topic] = topics
    if (topic === undefined || !equalBytes(address, depositContract)) continue
    if (equalBytes(topic, DEPOSIT_EVENT)) deposits.push(parseDeposit(data))
  }
  return concatBytes(deposits)
}

/**
 * Returns the hash of a block's requests (EIP-7685). Deposits come from logs, withdrawals and consolidations from
 * contracts called after the block's withdrawals are credited. Changes the state.
 * @param accesses receives what the calls access, from Amsterdam on
 * @throws BLOCK_INVALID if a contract is missing or fails, or a deposit event is malformed.
 */
export function processRequests(
  engine: Pick<BlockEngine, 'beginBlock' | 'systemCall' | 'diff' | 'accessList'>,
  state: StateFork,
  env: BlockEnv,
  logs: Iterable<Log>,
  depositContract: Uint8Array,
  accesses?: AccessListBuilder,
): Uint8Array {
  const deposits = readDeposits(logs, depositContract)
  const requests: Uint8Array[] = [concatBytes([Uint8Array.of(0), deposits])]
  engine.beginBlock(env)
  for (const [type, address, since] of REQUEST_CONTRACTS) {
    if (!atLeast(env.revision, since)) continue
    const account = state.readAccount(address)
    if (account === undefined || !isContract(account)) {
      throw invalidBlock(`no contract for requests of type ${type}`)
    }
    const outcome = answerFrom(engine.systemCall(address, new Uint8Array(0)), state)
    if (!outcome.success) throw invalidBlock(`requests of type ${type}: ${outcome.error}`)
    requests.push(concatBytes([Uint8Array.of(type), outcome.output]))
  }
  accesses?.add(engine.accessList())
  state.apply(engine.diff())
  // Requests without data are omitted.
  return sha256(concatBytes(requests.filter((request) => request.length > 1).map(hashRequest)))
}

function hashRequest(request: Uint8Array): Uint8Array {
  return sha256(request)
}
