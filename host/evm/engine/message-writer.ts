import { bigintToBytes, bytesToBigint } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { CHAIN_PRECOMPILES } from '../chain-types/generated/chain-precompile.ts'
import { type Revision, revisionNumber } from '../chain-types/revision.ts'
import type { AccessListEntry, Authorization } from '../chain-types/transaction.ts'
import { BLOCK_FLAG, MESSAGE_FLAG } from './generated/message-flag.ts'
import type { EngineMemory } from './memory.ts'
import type { BlockEnv, TransactionInput } from './message.ts'
import type { HostAddresses } from './options.ts'

const HEADER = 288

const MOVED_AT = 224
const MOVED_ROW = 24
const AUTHORIZATION = 192

const CHAIN_ADDRESSES: HostAddresses = {
  first: CHAIN_PRECOMPILES[0]?.address ?? 1,
  last: CHAIN_PRECOMPILES.at(-1)?.address ?? 0,
}

/** Writes the block in the engine's format (assembly/evm/context/block.ts). */
export function writeBlock(
  memory: EngineMemory,
  at: number,
  env: BlockEnv,
  hashSeed: bigint,
  hostAddresses: HostAddresses,
): void {
  const host = env.chainPrecompiles === true ? CHAIN_ADDRESSES : hostAddresses
  memory.setU32(at, revisionNumber(env.revision satisfies Revision))
  memory.setU32(at + 4, env.burnBaseFee ? 0 : BLOCK_FLAG.keepBaseFee)
  memory.setU64(at + 8, BigInt(env.number))
  memory.setU64(at + 16, BigInt(env.timestamp))
  memory.setU64(at + 24, env.gasLimit)
  memory.setU64(at + 32, hashSeed)
  memory.setU32(at + 40, host.first)
  memory.setU32(at + 44, host.last)
  memory.setU32(at + 52, env.accessIndex ?? 0)
  memory.setU64(at + 56, env.slotNumber ?? 0n)
  memory.setWord(at + 64, env.chainId)
  memory.setWord(at + 96, env.baseFee)
  memory.setWord(at + 128, env.blobBaseFee)
  memory.setWordBytes(at + 160, env.prevRandao)
  memory.bytes.set(env.coinbase, at + 192)
  const moved = env.moved ?? []
  memory.setU32(at + 48, moved.length)
  moved.forEach(({ address, precompile }, i) => {
    const row = at + MOVED_AT + i * MOVED_ROW
    memory.bytes.set(address, row)
    // A precompile's id is the number of its address.
    memory.setU32(row + 20, precompile === undefined ? 0 : Number(bytesToBigint(precompile)))
  })
}

/**
 * Writes a message in the engine's format (assembly/evm/context/message-layout.ts).
 * @returns its end
 * @throws INVALID_ARGUMENT if its data and lists exceed `size` bytes.
 */
export function writeEngineMessage(
  memory: EngineMemory,
  at: number,
  size: number,
  input: TransactionInput,
  flags: number,
  data = input.data,
): number {
  const { accessList, authorizations, blobHashes, to } = input
  requireMessageRoom(messageBytes(input, data.length), size)

  // One clear, then the non-zero fields: most of a short call's header is zeros.
  memory.clear(at, HEADER)
  memory.setU32(at, input.type)
  memory.setU32(at + 4, to === undefined ? flags | MESSAGE_FLAG.creation : flags)
  memory.bytes.set(input.from, at + 8)
  if (to !== undefined) memory.bytes.set(to, at + 32)
  if (input.nonce !== 0n) memory.setU64(at + 56, input.nonce)
  memory.setU64(at + 64, input.gas)
  if (input.maxFeePerGas !== 0n) memory.setWord(at + 128, input.maxFeePerGas)
  if (input.maxPriorityFeePerGas !== 0n) memory.setWord(at + 160, input.maxPriorityFeePerGas)
  if (input.value !== 0n) memory.setWord(at + 192, input.value)
  if (input.maxFeePerBlobGas !== 0n) memory.setWord(at + 224, input.maxFeePerBlobGas)

  let next = at + HEADER
  if (authorizations.length > 0) {
    memory.setU32(at + 80, next)
    memory.setU32(at + 84, authorizations.length)
    next = writeAuthorizations(memory, next, authorizations)
  }
  if (blobHashes.length > 0) {
    memory.setU32(at + 88, next)
    memory.setU32(at + 92, blobHashes.length)
    next = writeHashes(memory, next, blobHashes)
  }
  if (accessList.length > 0) {
    memory.setU32(at + 72, next)
    memory.setU32(at + 76, accessList.length)
    next = writeAccessList(memory, next, accessList)
  }
  memory.setU32(at + 96, next)
  memory.setU32(at + 100, data.length)
  memory.bytes.set(data, next)
  return next + data.length
}

/** Returns the most bytes that a message takes. */
export function messageBytes(
  {
    accessList,
    authorizations,
    blobHashes,
  }: Pick<TransactionInput, 'accessList' | 'authorizations' | 'blobHashes'>,
  dataLength: number,
): number {
  const lists = AUTHORIZATION * authorizations.length + 32 * blobHashes.length
  const accessed = accessList.length === 0 ? 0 : sizeOfAccessList(accessList)
  return HEADER + dataLength + 8 + lists + accessed
}

/** @throws INVALID_ARGUMENT if a message of `needed` bytes does not fit into `size` */
export function requireMessageRoom(needed: number, size: number): void {
  if (needed <= size) return
  throw new LockstepError(
    'INVALID_ARGUMENT',
    `a transaction of ${needed} bytes exceeds the engine's ${size}`,
  )
}

function sizeOfAccessList(accessList: readonly AccessListEntry[]): number {
  return accessList.reduce((size, { storageKeys }) => size + 24 + 32 * storageKeys.length, 0)
}

/** Each list's writer returns the address behind it. */
function writeAuthorizations(
  memory: EngineMemory,
  at: number,
  authorizations: readonly Authorization[],
): number {
  for (const authorization of authorizations) {
    memory.setWord(at, authorization.chainId)
    memory.setWord(at + 32, authorization.nonce)
    memory.setWord(at + 64, authorization.yParity)
    memory.bytes.set(bigintToBytes(authorization.r, 32), at + 96)
    memory.bytes.set(bigintToBytes(authorization.s, 32), at + 128)
    memory.bytes.set(authorization.address, at + 160)
    at += AUTHORIZATION
  }
  return at
}

function writeHashes(memory: EngineMemory, at: number, hashes: readonly Uint8Array[]): number {
  for (const hash of hashes) {
    memory.bytes.set(hash, at)
    at += 32
  }
  return at
}

function writeAccessList(
  memory: EngineMemory,
  at: number,
  accessList: readonly AccessListEntry[],
): number {
  for (const { address, storageKeys } of accessList) {
    memory.bytes.set(address, at)
    memory.setU32(at + 20, storageKeys.length)
    at = writeHashes(memory, at + 24, storageKeys)
  }
  return at
}
