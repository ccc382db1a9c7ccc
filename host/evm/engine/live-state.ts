import type { EngineMemory } from './memory.ts'
import type { EngineExports } from './module.ts'

/**
 * What the engine knows of the state of the message it runs, as it stood before the step last delivered
 * (only where it stops at each step); after the message, as the message leaves it. Undefined is what the
 * block has not read: the view that answers its needs has it.
 */
export interface LiveState {
  /** The 72-byte account record (`state/account.ts`); no bytes where there is no account. */
  account(address: Uint8Array): Uint8Array | undefined
  /** The 32-byte value of a slot; no bytes for zero. */
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined
  code(codeHash: Uint8Array): Uint8Array | undefined
  /** The frame that runs, where the run waits before one of its steps (`TraceSink.onPause`). */
  frame(): LiveFrame
}

export interface LiveFrame {
  readonly memory: Uint8Array
  /** Output of its last call. */
  readonly returnData: Uint8Array
}

/** @internal for the engine that runs the message: the package's types do not show it */
export function openLiveState(exports: EngineExports, memory: EngineMemory): LiveState {
  const question = exports.answerAt.value as number
  const result = exports.resultAt.value as number
  const read = (size: number) => (size < 0 ? undefined : memory.copy(result, size))
  return {
    account(address) {
      memory.bytes.set(address, question)
      return read(exports.peekAccount())
    },
    storage(address, slot) {
      memory.bytes.set(address, question)
      memory.bytes.set(slot, question + 32)
      return read(exports.peekStorage())
    },
    code(codeHash) {
      memory.bytes.set(codeHash, question)
      if (exports.peekCode() === 0) return undefined
      return memory.copy(memory.u32(result), memory.u32(result + 4))
    },
    frame() {
      exports.peekFrame()
      return {
        memory: memory.copy(memory.u32(result), memory.u32(result + 4)),
        returnData: memory.copy(memory.u32(result + 8), memory.u32(result + 12)),
      }
    },
  }
}
