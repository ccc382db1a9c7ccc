import { LockstepError } from '../../base/error.ts'
import type { EngineMemory } from './memory.ts'
import type { EngineExports } from './module.ts'
import type { FollowedFrames } from './step-cursor.ts'

const PAGE_BITS = 12
/** Bytes of a page: the unit in which memory is kept. Smaller ones share more, larger ones are copied faster. */
export const PAGE = 1 << PAGE_BITS
const ZEROS = new Uint8Array(PAGE)

/**
 * A message that was stopped before one of its steps: `Engine.resume` goes on from there, as often as it is asked
 * to, until the engine begins another message or block. It is the memory that the message has in use, in pages,
 * and the engine's registers; a page that is as in an earlier checkpoint is shared with that.
 */
export interface EngineCheckpoint {
  /** Which of the engine's messages it is of. */
  readonly message: number
  /** Numbers of the pages, ascending. */
  readonly numbers: Uint32Array
  /** Their bytes; undefined for zeros alone. */
  readonly pages: readonly (Uint8Array | undefined)[]
  readonly registers: Uint8Array
  readonly followed: FollowedFrames
}

type Kept = Pick<EngineCheckpoint, 'numbers' | 'pages' | 'registers'>

/** Keeps what the running message has in use. Pages that are as in `before` are not copied. */
export function keep(
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

/** Makes the engine what it was. */
export function restore(
  exports: EngineExports,
  memory: EngineMemory,
  { numbers, pages, registers }: Kept,
): void {
  const { bytes } = memory
  let at = 0
  // Tables of hashes must be as they were, cells that were free among them
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

/** Numbers of the pages that the message has in use, ascending. */
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

/** @throws ENGINE_FAULT where the checkpoint is of another message than the engine's last */
export function refuseOther({ message }: EngineCheckpoint, last: number): void {
  if (message === last) return
  throw new LockstepError('ENGINE_FAULT', 'the checkpoint is of another message', {
    hint: 'keep one engine for the message whose checkpoints are in use',
  })
}
