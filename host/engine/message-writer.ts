import { bigintToBytes } from '../base/bytes.ts'
import { LockstepError } from '../base/error.ts'
import { type Revision, revisionNumber } from '../chain-types/revision.ts'
import type { EngineMemory } from './memory.ts'
import type { BlockEnv, TransactionInput } from './message.ts'

/** Bits of the message's flags (assembly/evm/message-layout.ts). */
export const MESSAGE_FLAG = {
  creation: 1,
  skipSenderChecks: 2,
  skipFees: 4,
  traceCalls: 8,
  traceSteps: 16,
  discard: 32,
  system: 64,
} as const

const HEADER = 288
const AUTHORIZATION = 192

/** Low addresses whose calls the host answers: the chain's own precompiles. */
export interface HostAddresses {
  readonly first: number
  readonly last: number
}

/** Writes the block where the engine reads it (assembly/evm/block.ts). */
export function writeBlock(
  memory: EngineMemory,
  at: number,
  env: BlockEnv,
  hashSeed: bigint,
  host: HostAddresses,
): void {
  memory.setU32(at, revisionNumber(env.revision satisfies Revision))
  memory.setU32(at + 4, env.burnBaseFee ? 0 : 1)
  memory.setU64(at + 8, BigInt(env.number))
  memory.setU64(at + 16, BigInt(env.timestamp))
  memory.setU64(at + 24, env.gasLimit)
  memory.setU64(at + 32, hashSeed)
  memory.setU32(at + 40, host.first)
  memory.setU32(at + 44, host.last)
  memory.setWord(at + 64, env.chainId)
  memory.setWord(at + 96, env.baseFee)
  memory.setWord(at + 128, env.blobBaseFee)
  memory.setWordBytes(at + 160, env.prevRandao)
  memory.bytes.set(env.coinbase, at + 192)
}

/**
 * Writes a message where the engine reads it (assembly/evm/message-layout.ts).
 * @throws INVALID_ARGUMENT when its data and lists do not fit into `size` bytes.
 */
export function writeMessage(
  memory: EngineMemory,
  at: number,
  size: number,
  input: TransactionInput,
  flags: number,
): void {
  const { bytes } = memory
  let needed = HEADER + input.data.length + 8
  for (const entry of input.accessList) needed += 24 + 32 * entry.storageKeys.length
  needed += AUTHORIZATION * input.authorizations.length + 32 * input.blobHashes.length
  if (needed > size) {
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `transaction of ${needed} bytes exceeds the engine's ${size}`,
    )
  }

  memory.setU32(at, input.type)
  memory.setU32(at + 4, input.to === undefined ? flags | MESSAGE_FLAG.creation : flags)
  bytes.set(input.from, at + 8)
  if (input.to !== undefined) bytes.set(input.to, at + 32)
  memory.setU64(at + 56, input.nonce)
  memory.setU64(at + 64, input.gas)
  memory.setWord(at + 128, input.maxFeePerGas)
  memory.setWord(at + 160, input.maxPriorityFeePerGas)
  memory.setWord(at + 192, input.value)
  memory.setWord(at + 224, input.maxFeePerBlobGas)

  let next = at + HEADER
  memory.setU32(at + 80, next)
  memory.setU32(at + 84, input.authorizations.length)
  for (const authorization of input.authorizations) {
    memory.setWord(next, authorization.chainId)
    memory.setWord(next + 32, authorization.nonce)
    memory.setWord(next + 64, authorization.yParity)
    bytes.set(bigintToBytes(authorization.r, 32), next + 96)
    bytes.set(bigintToBytes(authorization.s, 32), next + 128)
    bytes.set(authorization.address, next + 160)
    next += AUTHORIZATION
  }
  memory.setU32(at + 88, next)
  memory.setU32(at + 92, input.blobHashes.length)
  for (const hash of input.blobHashes) {
    bytes.set(hash, next)
    next += 32
  }
  memory.setU32(at + 72, next)
  memory.setU32(at + 76, input.accessList.length)
  for (const entry of input.accessList) {
    bytes.set(entry.address, next)
    memory.setU32(next + 20, entry.storageKeys.length)
    next += 24
    for (const key of entry.storageKeys) {
      bytes.set(key, next)
      next += 32
    }
  }
  memory.setU32(at + 96, next)
  memory.setU32(at + 100, input.data.length)
  bytes.set(input.data, next)
}
