import { LockstepError } from '../../base/error.ts'
import type { EngineMemory } from './memory.ts'
import type { EngineExports } from './module.ts'
import type { FollowedFrames } from './step-cursor.ts'

const PAGE_BITS = 12
/** Bytes of a page, the unit of saved memory. Smaller pages share more between checkpoints, larger ones copy faster. */
export const PAGE = 1 << PAGE_BITS
const ZEROS = new Uint8Array(PAGE)

/**
 * A message stopped before one of its steps. `Engine.resume` continues from it, any number of times, until the engine
 * starts another message or block. Holds the pages of memory in use and the engine's registers. Pages unchanged since
 * an earlier checkpoint are shared with it.
 */
export interface EngineCheckpoint {
  /** Sequence number of the engine's message. */
  readonly message: number
  /** Page numbers, ascending. */
  readonly numbers: Uint32Array
  /** Page contents; undefined for a page of zeros. */
  readonly pages: readonly (Uint8Array | undefined)[]
  readonly registers: Uint8Array
  readonly followed: FollowedFrames
}

type Kept = Pick<EngineCheckpoint, 'numbers' | 'pages' | 'registers'>

/** Saves the memory and registers of the running message. Pages unchanged since `before` are not copied. */
export function saveCheckpoint(
  exports: EngineExports,
  memory: EngineMemory,
  before: EngineCheckpoint | undefined,
): Kept {
  const numbers = pagesInUse(exports, memory)
  const words = new Int32Array(memory.bytes.buffer)
  let at = 0
  const pages = Array.from(numbers, (number) => {
    if (before !== undefined) {
      while (at < before.numbers.length && (before.numbers[at] as number) < number) at++
      const known = before.numbers[at] === number ? before.pages[at] : undefined
      if (isPage(words, number, known ?? ZEROS)) return known
    } else if (isPage(words, number, ZEROS)) {
      return undefined
    }
    return memory.copy(number << PAGE_BITS, PAGE)
  })
  const place = exports.answerAt.value as number
  return { numbers, pages, registers: memory.copy(place, exports.keepRegisters(place)) }
}

/** Restores saved memory and registers. */
export function restoreCheckpoint(
  exports: EngineExports,
  memory: EngineMemory,
  { numbers, pages, registers }: Kept,
): void {
  const { bytes } = memory
  let at = 0
  // Hash tables must be as they were, free cells included.
  for (const number of pagesInUse(exports, memory)) {
    while (at < numbers.length && (numbers[at] as number) < number) at++
    if (numbers[at] !== number) memory.clear(number << PAGE_BITS, PAGE)
  }
  for (const [i, page] of pages.entries()) {
    bytes.set(page ?? ZEROS, (numbers[i] as number) << PAGE_BITS)
  }
  const place = exports.answerAt.value as number
  bytes.set(registers, place)
  exports.setRegisters(place)
}

/** Returns the numbers of the pages in use by the message, ascending. */
function pagesInUse(exports: EngineExports, memory: EngineMemory): Uint32Array {
  const place = exports.resultAt.value as number
  const count = exports.extents()
  const numbers: number[] = []
  let next = 0
  for (let i = 0; i < count; i++) {
    const end = Math.ceil(memory.u32(place + 8 * i + 4) / PAGE)
    for (next = Math.max(next, memory.u32(place + 8 * i) >>> PAGE_BITS); next < end; next++) {
      numbers.push(next)
    }
  }
  return Uint32Array.from(numbers)
}

function isPage(words: Int32Array, number: number, page: Uint8Array): boolean {
  const others = new Int32Array(page.buffer)
  const first = number << (PAGE_BITS - 2)
  for (let i = 0; i < others.length; i++) if (words[first + i] !== others[i]) return false
  return true
}

/** @throws ENGINE_FAULT if the checkpoint does not belong to the engine's last message */
export function requireSameMessage({ message }: EngineCheckpoint, last: number): void {
  if (message === last) return
  throw new LockstepError('ENGINE_FAULT', 'the checkpoint belongs to another message', {
    hint: 'use a separate engine for a message with checkpoints',
  })
}
