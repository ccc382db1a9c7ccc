import type { StepRecord } from '../../../evm/engine/trace-event.ts'
import type { IndexedCall } from './call-index.ts'
import type { StepVisitor } from './step-walk.ts'
import type { StepDigests } from './stepper.ts'

/** Top words of the stack in a digest: an opcode changes only words near the top. */
const TOP_WORDS = 4
const WORD_LIMBS = 8

/** Computes digests of the steps that it visits (32-bit MurmurHash3 without the final mix). */
export class DigestVisitor implements StepVisitor {
  readonly steps = { stack: true, memory: false }
  readonly #places: Uint32Array
  readonly #stacks: Uint32Array
  readonly #gas: Float64Array
  #limbs: Uint32Array = new Uint32Array(0)
  #count = 0

  /** `count` is the maximum number of steps. */
  constructor(count: number) {
    this.#places = new Uint32Array(count)
    this.#stacks = new Uint32Array(count)
    this.#gas = new Float64Array(count)
  }

  get digests(): StepDigests {
    const end = this.#count
    return {
      places: this.#places.subarray(0, end),
      stacks: this.#stacks.subarray(0, end),
      gas: this.#gas.subarray(0, end),
    }
  }

  onStep(step: StepRecord, _: number, { codeAddress }: IndexedCall): void {
    const at = this.#count++
    if (this.#limbs.buffer !== step.bytes.buffer) this.#limbs = new Uint32Array(step.bytes.buffer)
    // The last digits of the address distinguish codes.
    const code = Number.parseInt(codeAddress.slice(-8), 16)
    this.#places[at] = mix(mix(mix(mix(0, step.pc), step.opcode), step.depth), code)
    const { stackHeight, stackAt } = step
    let hash = mix(mix(0, stackHeight), step.memorySize)
    const end = (stackAt >> 2) + WORD_LIMBS * stackHeight
    for (let i = end - WORD_LIMBS * Math.min(stackHeight, TOP_WORDS); i < end; i++) {
      hash = mix(hash, this.#limbs[i] as number)
    }
    this.#stacks[at] = hash
    this.#gas[at] = step.gas
  }
}

function mix(hash: number, limb: number): number {
  let scrambled = Math.imul(limb, 0xcc9e2d51)
  scrambled = (scrambled << 15) | (scrambled >>> 17)
  const mixed = hash ^ Math.imul(scrambled, 0x1b873593)
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0
}
