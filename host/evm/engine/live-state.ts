import type { EngineMemory } from './memory.ts'
import type { EngineExports } from './module.ts'

/**
 * The running message's state as the engine knows it: before the last delivered step, if the engine stops at each
 * step; after the message, its final state. Undefined for values that the block has not read: ask the state view for
 * those.
 */
export interface LiveState {
  /** 72-byte account record (`state/account.ts`); empty if the account does not exist. */
  account(address: Uint8Array): Uint8Array | undefined
  /** 32-byte value of a slot; empty for zero. */
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined
  code(codeHash: Uint8Array): Uint8Array | undefined
  /** The running frame. Only valid while the run is paused before a step (`TraceSink.onPause`). */
  frame(): LiveFrame
}

export interface LiveFrame {
  readonly memory: Uint8Array
  /** Output of the frame's last call. */
  readonly returnData: Uint8Array
}

/** @internal Used by the engine only, so the published types omit it. */
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
